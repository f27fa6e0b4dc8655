// Package weave replaces the telephone numbers that an HTML page shows by others, as the page streams by. It owns the rules
// of where on a page a number is, and the changes to the page. The writer of pages hands it a page in pieces of any
// size; the output does not depend on how the page was cut. Only the bytes that may still change are kept, and a few
// names and values.
//
// In its folders are the parts that it is made of, each of which knows only those before it: token cuts a page into
// tokens, nest notes open elements by their names, sweep skips by bitmaps, selector compiles selectors, tree follows the
// page's tree, framework knows the data of frameworks, and skim skips what cannot matter. head finds the place for the
// insertion code.
package weave

import (
	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/weave/edit"
)

// Replacer changes a page as it streams by. It replaces numbers, and the content of elements that are known to show
// numbers. It leaves all other bytes as they are. The output does not depend on how the page is cut into pieces.
//
// A Replacer holds back only bytes that may still change, at most some 32 KiB. It is not safe for concurrent use. Reset
// has to be called before each page.
type Replacer struct {
	scanner scanner
	window  edit.Window
	sent    int64 // offset up to which the page has been appended
	data    bool  // it reads a framework's data, not a page
}

// NewReplacer returns a replacer for these rules.
func (r *Rules) NewReplacer() *Replacer {
	z := new(Replacer)
	z.scanner.rules, z.scanner.window = r, &z.window
	z.scanner.Skim = z.scanner.skimText
	return z
}

// Reset makes the replacer ready for a page in the charset c. The page's visitor sees the numbers in shown.
func (z *Replacer) Reset(c *char.Charset, shown Shown) {
	z.sent, z.data = 0, false
	z.window.Reset()
	z.scanner.start(0, c, shown)
}

// ResetData makes the replacer ready for data in UTF-8 that a framework fetches instead of a page: JSON, or a format
// with strings like those of JSON.
func (z *Replacer) ResetData(shown Shown) {
	z.Reset(char.UTF8, shown)
	z.data = true
	z.scanner.beginData()
	z.scanner.flight.Script = false
}

// Hydrates tells the replacer that a framework takes the page over in the browser, by the page's headers. It has to be
// called after Reset. The page may also say so itself.
func (z *Replacer) Hydrates() { z.scanner.hydrating = true }

// Append reads the next piece of the page, and appends to dst the bytes that cannot change any more.
func (z *Replacer) Append(dst, p []byte) []byte {
	z.window.Next(p)
	if z.data {
		z.scanner.Raw(z.scanner.Offset, p)
		z.scanner.Offset += int64(len(p))
	} else {
		z.scanner.skimmer.Tree.Bound.Add(len(p))
		z.scanner.Feed(p)
	}
	return z.release(dst, z.scanner.certain())
}

// Insert inserts code at the offset at, which the replacer has not read yet. The replacer does not change the code.
func (z *Replacer) Insert(at int64, code []byte) { z.scanner.edits.Add(at, at, code) }

// Finish ends the page and appends the rest of it to dst.
func (z *Replacer) Finish(dst []byte) []byte {
	z.scanner.end()
	return z.release(dst, z.scanner.Offset)
}

// Rest appends to dst, unchanged, the bytes that have been read and not appended yet. It is for the case that something
// went wrong. Nothing can be appended after it.
func (z *Replacer) Rest(dst []byte) []byte {
	return z.window.Rest(dst, z.sent)
}

// Complete says whether the page so far ends in text, so that the caller can add to it.
func (z *Replacer) Complete() bool { return !z.data && !z.scanner.InsideMarkup() }

// Replaced returns the writings that have been replaced, each one once, and at most 64. The list is valid until the
// next Reset.
func (z *Replacer) Replaced() []Replaced { return z.scanner.records.list }

// release appends the page up to the offset end, with its changes. The window keeps the rest.
func (z *Replacer) release(dst []byte, end int64) []byte {
	dst, z.sent = z.scanner.edits.Release(dst, &z.window, z.sent, end, z.scanner.Offset)
	z.window.Keep(z.sent)
	return dst
}

// Choose finds the elements of the selectors that the stream cannot follow, in the page that the replacer reads next.
// It has to be called after Reset. It parses the page. The error is that of the parser.
func (z *Replacer) Choose(page []byte) (err error) {
	s := &z.scanner
	s.chosen, err = s.rules.program.Choose(page, s.shows)
	return err
}

// Choice is the result of Choose for a page. It is immutable.
type Choice struct{ places map[int]int }

// Len returns how many elements are chosen.
func (c Choice) Len() int { return len(c.places) }

// Choice returns the result of Choose. It is valid for every page with the same bytes and the same replaced numbers,
// whichever numbers replace them.
func (z *Replacer) Choice() Choice { return Choice{z.scanner.chosen} }

// Recall does what Choose does, from an earlier choice for the same page.
func (z *Replacer) Recall(c Choice) { z.scanner.chosen = c.places }
