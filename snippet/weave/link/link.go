// Package link knows which links call or write to a telephone number. Who reads a page asks it of each address.
package link

import (
	"bytes"

	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// The beginnings of links with a number. Before an address that begins with slashes, "https:" or "http:" may stand.
var (
	// Calls are the schemes of links that call (RFC 3966).
	Calls = [...]string{"tel:", "callto:"}
	// Texts are the schemes of links that send a short message (RFC 5724).
	Texts = [...]string{"sms:", "smsto:"}
	// Messengers are the addresses of messengers.
	Messengers = [...]string{
		"//wa.me/", "//api.whatsapp.com/send?phone=", "//api.whatsapp.com/send/?phone=", "//web.whatsapp.com/send?phone=", "whatsapp://send?phone=",
		"viber://chat?number=", "viber://chat/?number=", "viber://add?number=", "viber://contact?number=",
		"//t.me/+", "tg://resolve?phone=", "//signal.me/#p/+",
	}
)

// Link is a link with a number, which is the part From:To of its address.
type Link struct {
	From, To int
	// Dials says that the link takes numbers as telephones do, which need a plus sign before a country code.
	Dials bool
	// Writes says that the link does not call the number, but sends messages to it.
	Writes bool
}

// Find finds the number in an address. found is false if the address calls nobody and writes to nobody.
func Find(b []byte) (l Link, found bool) {
	for l.From < len(b) && b[l.From] <= ' ' {
		l.From++
	}
	begins := func(rest []byte, beginnings []string) bool {
		for _, beginning := range beginnings {
			if token.HasPrefixFold(rest, beginning) {
				l.From = len(b) - len(rest) + len(beginning)
				return true
			}
		}
		return false
	}
	rest := b[l.From:]
	switch {
	case begins(rest, Calls[:]):
		l.Dials = true
	case begins(rest, Texts[:]):
		l.Dials, l.Writes = true, true
	case begins(afterScheme(rest), Messengers[:]):
		l.Writes = true
	default:
		return Link{}, false
	}
	l.To = endOfNumber(b, l.From)
	return l, true
}

// afterScheme returns an address without "https:" or "http:".
func afterScheme(b []byte) []byte {
	for _, scheme := range [...]string{"https:", "http:"} {
		if token.HasPrefixFold(b, scheme) {
			return b[len(scheme):]
		}
	}
	return b
}

// EndsInWriting says whether a text ends with the beginning of a link that writes to a number, without its plus sign.
// The text may be a part of a string in JSON or a script.
func EndsInWriting(text []byte) bool {
	plain := bytes.ToLower(bytes.ReplaceAll(text, []byte(`\`), nil))
	for _, beginnings := range [...][]string{Texts[:], Messengers[:]} {
		for _, beginning := range beginnings {
			if bytes.HasSuffix(plain, bytes.TrimSuffix([]byte(beginning), []byte("+"))) {
				return true
			}
		}
	}
	return false
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
