package edit

import (
	"html"
	"strings"
)

// Edit is a change to the page: Text replaces the bytes from Start to End.
type Edit struct {
	Start, End int64
	Text       []byte
}

// Edits are the changes to a page that have not been made yet.
type Edits struct {
	List []Edit // in the order of the page
	ink  []byte // holds their texts
}

// Reset drops all edits.
func (e *Edits) Reset() { e.List, e.ink = e.List[:0], e.ink[:0] }

// Write is Add for text that has to be escaped. bare says that it becomes part of a value without quotation
// marks.
func (e *Edits) Write(start, end int64, text string, bare bool) {
	text = html.EscapeString(text)
	if bare {
		text = bareSpaces.Replace(text)
	}
	e.Add(start, end, []byte(text))
}

// bareSpaces escapes the bytes that may not stand in a value without quotation marks.
var bareSpaces = strings.NewReplacer(" ", "&#32;", "=", "&#61;", "`", "&#96;")

// Add adds an edit: text replaces the bytes from start to end. Add keeps edits in order, since a writing that
// began before a tag is found after the tag has been changed.
func (e *Edits) Add(start, end int64, text []byte) {
	from := len(e.ink)
	e.ink = append(e.ink, text...)
	e.List = append(e.List, Edit{start, end, e.ink[from:len(e.ink):len(e.ink)]})
	for i := len(e.List) - 1; i > 0 && e.List[i].Start < e.List[i-1].Start; i-- {
		e.List[i], e.List[i-1] = e.List[i-1], e.List[i]
	}
}

// drop drops the first n edits, which have been made.
func (e *Edits) drop(n int) {
	if n == len(e.List) {
		e.Reset()
		return
	}
	e.List = e.List[:copy(e.List, e.List[n:])]
	e.keepInk()
}

// maxInk is how much ink is kept without looking whether it is needed.
const maxInk = 16 << 10

// Release appends the page from one offset to another, with its changes, and drops these. read is the offset up to which
// the page has been read. Release returns the offset up to which it has come: an edit that reaches beyond the end holds
// the rest back.
func (e *Edits) Release(dst []byte, w *Window, from, end, read int64) ([]byte, int64) {
	sent, done := from, 0
	for _, edit := range e.List {
		if edit.End > end || edit.Start == end && end < read {
			break
		}
		dst = append(w.Append(dst, sent, edit.Start), edit.Text...)
		sent = edit.End
		done++
	}
	if e.drop(done); len(e.List) > 0 {
		end = min(end, e.List[0].Start)
	}
	return w.Append(dst, sent, end), max(sent, end)
}

// Ink returns how many bytes the texts of the edits take.
func (e *Edits) Ink() int { return cap(e.ink) }

// keepInk drops the ink of edits that have been made, if there is much of it.
func (e *Edits) keepInk() {
	if len(e.ink) < maxInk {
		return
	}
	ink := make([]byte, 0, maxInk)
	for i := range e.List {
		from := len(ink)
		ink = append(ink, e.List[i].Text...)
		e.List[i].Text = ink[from:len(ink):len(ink)]
	}
	e.ink = ink
}
