package weave

import (
	"bytes"

	"github.com/seed-3405227d/frontdesk/snippet/phone"
	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// lastName returns the last of the attribute names. Attributes without a value may stand before it.
func lastName(names []byte) []byte {
	i := len(names)
	for i > 0 && !token.EndsName(names[i-1]) {
		i--
	}
	return names[i:]
}

// skimAttributes skips the attributes of a start tag from p[i] on. It returns the index behind the tag, or -1 if the
// tag has to be read.
func (s *scanner) skimAttributes(p []byte, i int) int {
	for ; i < len(p); s.Bound.Take("weave.skimAttributes") {
		c := p[i]
		if c == '>' {
			return i + 1
		}
		if token.IsSpace(c) || c == '/' {
			i++
			continue
		}
		start := i
		i++ // an attribute's name may begin with "="
		for i < len(p) && !endsAttribute[p[i]] {
			i++
		}
		name := p[start:i]
		if len(p)-i < 3 {
			return -1
		}
		if p[i] != '=' {
			if s.minds(name, nil) || p[i] != '>' && p[i] != '/' && (p[i+1] == '=' || token.IsSpace(p[i+1])) {
				return -1
			}
			continue
		}
		i++
		quote := p[i]
		if quote != '"' && quote != '\'' {
			start = i
			for i < len(p) && !token.IsSpace(p[i]) && p[i] != '>' {
				i++
			}
			value := p[start:i]
			if start == i || i == len(p) || s.minds(name, value) || endsLikeQuoted(value) {
				return -1
			}
			continue
		}
		i++
		n := bytes.IndexByte(p[i:], quote)
		if n < 0 || s.minds(name, p[i:i+n]) {
			return -1
		}
		i += n + 1
	}
	return -1
}

// endsLikeQuoted says whether a bare value ends with a quotation mark and a slash. The tag <path d=0"/> looks as if it
// closes itself, but its slash belongs to the value.
func endsLikeQuoted(bare []byte) bool {
	n := len(bare)
	return n > 1 && bare[n-1] == '/' && (bare[n-2] == '"' || bare[n-2] == '\'')
}

// endsAttribute holds the bytes that end an attribute's name.
var endsAttribute = [256]bool{' ': true, '\n': true, '\t': true, '\r': true, '\f': true, '=': true, '/': true, '>': true}

// minds says whether the scanner has to read the tag because of this attribute.
func (s *scanner) minds(name, value []byte) bool {
	if s.follow && s.rules.program.minds(name, value) {
		return true
	}
	switch len(name) {
	case 2: // id
		if len(s.rules.byID) > 0 && name[0]|0x20 == 'i' {
			_, known := s.rules.byID[string(value)]
			return known
		}
	case 3: // alt
		return name[0]|0x20 == 'a' && s.figures(value)
	case 4: // href, name
		switch name[0] | 0x20 {
		case 'h':
			return s.mindsLink(value)
		case 'n':
			return len(s.rules.byName) > 0
		}
	case 5: // title, class
		switch name[0] | 0x20 {
		case 't':
			return s.figures(value)
		case 'c':
			return len(s.rules.classes) > 0 && s.rules.placeByClass(value, s.shown) >= 0
		}
	case 7: // content
		return name[0]|0x20 == 'c' && s.figures(value)
	case 8: // itemprop
		return name[0]|0x20 == 'i'
	case 10: // aria-label
		return name[0]|0x20 == 'a' && s.figures(value)
	case 15: // contenteditable, data-svc-noswap
		c := name[0] | 0x20
		return c == 'c' || c == 'd'
	}
	return false
}

// figures says whether a value has enough digits for a number.
func (s *scanner) figures(value []byte) bool {
	n := 0
	for i, c := range value {
		if '0' <= c && c <= '9' || c >= 0xD9 && s.sweep.wide && phone.IsWideDigit(value[i:]) {
			n++
		}
	}
	return n >= s.rules.least
}

// mindsLink says whether NumberInLink may find a number in an address. Addresses on the same site hold none.
func (s *scanner) mindsLink(value []byte) bool {
	if len(value) < 4 {
		return false
	}
	switch c := value[0] | 0x20; {
	case c == '/' && value[1] != '/', c == 'h' && !s.figures(value):
		return false
	case c == 't', c == 's', c == 'c', c == 'w', c == '/', c == 'h', value[0] <= ' ':
		from, _ := NumberInLink(value)
		return from >= 0
	}
	return false
}
