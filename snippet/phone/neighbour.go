package phone

import "github.com/seed-3405227d/frontdesk/snippet/phone/plan"

// standsLeft says whether the text before a writing lets it be a number.
func (m *Matcher) standsLeft(w *writing) bool {
	if w.first == 0 {
		return m.left.frees(m.charset, m.kind, w)
	}
	r := &m.run
	g := r.digits[w.first].gap
	switch {
	case g&wideGap != 0, r.matched == w.first:
		return true
	case w.plus:
		return g&seen != plusGap
	case m.foreign(w.first):
		return false
	}
	start := r.groupBefore(w.first)
	size := w.first - start
	switch {
	case g&commaGap != 0:
		return g&spaceGap != 0 || size >= longGroup
	case g&colonGap != 0:
		return g&spaceGap != 0
	case g&strokes != 0:
		return g&spaceGap != 0 && w.spaced&g == 0
	case g&spaceGap == 0: // parentheses alone: 9(495) or (812)495
		return false
	}
	if w.Form.Kind == plan.National && size <= 3 || w.onlySpaces() || w.compact() && w.Form.Kind == plan.National {
		clock := size <= 2 && r.digits[start].gap&colonGap != 0
		return clock || w.Form.Kind != plan.National && r.endsNumber(w.first)
	}
	return true
}

// longGroup is how many digits beside a comma are a figure of their own. Fewer may be a fraction or a group of
// thousands.
const longGroup = 5

// foreign says whether a plus sign stands shortly before digit i, so that the digits belong to a number of another
// country.
func (m *Matcher) foreign(i int) bool {
	r := &m.run
	for k := i - 1; k >= 0 && k >= r.matched && i-k <= 5; k-- {
		switch g := r.digits[k].gap; {
		case g&plusGap != 0:
			return true
		case g&outside != 0:
			return false
		}
	}
	return false
}

// standsRight says whether the text behind a writing lets it be a number.
func (m *Matcher) standsRight(w *writing) bool {
	r := &m.run
	if w.end == r.n {
		return m.after.frees(w)
	}
	g := r.digits[w.end].gap
	stop := r.groupAfter(w.end)
	switch {
	case g&(wideGap|plusGap) != 0:
		return true
	case g&commaGap != 0:
		return g&spaceGap != 0 || w.plus || m.kind == Link || stop-w.end >= longGroup
	case g&colonGap != 0:
		return g&spaceGap != 0
	case g&(spaceGap|slashGap) != 0 && m.beginsConfigured(w.end):
		return true
	case g&slashGap != 0 && r.isEnding(w, stop):
		return false
	case g&strokes != 0:
		return g&spaceGap != 0 && w.spaced&g == 0
	case g&openGap != 0:
		return true
	case g&spaceGap == 0: // 123)45
		return false
	}
	if w.onlySpaces() || w.compact() && w.Form.Kind == plan.National {
		clock := stop-w.end <= 2 && stop < r.n && r.digits[stop].gap&(colonGap|spaceGap) == colonGap
		return clock || w.Form.Kind != plan.National && r.beginsNumber(w.end)
	}
	return true
}

// isEnding says whether the group between a writing and stop is another ending of the number: 8 (495) 123 45 67 / 68. It
// has as many digits as the writing's last group. A time of day (10:00) and "24/7" are none.
func (r *run) isEnding(w *writing, stop int) bool {
	if stop < r.n {
		if g := r.digits[stop].gap; g&(colonGap|slashGap) != 0 && g&spaceGap == 0 {
			return false
		}
	}
	size := stop - w.end
	return size == w.end-r.groupBefore(w.end) || w.compact() && size <= maxEnding
}

// maxEnding is how many digits another ending of a number without separators may have.
const maxEnding = 4

// wholeNumber is how many digits make a telephone number beside another that has its country code or trunk prefix. The
// rest of a payment card's number has fewer.
const wholeNumber = 7

// endsNumber says whether enough digits for a number stand before digit i.
func (r *run) endsNumber(i int) bool {
	n := 1
	for n < wholeNumber && i-n > 0 && r.digits[i-n].gap&outside == 0 {
		n++
	}
	return n >= wholeNumber
}

// beginsNumber says whether enough digits for a number begin with digit i.
func (r *run) beginsNumber(i int) bool {
	n := 1
	for n < wholeNumber && i+n < r.n && r.digits[i+n].gap&outside == 0 {
		n++
	}
	return n >= wholeNumber
}

// beginsConfigured says whether the digits from i on spell a configured number.
func (m *Matcher) beginsConfigured(i int) bool {
	r := &m.run
	var digits uint64
	for e := i; e < r.n && e-i < plan.MaxDigits; e++ {
		if e > i && r.digits[e].gap&outside != 0 {
			return false
		}
		digits = digits*10 + uint64(r.digits[e].value)
		if size := e - i + 1; m.set.Sizes>>size&1 != 0 && r.aligned(e+1) && m.set.Find(digits, size, m.shown) != nil {
			return true
		}
	}
	return false
}
