package number

import (
	"net/url"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// PageAt is the page of an address, its host included, as attribution sees it. internal
// tells that the browser said that the request comes from the site itself.
func PageAt(address *url.URL, referrer string, internal bool, at time.Time) Page {
	page := Page{Source: visit.SourceAt(address, referrer), At: at}
	// A source is direct only if the referrer is no other host's.
	page.Within = page.Source.Kind == visit.Direct && (strings.HasPrefix(referrer, "http") || internal)
	return page
}

// Verdict says what a visitor sees in the place of a printed number, and why.
type Verdict struct {
	// Printed are the digits of the printed number.
	Printed string
	// Rule is the place of the rule that holds, from 1; 0 when none does.
	Rule int
	// Digits are those of a static tracking number; empty for the others.
	Digits string
	// Pool is of which the visitor gets a number; nil for none.
	Pool *Pool
}

// Verdicts are those of the choice, for each printed number in order.
func (p *Plan) Verdicts(c Choice) []Verdict {
	verdicts := make([]Verdict, len(p.numbers))
	for i, n := range p.numbers {
		verdicts[i].Printed = n.digits
	}
	for i, r := range p.rules(c) {
		verdicts[i].Rule, verdicts[i].Digits, verdicts[i].Pool = int(c[2*i])<<8|int(c[2*i+1]), r.digits, r.pool
	}
	return verdicts
}
