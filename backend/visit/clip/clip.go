// Package clip cuts what visitors write to what is stored of it.
package clip

import "strings"

// Text returns the part of a visitor's text that is stored: at most limit bytes, cut between characters, without NUL
// and invalid UTF-8, which some engines do not store.
func Text(text string, limit int) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text[:min(len(text), limit)], "\x00", ""), "")
}
