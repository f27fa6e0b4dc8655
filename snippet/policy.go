package snippet

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
)

// Policy is one Content Security Policy (CSP Level 3): its directives, in their order.
type Policy []directive

// directive is the name of a directive in lower case, and its sources.
type directive struct {
	name    string
	sources []string
}

// ParsePolicies reads a list of policies, as it stands in a header or in a meta
// element's content.
func ParsePolicies(list string) []Policy {
	var policies []Policy
	for text := range strings.SplitSeq(list, ",") {
		var p Policy
		for part := range strings.SplitSeq(text, ";") {
			if fields := strings.Fields(part); len(fields) > 0 {
				p = append(p, directive{strings.ToLower(fields[0]), fields[1:]})
			}
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

// sources gives the sources of the first of the names that the policy has. Without
// any of them everything is allowed, and ok is false. Of a directive named twice the
// first counts (CSP, 2.2.1).
func (p Policy) sources(names ...string) (sources []string, ok bool) {
	for _, name := range names {
		if i := slices.IndexFunc(p, func(d directive) bool { return d.name == name }); i >= 0 {
			return p[i].sources, true
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
	own := originOf(host)
	for _, p := range policies {
		if !p.allowsService(c.path, own) {
			return Form{}, false
		}
	}
	nonces := append(noncesOf(policies), "")
	for _, inline := range []bool{true, false} {
		for _, nonce := range nonces {
			f := Form{inline: inline, nonce: nonce}
			if !slices.ContainsFunc(policies, func(p Policy) bool { return !p.allows(c, f, own) }) {
				return f, true
			}
		}
	}
	return Form{}, false
}

// allowsService says whether the script could do its work: run, and call the service.
func (p Policy) allowsService(path string, own origin) bool {
	if flags, ok := p.sources("sandbox"); ok {
		if !containsFold(flags, "allow-scripts") || !containsFold(flags, "allow-same-origin") {
			return false
		}
	}
	sources, ok := p.sources("connect-src", "default-src")
	return !ok || matchesAddress(sources, strings.TrimSuffix(path, "svc.js")+"v1/hit", own)
}

func (p Policy) allows(c *Code, f Form, own origin) bool {
	sources, ok := p.sources("script-src-elem", "script-src", "default-src")
	if !ok {
		return true
	}
	return c.allowsCore(sources, f, own) && (!f.inline || c.allowsInline(sources, f))
}

// allowsCore says whether the core script may be loaded. A page that trusts what
// its scripts load does not trust addresses (CSP, 8.2).
func (c *Code) allowsCore(sources []string, f Form, own origin) bool {
	if hasNonce(sources, f.nonce) {
		return true
	}
	return !containsFold(sources, "'strict-dynamic'") && matchesAddress(sources, c.path, own)
}

// allowsInline says whether the pushes may be a script of their own. Nonces and
// hashes void 'unsafe-inline' (CSP, 6.7.3.2).
func (c *Code) allowsInline(sources []string, f Form) bool {
	if hasNonce(sources, f.nonce) {
		return true
	}
	unsafe, strict := false, false
	for _, source := range sources {
		switch {
		case strings.EqualFold(source, "'unsafe-inline'"):
			unsafe = true
		case strings.EqualFold(source, "'strict-dynamic'"), nonceOf(source) != "":
			strict = true
		case hasPrefixFold(source, "'sha"):
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
	algorithm, value, _ := strings.Cut(strings.Trim(source, "'"), "-")
	for _, a := range digests {
		if strings.EqualFold(algorithm, a.name) {
			return len(value) == base64.StdEncoding.EncodedLen(a.size) &&
				oneAlphabet.Replace(value) == base64.StdEncoding.EncodeToString(a.sum([]byte(c.pushes)))
		}
	}
	return false
}

// digests are the algorithms of hash sources (CSP, 2.3.1).
var digests = [...]struct {
	name string
	size int
	sum  func([]byte) []byte
}{
	{"sha256", sha256.Size, func(b []byte) []byte { s := sha256.Sum256(b); return s[:] }},
	{"sha384", sha512.Size384, func(b []byte) []byte { s := sha512.Sum384(b); return s[:] }},
	{"sha512", sha512.Size, func(b []byte) []byte { s := sha512.Sum512(b); return s[:] }},
}

// oneAlphabet writes base 64 in the usual one of its alphabets: both are accepted (CSP, 2.3.1).
var oneAlphabet = strings.NewReplacer("-", "+", "_", "/")

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
	if len(source) <= len(prefix)+1 || !hasPrefixFold(source, prefix) || source[len(source)-1] != '\'' {
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

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
