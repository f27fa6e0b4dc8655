package head

import (
	"bytes"

	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

const (
	// prescan is how many bytes of a page browsers search for its encoding (HTML standard, 13.2.3.2).
	prescan = 1024
	// maxLook is how many bytes behind a possible place the Finder reads before it takes the place. The caller holds
	// back no more than these.
	maxLook = 8 << 10
)

// search receives the tokens of a page up to the place, and as many behind it as decide whether it is the place.
type search struct {
	z        token.Tokenizer
	document bool // the page has begun as a document does
	verdict  Verdict
	place    int64 // -1 while there is none
	charset  bool  // the encoding is known, from before the place or from outside the page
	label    []byte
	template int // depth of open templates

	// What the search still waits for behind the place.
	awaitCharset  bool
	awaitFrameset bool // the next tag decides
	awaitScript   bool // the next tag, or the script that is being read, decides

	blank    token.Blank
	meta     meta
	script   script
	base     []byte
	hasBase  bool
	policies []string
	later    int // how many policies stand behind the place; they are the last ones
}

// reset returns the search of another page, which uses the memory of this one.
func (s *search) reset(charset bool) search {
	return search{
		z:       s.z,
		place:   -1,
		charset: charset,
		blank:   s.blank.Reset(),
		meta:    s.meta.reset(),
		script:  s.script.reset(),
		label:   s.label[:0],
		base:    s.base[:0],
	}
}

// nextLimit returns the offset at which the search stops waiting for something behind the place.
func (s *search) nextLimit() int64 {
	limit := s.place + maxLook
	if s.awaitCharset && s.z.Offset < prescan {
		limit = min(limit, prescan)
	}
	return limit
}

func (s *search) checkLimits() {
	if s.place < 0 || s.verdict != Undecided {
		return
	}
	if s.z.Offset >= s.place+maxLook {
		s.verdict = Found
		return
	}
	// Browsers read a statement to its end if it begins in the first 1024 bytes.
	if s.awaitCharset && s.z.Offset >= prescan && !s.inPossibleMeta() {
		s.awaitCharset = false
		s.settle()
	}
}

func (s *search) decide(v Verdict) {
	s.verdict = v
	s.z.Stop()
}

// settle takes the place if the search waits for nothing any more.
func (s *search) settle() {
	if s.place >= 0 && !s.awaitCharset && !s.awaitFrameset && !s.awaitScript {
		s.decide(Found)
	}
}

func (s *search) Text(at int64, b []byte) {
	if s.template > 0 {
		return
	}
	if at, ok := s.blank.Next(at, b); ok {
		s.shown(at)
	}
}

// endBlank ends the text.
func (s *search) endBlank() {
	if at, ok := s.blank.End(); ok {
		s.shown(at)
	}
}

// shown takes the first text of a run that is more than white space, at offset at.
func (s *search) shown(at int64) {
	switch {
	case !s.document:
		s.decide(Fragment)
	case s.place < 0:
		s.found(at)
	default:
		s.nextIsNone()
	}
}

func (s *search) Raw(_ int64, b []byte) {
	s.script.read(b)
}

func (s *search) Doctype(content []byte) {
	s.endBlank()
	for i, c := range content {
		content[i] = token.Lower(c)
	}
	switch {
	case s.document: // a second one has no effect
	case bytes.Contains(content, []byte("frameset")):
		s.decide(Frameset)
	default:
		s.document = true
	}
}

func (s *search) Tag(at int64, t *token.Tag) bool {
	if s.endBlank(); s.verdict != Undecided {
		return false
	}
	if s.template > 0 {
		s.inTemplate(t)
		return false
	}
	if !s.document {
		if s.document = beginsDocument(t); !s.document {
			s.decide(Fragment)
			return false
		}
	}
	if s.place >= 0 {
		if s.awaitCharset && at >= prescan { // a statement at this offset has no effect
			s.awaitCharset = false
			if s.settle(); s.verdict != Undecided {
				return false
			}
		}
		return s.tagBehind(t)
	}
	if t.End {
		if t.Is("head") || t.Is("body") || t.Is("html") || t.Is("br") {
			s.awaitFrameset = true
			s.found(at)
		}
		return false
	}
	if t.Cut {
		s.found(at)
		return false
	}
	switch string(t.Name) {
	case "meta":
		s.meta.begin()
		return true
	case "base":
		return true
	case "template":
		s.template++
	case "html", "head", "title", "link", "style", "noscript", "noframes", "basefont", "bgsound":
	case "script":
		s.script.begin()
		s.awaitScript = true
		s.found(at)
		return true
	case "frameset":
		s.decide(Frameset)
	default:
		s.found(at)
	}
	return false
}

// tagBehind takes a tag behind the place.
func (s *search) tagBehind(t *token.Tag) bool {
	if s.script.reading { // t is the script's end tag
		s.endScript()
		return false
	}
	if t.End {
		if !t.Is("head") {
			s.nextIsNone()
		}
		return false
	}
	switch {
	case t.Is("frameset") && s.awaitFrameset:
		s.decide(Frameset)
	case t.Is("script") && s.awaitScript:
		s.awaitFrameset = false
		s.script.begin()
		return true
	case t.Is("meta") && s.awaitCharset:
		s.nextIsNone()
		s.meta.begin()
		return s.verdict == Undecided
	default:
		s.nextIsNone()
		if t.Is("template") {
			s.template++
		}
		return s.awaitCharset && t.Is("base")
	}
	return false
}

func (s *search) inTemplate(t *token.Tag) {
	switch {
	case !t.Is("template"):
	case t.End:
		if s.template--; s.place < 0 {
			s.z.Foreign = token.Foreign{} // what was open in the template ends with it
		}
	case s.place < 0 && s.z.Foreign.Open():
		s.decide(NoPlace) // in a drawing, this may be another element, which ends with the drawing
	default:
		s.template++
	}
}

// nextIsNone ends the wait for a frameset or a script, since something else follows the place.
func (s *search) nextIsNone() {
	if s.script.reading {
		return
	}
	s.awaitFrameset, s.awaitScript = false, false
	s.settle()
}

func (s *search) Attribute(a *token.Attribute) {
	switch {
	case s.meta.open:
		s.meta.attribute(a)
	case s.script.open:
		s.script.attribute(a)
	case a.Is("href") && !s.hasBase:
		s.hasBase = true
		s.base = append(s.base, a.Value...)
	}
}

func (s *search) TagEnd(after int64, _ *token.Tag) {
	switch {
	case s.meta.open:
		s.endMeta(after)
	case s.script.open:
		s.script.open = false
		switch {
		case s.script.ours():
			s.decide(Already)
		case s.script.external:
			s.awaitScript = false
			s.settle()
		default:
			s.script.reading = true
		}
	}
}

// found takes at as the place. The search may still wait for something behind it.
func (s *search) found(at int64) {
	s.place = at
	s.awaitCharset = !s.charset && at < prescan
	s.z.Stop() // so that the Finder heeds the new limits
	s.settle()
}

// beginsDocument says whether a page is a document if t is its first tag.
func beginsDocument(t *token.Tag) bool {
	if t.End || t.Cut {
		return false
	}
	switch string(t.Name) {
	case "html", "head", "body", "title", "meta", "base", "frameset":
		return true
	}
	return false
}
