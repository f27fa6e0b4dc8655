package weave

import "slices"

// ScriptRules are the tables by which lines and links are found in pages. The browser's
// script finds them by the same, which are written into its sources from here.
type ScriptRules struct {
	// Breaking are the elements at whose tags a line ends, in order.
	Breaking []string
	// Schemes and Links begin addresses that end with a number; in Links, a scheme of
	// the web may stand before what begins with slashes.
	Schemes, Links []string
}

// RulesOfScript are the rules.
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
