package weave

import (
	"github.com/seed-3405227d/frontdesk/snippet/phone"
	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/phone/plan"
	"github.com/seed-3405227d/frontdesk/snippet/weave/edit"
	"github.com/seed-3405227d/frontdesk/snippet/weave/framework"
	"github.com/seed-3405227d/frontdesk/snippet/weave/link"
	"github.com/seed-3405227d/frontdesk/snippet/weave/skim"
	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// How many bytes of a page the scanner holds back, for different reasons. What is longer stays as it is.
const (
	// maxTag bounds a tag whose attributes may change.
	maxTag = 16 << 10
	// maxHole bounds the markup inside of a writing.
	maxHole = 4 << 10
	// maxPlace bounds the content of a target that is no writing of its number.
	maxPlace = 2 << 10
	// maxPicture bounds a <picture> up to its image.
	maxPicture = 8 << 10
	// maxEndTag bounds the bytes of an end tag that are read before the tag is known.
	maxEndTag = 2 + token.MaxName + 1
	// maxNoscript bounds the content of a <noscript>.
	maxNoscript = 16 << 10
)

// content says how the scanner treats the content of an element without markup.
type content uint8

const (
	markup   content = iota
	ignored          // is skipped
	titled           // is text
	sniffed          // is a script that may turn out to be data
	dataHeld         // is a framework's data
	fallback         // is shown where scripts do not run: a page of its own
)

// scanner reads a page and collects the changes to it.
type scanner struct {
	token.Tokenizer
	rules   *Rules
	window  *edit.Window
	charset *char.Charset
	shown   Shown
	numbers phone.Shown // the numbers of shown
	whole   bool        // chosen comes from the whole page, by the ordinals of its tags
	skimmer skim.Skimmer
	minder  minder

	words   *phone.Matcher // reads the text that people read
	values  *phone.Matcher // reads attributes and data
	textEnd int64          // offset behind the text that words has read; -1 at the beginning of a line
	noSkim  int64          // up to this offset nothing is skimmed

	edits edit.Edits

	hydrating bool // a framework takes the page over in the browser
	element   element
	bare      bool // the value being changed has no quotation marks
	dials     bool // the value being changed is a link that dials
	scopes    scopes
	picture   picture
	content   content
	contentAt int64
	flight    framework.Flight
	scratch   []byte
	inner     *scanner // reads the content of <noscript>

	ordinal int         // counts the start tags
	chosen  map[int]int // places by ordinals, from Choose
	records records
}

func newScanner(r *Rules, w *edit.Window) *scanner {
	s := &scanner{rules: r, window: w}
	s.Skim = s.skimText
	return s
}

func (s *scanner) start(at int64, c *char.Charset, shown Shown) {
	if s.charset != c {
		s.charset = c
		s.records = records{} // the texts of other pages may mean something else in this charset
		s.words, s.values = s.rules.set.NewMatcher(c), s.rules.set.NewMatcher(c)
		s.words.KeepLength(&s.hydrating) // a framework's text and its data have to agree
		s.values.KeepLength(&s.hydrating)
		if !s.rules.messengers {
			s.values.Spare(link.EndsInWriting)
		}
	}
	s.show(shown)
	s.Tokenizer.Reset(s)
	s.skimmer.Reset(s.rules.search, c, &s.Bound, &s.minder)
	s.skimmer.Tree.Reset(&s.rules.program)
	s.Offset = at
	s.words.Reset(phone.Text)
	s.values.Reset(phone.Text)
	s.textEnd, s.noSkim = -1, 0
	s.edits.Reset()
	s.hydrating = false
	s.scopes.reset()
	s.picture = picture{sources: s.picture.sources[:0]}
	s.content = markup
	s.flight = framework.Flight{Script: true}
	s.ordinal, s.chosen = 0, nil
	s.records.reset()
}

// show sets the numbers that replace those of the page.
func (s *scanner) show(shown Shown) {
	s.shown, s.numbers = shown, shown.appendNumbers(s.numbers[:0])
	s.words.Show(s.numbers)
	s.values.Show(s.numbers)
	s.whole, s.skimmer.Follow = s.rules.NeedsWhole(shown), s.rules.program.Streams(s.shows)
	s.minder = minder{s.rules, shown, s.skimmer.Follow, s.charset.Wide()}
}

// shows says whether the number of a place is replaced.
func (s *scanner) shows(place int) bool { return s.rules.shows(s.shown, place) }

// skimText skips bytes that cannot change the result. It returns the start of the line that holds the next byte to read.
// skimText changes nothing in the page.
func (s *scanner) skimText(p []byte, i int, base int64) int {
	if base+int64(i) < s.noSkim || s.Foreign.Open() || s.picture.open || len(s.scopes.open) > 0 || s.whole ||
		s.skimmer.Follow && !s.skimmer.Tree.Skims() {
		return i
	}
	if _, held := s.words.Held(); held {
		return i
	}
	s.skimmer.Hydrating = s.hydrating
	line, to := s.skimmer.Skim(p, i, base)
	if s.skimmer.Broke {
		s.breakLine() // reading what has been skipped would do this
	}
	s.noSkim = base + int64(to) + 1
	return line
}

// certain returns the offset up to which the page cannot change any more.
func (s *scanner) certain() int64 {
	certain := s.Offset
	hold := func(from, most int64) {
		if s.Offset-from <= most {
			certain = min(certain, from)
		}
	}
	if s.InTag() {
		hold(s.TagAt, maxTag)
	}
	if at, held := s.words.Held(); held {
		if s.Offset-at > maxHole+phone.MaxHeld {
			s.breakLine() // no writing goes on behind so much markup
		} else {
			certain = min(certain, at)
		}
	}
	switch s.content {
	case dataHeld:
		if at, held := s.values.Held(); held {
			certain = min(certain, at)
		}
	case sniffed:
		certain = min(certain, s.contentAt)
	case fallback:
		hold(s.contentAt, maxNoscript+maxEndTag)
	}
	if t := &s.scopes.target; t.open && !t.found {
		hold(t.at, maxPlace+maxEndTag)
	}
	if s.picture.open {
		hold(s.picture.at, maxPicture)
	}
	return certain
}

// end ends the page.
func (s *scanner) end() {
	if s.content == dataHeld {
		s.takeValue(s.values.Break())
	}
	s.breakLine()
}

func (s *scanner) Text(at int64, b []byte) {
	if s.skimmer.Follow {
		s.skimmer.Tree.Text(at, b)
	}
	if s.scopes.skipping > 0 {
		return
	}
	s.read(at, b)
	s.scopes.target.text(at, b)
}

// read gives text to the matcher, and tells it first whether a tag or a line stands before the text.
func (s *scanner) read(at int64, b []byte) {
	if at != s.textEnd && s.textEnd >= 0 {
		held, waiting := s.words.Held()
		if s.hydrating || waiting && at-held > maxHole {
			// Frameworks keep the pieces of a text between tags apart in their data too.
			s.take(s.words.Break())
		} else {
			s.take(s.words.Inline())
		}
	}
	s.take(s.words.Text(at, b))
	s.textEnd = at + int64(len(b))
}

func (s *scanner) breakLine() {
	if s.textEnd >= 0 {
		s.textEnd = -1
		s.take(s.words.Break())
	}
}

func (s *scanner) Tag(at int64, t *token.Tag) bool {
	if s.skimmer.Follow {
		s.skimmer.Tree.Begin(at, t)
	}
	traits := t.Traits()
	if traits&token.Breaks != 0 {
		s.breakLine()
		s.scopes.target.line()
	}
	if s.content != markup {
		s.endContent(at)
	}
	if t.End {
		s.closeTag(at, t)
		s.picture.endTag(t)
		return false
	}
	s.ordinal++
	s.scopes.imply(t, func() { s.endTarget(at) })
	s.scopes.target.children = true
	s.element.begin(at, t, traits)
	s.picture.tag(&s.element, t)
	return s.scopes.skipping == 0 || s.skimmer.Follow
}

func (s *scanner) Doctype(content []byte) {
	if s.skimmer.Follow {
		s.skimmer.Tree.Doctype(content)
	}
}

func (s *scanner) TagEnd(after int64, t *token.Tag) {
	if s.skimmer.Follow {
		s.skimmer.Tree.Finish(after, t, s.ReadsRaw(), &s.Foreign)
	}
	if t.End {
		return
	}
	s.finishElement(after, t)
	if s.ReadsRaw() {
		s.beginContent(after, t)
	}
}

// take collects the changes of matches in text.
func (s *scanner) take(matches []phone.Match) {
	for i := range matches {
		s.scopes.target.see(&matches[i])
	}
	s.takeValue(matches)
}

// takeValue collects the changes of matches in an attribute or in data.
func (s *scanner) takeValue(matches []phone.Match) {
	data := s.content == dataHeld
	for i := range matches {
		m := &matches[i]
		if len(m.Edits) == 0 || !m.Poured && (s.hydrating || data) {
			continue // a framework's text and data agree only if the length stays the same
		}
		if !data {
			s.records.number(s, m)
		}
		if s.dials && m.Form == plan.International && !m.Plus && !s.hydrating {
			s.edits.Add(m.Start, m.Start, plus) // the link would dial another number without it
		}
		for _, e := range m.Edits {
			if s.bare && !m.Poured {
				s.edits.Write(e.Start, e.End, string(e.Text), true)
			} else {
				s.edits.Add(e.Start, e.End, e.Text)
			}
		}
	}
}

var plus = []byte("+")
