package weave

import "github.com/seed-3405227d/frontdesk/snippet/phone"

// Replacer changes a page as it streams by. It replaces numbers, and the content of elements that are known to show
// numbers. It leaves all other bytes as they are. The output does not depend on how the page is cut into pieces.
//
// A Replacer holds back only bytes that may still change, at most some 32 KiB. It is not safe for concurrent use. Reset
// has to be called before each page.
type Replacer struct {
	scanner scanner
	window  window
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
func (z *Replacer) Reset(c *phone.Charset, shown Shown) {
	z.sent, z.data = 0, false
	z.window.held, z.window.piece = z.window.held[:0], nil
	z.window.heldAt, z.window.pieceAt = 0, 0
	z.scanner.start(0, c, shown)
}

// ResetData makes the replacer ready for data in UTF-8 that a framework fetches instead of a page: JSON, or a format
// with strings like those of JSON.
func (z *Replacer) ResetData(shown Shown) {
	z.Reset(phone.UTF8, shown)
	z.data = true
	z.scanner.beginData()
	z.scanner.flight.script = false
}

// Hydrates tells the replacer that a framework takes the page over in the browser, by the page's headers. It has to be
// called after Reset. The page may also say so itself.
func (z *Replacer) Hydrates() { z.scanner.hydrating = true }

// Append reads the next piece of the page, and appends to dst the bytes that cannot change any more.
func (z *Replacer) Append(dst, p []byte) []byte {
	z.window.piece = p
	if z.data {
		z.scanner.Raw(z.scanner.Offset, p)
		z.scanner.Offset += int64(len(p))
	} else {
		z.scanner.tree.bound.Add(len(p))
		z.scanner.Feed(p)
	}
	return z.release(dst, z.scanner.certain())
}

// Insert inserts code at the offset at, which the replacer has not read yet. The replacer does not change the code.
func (z *Replacer) Insert(at int64, code []byte) { z.scanner.change(at, at, code) }

// Finish ends the page and appends the rest of it to dst.
func (z *Replacer) Finish(dst []byte) []byte {
	z.scanner.end()
	return z.release(dst, z.scanner.Offset)
}

// Rest appends to dst, unchanged, the bytes that have been read and not appended yet. It is for the case that something
// went wrong. Nothing can be appended after it.
func (z *Replacer) Rest(dst []byte) []byte {
	return z.window.append(dst, z.sent, z.window.pieceAt+int64(len(z.window.piece)))
}

// Complete says whether the page so far ends in text, so that the caller can add to it.
func (z *Replacer) Complete() bool { return !z.data && !z.scanner.InsideMarkup() }

// Replaced returns the writings that have been replaced, each one once, and at most 64. The list is valid until the
// next Reset.
func (z *Replacer) Replaced() []Replaced { return z.scanner.records.list }

// release appends the page up to the offset end, with its changes. The window keeps the rest.
func (z *Replacer) release(dst []byte, end int64) []byte {
	s, sent, done := &z.scanner, z.sent, 0
	for _, e := range s.edits {
		if e.end > end || e.start == end && end < s.Offset {
			break
		}
		dst = z.window.append(dst, sent, e.start)
		dst = append(dst, e.text...)
		sent = e.end
		done++
	}
	if done == len(s.edits) {
		s.edits, s.ink = s.edits[:0], s.ink[:0]
	} else {
		s.edits = s.edits[:copy(s.edits, s.edits[done:])]
		s.keepInk()
		end = min(end, s.edits[0].start)
	}
	dst = z.window.append(dst, sent, end)
	z.sent = max(sent, end)
	z.window.keep(z.sent)
	return dst
}

// window holds the bytes that may still be needed: held is what is held back, and piece is the piece being read behind
// it.
type window struct {
	held            []byte
	piece           []byte
	heldAt, pieceAt int64
}

// append appends the page's bytes from one offset to another.
func (w *window) append(dst []byte, from, to int64) []byte {
	if from < w.pieceAt {
		dst = append(dst, w.held[from-w.heldAt:min(to, w.pieceAt)-w.heldAt]...)
		from = w.pieceAt
	}
	if from < to {
		dst = append(dst, w.piece[from-w.pieceAt:to-w.pieceAt]...)
	}
	return dst
}

// keep drops the bytes before the offset from, and moves the rest of the piece to held.
func (w *window) keep(from int64) {
	end := w.pieceAt + int64(len(w.piece))
	if from < w.pieceAt {
		w.held = w.held[:copy(w.held, w.held[from-w.heldAt:])]
		w.held = append(w.held, w.piece...)
	} else {
		w.held = append(w.held[:0], w.piece[from-w.pieceAt:]...)
	}
	w.heldAt, w.pieceAt, w.piece = from, end, nil
}
