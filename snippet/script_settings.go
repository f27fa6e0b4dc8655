package snippet

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// scriptConfiguration is the argument of the bundle, as browser/config.ts describes it.
type scriptConfiguration struct {
	Objects  [2]string      `json:"objects"`
	Variant  string         `json:"variant"`
	Numbers  string         `json:"numbers"` // the name of an asset
	Panels   string         `json:"panels"`  // the same
	Proof    string         `json:"proof"`   // the same
	Launcher bool           `json:"launcher,omitempty"`
	Domains  string         `json:"domains,omitempty"`
	Consent  *scriptConsent `json:"consent,omitempty"`
}

type scriptConsent struct {
	Cookie string `json:"cookie"`
	Value  string `json:"value"` // a regular expression
}

var (
	identifier  = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]{0,63}$`)
	cookieName  = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")                 // a token: RFC 6265, 4.1.1
	cookieValue = regexp.MustCompile(`^[\x21\x23-\x2B\x2D-\x3A\x3C-\x5B\x5D-\x7E]*$`) // cookie-octets: the same
)

// taken are the names that no object of ours can have: words of the language, and what pages and this script itself need under
// their own names.
var taken = strings.Fields(`
	await break case catch class const continue debugger default delete do else enum export extends false finally for function if
	implements import in instanceof interface let new null package private protected public return static super switch this throw
	true try typeof var void while with yield arguments eval undefined NaN Infinity globalThis
	Array Blob CSS Date Element Error Function JSON Map Math MutationObserver Node NodeFilter Number Object Promise Proxy Reflect RegExp
	Set String Symbol Text URL Uint8Array WeakMap
	AbortController addEventListener alert btoa clearInterval clearTimeout closed console cookieStore crypto customElements document event
	external fetch frames history length localStorage location name navigator open opener origin parent performance print
	removeEventListener requestAnimationFrame requestIdleCallback screen self sessionStorage setInterval setTimeout status stop top window
	__cs __cs_onReplacePhones`)

// Check says which setting is wrong and what was expected, as NewScript does, without making the script.
func (s ScriptSettings) Check() error {
	_, err := s.configuration()
	return err
}

func (s ScriptSettings) configuration() (scriptConfiguration, error) {
	configuration := scriptConfiguration{Objects: s.Objects, Variant: s.Variant, Numbers: numbersName, Panels: panelsName, Proof: proofName, Launcher: s.Launcher, Domains: s.Domains}
	for _, name := range s.Objects {
		if !identifier.MatchString(name) {
			return configuration, fmt.Errorf("object name %q: expected a JavaScript identifier of at most 64 ASCII letters, digits, _ and $", name)
		}
		if slices.Contains(taken, name) {
			return configuration, fmt.Errorf("object name %q: expected a name that neither the language nor the browser uses", name)
		}
	}
	if s.Objects[0] == s.Objects[1] {
		return configuration, fmt.Errorf("object names %q and %q: expected two different names", s.Objects[0], s.Objects[1])
	}
	if s.Variant != VariantA && s.Variant != VariantB {
		return configuration, fmt.Errorf("variant %q: expected A or B", s.Variant)
	}
	if s.ConsentCookie == "" {
		if s.ConsentValue != "" {
			return configuration, fmt.Errorf("consent value %q: expected the name of its cookie too", s.ConsentValue)
		}
		return configuration, nil
	}
	if !cookieName.MatchString(s.ConsentCookie) {
		return configuration, fmt.Errorf("consent cookie %q: expected the name of a cookie", s.ConsentCookie)
	}
	if !cookieValue.MatchString(s.ConsentValue) {
		return configuration, fmt.Errorf("consent value %q: expected what a cookie can hold, with * for any text", s.ConsentValue)
	}
	configuration.Consent = &scriptConsent{Cookie: s.ConsentCookie, Value: ConsentExpression(s.ConsentValue)}
	return configuration, nil
}

// ConsentExpression writes a pattern of ScriptSettings.ConsentValue as a regular expression, which Go and JavaScript read alike: `*`
// is any text and all else is itself. An empty pattern matches every value. Values are compared as they stand in the Cookie
// header, not decoded.
func ConsentExpression(pattern string) string {
	if pattern == "" {
		return ""
	}
	return "^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + "$"
}
