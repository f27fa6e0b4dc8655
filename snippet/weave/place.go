package weave

import (
	"bytes"
	"html"

	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

// Verdict is the state of a Finder's search.
type Verdict uint8

const (
	// Undecided: the Finder has to see more of the page.
	Undecided Verdict = iota
	// Found: the code belongs at Finder.Place.
	Found
	// Fragment: the page is not a document, but a part of another page.
	Fragment
	// Frameset: the document only divides the window between others.
	Frameset
	// Charset: ASCII cannot be inserted into a page in this encoding.
	Charset
	// Already: the page carries the insertion code.
	Already
	// Policy: a policy of the document is longer than the Finder keeps, or the document has too many policies.
	Policy
	// NoPlace: the page ended before a place was found.
	NoPlace
)

const (
	// prescan is how many bytes of a page browsers search for its encoding (HTML standard, 13.2.3.2).
	prescan = 1024
	// maxLook is how many bytes behind a possible place the Finder reads before it takes the place. The caller holds
	// back no more than these.
	maxLook = 8 << 10
	// maxPolicies is how many policies a page may state.
	maxPolicies = 16
	// maxScript is how many bytes of inline scripts the Finder keeps to recognise the insertion code.
	maxScript = 4 << 10
)

// Finder finds the place for the insertion code in a page.
//
// The place is before the page's first script, so that the site's own code finds the queue. In a page without a script
// it is before the end of the head, which may have no tag. The place is never before a statement of the page's encoding
// that browsers would heed.
//
// Reset has to be called before each page.
type Finder struct {
	z      tokenizer
	marked bool // the byte order mark has been looked for
	mark   []byte

	document bool // the page has begun as a document does
	verdict  Verdict
	place    int64 // -1 while there is none
	charset  bool  // the encoding is known, from before the place or from outside the page
	label    []byte
	template int // depth of open templates

	// What the Finder still waits for behind the place.
	awaitCharset  bool
	awaitFrameset bool // the next tag decides
	awaitScript   bool // the next tag, or the script that is being read, decides

	blank    blank
	meta     meta
	script   script
	base     []byte
	hasBase  bool
	policies []string
	later    int // how many policies stand behind the place; they are the last ones
}

// Reset makes the Finder ready for a page. charset says that the page's encoding is stated outside the page, so that
// only a byte order mark in the page counts.
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

// Feed reads the next piece of the page. Only an Undecided verdict changes later.
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

// nextLimit returns the offset at which the Finder stops waiting for something behind the place.
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
	// Browsers read a statement to its end if it begins in the first 1024 bytes.
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

// Finish ends the page and returns the final verdict.
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

// Settle takes the place if there is one already. It reads no further.
func (f *Finder) Settle() Verdict {
	if f.verdict == Undecided && f.place >= 0 {
		f.verdict = Found
	}
	return f.verdict
}

// Place returns the offset of the place in the page, in bytes. It is valid once the verdict is Found.
func (f *Finder) Place() int64 { return f.place }

// Passed returns the offset up to which the page can be sent, whatever follows. The place is never before it.
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

// Policies returns the content security policies that the document states before the place.
func (f *Finder) Policies() []string { return f.policies[:len(f.policies)-f.later] }

// Base returns the address in the first <base> that the Finder has read, or "".
func (f *Finder) Base() string { return html.UnescapeString(string(f.base)) }

// Charset returns the label of the encoding that the document itself states, by a byte order mark or a <meta>. It is
// empty if the Finder has read no such statement, or heeds none.
func (f *Finder) Charset() string { return string(f.label) }

// skipMark removes the byte order mark from the beginning of the page and returns the rest of p.
func (f *Finder) skipMark(p []byte) []byte {
	for i := 0; i < len(p); i++ {
		f.mark = append(f.mark, p[i])
		switch mark := string(f.mark); {
		case mark == "\xef\xbb\xbf":
			f.charset = true // a byte order mark outweighs all statements
			f.label = append(f.label[:0], "utf-8"...)
		case mark == "\xfe\xff", mark == "\xff\xfe", mark == "\x00\x00\xfe\xff":
			f.verdict = Charset
		case hasPrefix("\xef\xbb\xbf", mark), mark == "\xfe", mark == "\xff",
			hasPrefix("\x00\x00\xfe\xff", mark):
			continue
		default: // there is no mark, and the page has begun
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

// settle takes the place if the Finder waits for nothing any more.
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

// endBlank ends the text.
func (f *Finder) endBlank() {
	if at, ok := f.blank.end(); ok {
		f.shown(at)
	}
}

// shown takes the first text of a run that is more than white space, at offset at.
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
	case f.document: // a second one has no effect
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
		if f.awaitCharset && at >= prescan { // a statement at this offset has no effect
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

// tagBehind takes a tag behind the place.
func (f *Finder) tagBehind(t *tag) bool {
	if f.script.reading { // t is the script's end tag
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

// nextIsNone ends the wait for a frameset or a script, since something else follows the place.
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

// endScript judges the inline script that has been read.
func (f *Finder) endScript() {
	f.script.reading = false
	switch {
	case f.script.ours():
		f.decide(Already)
	case f.script.queue(): // the script that follows may push the account
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

// found takes at as the place. The Finder may still wait for something behind it.
func (f *Finder) found(at int64) {
	f.place = at
	f.awaitCharset = !f.charset && at < prescan
	f.z.stop() // so that Feed heeds the new limits
	f.settle()
}

// beginsDocument says whether a page is a document if t is its first tag.
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
