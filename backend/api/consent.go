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
func (a *API) consent(c *call) *failure {
	if c.site.ConsentCookie == "" {
		return nil
	}
	// Consent managers write values that [http.Request.Cookies] leaves out, and
	// the script compares them as they are written: so does this.
	for _, line := range c.r.Header.Values("Cookie") {
		for cookie := range strings.SplitSeq(line, ";") {
			name, value, found := strings.Cut(strings.Trim(cookie, " "), "=")
			if found && name == c.site.ConsentCookie && (c.site.ConsentValue == "" || a.pattern(c.site.ConsentValue).MatchString(value)) {
				return nil
			}
		}
	}
	return fail(http.StatusForbidden, "consent_missing", "the visitor has not agreed to be counted")
}

// pattern is the compiled regular expression. There are as many as the
// configuration holds. One that is none matches nothing.
func (a *API) pattern(expression string) *regexp.Regexp {
	if compiled, known := a.patterns.Load(expression); known {
		return compiled.(*regexp.Regexp)
	}
	compiled, err := regexp.Compile(expression)
	if err != nil {
		compiled = regexp.MustCompile(`[^\s\S]`)
	}
	a.patterns.Store(expression, compiled)
	return compiled
}
