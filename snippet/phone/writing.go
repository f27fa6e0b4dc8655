package phone

import (
	"slices"

	"github.com/seed-3405227d/frontdesk/snippet/phone/forms"
	"github.com/seed-3405227d/frontdesk/snippet/phone/plan"
)

// writing is a candidate: the digits from first up to end, which spell Entry.
type writing struct {
	*forms.Entry
	first, end int
	gaps       gap  // all separators between its digits
	spaced     gap  // the dashes, dots and slashes with a space beside them
	plus       bool // a plus sign stands before it
	open       bool // a parenthesis opens before the first digit and closes inside
}

func (w *writing) compact() bool { return w.gaps&seen == 0 }

// onlySpaces says whether the only separators between the groups are spaces.
func (w *writing) onlySpaces() bool { return w.gaps&seen == spaceGap }

// slug says whether the writing may be a part of a file name or an address.
func (w *writing) slug() bool { return !w.plus && w.gaps&seen&^dashGap == 0 }

// bare says whether other figures may look the same: no plus sign, no parentheses, and no separators but spaces and
// dots.
func (w *writing) bare() bool { return !w.plus && !w.open && w.gaps&seen&^(spaceGap|dotGap) == 0 }

// resolve decides digits. Unless final is set, it leaves those that do not have enough digits behind them.
func (m *Matcher) resolve(final bool) {
	r := &m.run
	i := r.from
	for i < r.n {
		// A match and the number behind it have to be read whole.
		if !final && r.n-i < 2*plan.MaxDigits+2 {
			break
		}
		w := writing{}
		if (i == 0 || r.aligned(i)) && m.matchAt(i, &w) {
			m.emit(&w)
			r.matched = w.end
			i = w.end
			continue
		}
		i++
	}
	r.from = i
	if !final {
		r.slide()
	}
}

// matchAt finds the longest writing that begins with digit i.
func (m *Matcher) matchAt(i int, found *writing) bool {
	r := &m.run
	if r.n-i < m.set.Least || r.n-i < 3 ||
		!m.set.MayBegin(r.digits[i].value, r.digits[i+1].value, r.digits[i+2].value) {
		return false
	}
	w := writing{first: i, plus: r.digits[i].gap&plusGap != 0}
	lead := r.digits[i].gap&openGap != 0
	depth, ok := 0, false
	if lead {
		depth = 1
	}
	var digits uint64
	for e := i; e < r.n && e-i < plan.MaxDigits; e++ {
		if e > i {
			g := r.digits[e].gap
			if g&outside != 0 {
				break
			}
			if g&closeGap != 0 {
				if depth--; depth < 0 {
					break
				}
				if lead {
					w.open, lead = true, false
				}
			}
			if g&openGap != 0 {
				depth++
			}
			w.gaps |= g
			if g&spaceGap != 0 {
				w.spaced |= g & strokes
			}
		}
		digits = digits*10 + uint64(r.digits[e].value)
		if size := e - i + 1; m.set.Sizes>>size&1 != 0 && r.aligned(e+1) {
			if w.Entry = m.set.Find(digits, size, m.shown); w.Entry != nil {
				if w.end = e + 1; m.accepts(&w) {
					*found, ok = w, true
				}
			}
		}
	}
	return ok
}

// accepts says whether the rules about the inside and the surroundings of a writing allow it.
func (m *Matcher) accepts(w *writing) bool {
	if w.plus && w.Form.Kind != plan.International && w.Form.Kind != plan.CountryTrunk {
		return false
	}
	if m.kind == Link {
		return (w.first == 0 || m.standsLeft(w)) && (w.end == m.run.n || m.standsRight(w))
	}
	return !w.LinkOnly && !m.otherFigure(w) && m.standsLeft(w) && m.standsRight(w) && !m.spares(w)
}

func (m *Matcher) spares(w *writing) bool {
	return m.kind == Data && m.spared != nil && w.first == 0 && m.spared(m.left.bytes[:m.left.size])
}

// otherFigure says whether the writing is rather a date, a network address or a decimal number.
func (m *Matcher) otherFigure(w *writing) bool {
	if w.plus || w.gaps&(brackets|spaceGap) != 0 {
		return false
	}
	r := &m.run
	var sizes, values [5]int
	n := 0
	for i := w.first; i < w.end; n++ {
		if n == len(sizes) {
			return false
		}
		e := r.groupAfter(i)
		for sizes[n] = e - i; i < e; i++ {
			values[n] = values[n]*10 + int(r.digits[i].value)
		}
	}
	switch {
	case n == 2 && w.gaps&seen == dotGap: // a decimal number, unless it begins with a trunk prefix's zero
		return r.digits[w.first].value != 0 || sizes[0] == 1
	case n == 3 && oneOf(w.gaps&seen, dashGap, dotGap, slashGap):
		if sizes == [5]int{4, 2, 2} {
			return isDate(values[0], values[1], values[2])
		}
		return sizes == [5]int{2, 2, 4} &&
			(isDate(values[2], values[1], values[0]) || isDate(values[2], values[0], values[1]))
	case n == 4 && w.gaps&seen == dotGap && sizes != [5]int{2, 2, 2, 2}:
		return values[0] < 256 && values[1] < 256 && values[2] < 256 && values[3] < 256
	}
	return false
}

func isDate(year, month, day int) bool {
	return year >= 1900 && year < 2100 && month >= 1 && month <= 12 && day >= 1 && day <= 31
}

func oneOf(g gap, all ...gap) bool {
	return slices.Contains(all, g)
}
