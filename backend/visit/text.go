package visit

import "strings"

// Clip is what is kept of a visitor's text: limit bytes at most, cut between
// characters, without NUL and what is not UTF-8, which not every engine stores.
func Clip(text string, limit int) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text[:min(len(text), limit)], "\x00", ""), "")
}

// Digits are the ASCII digits of the text.
func Digits(text string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
}
