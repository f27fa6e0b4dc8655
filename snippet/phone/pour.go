package phone

import (
	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/phone/plan"
)

// maxInk is more bytes than the new text of a match can have: each digit as the longest reference, and as many
// separators.
const maxInk = 4 * plan.MaxDigits * char.MaxReference

// emit appends the match of a writing, with its edits.
func (m *Matcher) emit(w *writing) {
	r := &m.run
	first, last := &r.digits[w.first], &r.digits[w.end-1]
	match := Match{
		Start:  first.at,
		End:    last.at + int64(last.size),
		Number: int(w.Number),
		Form:   w.Form.Kind,
		Plus:   w.plus,
	}
	if w.plus {
		match.Start = first.marks.plusAt
	}
	if w.open {
		match.Start = min(match.Start, first.marks.openAt)
	}
	if cap(m.ink)-len(m.ink) < maxInk {
		// Matches that were returned still point into the old ink.
		m.ink = make([]byte, 0, 2*cap(m.ink)+maxInk)
	}
	before := len(m.edits)
	old, fresh := m.set.numbers[w.Number], m.shown[w.Number]
	lead, digits, pours := fresh.Counterpart(w.Form, old)
	switch match.Poured = pours && !m.regroups(w, old, fresh); {
	case fresh.Templated() != "" && m.kind == Text && (m.keeps == nil || !*m.keeps): // programs read links and data
		match.Poured = false
		m.rewrite(w, plan.Rewriting{Text: fresh.Templated(), Templated: true}, match.Start, match.End)
	case match.Poured:
		m.pour(w, lead, digits)
	default:
		m.rewrite(w, fresh.Rewriting(w.Form, old), match.Start, match.End)
	}
	match.Edits = m.edits[before:len(m.edits):len(m.edits)]
	m.matches = append(m.matches, match)
}

// regroups says whether the new number is to be written anew because its area code has another length.
func (m *Matcher) regroups(w *writing, old, fresh *plan.Number) bool {
	start, ok := old.Start(w.Form)
	if !ok || m.kind == Link || fresh == old {
		return false
	}
	for i := start + 1; w.first+i < w.end; i++ {
		if m.run.aligned(w.first + i) {
			return fresh.Regroups(old, i-start, m.run.digits[w.first+i].gap&closeGap != 0)
		}
	}
	return false
}

// pour writes the digits of lead and digits in the place of the old ones, each in the way of the old one.
func (m *Matcher) pour(w *writing, lead, digits string) {
	before := len(m.edits)
	for i := w.first; i < w.end; i++ {
		d := &m.run.digits[i]
		text, k := lead, i-w.first
		if k >= len(lead) {
			text, k = digits, k-len(lead)
		}
		value := text[k] - '0'
		if value == d.value {
			continue
		}
		from := len(m.ink)
		m.ink = d.pen.AppendDigit(m.ink, value, d.size)
		end := d.at + int64(d.size)
		if n := len(m.edits); n > before && m.edits[n-1].End == d.at {
			e := &m.edits[n-1]
			e.End = end
			e.Text = m.ink[from-len(e.Text) : len(m.ink) : len(m.ink)]
			continue
		}
		m.edits = append(m.edits, Edit{d.at, end, m.ink[from:len(m.ink):len(m.ink)]})
	}
}

// rewrite inserts the new writing at the beginning of the old one and removes the old one. Markup inside the old
// writing stays.
func (m *Matcher) rewrite(w *writing, fresh plan.Rewriting, start, end int64) {
	from := len(m.ink)
	m.appendWriting(w, &fresh)
	text := m.ink[from:len(m.ink):len(m.ink)]
	r := &m.run
	for _, c := range r.cuts[:r.ncuts] {
		if c.from <= start || c.from >= end {
			continue
		}
		m.edits = append(m.edits, Edit{start, c.from, text})
		start, text = c.to, nil
	}
	m.edits = append(m.edits, Edit{start, end, text})
}

// appendWriting writes the number anew, with the script, the spaces and the dashes of the old writing, if it has any.
func (m *Matcher) appendWriting(w *writing, fresh *plan.Rewriting) {
	pen := m.run.digits[w.first].pen.Plain()
	if fresh.Templated {
		m.appendText(fresh.Text, pen)
		return
	}
	text, gap := fresh.Text, " "
	if m.kind == Link || w.compact() && !w.open {
		text, gap = fresh.Compact, ""
	}
	if w.plus || fresh.Abroad && !(m.kind == Link && w.Form.Kind == plan.International) {
		m.ink = append(m.ink, '+')
	}
	if fresh.Lead != "" {
		m.appendText(fresh.Lead, pen)
		m.appendText(gap, pen)
	}
	m.appendText(text, pen)
}

func (m *Matcher) appendText(text string, pen char.Pen) {
	r := &m.run
	for i := range len(text) {
		switch c := text[i]; {
		case '0' <= c && c <= '9':
			m.ink = pen.AppendDigit(m.ink, c-'0', 0)
		case c == ' ' && r.space.size > 0:
			m.ink = append(m.ink, r.space.bytes[:r.space.size]...)
		case c == '-' && r.dash.size > 0:
			m.ink = append(m.ink, r.dash.bytes[:r.dash.size]...)
		default:
			m.ink = append(m.ink, c)
		}
	}
}
