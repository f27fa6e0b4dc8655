package weave

import (
	"bytes"
	"encoding/binary"

	"github.com/seed-3405227d/frontdesk/snippet/phone"
)

// skimText passes over a part of the page in which nothing is to be changed: text
// with too few digits, and tags that are of no account. It decides nothing. What it
// passes over would have been read to no effect, and it turns back to
// where a line begins, so that what stands before a number is read with it.
func (s *scanner) skimText(p []byte, i int, base int64) int {
	if base+int64(i) < s.noSkim || s.foreign.depth > 0 || s.picture.open || len(s.scopes.open) > 0 || s.whole || s.follow && !s.tree.skims() {
		return i
	}
	if _, held := s.words.Held(); held {
		return i
	}
	if s.following = s.follow && !s.tree.lost; base != s.skimBase {
		s.skimBase, s.sweep.words = base, 0
	}
	s.sweep.follows, s.sweep.base = s.following, base
	line, to := s.pass(p, i)
	s.tree.leaveDrawing()
	s.noSkim = base + int64(to) + 1
	return line
}

// pass reads p from i on. It gives the index up to which nothing has to be read,
// where a line begins, and the one at which it saw what has to be read.
//
// A number needs a row of digits and separators that no letter ends. Inline tags may
// stand in it, so a row that is open at a tag goes on behind it.
func (s *scanner) pass(p []byte, i int) (line, end int) {
	line = i
	row := 0         // digits in the row that is open
	drawing := false // in an SVG, to whose beginning it turns back
	seen := i        // up to here there is something to be looked at
	if !sweeping {
		seen = len(p)
	}
	for ; ; s.bound.Take("weave.pass") {
		if i >= seen && row == 0 && !drawing {
			from := i
			var begins int
			if begins, i, seen = s.sweep.over(p, i, &s.bound); begins >= 0 {
				line = begins
			}
			seen = max(seen, from) + 1
		}
		if i = s.sweep.next(p, i); len(p)-i < room {
			return line, min(i, len(p)-1)
		}
		if p[i] != '<' {
			digit := i
			if i, row = s.charset.Row(p, phone.DigitBegin(p, i), 0, s.rules.least); row >= s.rules.least || p[digit] >= 0x80 {
				return line, i
			}
			if i == len(p) || p[i] != '<' {
				row = 0
			}
			i = max(i, digit+1)
			continue
		}
		name, after, start := tagWord(p, i+1)
		traits := elements.of(name).traits
		switch {
		case name == 0:
			return line, i
		case name == svgWord && start != drawing:
			if drawing = start; start || !s.following {
				line = i
			}
			row = 0
		case start && (name == scriptWord || name == styleWord) && row == 0 && !drawing:
			if after = s.skimRaw(p, i, after, name); after < 0 {
				return i, i
			}
			if s.following && !s.tree.skimAside(s.skimBase+int64(i), name) {
				return i, i
			}
			s.breakLine() // its tag, which does so, is not read
			i, line = after, after
			continue
		case traits&special != 0:
			if traits&breaks != 0 && !drawing {
				return i, i
			}
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
			after = s.skimAttributes(p, after)
		default:
			after = -1
		}
		if after < 0 || name == svgWord && p[after-2] == '/' ||
			name == linkWord && !s.hydrating && namesFramework(p[i:after]) {
			return line, i
		}
		if s.following {
			if !s.tree.skimTag(p, i, after, s.skimBase+int64(i)) {
				return line, i
			}
			if name == svgWord && !start {
				line = i
			}
		}
		if row > 0 {
			if after, row = s.charset.Row(p, after, row, s.rules.least); row >= s.rules.least {
				return line, after
			}
			if after == len(p) || p[after] != '<' {
				row = 0
			}
		}
		i = after
	}
}

var (
	svgWord    = wordOf("svg")
	linkWord   = wordOf("link")
	scriptWord = wordOf("script")
	styleWord  = wordOf("style")
)

// tagWord reads the name of a tag, whose "<" is before p[i]. The name is 0 when the
// tag has to be read to know it.
func tagWord(p []byte, i int) (name word, after int, start bool) {
	if start = p[i] != '/'; !start {
		i++
	}
	name, size, next := wordAt(binary.LittleEndian.Uint64(p[i:]))
	after = i + size/8
	for w := name; w != 0; w >>= 8 {
		if !isLetter(byte(w)) {
			return 0, after, start
		}
	}
	if name == 'h' && '1' <= next && next <= '6' {
		name |= word(next) << 8
		after++
		next = p[after]
	}
	if size == 64 || !endsName(next) {
		return 0, after, start
	}
	return name, after, start
}

// skimRaw passes over a script or a style, whose name ends before p[i] and whose "<" is at
// p[begin], and gives the index behind its end tag. It is negative when it has to be read.
func (s *scanner) skimRaw(p []byte, begin, i int, name word) int {
	after := s.skimAttributes(p, i)
	if after < 0 || p[after-2] == '/' {
		return -1
	}
	if name == scriptWord {
		tag := p[begin:after]
		if containsFold(tag, "id") || containsFold(tag, "data-") || !s.hydrating && namesFramework(tag) {
			return -1 // it may be data
		}
	}
	for i = after; ; s.bound.Take("weave.skimRaw") {
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
