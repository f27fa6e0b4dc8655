package api

import (
	"net/http"
	"regexp"
	"strings"
)

// consent refuses a call of the script while the visitor has not agreed, which
// a cookie of the site's says. Calls of the site's server are not asked for it:
// they carry no cookies, and the credentials that they do carry are given out
// after consent only.
func (c *call) consent() *failure {
	if Agreed(c.r.Header, c.site.ConsentCookie, c.site.ConsentValue) {
		return nil
	}
	return fail(http.StatusForbidden, "consent_missing", "the visitor has not agreed to be counted")
}

// Agreed tells whether a request carries the cookie by which the visitor has
// agreed: of this name, and of a value that the expression matches, or any value
// where there is none. Nobody is asked where the cookie has no name.
func Agreed(h http.Header, cookie string, value *regexp.Regexp) bool {
	if cookie == "" {
		return true
	}
	// Consent managers write values that [http.Request.Cookies] leaves out, and
	// the script compares them as they are written: so does this.
	for _, line := range h["Cookie"] {
		for pair := range strings.SplitSeq(line, ";") {
			name, given, found := strings.Cut(strings.Trim(pair, " "), "=")
			if found && name == cookie && (value == nil || value.MatchString(given)) {
				return true
			}
		}
	}
	return false
}
