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
	line, likely, to := s.pass(p, i)
	if likely > line && breaksLine(p, likely) {
		line = likely
	}
	s.noSkim = base + int64(to) + 1
	return line
}

// breaksLine says whether a line begins at the start tag at p[i].
func breaksLine(p []byte, i int) bool {
	name, _, _ := tagWord(p, i+1)
	return elements.of(name)&breaks != 0
}

// pass reads p from i on. It gives the index up to which nothing has to be read,
// where a line begins, and the one at which it saw what has to be read. Of the last
// start tag it knows only that a line begins there likely.
//
// A number needs a row of digits and separators that no letter ends. Inline tags may
// stand in it, so a row that is open at a tag goes on behind it.
func (s *scanner) pass(p []byte, i int) (line, likely, end int) {
	line = i
	w := walk{p: p, wide: s.charset.Wide()}
	row := 0         // digits in the row that is open
	drawing := false // in an SVG, to whose beginning it turns back
	w.look(i)
	for {
		if i = w.next(); i < 0 {
			return line, likely, min(w.base, len(p)-1)
		}
		switch c := p[i]; {
		case '0' <= c && c <= '9':
			mask := w.mask
			if at, digits := w.text(); at >= 0 && digits < s.rules.least {
				if endsRow(p[i:at], w.wide) {
					row = 0
					continue
				}
				if p[at-1] < 0x80 {
					row = digits
					continue
				}
			}
			w.mask = mask
			if i, row = s.charset.Row(p, i, 0, s.rules.least); row >= s.rules.least {
				return line, likely, i
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
		if row == 0 && !drawing {
			kind := kinds[binary.LittleEndian.Uint16(p[i+1:])]
			if kind != unsure && !(kind == itemOrLink && p[i+3]|0x20 == 'n') {
				if kind != flowing {
					likely = i
				}
				w.skip()
				at := w.next()
				switch {
				case at < 0:
					return line, likely, i
				case at-i >= shortTag:
				case p[at] == '>':
					w.skip()
					continue
				case bytes.IndexByte(p[i+2:at], ' ') < 0: // it may belong to the name
				default:
					if after := s.skimAttributes(&w, i+1, at); after >= 0 {
						w.to(after)
						continue
					}
				}
				w.look(i)
			}
		}
		name, after, start := tagWord(p, i+1)
		traits := elements.of(name)
		switch {
		case name == 0:
			return line, likely, i
		case name == svgWord && start != drawing:
			drawing = start
			line, row = i, 0
		case start && (name == scriptWord || name == styleWord) && row == 0 && !drawing:
			if after = s.skimRaw(&w, i, after, name); after < 0 {
				return i, -1, i
			}
			w.to(after)
			line = after
			continue
		case traits&special != 0:
			if traits&breaks != 0 && !drawing {
				return i, -1, i
			}
			return line, likely, i
		case traits&breaks != 0:
			if row = 0; !drawing {
				line = i
			}
		}
		switch {
		case p[after] == '>':
			after++
		case start:
			w.to(after)
			at := w.next()
			if at < 0 {
				return line, likely, i
			}
			after = s.skimAttributes(&w, after, at)
		default:
			after = -1
		}
		if after < 0 || name == svgWord && p[after-2] == '/' ||
			name == linkWord && !s.hydrating && namesFramework(p[i:after]) {
			return line, likely, i
		}
		if row > 0 {
			if after, row = s.charset.Row(p, after, row, s.rules.least); row >= s.rules.least {
				return line, likely, after
			}
			if after == len(p) || p[after] != '<' {
				row = 0
			}
		}
		w.to(after)
	}
}

// endsRow says whether the last character of a text, which is not empty, certainly ends
// a row of digits: a letter of ASCII and, in UTF-8, a Cyrillic one or a currency sign.
func endsRow(text []byte, utf8 bool) bool {
	n := len(text)
	if isLetter(text[n-1]) {
		return true
	}
	if !utf8 || n < 3 || text[n-1] < 0x80 {
		return false
	}
	return text[n-2]|1 == 0xD1 || text[n-3] == 0xE2 && text[n-2] == 0x82
}

var (
	svgWord    = wordOf("svg")
	linkWord   = wordOf("link")
	scriptWord = wordOf("script")
	styleWord  = wordOf("style")
)

// shortTag is the least distance from a tag's "<" to the end of an attribute that
// counts and has no value.
const shortTag = len("<a data-svc-noswap")

// tagWord reads the name of a tag, whose "<" is before p[i]. The name is 0 when the
// tag has to be read to know it.
func tagWord(p []byte, i int) (name word, after int, start bool) {
	x := binary.LittleEndian.Uint64(p[i:])
	if start = byte(x) != '/'; !start {
		i++
		x = binary.LittleEndian.Uint64(p[i:])
	}
	if !isLetter(p[i]) {
		return 0, i, start
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

// skimAttributes reads the attributes that begin behind from, and gives the index
// behind the tag. It is negative when the tag has to be read. The walk is at the stop at.
//
// In a tag only "=" and ">" count: what is quoted stands behind a "=", and a quote
// anywhere else is a part of a name.
func (s *scanner) skimAttributes(w *walk, from, at int) int {
	p := w.p
	for {
		c := p[at]
		switch {
		case c != '>' && c != '=':
			w.skip()
			if at = w.next(); at < 0 {
				return -1
			}
			continue
		case at-from >= len("data-svc-noswap"): // there is room for an attribute without a value
			return s.skimSlowly(p, from)
		case c == '>':
			return at + 1
		}
		quote := p[at+1]
		if quote != '"' && quote != '\'' || endsName(p[at-1]) || at == from {
			return s.skimSlowly(p, from)
		}
		n := indexNear(p[at+2:], quote)
		if n < 0 || s.rules.mindful[p[at-1]] && s.minds(lastName(p[from:at]), p[at+2:at+2+n]) {
			return -1
		}
		from = at + n + 3
		w.to(from)
		if at = w.next(); at < 0 {
			return -1
		}
	}
}

// skimRaw passes over a script or a style, whose name ends before p[i] and whose "<" is at
// p[begin], and gives the index behind its end tag. It is negative when it has to be read.
func (s *scanner) skimRaw(w *walk, begin, i int, name word) int {
	p := w.p
	w.to(i)
	at := w.next()
	if at < 0 {
		return -1
	}
	after := s.skimAttributes(w, i, at)
	if after < 0 || p[after-2] == '/' {
		return -1
	}
	if name == scriptWord {
		tag := p[begin:after]
		if containsFold(tag, "id") || containsFold(tag, "data-") || !s.hydrating && namesFramework(tag) {
			return -1 // it may be data
		}
	}
	for i = after; ; {
		n := bytes.IndexByte(p[i:], '<')
		if i += n; n < 0 || len(p)-i < 16 {
			return -1
		}
		switch p[i+1] {
		case '!':
			return -1 // it may hide its end
		case '/':
			if closing, behind, _ := tagWord(p, i+1); closing == name {
				if p[behind] != '>' || name == scriptWord && carriesData(p[after:min(i, after+sniffLength)]) {
					return -1
				}
				return behind + 1
			}
		}
		i++
	}
}

func containsFold(b []byte, word string) bool {
	for i := range b {
		if hasPrefixFold(b[i:], word) {
			return true
		}
	}
	return false
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
