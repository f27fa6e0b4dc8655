package weave

import (
	"bytes"
	"html"

	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

// Verdict is what a Finder knows so far.
type Verdict uint8

const (
	// Undecided: more of the page has to be seen.
	Undecided Verdict = iota
	// Found: the code belongs at Finder.Place.
	Found
	// Fragment: the page is not a document, but a part for another page.
	Fragment
	// Frameset: the document only divides the window between others.
	Frameset
	// Charset: the page is written in an encoding into which ASCII cannot be inserted.
	Charset
	// Already: the page carries the insertion code.
	Already
	// Policy: the document states a policy that is too long to be understood.
	Policy
	// NoPlace: the page ended before there was a place.
	NoPlace
)

const (
	// prescan is how much of a page browsers search for the statement of its
	// encoding (HTML standard, 13.2.3.2).
	prescan = 1024
	// maxLook is how far behind a possible place the page is read before the
	// place is taken. So it is also what has to be held back at most.
	maxLook = 8 << 10
	// maxPolicies is how many policies a page may state before the place.
	maxPolicies = 16
	// maxScript is how much of an inline script is read to recognise the insertion code.
	maxScript = 4 << 10
)

// Finder finds the place for the insertion code in a page that is fed to it.
//
// The place is before the page's first script, so that the site's own code finds
// the queue; without a script before the end of the head, written or implied. It
// is never before a statement of the page's encoding that browsers would heed.
//
// A Finder has to be Reset before use and can be used again.
type Finder struct {
	z      tokenizer
	marked bool // the beginning has been searched for a byte order mark
	mark   []byte

	document bool // the first significant token was a document's
	verdict  Verdict
	place    int64 // -1 while there is none
	charset  bool  // the encoding is known: it is stated before the place or outside the page
	label    []byte
	template int // depth

	// What has still to be seen behind the place.
	awaitCharset  bool
	awaitFrameset bool // the next tag tells
	awaitScript   bool // the next tag, or the script being read, tells

	blank    blank
	meta     meta
	script   script
	base     []byte
	hasBase  bool
	policies []string
	later    int // policies behind the place, at the end of the list
}

// Reset makes the finder ready for a page. charset says that the page's encoding
// is stated outside of it, so that no statement in the page counts.
func (f *Finder) Reset(charset bool) {
	f.z.reset(f)
	*f = Finder{
		z:       f.z,
		mark:    f.mark[:0],
		place:   -1,
		charset: charset,
		blank:   blank{open: f.blank.open[:0]},
		meta:    f.meta.reset(),
		script:  f.script.reset(),
		label:   f.label[:0],
		base:    f.base[:0],
	}
}

// Feed reads the next piece of the page. Once the verdict is not Undecided, it
// stands.
func (f *Finder) Feed(p []byte) Verdict {
	if !f.marked {
		p = f.skipMark(p)
	}
	for bound := steps.Over(len(p)); len(p) > 0 && f.verdict == Undecided; bound.Take("weave.Feed") {
		n := len(p)
		if f.place >= 0 {
			n = int(min(int64(n), f.nextLimit()-f.z.offset))
		}
		if n > 0 {
			before := f.z.offset
			f.z.stopped = false
			f.z.feed(p[:n])
			p = p[f.z.offset-before:]
		}
		f.checkLimits()
	}
	return f.verdict
}

// nextLimit is the offset at which something behind the place stops being awaited.
func (f *Finder) nextLimit() int64 {
	limit := f.place + maxLook
	if f.awaitCharset && f.z.offset < prescan {
		limit = min(limit, prescan)
	}
	return limit
}

func (f *Finder) checkLimits() {
	if f.place < 0 || f.verdict != Undecided {
		return
	}
	if f.z.offset >= f.place+maxLook {
		f.verdict = Found
		return
	}
	// A statement that begins within the first 1024 bytes is read to its end.
	if f.awaitCharset && f.z.offset >= prescan && !f.inPossibleMeta() {
		f.awaitCharset = false
		f.settle()
	}
}

func (f *Finder) inPossibleMeta() bool {
	if f.z.tagAt >= prescan || f.z.state == inText || f.z.state >= declaration {
		return false
	}
	return f.z.undecidedTag() || f.meta.open
}

// Finish tells that the page has ended and gives the final verdict.
func (f *Finder) Finish() Verdict {
	if f.verdict == Undecided {
		f.endBlank()
	}
	switch {
	case f.verdict != Undecided:
	case f.place >= 0:
		if f.script.ours() {
			f.verdict = Already
		} else {
			f.verdict = Found
		}
	case !f.document:
		f.verdict = Fragment
	case f.z.insideMarkup() || f.template > 0:
		f.verdict = NoPlace
	default:
		f.place = f.z.offset
		f.verdict = Found
	}
	return f.verdict
}

// Settle takes the place if there is one already, without looking further.
func (f *Finder) Settle() Verdict {
	if f.verdict == Undecided && f.place >= 0 {
		f.verdict = Found
	}
	return f.verdict
}

// Place is the offset of the place from the page's beginning, once it is Found.
func (f *Finder) Place() int64 { return f.place }

// Passed is the offset up to which the page can be sent whatever follows: the
// place is not before it.
func (f *Finder) Passed() int64 {
	switch {
	case f.place >= 0:
		return f.place
	case len(f.blank.open) > 0:
		return f.blank.at
	case f.z.undecidedTag():
		return f.z.tagAt
	}
	return f.z.offset
}

// Policies are the content security policies that the document states before the
// place.
func (f *Finder) Policies() []string { return f.policies[:len(f.policies)-f.later] }

// Base is the address that relative ones refer to at the place, as far as the
// document states one before it.
func (f *Finder) Base() string { return html.UnescapeString(string(f.base)) }

// Charset is the label of the encoding that the document itself states, as far as
// it has been read. It is empty where the encoding is stated outside, or nowhere.
func (f *Finder) Charset() string { return string(f.label) }

// skipMark takes the byte order mark off the page's beginning and gives the rest.
func (f *Finder) skipMark(p []byte) []byte {
	for i := 0; i < len(p); i++ {
		f.mark = append(f.mark, p[i])
		switch mark := string(f.mark); {
		case mark == "\xef\xbb\xbf":
			f.charset = true // it outweighs all statements
			f.label = append(f.label[:0], "utf-8"...)
		case mark == "\xfe\xff", mark == "\xff\xfe", mark == "\x00\x00\xfe\xff":
			f.verdict = Charset
		case hasPrefix("\xef\xbb\xbf", mark), mark == "\xfe", mark == "\xff",
			hasPrefix("\x00\x00\xfe\xff", mark):
			continue
		default: // no mark: the page has begun
			f.marked = true
			f.z.feed(f.mark)
			if f.verdict == Undecided {
				return p[i+1:]
			}
			return nil
		}
		f.marked = true
		f.z.offset = int64(len(f.mark))
		return p[i+1:]
	}
	return nil
}

func (f *Finder) decide(v Verdict) {
	f.verdict = v
	f.z.stop()
}

// settle decides when nothing is awaited any more.
func (f *Finder) settle() {
	if f.place >= 0 && !f.awaitCharset && !f.awaitFrameset && !f.awaitScript {
		f.decide(Found)
	}
}

func (f *Finder) text(at int64, b []byte) {
	if f.template > 0 {
		return
	}
	if at, ok := f.blank.next(at, b); ok {
		f.shown(at)
	}
}

// endBlank is called where text ends.
func (f *Finder) endBlank() {
	if at, ok := f.blank.end(); ok {
		f.shown(at)
	}
}

// shown notes that text which is more than white space begins at offset at.
func (f *Finder) shown(at int64) {
	switch {
	case !f.document:
		f.decide(Fragment)
	case f.place < 0:
		f.found(at)
	default:
		f.nextIsNone()
	}
}

func (f *Finder) raw(_ int64, b []byte) {
	f.script.read(b)
}

func (f *Finder) doctype(content []byte) {
	f.endBlank()
	for i, c := range content {
		content[i] = lower(c)
	}
	switch {
	case f.document: // a second one means nothing
	case bytes.Contains(content, []byte("frameset")):
		f.decide(Frameset)
	default:
		f.document = true
	}
}

func (f *Finder) tag(at int64, t *tag) bool {
	if f.endBlank(); f.verdict != Undecided {
		return false
	}
	if f.template > 0 {
		f.inTemplate(t)
		return false
	}
	if !f.document {
		if f.document = beginsDocument(t); !f.document {
			f.decide(Fragment)
			return false
		}
	}
	if f.place >= 0 {
		if f.awaitCharset && at >= prescan { // a statement that begins here does not count
			f.awaitCharset = false
			if f.settle(); f.verdict != Undecided {
				return false
			}
		}
		return f.tagBehind(t)
	}
	if t.end {
		if t.is("head") || t.is("body") || t.is("html") || t.is("br") {
			f.awaitFrameset = true
			f.found(at)
		}
		return false
	}
	if t.cut {
		f.found(at)
		return false
	}
	switch string(t.name) {
	case "meta":
		f.meta.begin()
		return true
	case "base":
		return true
	case "template":
		f.template++
	case "html", "head", "title", "link", "style", "noscript", "noframes", "basefont", "bgsound":
	case "script":
		f.script.begin()
		f.awaitScript = true
		f.found(at)
		return true
	case "frameset":
		f.decide(Frameset)
	default:
		f.found(at)
	}
	return false
}

// tagBehind looks at a tag behind the place.
func (f *Finder) tagBehind(t *tag) bool {
	if f.script.reading { // its end tag
		f.endScript()
		return false
	}
	if t.end {
		if !t.is("head") {
			f.nextIsNone()
		}
		return false
	}
	switch {
	case t.is("frameset") && f.awaitFrameset:
		f.decide(Frameset)
	case t.is("script") && f.awaitScript:
		f.awaitFrameset = false
		f.script.begin()
		return true
	case t.is("meta") && f.awaitCharset:
		f.nextIsNone()
		f.meta.begin()
		return f.verdict == Undecided
	default:
		f.nextIsNone()
		if t.is("template") {
			f.template++
		}
		return f.awaitCharset && t.is("base")
	}
	return false
}

func (f *Finder) inTemplate(t *tag) {
	switch {
	case !t.is("template"):
	case t.end:
		f.template--
	default:
		f.template++
	}
}

// nextIsNone notes that what follows the place is none of what was awaited there.
func (f *Finder) nextIsNone() {
	if f.script.reading {
		return
	}
	f.awaitFrameset, f.awaitScript = false, false
	f.settle()
}

func (f *Finder) attribute(a *attribute) {
	switch {
	case f.meta.open:
		f.meta.attribute(a)
	case f.script.open:
		f.script.attribute(a)
	case a.is("href") && !f.hasBase:
		f.hasBase = true
		f.base = append(f.base, a.value...)
	}
}

func (f *Finder) tagEnd(after int64, _ *tag) {
	switch {
	case f.meta.open:
		f.endMeta(after)
	case f.script.open:
		f.script.open = false
		switch {
		case f.script.ours():
			f.decide(Already)
		case f.script.external:
			f.awaitScript = false
			f.settle()
		default:
			f.script.reading = true
		}
	}
}

// endScript judges an inline script that has been read.
func (f *Finder) endScript() {
	f.script.reading = false
	switch {
	case f.script.ours():
		f.decide(Already)
	case f.script.queue(): // the account may be pushed by the script that follows
	default:
		f.awaitScript = false
		f.settle()
	}
}

func (f *Finder) endMeta(after int64) {
	f.meta.open = false
	if policy, ok := f.meta.policy(); ok {
		if f.meta.cut {
			f.decide(Policy)
			return
		}
		if len(f.policies) == maxPolicies {
			f.decide(Policy)
			return
		}
		f.policies = append(f.policies, policy)
		if f.place >= 0 {
			f.later++
		}
	}
	label, ok := f.meta.charset()
	if !ok || f.charset {
		return
	}
	if !Compatible(string(label)) {
		f.decide(Charset)
		return
	}
	f.charset = true
	f.label = append(f.label[:0], label...)
	if f.awaitCharset {
		f.awaitCharset = false
		f.place, f.later = after, 0
		f.awaitScript = true
	}
}

// found notes the place and what behind it has still to be seen.
func (f *Finder) found(at int64) {
	f.place = at
	f.awaitCharset = !f.charset && at < prescan
	f.z.stop() // Feed goes on, within the limits that hold now
	f.settle()
}

// beginsDocument says whether a page whose first tag is t is a document.
func beginsDocument(t *tag) bool {
	if t.end || t.cut {
		return false
	}
	switch string(t.name) {
	case "html", "head", "body", "title", "meta", "base", "frameset":
		return true
	}
	return false
}

func indexNonSpace(b []byte) int {
	for i, c := range b {
		if !isSpace(c) {
			return i
		}
	}
	return -1
}
