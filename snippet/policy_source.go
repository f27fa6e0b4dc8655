package snippet

import (
	"net"
	"net/url"
	"slices"
	"strings"
)

// matchesAddress says whether one of the sources allows this path on the page's
// own origin (CSP, 6.7.2.8).
//
// Whether the page's visitors are on an encrypted connection is not asked: it may
// end before us, and a plain page that trusts only encrypted scripts of its own
// host does not work anyway.
func matchesAddress(sources []string, path string, own origin) bool {
	return slices.ContainsFunc(sources, func(source string) bool {
		if source == "*" || strings.EqualFold(source, "'self'") {
			return true
		}
		if strings.HasPrefix(source, "'") {
			return false
		}
		return matchesSource(source, path, own)
	})
}

// matchesSource compares a scheme or host source.
func matchesSource(source, path string, own origin) bool {
	if scheme, rest, ok := strings.Cut(source, "://"); ok {
		if !isWebScheme(scheme) {
			return false
		}
		source = rest
	} else if scheme, ok := strings.CutSuffix(source, ":"); ok {
		return isWebScheme(scheme)
	}
	host, allowed := source, ""
	if i := strings.IndexByte(source, '/'); i >= 0 {
		host, allowed = source[:i], source[i:]
	}
	port := ""
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		host, port = host[:i], host[i+1:]
	}
	return matchesHost(host, own.host) && matchesPort(port, own.port) && (allowed == "" || matchesPath(allowed, path))
}

// isWebScheme says whether a source with this scheme can be the page's own. A
// plain one allows the encrypted too (CSP, 6.7.2.9).
func isWebScheme(scheme string) bool {
	return strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
}

// origin is where a page comes from, without its scheme.
type origin struct{ host, port string }

func originOf(hostport string) origin {
	if host, port, err := net.SplitHostPort(hostport); err == nil {
		return origin{host, port}
	}
	return origin{strings.Trim(hostport, "[]"), ""}
}

func matchesHost(pattern, host string) bool {
	pattern = strings.Trim(pattern, "[]")
	if pattern == "*" {
		return true
	}
	if suffix, ok := strings.CutPrefix(pattern, "*"); ok {
		return strings.HasPrefix(suffix, ".") && len(host) > len(suffix) && strings.EqualFold(host[len(host)-len(suffix):], suffix)
	}
	return pattern != "" && strings.EqualFold(pattern, host)
}

// matchesPort compares ports. None stands for the scheme's own.
func matchesPort(pattern, port string) bool {
	if pattern == "*" || pattern == port {
		return true
	}
	own := func(port string) bool { return port == "" || port == "80" || port == "443" }
	return own(pattern) && own(port)
}

// matchesPath compares paths: one that ends with a slash allows all below it.
func matchesPath(pattern, path string) bool {
	if decoded, err := url.PathUnescape(pattern); err == nil {
		pattern = decoded
	}
	switch {
	case pattern == "/":
		return true
	case strings.HasSuffix(pattern, "/"):
		return strings.HasPrefix(path, pattern)
	}
	return pattern == path
}
