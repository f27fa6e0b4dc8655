package weave

import "slices"

// ScriptRules are the tables by which pages are searched for lines and links. They are written into the sources of the
// browser's script, so that it searches in the same way.
type ScriptRules struct {
	// Breaking are the elements whose tags break a line, sorted.
	Breaking []string
	// Schemes and Links are beginnings of addresses that end with a number. In Links, "https:" or "http:" may stand
	// before a beginning with slashes.
	Schemes, Links []string
}

// RulesOfScript returns the tables.
func RulesOfScript() ScriptRules {
	r := ScriptRules{Schemes: numberSchemes[:], Links: numberLinks[:]}
	for _, e := range elements {
		if e.traits&breaks != 0 {
			r.Breaking = append(r.Breaking, e.name.String())
		}
	}
	for name, t := range longElements {
		if t&breaks != 0 {
			r.Breaking = append(r.Breaking, name)
		}
	}
	slices.Sort(r.Breaking)
	return r
}
