// Package skim skips the parts of a page that cannot change the result: text with too few digits, and tags without
// anything that matters. It owns how a page is skipped, by sweeps and from tag to tag, and how the page's tree is
// followed meanwhile. Who replaces numbers asks it where text may stand, and reads on from there.
package skim

import (
	"bytes"

	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/steps"
	"github.com/seed-3405227d/frontdesk/snippet/weave/framework"
	"github.com/seed-3405227d/frontdesk/snippet/weave/sweep"
	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// Minder knows which attributes matter.
type Minder interface {
	// Minds says whether a tag has to be read because of this attribute.
	Minds(name, value []byte) bool
}

// Skimmer skips parts of pages. Reset makes it ready for a page. It is not safe for concurrent use.
type Skimmer struct {
	// Tree follows the page's tree, where selectors need it.
	Tree Follower
	// Follow says that the tree is to be followed.
	Follow bool
	// Hydrating says that a framework is known to take the page over.
	Hydrating bool
	// Broke says that the last Skim skipped an element that ends the line in which it began.
	Broke bool

	sweep   sweep.Sweep
	bound   *steps.Bound
	charset *char.Charset
	minder  Minder
	least   int   // the least digits in a row that make a number
	base    int64 // offset of the piece that is skimmed
}

// Reset makes the skimmer ready for a page in the charset c. Its loops take the steps of the bound.
func (s *Skimmer) Reset(search *sweep.Search, c *char.Charset, bound *steps.Bound, m Minder) {
	s.sweep.Reset(search, c, &s.Tree.nest)
	s.bound, s.charset, s.minder, s.least = bound, c, m, search.Least()
}

// Data sweeps data in which no writing of a number is open. It skips b[:to]. The caller has to read b[to:until].
func (s *Skimmer) Data(b []byte, bound *steps.Bound) (to, until int) {
	return s.sweep.OverData(b, bound)
}

// Skim skips p from i on. p[0] is at offset base of the page. Skim returns the start of the line at which reading has to
// go on, and the index that made it stop, because the text before a number decides whether it is one.
func (s *Skimmer) Skim(p []byte, i int, base int64) (line, end int) {
	following := s.Follow && !s.Tree.Lost()
	s.base, s.Broke = base, false
	s.sweep.Begin(base, following)
	line, end = s.pass(p, i, following)
	s.Tree.nest.LeaveDrawing()
	return line, end
}

// pass does what Skim does.
//
// A number needs a row of digits and separators without a letter in between. Inline tags may stand in the row, so pass
// continues an open row behind such a tag.
func (s *Skimmer) pass(p []byte, i int, following bool) (line, end int) {
	line = i
	row := 0         // digits in the open row
	drawing := false // inside an SVG; line stays at its start tag
	seen := i        // pass looks at each byte up to here; the sweep skips the bytes behind it
	if !sweep.Fast {
		seen = len(p)
	}
	for ; ; s.bound.Take("skim.pass") {
		if i >= seen && row == 0 && !drawing {
			from := i
			var begins int
			if begins, i, seen = s.sweep.Over(p, i, s.bound); begins >= 0 {
				line = begins
			}
			seen = max(seen, from) + 1
		}
		if i = s.sweep.Next(p, i); len(p)-i < sweep.Room {
			return line, min(i, len(p)-1)
		}
		if p[i] != '<' {
			digit := i
			if i, row = s.digits(p, char.DigitBegin(p, i), 0); row >= s.least || p[digit] >= 0x80 {
				return line, i
			}
			i = max(i, digit+1)
			continue
		}
		name, after, start := token.TagWord(p, i+1)
		traits := name.Traits()
		switch {
		case name == 0:
			return line, i
		case name == svg && start != drawing:
			if drawing = start; start || !following {
				line = i
			}
			row = 0
		case start && (name == script || name == style) && row == 0 && !drawing:
			if after = s.passRaw(p, i, after, name); after < 0 || following && !s.Tree.aside(s.base+int64(i), name) {
				return i, i
			}
			s.Broke = true
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
		if after = s.passTag(p, i, after, name, start, following); after < 0 {
			return line, i
		}
		if following && name == svg && !start {
			line = i
		}
		if row > 0 {
			if after, row = s.digits(p, after, row); row >= s.least {
				return line, after
			}
		}
		i = after
	}
}

// digits reads on in a row that has row digits so far. It returns the index behind the row and how many digits the row
// has: 0 if it has ended. A row that has enough digits ends nowhere.
func (s *Skimmer) digits(p []byte, i, row int) (after, digits int) {
	after, digits = s.charset.Row(p, i, row, s.least)
	if digits < s.least && (after == len(p) || p[after] != '<') {
		digits = 0
	}
	return after, digits
}

var (
	svg    = token.WordOf("svg")
	link   = token.WordOf("link")
	script = token.WordOf("script")
	style  = token.WordOf("style")
)

// passTag skips a tag. Its "<" is at p[i], and its name ends before p[after]. passTag returns the index behind the tag,
// or -1 if the tag has to be read.
func (s *Skimmer) passTag(p []byte, i, after int, name token.Word, start, following bool) int {
	switch {
	case p[after] == '>':
		after++
	case start:
		after = s.passAttributes(p, after)
	default:
		return -1
	}
	if after < 0 || name == svg && p[after-2] == '/' ||
		name == link && !s.Hydrating && framework.Named(p[i:after]) ||
		following && !s.Tree.nest.Tag(p, i, after, s.base+int64(i)) {
		return -1
	}
	return after
}

// passRaw skips a script or style element. Its "<" is at p[begin], and its name ends before p[i]. passRaw returns the
// index behind the end tag, or -1 if the element has to be read.
func (s *Skimmer) passRaw(p []byte, begin, i int, name token.Word) int {
	after := s.passAttributes(p, i)
	if after < 0 || p[after-2] == '/' {
		return -1
	}
	if name == script {
		tag := p[begin:after]
		if containsFold(tag, "id") || containsFold(tag, "data-") || !s.Hydrating && framework.Named(tag) {
			return -1 // the script may hold a framework's data
		}
	}
	for i = after; ; s.bound.Take("skim.passRaw") {
		n := bytes.IndexByte(p[i:], '<')
		if i += n; n < 0 || len(p)-i < 16 {
			return -1
		}
		switch p[i+1] {
		case '!':
			return -1 // a comment may hide the end tag
		case '/':
			if closing, behind, _ := token.TagWord(p, i+1); closing == name {
				if p[behind] != '>' || name == script && framework.CarriesData(p[after:i]) {
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
