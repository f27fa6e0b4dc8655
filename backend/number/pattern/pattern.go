// Package pattern compares texts with patterns, in which an asterisk stands for any text.
package pattern

import "strings"

// Pattern is a text in which `*` stands for any text, also for none.
type Pattern []string // the parts between the asterisks

// New reads a pattern.
func New(text string) Pattern { return strings.Split(text, "*") }

// Matches says whether the text is as the pattern says. It takes time in proportion to the text, for any pattern.
func (p Pattern) Matches(text string) bool {
	first, last := p[0], p[len(p)-1]
	if len(p) == 1 {
		return text == first
	}
	if len(text) < len(first)+len(last) || !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, part := range p[1 : len(p)-1] {
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return true
}

// String returns the pattern as it is written.
func (p Pattern) String() string { return strings.Join(p, "*") }
