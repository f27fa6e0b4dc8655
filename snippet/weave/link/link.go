// Package link knows which links call or write to a telephone number. Who reads a page asks it of each address.
package link

import (
	"bytes"

	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// The beginnings of links with a number: schemes (RFC 3966, RFC 5724) and addresses of WhatsApp. Before an address that
// begins with slashes, "https:" or "http:" may stand.
var (
	Schemes   = [...]string{"tel:", "sms:", "callto:"}
	Addresses = [...]string{"//wa.me/", "//api.whatsapp.com/send?phone=", "//api.whatsapp.com/send/?phone=", "whatsapp://send?phone="}
)

// Number finds the number in a link that calls or writes to it: b[from:to]. from is negative if there is none.
func Number(b []byte) (from, to int) {
	for from < len(b) && b[from] <= ' ' {
		from++
	}
	rest := b[from:]
	for _, scheme := range Schemes {
		if token.HasPrefixFold(rest, scheme) {
			from += len(scheme)
			return from, endOfNumber(b, from)
		}
	}
	for _, scheme := range [...]string{"https:", "http:"} {
		if token.HasPrefixFold(rest, scheme) {
			rest = rest[len(scheme):]
			break
		}
	}
	for _, link := range Addresses {
		if token.HasPrefixFold(rest, link) {
			from = len(b) - len(rest) + len(link)
			return from, endOfNumber(b, from)
		}
	}
	return -1, -1
}

// endOfNumber returns the end of the number that begins at from. A query, or the next parameter of a query, ends it. A
// character reference does not.
func endOfNumber(b []byte, from int) int {
	for i := from; i < len(b); i++ {
		switch b[i] {
		case '?':
			return i
		case '&':
			if i+1 == len(b) || b[i+1] != '#' && bytes.IndexByte(b[i:min(len(b), i+token.MaxName)], ';') < 0 ||
				bytes.HasPrefix(b[i:], []byte("&amp;")) {
				return i
			}
		}
	}
	return len(b)
}
