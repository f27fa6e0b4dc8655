package weave

import "github.com/seed-3405227d/frontdesk/snippet/weave/token"

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
	return ScriptRules{Breaking: token.Names(token.Breaks), Schemes: numberSchemes[:], Links: numberLinks[:]}
}
