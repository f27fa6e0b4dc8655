package number

import "strings"

// pattern is a text in which `*` stands for any text, also for none.
type pattern []string // the parts between the asterisks

func newPattern(text string) pattern { return strings.Split(text, "*") }

// matches takes time in proportion to the text, for any pattern.
func (p pattern) matches(text string) bool {
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

func (p pattern) String() string { return strings.Join(p, "*") }
