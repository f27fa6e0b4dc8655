// Package head reads the beginning of an HTML page as it streams by, and finds the one place where the insertion code
// belongs. On the way it reads what the head says of the page: its encoding, its base address and its policies. The
// writer of pages asks it.
//
// The caller gives the page in pieces of any size. The place does not depend on how the page was cut. The package keeps
// only a few names and values.
package head

import (
	"html"
	"strings"

	"github.com/seed-3405227d/frontdesk/snippet/steps"
	"github.com/seed-3405227d/frontdesk/snippet/weave/rival"
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
	// NoPlace: the page ended before a place was found, or it is not certain where a template in it ends.
	NoPlace
)

// Finder finds the place for the insertion code in a page.
//
// The place is before the page's first script, so that the site's own code finds the queue. In a page without a script
// it is before the end of the head, which may have no tag. The place is never before a statement of the page's encoding
// that browsers would heed.
//
// Reset has to be called before each page.
type Finder struct {
	marked bool // the byte order mark has been looked for
	mark   []byte
	s      search
}

// Reset makes the Finder ready for a page. charset says that the page's encoding is stated outside the page, so that
// only a byte order mark in the page counts.
func (f *Finder) Reset(charset bool) {
	*f = Finder{mark: f.mark[:0], s: f.s.reset(charset)}
	f.s.z.Reset(&f.s)
}

// Supersede has the Finder take another service's code for scripts like all others. It has to be called after Reset.
func (f *Finder) Supersede(own *rival.Own) { f.s.script.site = own }

// Feed reads the next piece of the page. Only an Undecided verdict changes later.
func (f *Finder) Feed(p []byte) Verdict {
	if !f.marked {
		p = f.skipMark(p)
	}
	for bound := steps.Over(len(p)); len(p) > 0 && f.s.verdict == Undecided; bound.Take("head.Feed") {
		n := len(p)
		if f.s.place >= 0 {
			n = int(min(int64(n), f.s.nextLimit()-f.s.z.Offset))
		}
		if n > 0 {
			before := f.s.z.Offset
			f.s.z.Feed(p[:n])
			p = p[f.s.z.Offset-before:]
		}
		f.s.checkLimits()
	}
	return f.s.verdict
}

// Finish ends the page and returns the final verdict.
func (f *Finder) Finish() Verdict {
	if f.s.verdict == Undecided {
		f.s.endBlank()
	}
	switch {
	case f.s.verdict != Undecided:
	case f.s.place >= 0:
		if f.s.script.ours() {
			f.s.verdict = Already
		} else {
			f.s.verdict = Found
		}
	case !f.s.document:
		f.s.verdict = Fragment
	case f.s.z.InsideMarkup() || f.s.template > 0:
		f.s.verdict = NoPlace
	default:
		f.s.place = f.s.z.Offset
		f.s.verdict = Found
	}
	return f.s.verdict
}

// Settle takes the place if there is one already. It reads no further.
func (f *Finder) Settle() Verdict {
	if f.s.verdict == Undecided && f.s.place >= 0 {
		f.s.verdict = Found
	}
	return f.s.verdict
}

// Place returns the offset of the place in the page, in bytes. It is valid once the verdict is Found.
func (f *Finder) Place() int64 { return f.s.place }

// Passed returns the offset up to which the page can be sent, whatever follows. The place is never before it.
func (f *Finder) Passed() int64 {
	if f.s.place >= 0 {
		return f.s.place
	}
	if at, open := f.s.blank.Open(); open {
		return at
	}
	if f.s.z.Undecided() {
		return f.s.z.TagAt
	}
	return f.s.z.Offset
}

// Policies returns the content security policies that the document states before the place.
func (f *Finder) Policies() []string { return f.s.policies[:len(f.s.policies)-f.s.later] }

// Base returns the address in the first <base> that the Finder has read, or "".
func (f *Finder) Base() string { return html.UnescapeString(string(f.s.base)) }

// Charset returns the label of the encoding that the document itself states, by a byte order mark or a <meta>. It is
// empty if the Finder has read no such statement, or heeds none.
func (f *Finder) Charset() string { return string(f.s.label) }

// skipMark removes the byte order mark from the beginning of the page and returns the rest of p.
func (f *Finder) skipMark(p []byte) []byte {
	for i := range p {
		f.mark = append(f.mark, p[i])
		switch mark := string(f.mark); {
		case mark == "\xef\xbb\xbf":
			f.s.charset = true // a byte order mark outweighs all statements
			f.s.label = append(f.s.label[:0], "utf-8"...)
		case mark == "\xfe\xff", mark == "\xff\xfe", mark == "\x00\x00\xfe\xff":
			f.s.verdict = Charset
		case strings.HasPrefix("\xef\xbb\xbf", mark), mark == "\xfe", mark == "\xff",
			strings.HasPrefix("\x00\x00\xfe\xff", mark):
			continue
		default: // there is no mark, and the page has begun
			f.marked = true
			f.s.z.Feed(f.mark)
			if f.s.verdict == Undecided {
				return p[i+1:]
			}
			return nil
		}
		f.marked = true
		f.s.z.Offset = int64(len(f.mark))
		return p[i+1:]
	}
	return nil
}
