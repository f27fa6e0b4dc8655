package api

import (
	"net/http"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// What is kept of the texts of a page view, in bytes. What is longer is cut.
const (
	maxAddress   = 2048
	maxTitle     = 512
	maxUserAgent = 512
	maxLanguage  = 128
)

// webAddress tells whether the text is the address of a page: http or https,
// and with a host. Beyond that an address may be anything that browsers let
// through.
func webAddress(text string) bool {
	scheme, rest, found := strings.Cut(text, "://")
	if !found || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return false
	}
	return rest != "" && strings.IndexAny(rest, "/?#\\@:") != 0
}

// credentialAddress is the address of a page as the credentials carry it. Sites
// put the credentials into cookies and other places without encoding, so
// whatever would end a value there is written as %XX. The fragment is left out.
func credentialAddress(text string) string {
	text, _, _ = strings.Cut(text, "#")
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		ch := text[i]
		plain := ch > ' ' && ch < 0x7f && !strings.ContainsRune(`;|"'<>\^{}`+"`", rune(ch))
		size := 1
		if !plain {
			size = 3
		}
		if b.Len()+size > maxAddress {
			break
		}
		if plain {
			b.WriteByte(ch)
		} else {
			b.Write([]byte{'%', digits[ch>>4], digits[ch&15]})
		}
	}
	return b.String()
}

// base is the address of the service's prefix as the browser sees it, which is
// consultant_server_url.
func (c *call) base(page string) string {
	scheme := "http"
	if c.secure(page) {
		scheme = "https"
	}
	return scheme + "://" + c.r.Host + strings.TrimSuffix(c.site.Prefix, "/") + "/"
}

// secure tells whether the browser uses TLS. Where a proxy ends TLS that the
// server does not trust, the browser's own word does: the origin or the address
// of its page. A client that lies gets a cookie that it cannot use.
func (c *call) secure(page string) bool {
	return c.r.TLS != nil || c.r.URL.Scheme == "https" || hasScheme(c.r.Header.Get("Origin"), "https") || hasScheme(page, "https")
}

func hasScheme(address, scheme string) bool {
	found, _, _ := strings.Cut(address, "://")
	return strings.EqualFold(found, scheme)
}

// plainHost tells whether the Host header can be part of an address that is
// given out.
func plainHost(host string) bool {
	for _, ch := range []byte(host) {
		switch {
		case 'a' <= ch && ch <= 'z', 'A' <= ch && ch <= 'Z', '0' <= ch && ch <= '9':
		case strings.IndexByte("-._:[]", ch) >= 0:
		default:
			return false
		}
	}
	return host != ""
}

// header is a request's header as text that can be stored.
func header(r *http.Request, name string, limit int) string {
	return visit.Clip(r.Header.Get(name), limit)
}
