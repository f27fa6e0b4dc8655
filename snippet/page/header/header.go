// Package header reads and changes the fields of a page's request and answer, whose names are in canonical form.
package header

import (
	"net/http"
	"strings"
)

// HasDirective looks a directive without arguments up in lists of them.
func HasDirective(lists []string, name string) bool {
	for _, list := range lists {
		for len(list) >= len(name) {
			var directive string
			directive, list, _ = strings.Cut(list, ",")
			if strings.EqualFold(strings.TrimSpace(directive), name) {
				return true
			}
		}
	}
	return false
}

// ParseType splits a content type into what it is and its charset.
func ParseType(contentType string) (isHTML bool, charset string) {
	media, parameters, _ := strings.Cut(contentType, ";")
	if !strings.EqualFold(strings.TrimSpace(media), "text/html") {
		return false, ""
	}
	for parameters != "" {
		var parameter string
		parameter, parameters, _ = strings.Cut(parameters, ";")
		name, label, ok := strings.Cut(parameter, "=")
		if ok && strings.EqualFold(strings.TrimSpace(name), "charset") {
			return true, strings.Trim(strings.TrimSpace(label), `"'`)
		}
	}
	return true, ""
}

// CharsetOf is the character set that a content type names, in its own words; empty for none.
func CharsetOf(contentType string) string {
	_, charset := ParseType(contentType)
	return charset
}

// Value is the first value of a header field whose name is in canonical form.
func Value(h http.Header, name string) string {
	if values := h[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// AddVary notes that the answer depends on a field of the request.
func AddVary(h http.Header, field string) {
	for _, list := range h["Vary"] {
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); name == "*" || strings.EqualFold(name, field) {
				return
			}
		}
	}
	h["Vary"] = append(h["Vary"], field)
}

// MakePrivate keeps a response out of shared caches (RFC 9111, 5.2.2.7, and the
// fields that speak to caches of one kind).
func MakePrivate(h http.Header) {
	kept := []string{"private"}
	for _, directive := range Split(h["Cache-Control"]) {
		name, _, _ := strings.Cut(strings.ToLower(directive), "=")
		switch name {
		case "public", "private", "s-maxage", "proxy-revalidate":
		default:
			kept = append(kept, directive)
		}
	}
	h["Cache-Control"] = []string{strings.Join(kept, ", ")}
	for _, name := range [...]string{"Surrogate-Control", "Cdn-Cache-Control", "Cloudflare-Cdn-Cache-Control", "Vercel-Cdn-Cache-Control", "X-Accel-Expires"} {
		delete(h, name)
	}
}

// ForbidReuse has browsers ask for the page each time it is opened: each time is a view.
// They keep it for the way back all the same, and the script notices that. So does no-store, but
// it would cost the back-forward cache.
func ForbidReuse(h http.Header) {
	control := "private, no-cache"
	if HasDirective(h["Cache-Control"], "no-store") {
		control += ", no-store"
	}
	h["Cache-Control"] = []string{control}
}

// DropBody removes what describes the bytes of a body that changes.
func DropBody(h http.Header) {
	for _, name := range [...]string{"Accept-Ranges", "Content-Md5", "Digest", "Content-Digest", "Repr-Digest"} {
		delete(h, name)
	}
}

// Split splits lists whose members may hold commas in quotes, as entity tags and
// directives do (RFC 9110, 5.6.1).
func Split(lists []string) []string {
	commas := 0
	for _, list := range lists {
		commas += strings.Count(list, ",")
	}
	var tags []string
	for _, list := range lists {
		start, quoted := 0, false
		for i := 0; i <= len(list); i++ {
			switch {
			case i < len(list) && list[i] == '"':
				quoted = !quoted
			case i == len(list) || list[i] == ',' && !quoted:
				if tag := strings.TrimSpace(list[start:i]); tag != "" {
					if tags == nil {
						tags = make([]string, 0, commas+len(lists))
					}
					tags = append(tags, tag)
				}
				start = i + 1
			}
		}
	}
	return tags
}
