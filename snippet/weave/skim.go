package weave

import (
	"bytes"
	"encoding/binary"
)

// skimText passes over a part of the page in which nothing is to be changed: text
// with too few digits, and tags that are of no account. It decides nothing. What it
// passes over would have been read to no effect, and it turns back to
// where a line begins, so that what stands before a number is read with it.
func (s *scanner) skimText(p []byte, i int, base int64) int {
	if base+int64(i) < s.noSkim || s.foreign.depth > 0 || len(s.scopes.open) > 0 || s.rules.NeedsWhole() {
		return i
	}
	if _, held := s.words.Held(); held {
		return i
	}
	from, to := s.pass(p, i)
	s.noSkim = base + int64(to) + 1
	return from
}

// pass reads p from i on. It gives the index up to which nothing has to be read,
// where a line begins, and the one at which it saw what has to be read.
func (s *scanner) pass(p []byte, i int) (line, end int) {
	line = i
	digits, least := 0, s.rules.least
	for {
		n := bytes.IndexByte(p[i:], '<')
		if n < 0 {
			return line, len(p)
		}
		if n > 0 {
			if figures := s.charset.Figures(p[i : i+n]); figures > 0 {
				if digits += figures; digits >= least {
					return line, i + n
				}
			}
			i += n
		}
		if len(p)-i < 16 {
			return line, i
		}
		// The name, of which eight bytes are looked at.
		at := i + 1
		c := p[at]
		if c == '/' {
			at++
			c = p[at]
		}
		if !isLetter(c) {
			return line, i
		}
		name := binary.LittleEndian.Uint64(p[at:]) | 0x2020202020202020
		size := 1
		for size <= maxWord && !endsName(p[at+size]) {
			size++
		}
		if size > maxWord {
			return line, i
		}
		traits := elements.of(word(name & (1<<(8*size) - 1)))
		if traits&special != 0 {
			return line, i
		}
		if at > i+1 { // an end tag
			if p[at+size] != '>' {
				return line, i
			}
			if traits&breaks != 0 {
				line, digits = i, 0
			}
			i = at + size + 1
			continue
		}
		if traits&breaks != 0 {
			line, digits = i, 0
		}
		after := at + size + 1
		if p[at+size] != '>' {
			if after = s.skimAttributes(p, at+size); after < 0 {
				return line, i
			}
		}
		i = after
	}
}

// skimAttributes reads the attributes from p[i] on, and gives the index behind the
// tag. It is negative when the tag has to be read.
func (s *scanner) skimAttributes(p []byte, i int) int {
	for i < len(p) {
		c := p[i]
		if c == '>' {
			return i + 1
		}
		if isSpace(c) || c == '/' {
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
			if s.minds(name, nil) || p[i] != '>' && p[i] != '/' && (p[i+1] == '=' || isSpace(p[i+1])) {
				return -1
			}
			continue
		}
		i++
		quote := p[i]
		if quote != '"' && quote != '\'' {
			start = i
			for i < len(p) && !isSpace(p[i]) && p[i] != '>' {
				i++
			}
			if start == i || i == len(p) || s.minds(name, p[start:i]) {
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

// endsAttribute marks the bytes that end the name of an attribute.
var endsAttribute = [256]bool{' ': true, '\n': true, '\t': true, '\r': true, '\f': true, '=': true, '/': true, '>': true}

// minds says whether an attribute may be of account.
func (s *scanner) minds(name, value []byte) bool {
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
			return len(s.rules.classes) > 0 && s.rules.placeByClass(value) >= 0
		}
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

func (s *scanner) figures(value []byte) bool { return s.charset.Figures(value) >= s.rules.least }

func (s *scanner) mindsLink(value []byte) bool {
	if len(value) == 0 {
		return false
	}
	switch c := value[0] | 0x20; {
	case c == 't' || c == 's' || c == 'c' || c == 'w', c <= ' '|0x20 && value[0] <= ' ':
		from, _ := numberInLink(value)
		return from >= 0
	case c == 'h' || c == '/':
		return s.figures(value)
	}
	return false
}
