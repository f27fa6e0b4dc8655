package phone

import (
	"strconv"

	"github.com/seed-3405227d/frontdesk/snippet/phone/forms"
	"github.com/seed-3405227d/frontdesk/snippet/phone/plan"
)

// AppendScript appends number i and what shown replaces it by, for the browser's script, which knows no numbering
// plans. shown must have a number for i. The output is ASCII: a JSON array of groups of forms that differ in their
// prefix only. Each group is an array
//
//	[form, prefixes, old]                       left as it is: the number stands for itself
//	[form, prefixes, old, new, text, at, area]  poured
//	[form, prefixes, old, null, text, compact]  written anew
//
// prefixes are separated by spaces. A form without a prefix has an empty one. Each prefix followed by old means the
// number. A poured number becomes the same prefix followed by new. A number that is written anew becomes text, or
// compact if the old writing has no separators; both begin with a plus sign if they need one. If the form is [Dialled],
// it becomes the prefix, and text or compact behind it.
//
// A poured number, too, becomes text if its area code as it is written, which begins with the digit at of old, has
// another number of digits than area, and does not begin the new number. If area is negative, this applies only to a
// code in parentheses. text, at and area may be missing.
//
// Forms whose digits mean none of the replaced numbers, because two of the numbers share them, are left out.
func (s *Set) AppendScript(b []byte, i int, shown Shown) []byte {
	n, fresh := s.numbers[i], shown[i]
	var group scriptForms
	b = append(b, '[')
	for k := range n.Forms {
		f := &n.Forms[k]
		if e := s.Find(forms.Decimal(f.Digits), len(f.Digits), shown); e == nil || e.Form != f {
			continue
		}
		prefix := len(f.Prefix)
		if f.Kind == plan.CountryTrunk {
			prefix += len(n.Country)
		}
		g := scriptForms{kind: f.Kind, old: f.Digits[prefix:]}
		if lead, digits, ok := fresh.Counterpart(f, n); ok {
			g.pours, g.new = true, digits[prefix-len(lead):]
			if start, ok := n.Start(f); ok && fresh != n && fresh.Area(n) != 0 {
				g.Rewriting, g.at, g.area = fresh.Rewriting(f, n), start-prefix, fresh.Area(n)
				g.Lead, g.Compact = "", ""
			}
		} else {
			g.Rewriting = fresh.Rewriting(f, n)
			g.Lead = "" // the prefixes have it
		}
		if g == group {
			b = append(b, ' ')
		} else {
			if group.old != "" {
				b = append(group.appendEnd(b), ',')
			}
			b = append(strconv.AppendUint(append(b, '['), uint64(g.kind), 10), `,"`...)
			group = g
		}
		b = append(b, f.Digits[:prefix]...)
	}
	if group.old != "" {
		b = group.appendEnd(b)
	}
	return append(b, ']')
}

// scriptForms are a group of forms, without their prefixes. Their texts need no escapes, since they are digits and
// separators.
type scriptForms struct {
	kind     plan.Form
	old, new string
	pours    bool
	at, area int
	plan.Rewriting
}

// appendEnd appends the group's part behind the prefixes.
func (g *scriptForms) appendEnd(b []byte) []byte {
	b = append(append(append(b, `","`...), g.old...), '"')
	switch {
	case g.pours && g.new == g.old:
	case g.pours:
		b = append(append(append(b, `,"`...), g.new...), '"')
		if g.area != 0 {
			b = g.appendText(b, g.Text)
			b = strconv.AppendInt(append(b, ','), int64(g.at), 10)
			b = strconv.AppendInt(append(b, ','), int64(g.area), 10)
		}
	default:
		b = append(b, `,null`...)
		b = g.appendText(g.appendText(b, g.Text), g.Compact)
	}
	return append(b, ']')
}

// appendText appends a new writing, with a plus sign if it needs one.
func (g *scriptForms) appendText(b []byte, text string) []byte {
	b = append(b, `,"`...)
	if g.Abroad {
		b = append(b, '+')
	}
	return append(append(b, text...), '"')
}
