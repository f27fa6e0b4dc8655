package snippet

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
)

// Policy is one Content Security Policy (CSP Level 3): the sources of each
// directive, by its name in lower case.
type Policy map[string][]string

// ParsePolicies reads a list of policies, as it stands in a header or in a meta
// element's content. Of a directive named twice the first counts (CSP, 2.2.1).
func ParsePolicies(list string) []Policy {
	var policies []Policy
	for text := range strings.SplitSeq(list, ",") {
		var p Policy
		for directive := range strings.SplitSeq(text, ";") {
			fields := strings.Fields(directive)
			if len(fields) == 0 {
				continue
			}
			name := strings.ToLower(fields[0])
			if _, ok := p[name]; ok {
				continue
			}
			if p == nil {
				p = make(Policy)
			}
			p[name] = fields[1:]
		}
		if p != nil {
			policies = append(policies, p)
		}
	}
	return policies
}

// HeaderPolicies reads the policies that a response is under. Those that only
// report forbid nothing.
func HeaderPolicies(h http.Header) []Policy {
	var policies []Policy
	for _, value := range h["Content-Security-Policy"] {
		policies = append(policies, ParsePolicies(value)...)
	}
	return policies
}

// sources gives the first of the directives that the policy has. Without any of
// them everything is allowed, and ok is false.
func (p Policy) sources(directives ...string) (sources []string, ok bool) {
	for _, name := range directives {
		if sources, ok = p[name]; ok {
			return sources, true
		}
	}
	return nil, false
}

// ChooseForm gives the form of the code that all policies allow, the inline one
// before the other; host is the page's, with its port. The page's own nonces are tried; no policy is ever changed.
func (c *Code) ChooseForm(policies []Policy, host string) (Form, bool) {
	if len(policies) == 0 {
		return Form{inline: true}, true
	}
	for _, p := range policies {
		if !p.allowsService(c.path, host) {
			return Form{}, false
		}
	}
	nonces := append(noncesOf(policies), "")
	for _, inline := range []bool{true, false} {
		for _, nonce := range nonces {
			f := Form{inline: inline, nonce: nonce}
			if !slices.ContainsFunc(policies, func(p Policy) bool { return !p.allows(c, f, host) }) {
				return f, true
			}
		}
	}
	return Form{}, false
}

// allowsService says whether the script could do its work: run, and call the service.
func (p Policy) allowsService(path string, host string) bool {
	if flags, ok := p["sandbox"]; ok {
		if !containsFold(flags, "allow-scripts") || !containsFold(flags, "allow-same-origin") {
			return false
		}
	}
	sources, ok := p.sources("connect-src", "default-src")
	return !ok || matchesAddress(sources, strings.TrimSuffix(path, "svc.js")+"v1/hit", host)
}

func (p Policy) allows(c *Code, f Form, host string) bool {
	sources, ok := p.sources("script-src-elem", "script-src", "default-src")
	if !ok {
		return true
	}
	return c.allowsCore(sources, f, host) && (!f.inline || c.allowsInline(sources, f))
}

// allowsCore says whether the core script may be loaded. A page that trusts what
// its scripts load does not trust addresses (CSP, 8.2).
func (c *Code) allowsCore(sources []string, f Form, host string) bool {
	if hasNonce(sources, f.nonce) {
		return true
	}
	return !containsFold(sources, "'strict-dynamic'") && matchesAddress(sources, c.path, host)
}

// allowsInline says whether the pushes may be a script of their own. Nonces and
// hashes void 'unsafe-inline' (CSP, 6.7.3.2).
func (c *Code) allowsInline(sources []string, f Form) bool {
	if hasNonce(sources, f.nonce) {
		return true
	}
	unsafe, strict := false, false
	for _, source := range sources {
		lower := strings.ToLower(source)
		switch {
		case lower == "'unsafe-inline'":
			unsafe = true
		case lower == "'strict-dynamic'", nonceOf(source) != "":
			strict = true
		case strings.HasPrefix(lower, "'sha"):
			if c.hasDigest(source) {
				return true
			}
			strict = true
		}
	}
	return unsafe && !strict
}

// InlineDigest is the source expression that allows the inline form of the code in
// a Content Security Policy: 'sha256-…', quotes included.
func (c *Code) InlineDigest() string {
	sum := sha256.Sum256([]byte(c.pushes))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// hasDigest says whether a hash source is that of the inline script.
func (c *Code) hasDigest(source string) bool {
	algorithm, value, ok := strings.Cut(strings.Trim(source, "'"), "-")
	if !ok {
		return false
	}
	// Both alphabets of base 64 are accepted (CSP, 2.3.1).
	value = strings.NewReplacer("-", "+", "_", "/").Replace(value)
	text := []byte(c.pushes)
	var sum []byte
	switch strings.ToLower(algorithm) {
	case "sha256":
		s := sha256.Sum256(text)
		sum = s[:]
	case "sha384":
		s := sha512.Sum384(text)
		sum = s[:]
	case "sha512":
		s := sha512.Sum512(text)
		sum = s[:]
	default:
		return false
	}
	return value == base64.StdEncoding.EncodeToString(sum)
}

// maxNonces bounds how many nonces of a page are tried. Pages have one.
const maxNonces = 4

func noncesOf(policies []Policy) []string {
	var nonces []string
	for _, p := range policies {
		sources, _ := p.sources("script-src-elem", "script-src", "default-src")
		for _, source := range sources {
			nonce := nonceOf(source)
			if nonce != "" && !slices.Contains(nonces, nonce) && len(nonces) < maxNonces {
				nonces = append(nonces, nonce)
			}
		}
	}
	return nonces
}

func hasNonce(sources []string, nonce string) bool {
	return nonce != "" && slices.ContainsFunc(sources, func(s string) bool { return nonceOf(s) == nonce })
}

// nonceOf gives the nonce of a nonce source, or nothing. Only what the grammar
// allows is taken (CSP, 2.3.1), so that it can be written into an attribute.
func nonceOf(source string) string {
	const prefix = "'nonce-"
	if len(source) <= len(prefix)+1 || !strings.EqualFold(source[:len(prefix)], prefix) || source[len(source)-1] != '\'' {
		return ""
	}
	nonce := source[len(prefix) : len(source)-1]
	digits := strings.TrimRight(nonce, "=")
	if digits == "" || len(nonce)-len(digits) > 2 {
		return ""
	}
	for i := range len(digits) {
		if c := digits[i]; !isUnreserved(c) && c != '+' && c != '/' || c == '.' || c == '~' {
			return ""
		}
	}
	return nonce
}

func containsFold(list []string, want string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(s, want) })
}
