package view

import "strings"

// What is kept of the texts of a page view, in bytes. What is longer is cut.
const (
	MaxAddress   = 2048
	MaxTitle     = 512
	MaxUserAgent = 512
	MaxLanguage  = 128
)

// WebAddress tells whether the text is the address of a page: http or https,
// and with a host. Beyond that an address may be anything that browsers let
// through.
func WebAddress(text string) bool {
	scheme, rest, found := strings.Cut(text, "://")
	if scheme = strings.ToLower(scheme); !found || scheme != "http" && scheme != "https" {
		return false
	}
	return rest != "" && strings.IndexAny(rest, "/?#\\@:") != 0
}

// CredentialAddress is the address of a page as the credentials carry it. Sites
// put the credentials into cookies and other places without encoding, so
// whatever would end a value there is written as %XX. The fragment is left out.
func CredentialAddress(text string) string {
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
		if b.Len()+size > MaxAddress {
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
