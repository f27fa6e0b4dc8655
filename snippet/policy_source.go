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
func matchesAddress(sources []string, path, ownHost string) bool {
	return slices.ContainsFunc(sources, func(source string) bool {
		if source == "*" || strings.EqualFold(source, "'self'") {
			return true
		}
		if strings.HasPrefix(source, "'") {
			return false
		}
		return matchesSource(source, path, ownHost)
	})
}

// matchesSource compares a scheme or host source.
func matchesSource(source, path, ownHost string) bool {
	scheme := ""
	if before, after, ok := strings.Cut(source, "://"); ok {
		scheme, source = strings.ToLower(before), after
	} else if before, ok := strings.CutSuffix(source, ":"); ok {
		return isWebScheme(strings.ToLower(before))
	}
	if scheme != "" && !isWebScheme(scheme) {
		return false
	}
	host, sourcePath, hasPath := strings.Cut(source, "/")
	if hasPath && !matchesPath("/"+sourcePath, path) {
		return false
	}
	port := ""
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		host, port = host[:i], host[i+1:]
	}
	own, ownPort := splitPort(ownHost)
	return matchesHost(host, own) && matchesPort(port, ownPort)
}

// isWebScheme says whether a source with this scheme can be the page's own. A
// plain one allows the encrypted too (CSP, 6.7.2.9).
func isWebScheme(scheme string) bool {
	return scheme == "http" || scheme == "https"
}

func splitPort(hostport string) (host, port string) {
	if host, port, err := net.SplitHostPort(hostport); err == nil {
		return host, port
	}
	return strings.Trim(hostport, "[]"), ""
}

func matchesHost(pattern, host string) bool {
	pattern, host = strings.ToLower(strings.Trim(pattern, "[]")), strings.ToLower(host)
	if pattern == "*" {
		return true
	}
	if suffix, ok := strings.CutPrefix(pattern, "*"); ok {
		return strings.HasPrefix(suffix, ".") && strings.HasSuffix(host, suffix) && len(host) > len(suffix)
	}
	return pattern != "" && pattern == host
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
