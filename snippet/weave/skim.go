package weave

import (
	"bytes"

	"github.com/seed-3405227d/frontdesk/snippet/phone"
	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// skimText skips bytes that cannot change the result: text with too few digits, and tags without a number, a place or a
// framework's name. It returns the start of the line that holds the next byte to read, because the text before a number
// decides whether it is one. skimText changes nothing in the page.
func (s *scanner) skimText(p []byte, i int, base int64) int {
	if base+int64(i) < s.noSkim || s.Foreign.Open() || s.picture.open || len(s.scopes.open) > 0 || s.whole || s.follow && !s.tree.skims() {
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

// pass skips p from i on. It returns the start of the line at which reading has to go on, and the index that made it
// stop.
//
// A number needs a row of digits and separators without a letter in between. Inline tags may stand in the row, so pass
// continues an open row behind such a tag.
func (s *scanner) pass(p []byte, i int) (line, end int) {
	line = i
	row := 0         // digits in the open row
	drawing := false // inside an SVG; line stays at its start tag
	seen := i        // pass looks at each byte up to here; sweep skips the bytes behind it
	if !sweeping {
		seen = len(p)
	}
	for ; ; s.Bound.Take("weave.pass") {
		if i >= seen && row == 0 && !drawing {
			from := i
			var begins int
			if begins, i, seen = s.sweep.over(p, i, &s.Bound); begins >= 0 {
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
		name, after, start := token.TagWord(p, i+1)
		traits := name.Traits()
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
			s.breakLine() // reading the tag would do this
			i, line = after, after
			continue
		case traits&token.Special != 0:
			if traits&token.Breaks != 0 && !drawing {
				return i, i
			}
			return line, i
		case traits&token.Breaks != 0:
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
	svgWord    = token.WordOf("svg")
	linkWord   = token.WordOf("link")
	scriptWord = token.WordOf("script")
	styleWord  = token.WordOf("style")
)

// skimRaw skips a script or style element. Its "<" is at p[begin], and its name ends before p[i]. skimRaw returns the
// index behind the end tag, or -1 if the element has to be read.
func (s *scanner) skimRaw(p []byte, begin, i int, name token.Word) int {
	after := s.skimAttributes(p, i)
	if after < 0 || p[after-2] == '/' {
		return -1
	}
	if name == scriptWord {
		tag := p[begin:after]
		if containsFold(tag, "id") || containsFold(tag, "data-") || !s.hydrating && namesFramework(tag) {
			return -1 // the script may hold a framework's data
		}
	}
	for i = after; ; s.Bound.Take("weave.skimRaw") {
		n := bytes.IndexByte(p[i:], '<')
		if i += n; n < 0 || len(p)-i < 16 {
			return -1
		}
		switch p[i+1] {
		case '!':
			return -1 // a comment may hide the end tag
		case '/':
			if closing, behind, _ := token.TagWord(p, i+1); closing == name {
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
		if token.HasPrefixFold(b[i:], word) {
			return true
		}
	}
	return false
}
