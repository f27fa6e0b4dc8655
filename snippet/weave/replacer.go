package weave

import "github.com/seed-3405227d/frontdesk/snippet/phone"

// Replacer changes a page as it streams by: numbers, and what is known to show
// them. Every other byte leaves as it came, and what comes out does not depend on
// how the page is cut into pieces.
//
// It keeps back only what may still be changed by what follows: at most some
// 32 KiB, however the page is made. It is not for concurrent use, and has to be
// Reset before each page.
type Replacer struct {
	scanner scanner
	window  window
	sent    int64 // offset up to which the page has been given out
}

// NewReplacer gives a replacer for these rules.
func (r *Rules) NewReplacer() *Replacer {
	z := new(Replacer)
	z.scanner.rules, z.scanner.window = r, &z.window
	z.scanner.tokenizer.skim = z.scanner.skimText
	return z
}

// Reset makes the replacer ready for a page in the charset.
func (z *Replacer) Reset(c *phone.Charset) {
	z.sent = 0
	z.window.held, z.window.piece = z.window.held[:0], nil
	z.window.heldAt, z.window.pieceAt = 0, 0
	z.scanner.start(0, c)
}

// Append reads the next piece of the page, and appends to dst what is certain now.
func (z *Replacer) Append(dst, p []byte) []byte {
	z.window.piece = p
	z.scanner.feed(p)
	return z.release(dst, z.scanner.certain())
}

// Insert puts code into the page behind what has been read. Nothing is replaced in it.
func (z *Replacer) Insert(dst, code []byte) []byte {
	at := z.scanner.offset
	if z.sent == at && len(z.scanner.edits) == 0 {
		return append(dst, code...)
	}
	z.scanner.change(at, at, code)
	return dst
}

// Finish ends the page and appends what is left of it.
func (z *Replacer) Finish(dst []byte) []byte {
	z.scanner.end()
	return z.release(dst, z.scanner.offset)
}

// Complete says whether the page, ending here, ends in text, so that more can be
// added.
func (z *Replacer) Complete() bool { return !z.scanner.insideMarkup() }

// Replaced lists what has been replaced, each writing once, at most 64 of them. The
// list is valid until the next Reset.
func (z *Replacer) Replaced() []Replaced { return z.scanner.records.list }

// release appends the page up to the offset end with its changes, and keeps the rest.
func (z *Replacer) release(dst []byte, end int64) []byte {
	s, done := &z.scanner, 0
	for _, e := range s.edits {
		if e.start >= end && !(e.start == end && e.end == end && end == s.offset) || e.end > end {
			break
		}
		dst = z.window.append(dst, z.sent, e.start)
		dst = append(dst, e.text...)
		z.sent = e.end
		done++
	}
	if done == len(s.edits) {
		s.edits, s.ink = s.edits[:0], s.ink[:0]
	} else {
		s.edits = s.edits[:copy(s.edits, s.edits[done:])]
		s.keepInk()
		end = min(end, s.edits[0].start)
	}
	dst = z.window.append(dst, z.sent, end)
	z.sent = max(z.sent, end)
	z.window.keep(z.sent)
	return dst
}

// window is the part of the page that is at hand: what is held back, and the piece
// being read behind it.
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

// keep forgets what is before the offset from, and takes the piece in.
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
