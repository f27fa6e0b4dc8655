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
	data    bool  // it is no page, but a framework's data
}

// NewReplacer gives a replacer for these rules.
func (r *Rules) NewReplacer() *Replacer {
	z := new(Replacer)
	z.scanner.rules, z.scanner.window = r, &z.window
	z.scanner.tokenizer.skim = z.scanner.skimText
	return z
}

// Reset makes the replacer ready for a page in the charset, whose visitor sees what is
// shown.
func (z *Replacer) Reset(c *phone.Charset, shown Shown) {
	z.sent, z.data = 0, false
	z.window.held, z.window.piece = z.window.held[:0], nil
	z.window.heldAt, z.window.pieceAt = 0, 0
	z.scanner.start(0, c, shown)
}

// ResetData makes the replacer ready for data that a framework fetches instead of a
// page: JSON, or what holds strings as JSON does. They are UTF-8.
func (z *Replacer) ResetData(shown Shown) {
	z.Reset(phone.UTF8, shown)
	z.data = true
	z.scanner.beginData()
	z.scanner.flight.script = false
}

// Hydrates tells, behind Reset, what the page's headers say: that a framework takes it over in the
// browser. The page itself may say so too.
func (z *Replacer) Hydrates() { z.scanner.hydrating = true }

// Append reads the next piece of the page, and appends to dst what is certain now.
func (z *Replacer) Append(dst, p []byte) []byte {
	z.window.piece = p
	if z.data {
		z.scanner.raw(z.scanner.offset, p)
		z.scanner.offset += int64(len(p))
	} else {
		z.scanner.tree.bound.Add(len(p))
		z.scanner.feed(p)
	}
	return z.release(dst, z.scanner.certain())
}

// Insert puts code into the page at the offset at, which has not been read yet.
// Nothing is replaced in it.
func (z *Replacer) Insert(at int64, code []byte) { z.scanner.change(at, at, code) }

// Finish ends the page and appends what is left of it.
func (z *Replacer) Finish(dst []byte) []byte {
	z.scanner.end()
	return z.release(dst, z.scanner.offset)
}

// Rest appends what has been read and not been given out, as it came. It is for
// when something went wrong; nothing can be appended behind it.
func (z *Replacer) Rest(dst []byte) []byte {
	return z.window.append(dst, z.sent, z.window.pieceAt+int64(len(z.window.piece)))
}

// Complete says whether the page, ending here, ends in text, so that more can be
// added.
func (z *Replacer) Complete() bool { return !z.data && !z.scanner.insideMarkup() }

// Replaced lists what has been replaced, each writing once, at most 64 of them. The
// list is valid until the next Reset.
func (z *Replacer) Replaced() []Replaced { return z.scanner.records.list }

// release appends the page up to the offset end with its changes, and keeps the rest.
func (z *Replacer) release(dst []byte, end int64) []byte {
	s, sent, done := &z.scanner, z.sent, 0
	for _, e := range s.edits {
		if e.end > end || e.start == end && end < s.offset {
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
