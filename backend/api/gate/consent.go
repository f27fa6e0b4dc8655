package gate

import (
	"net/http"
	"regexp"
	"strings"
)

// Consent is how a visitor agrees to be counted, or does not. The zero Consent asks nobody.
type Consent struct {
	// Cookie names the cookie of the site's that has to be there; empty for none.
	Cookie string
	// Value is what its value has to match; nil for any value.
	Value *regexp.Regexp
	// Refusals are header fields by which browsers tell, with the value 1, that their user does not
	// agree, whatever a cookie says.
	Refusals []string
}

// Asks tells whether there are visitors who have not agreed.
func (c Consent) Asks() bool { return c.Cookie != "" || len(c.Refusals) > 0 }

// Given tells whether the request comes from somebody who has agreed.
func (c Consent) Given(h http.Header) bool {
	for _, name := range c.Refusals {
		if strings.TrimSpace(h.Get(name)) == "1" {
			return false
		}
	}
	if c.Cookie == "" {
		return true
	}
	// Consent managers write values that [http.Request.Cookies] leaves out, and
	// the script compares them as they are written: so does this.
	for _, line := range h["Cookie"] {
		for pair := range strings.SplitSeq(line, ";") {
			name, given, found := strings.Cut(strings.Trim(pair, " "), "=")
			if found && name == c.Cookie && (c.Value == nil || c.Value.MatchString(given)) {
				return true
			}
		}
	}
	return false
}

// What was not kept, since the visitor has not agreed.
const (
	UnkeptCall    = "call"    // of the script
	UnkeptRefused = "refused" // a request of the site's server that did not prove from which page view it is
)

// Unkept are all of them.
var Unkept = []string{UnkeptCall, UnkeptRefused}
