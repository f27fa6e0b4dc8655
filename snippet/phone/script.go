package phone

import (
	"encoding/json"
	"strings"
)

// scriptForms is a group of forms that differ in their prefix only, as the
// browser's script reads them: a JSON array
//
//	[form, prefixes, old]                       left as it is: the replacement is the number itself
//	[form, prefixes, old, new]                  poured
//	[form, prefixes, old, null, text, compact]  written anew
//
// Each prefix, followed by old, is a row of digits that means the number. Prefixes
// are separated by spaces, and there is an empty one where there are none. What is
// poured is the same prefix followed by new. What is written anew is text, or
// compact where the old writing had no separators; both begin with a plus sign where
// one has to lead, and with the prefix where the form is [Dialled].
type scriptForms struct {
	form     Form
	prefixes []string
	old, new string
	pours    bool
	text     string
	compact  string
}

// Script gives number i for the browser's script, which knows no numbering plans: a
// JSON array of groups of forms. It is ASCII. Digits that the set recognises as none
// of its numbers, because two of them share them, are left out.
func (s *Set) Script(i int) json.RawMessage {
	old, err := parse(s.numbers[i].Digits)
	if err != nil {
		return json.RawMessage("[]") // Compile has refused it
	}
	var groups []scriptForms
	for _, f := range old.forms {
		e := s.find(decimal(f.digits), len(f.digits))
		if e == nil || int(e.number) != i || e.form != f.kind {
			continue
		}
		g := scriptForms{form: f.kind, old: f.digits, pours: e.pours}
		prefix := f.prefix
		if f.kind == CountryTrunk {
			prefix = old.country + f.prefix
		}
		g.old = f.digits[len(prefix):]
		if e.pours {
			poured := make([]byte, 0, maxDigits)
			for _, value := range e.poured[len(prefix):e.size] {
				poured = append(poured, '0'+value)
			}
			g.new = string(poured)
		} else {
			g.text, g.compact = e.rewriting.scripted(f)
		}
		if n := len(groups); n > 0 && groups[n-1].same(&g) {
			groups[n-1].prefixes = append(groups[n-1].prefixes, prefix)
			continue
		}
		g.prefixes = []string{prefix}
		groups = append(groups, g)
	}
	rows := make([][]any, len(groups))
	for n := range groups {
		rows[n] = groups[n].row()
	}
	script, err := json.Marshal(rows)
	if err != nil {
		return json.RawMessage("[]") // numbers and texts can be encoded
	}
	return script
}

func (r rewriting) scripted(f form) (text, compact string) {
	text, compact = r.text, r.compact
	if f.kind == Dialled {
		return strings.TrimPrefix(text, f.prefix+" "), strings.TrimPrefix(compact, f.prefix)
	}
	if r.abroad {
		return "+" + text, "+" + compact
	}
	return text, compact
}

func (g *scriptForms) same(other *scriptForms) bool {
	return g.form == other.form && g.old == other.old && g.pours == other.pours && g.new == other.new &&
		g.text == other.text && g.compact == other.compact
}

func (g *scriptForms) row() []any {
	row := []any{g.form, strings.Join(g.prefixes, " "), g.old}
	switch {
	case g.pours && g.new == g.old:
		return row
	case g.pours:
		return append(row, g.new)
	}
	return append(row, nil, g.text, g.compact)
}
