package visit

import "strings"

// Clip returns the part of a visitor's text that is stored: at most limit bytes, cut between characters, without NUL
// and invalid UTF-8, which some engines do not store.
func Clip(text string, limit int) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text[:min(len(text), limit)], "\x00", ""), "")
}

// Digits returns the ASCII digits of the text.
func Digits(text string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
}
