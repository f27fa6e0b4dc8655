package weave

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// skimText passes over a part of the page in which nothing is to be changed: text
// with too few digits, and tags that are of no account. It decides nothing. What it
// passes over would have been read to no effect, and it turns back to
// where a line begins, so that what stands before a number is read with it.
func (s *scanner) skimText(p []byte, i int, base int64) int {
	if base+int64(i) < s.noSkim || s.foreign.depth > 0 || s.picture.open || len(s.scopes.open) > 0 || s.rules.NeedsWhole() {
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
//
// A number needs a row of digits and separators that no letter ends. Inline tags may
// stand in it, so a row that is open at a tag goes on behind it.
func (s *scanner) pass(p []byte, i int) (line, end int) {
	line = i
	w := walk{p: p, wide: s.charset.Wide()}
	row := 0         // digits in the row that is open
	drawing := false // in an SVG, to whose beginning it turns back
	w.look(i)
	for {
		if i = w.next(); i < 0 {
			return line, min(w.base, len(p)-1)
		}
		switch c := p[i]; {
		case '0' <= c && c <= '9':
			if i, row = s.charset.Row(p, i, 0, s.rules.least); row >= s.rules.least {
				return line, i
			}
			if i == len(p) || p[i] != '<' {
				row = 0
			}
			w.to(i)
			continue
		case c != '<':
			w.skip()
			continue
		}
		if p[i+1] == '/' && row == 0 && !drawing && w.endTag() {
			continue // of an element whose start tag was of no account
		}
		name, after, start := tagWord(p, i+1)
		traits := elements.of(name)
		switch {
		case name == 0:
			return line, i
		case name == svgWord && start != drawing:
			drawing = start
			line, row = i, 0
		case traits&special != 0:
			return line, i
		case traits&breaks != 0:
			if row = 0; !drawing {
				line = i
			}
		}
		switch {
		case p[after] == '>':
			after++
		case start:
			after = s.skimAttributes(&w, after)
		default:
			after = -1
		}
		if after < 0 || name == svgWord && p[after-2] == '/' {
			return line, i
		}
		if row > 0 {
			if after, row = s.charset.Row(p, after, row, s.rules.least); row >= s.rules.least {
				return line, after
			}
			if after == len(p) || p[after] != '<' {
				row = 0
			}
		}
		w.to(after)
	}
}

var svgWord = wordOf("svg")

// tagWord reads the name of a tag, whose "<" is before p[i]. The name is 0 when the
// tag has to be read to know it.
func tagWord(p []byte, i int) (name word, after int, start bool) {
	x := binary.LittleEndian.Uint64(p[i:])
	if start = byte(x) != '/'; !start {
		i++
		x = binary.LittleEndian.Uint64(p[i:])
	}
	size := bits.TrailingZeros64(^x&(0x40*ones)) >> 3 // of the letters
	after = i + size
	if size == 0 || size == maxWord {
		return 0, after, start
	}
	letters := uint64(1)<<(8*size) - 1
	name = word((x | 0x20*ones) & letters)
	if c := p[after]; name == 'h' && '1' <= c && c <= '6' {
		name |= word(c) << 8
		after++
	}
	if !endsName(p[after]) {
		return 0, after, start
	}
	return name, after, start
}

// skimAttributes reads the attributes from i on, behind a tag's name, and gives the
// index behind the tag. It is negative when the tag has to be read.
//
// In a tag only "=" and ">" count: what is quoted stands behind a "=", and a quote
// anywhere else is a part of a name.
func (s *scanner) skimAttributes(w *walk, i int) int {
	p, from := w.p, i // from is behind the last value
	for {
		w.to(i)
		if i = w.next(); i < 0 {
			return -1
		}
		c := p[i]
		switch {
		case c != '>' && c != '=':
			i++
			continue
		case i-from >= len("data-svc-noswap"):
			return s.skimSlowly(p, from) // there is room for an attribute without a value
		case c == '>':
			return i + 1
		}
		quote := p[i+1]
		if quote != '"' && quote != '\'' || endsName(p[i-1]) || i == from {
			return s.skimSlowly(p, from)
		}
		n := indexNear(p[i+2:], quote)
		if n < 0 || s.rules.mindful[p[i-1]] && s.minds(lastName(p[from:i]), p[i+2:i+2+n]) {
			return -1
		}
		i += n + 3
		from = i
	}
}

// lastName is the last of the names, some of which may have no value.
func lastName(names []byte) []byte {
	i := len(names)
	for i > 0 && !endsName(names[i-1]) {
		i--
	}
	return names[i:]
}

// skimSlowly is skimAttributes for all ways in which attributes may be written.
func (s *scanner) skimSlowly(p []byte, i int) int {
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

// mindsLink says whether an address may be one of those that numberInLink knows.
func (s *scanner) mindsLink(value []byte) bool {
	if len(value) < 4 {
		return false
	}
	switch c := value[0] | 0x20; {
	case c == '/' && value[1] != '/', c == 'h' && !s.figures(value):
		return false
	case c == 't', c == 's', c == 'c', c == 'w', c == '/', c == 'h', value[0] <= ' ':
		from, _ := numberInLink(value)
		return from >= 0
	}
	return false
}
