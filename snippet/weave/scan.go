package weave

import (
	"html"
	"strings"

	"github.com/seed-3405227d/frontdesk/snippet/phone"
)

// How much may be held back of a page, each for another reason. What is longer is
// left as it is.
const (
	// maxTag bounds a tag whose attributes are looked at.
	maxTag = 16 << 10
	// maxHole bounds the markup that may stand inside of a writing.
	maxHole = 4 << 10
	// maxPlace bounds the content of a target that is not a writing of its number.
	maxPlace = 2 << 10
	// maxPicture bounds a <picture> up to its image.
	maxPicture = 8 << 10
	// maxEndTag is how much of an end tag is read until it is known for one.
	maxEndTag = 2 + maxName + 1
	// maxNoscript bounds what stands in for scripts.
	maxNoscript = 16 << 10
)

// edit is a change to the page: text takes the place of the bytes from start to end.
type edit struct {
	start, end int64
	text       []byte
}

// content is what an element holds whose content is not markup.
type content uint8

const (
	markup   content = iota
	ignored          // is not looked at
	titled           // text
	sniffed          // a script of which is not known yet whether it is data
	dataHeld         // a framework's data
	fallback         // what is shown where there are no scripts: a page of its own
)

// scanner reads a page and collects what is to be changed in it.
type scanner struct {
	tokenizer
	rules   *Rules
	window  *window
	charset *phone.Charset
	shown   Shown
	numbers phone.Shown // those of shown
	whole   bool        // the page is needed whole: its tags are counted
	follow  bool        // the page's tree is followed
	tree    tree

	following bool  // by what is skimmed now
	skimBase  int64 // the offset of what is skimmed
	sweep     sweep

	words   *phone.Matcher // reads what people read
	values  *phone.Matcher // reads attributes, and data
	textEnd int64          // behind the text that words has read; -1 at the beginning of a line
	noSkim  int64          // up to here nothing is skimmed

	edits []edit // in the order of the page
	ink   []byte // that their texts are cut from

	hydrating bool // a framework takes the page over in the browser
	element   element
	bare      bool // the value being changed has no quotation marks
	dials     bool // and is a link that dials
	scopes    scopes
	picture   picture
	content   content
	contentAt int64
	flight    flight
	scratch   []byte
	inner     *scanner // of fallbacks

	ordinal int         // of the start tag
	chosen  map[int]int // places by ordinals, where selectors were asked
	records records
}

func newScanner(r *Rules, w *window) *scanner {
	s := &scanner{rules: r, window: w}
	s.tokenizer.skim = s.skimText
	return s
}

func (s *scanner) start(at int64, c *phone.Charset, shown Shown) {
	if s.charset != c {
		s.charset = c
		s.records = records{} // whose texts another charset may give
		s.words, s.values = s.rules.set.NewMatcher(c), s.rules.set.NewMatcher(c)
	}
	s.show(shown)
	s.sweep.reset(s.rules, c, &s.tree)
	s.tokenizer.reset(s)
	s.tree.reset(&s.rules.program)
	s.offset = at
	s.words.Reset(phone.Text)
	s.values.Reset(phone.Text)
	s.textEnd, s.noSkim = -1, 0
	s.edits, s.ink = s.edits[:0], s.ink[:0]
	s.hydrating = false
	s.scopes.reset()
	s.picture = picture{sources: s.picture.sources[:0]}
	s.content = markup
	s.flight = flight{script: true}
	s.ordinal, s.chosen = 0, nil
	s.records.reset()
}

// show says what takes the places of the numbers.
func (s *scanner) show(shown Shown) {
	s.shown, s.numbers = shown, shown.appendNumbers(s.numbers[:0])
	s.words.Show(s.numbers)
	s.values.Show(s.numbers)
	s.whole, s.follow = s.rules.NeedsWhole(shown), s.rules.follows(shown)
}

