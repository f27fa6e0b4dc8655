package selector

import (
	"bytes"
	"slices"

	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// part is a part of a selector: a kind of element, and kinds that the element must not be.
type part struct {
	kind
	not   []kind
	place int // the place that the selector means, in its last part
}

// kind is a kind of element. The element has this name, unless the name is 0, and its attributes meet the conditions in
// need.
type kind struct {
	name uint64
	need Parts
}

func (k *kind) has(name uint64, met *Parts) bool {
	return (k.name == 0 || k.name == name) && met.holds(&k.need)
}

// condition is a condition on an attribute.
type condition struct {
	key      string
	operator string // as CSS writes it; empty if the attribute only has to be there
	value    string
}

func (c *condition) meets(value []byte) bool {
	switch c.operator {
	case "":
		return true
	case "=":
		return string(value) == c.value
	case "~=":
		return Includes(value, c.value)
	case "|=":
		rest, found := bytes.CutPrefix(value, []byte(c.value))
		return found && (len(rest) == 0 || rest[0] == '-')
	}
	if len(bytes.TrimSpace(value)) == 0 {
		return false
	}
	switch c.operator {
	case "^=":
		return bytes.HasPrefix(value, []byte(c.value))
	case "$=":
		return bytes.HasSuffix(value, []byte(c.value))
	}
	return bytes.Contains(value, []byte(c.value))
}

// Includes says whether a word is in a list of words with spaces between.
func Includes(list []byte, word string) bool {
	for from := 0; ; {
		i := bytes.Index(list[from:], []byte(word))
		if i < 0 {
			return false
		}
		start := from + i
		end := start + len(word)
		if (start == 0 || token.IsSpace(list[start-1])) && (end == len(list) || token.IsSpace(list[end])) {
			return true
		}
		from = start + 1
	}
}

// condition returns the number of a condition, or -1 if there is no room for it.
func (p *Program) condition(c condition) int {
	if i := slices.Index(p.conditions, c); i >= 0 {
		return i
	}
	if !slices.Contains(p.keys, c.key) {
		if len(p.keys) == maxKeys {
			return -1
		}
		p.keys = append(p.keys, c.key)
	}
	if p.conditions = append(p.conditions, c); len(p.conditions) > maxParts {
		return -1
	}
	return len(p.conditions) - 1
}

const maxKeys = 32
