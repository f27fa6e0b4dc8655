package phone

import "strconv"

// AppendScript appends number i, in whose place another one is shown, for the browser's
// script, which knows no numbering plans: a JSON array of groups of forms that differ
// in their prefix only. Each is an array
//
//	[form, prefixes, old]                       left as it is: the number stands for itself
//	[form, prefixes, old, new]                  poured
//	[form, prefixes, old, null, text, compact]  written anew
//
// Each prefix, followed by old, is a row of digits that means the number. Prefixes
// are separated by spaces, and there is an empty one where there are none. What is
// poured is the same prefix followed by new. What is written anew is text, or
// compact where the old writing had no separators; both begin with a plus sign where
// one has to lead, and with the prefix where the form is [Dialled].
//
// It is ASCII. Digits that mean none of the numbers that are replaced, because two of
// them share them, are left out.
func (s *Set) AppendScript(b []byte, i int, shown Shown) []byte {
	n, fresh := s.numbers[i], shown[i]
	var group scriptForms
	b = append(b, '[')
	for k := range n.forms {
		f := &n.forms[k]
		if e := s.find(decimal(f.digits), len(f.digits), shown); e == nil || e.form != f {
			continue
		}
		prefix := len(f.prefix)
		if f.kind == CountryTrunk {
			prefix += len(n.country)
		}
		g := scriptForms{kind: f.kind, old: f.digits[prefix:]}
		if lead, digits, ok := fresh.counterpart(f, n); ok {
			g.pours, g.new = true, digits[prefix-len(lead):]
		} else {
			g.rewriting = fresh.rewriting(f, n)
			g.lead = "" // it is among the prefixes
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
		b = append(b, f.digits[:prefix]...)
	}
	if group.old != "" {
		b = group.appendEnd(b)
	}
	return append(b, ']')
}

// scriptForms are a group of forms without their prefixes. Their texts are digits and
// separators, which need no escapes.
type scriptForms struct {
	kind     Form
	old, new string
	pours    bool
	rewriting
}

// appendEnd appends what follows the prefixes.
func (g *scriptForms) appendEnd(b []byte) []byte {
	b = append(append(append(b, `","`...), g.old...), '"')
	switch {
	case g.pours && g.new == g.old:
	case g.pours:
		b = append(append(append(b, `,"`...), g.new...), '"')
	default:
		b = append(b, `,null`...)
		for _, text := range [...]string{g.text, g.compact} {
			b = append(b, `,"`...)
			if g.abroad {
				b = append(b, '+')
			}
			b = append(append(b, text...), '"')
		}
	}
	return append(b, ']')
}