// certain is the offset up to which nothing is going to change any more.
func (s *scanner) certain() int64 {
	certain := s.offset
	hold := func(from, most int64) {
		if s.offset-from <= most {
			certain = min(certain, from)
		}
	}
	if s.state > inText && s.state < declaration {
		hold(s.tagAt, maxTag)
	}
	if at, held := s.words.Held(); held {
		if s.offset-at > maxHole+phone.MaxHeld {
			s.breakLine() // so much markup that nothing can go on behind it
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

// end tells that the page has ended.
func (s *scanner) end() {
	if s.content == dataHeld {
		s.takeValue(s.values.Break())
	}
	s.breakLine()
}

func (s *scanner) text(at int64, b []byte) {
	if s.follow {
		s.tree.text(at, b)
	}
	if s.scopes.skipping > 0 {
		return
	}
	s.read(at, b)
	s.scopes.target.text(at, b)
}

// read gives text to the matcher, with a word about what stood before it.
func (s *scanner) read(at int64, b []byte) {
	if at != s.textEnd && s.textEnd >= 0 {
		held, waiting := s.words.Held()
		if s.hydrating || waiting && at-held > maxHole {
			// Frameworks keep the pieces of such a text apart in their data too.
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

func (s *scanner) tag(at int64, t *tag) bool {
	if s.follow {
		s.tree.begin(at, t)
	}
	traits := t.traits()
	if traits&breaks != 0 {
		s.breakLine()
		s.scopes.target.line()
	}
	if s.content != markup {
		s.endContent(at)
	}
	if t.end {
		s.closeTag(at, t)
		s.picture.endTag(t)
		return false
	}
	s.ordinal++
	s.scopes.imply(t, func() { s.endTarget(at) })
	s.scopes.target.children = true
	s.element.begin(at, t, traits)
	s.picture.tag(&s.element, t)
	return s.scopes.skipping == 0 || s.follow
}

func (s *scanner) doctype(content []byte) {
	if s.follow {
		s.tree.takeDoctype(content)
	}
}

func (s *scanner) tagEnd(after int64, t *tag) {
	if s.follow {
		s.tree.finish(after, t, s.readsRaw())
	}
	if t.end {
		return
	}
	s.finishElement(after, t)
	if s.readsRaw() {
		s.beginContent(after)
	}
}

// take notes the changes that matches in text ask for.
func (s *scanner) take(matches []phone.Match) {
	if len(matches) > 0 {
		s.scopes.target.see()
	}
	s.takeValue(matches)
}

// takeValue notes the changes that matches in an attribute or in data ask for.
func (s *scanner) takeValue(matches []phone.Match) {
	data := s.content == dataHeld
	for i := range matches {
		m := &matches[i]
		if len(m.Edits) == 0 || !m.Poured && (s.hydrating || data) {
			continue // only what is as long as before agrees in text and data
		}
		if !data {
			s.records.number(s, m)
		}
		if s.dials && m.Form == phone.International && !m.Plus && !s.hydrating {
			s.change(m.Start, m.Start, plus) // without it, it is another number
		}
		for _, e := range m.Edits {
			if s.bare && !m.Poured {
				s.changeWritten(e.Start, e.End, string(e.Text), true)
			} else {
				s.change(e.Start, e.End, e.Text)
			}
		}
	}
}

var plus = []byte("+")

// changeWritten is change for what is written into a value or a text anew.
func (s *scanner) changeWritten(start, end int64, text string, bare bool) {
	text = html.EscapeString(text)
	if bare {
		text = bareSpaces.Replace(text)
	}
	s.change(start, end, []byte(text))
}

// bareSpaces writes what would end a value without quotation marks.
var bareSpaces = strings.NewReplacer(" ", "&#32;", "=", "&#61;", "`", "&#96;")

// change notes that text takes the place of the bytes from start to end. A writing
// that began before a tag is found after the tag has been changed.
func (s *scanner) change(start, end int64, text []byte) {
	from := len(s.ink)
	s.ink = append(s.ink, text...)
	s.edits = append(s.edits, edit{start, end, s.ink[from:len(s.ink):len(s.ink)]})
	for i := len(s.edits) - 1; i > 0 && s.edits[i].start < s.edits[i-1].start; i-- {
		s.edits[i], s.edits[i-1] = s.edits[i-1], s.edits[i]
	}
}

// keepInk drops the ink of changes that have been made, when there is much of it.
func (s *scanner) keepInk() {
	if len(s.ink) < maxTag {
		return
	}
	ink := make([]byte, 0, maxTag)
	for i := range s.edits {
		from := len(ink)
		ink = append(ink, s.edits[i].text...)
		s.edits[i].text = ink[from:len(ink):len(ink)]
	}
	s.ink = ink
}
