// Package edit holds the part of a page that may still change, and the changes to it that have not been made yet. Whoever
// replaces something in a page hands it the pieces and the changes, in any order, and takes what is certain.
package edit

// Window holds the bytes that may still be needed: held is what is held back, and piece is the piece being read behind
// it.
type Window struct {
	held            []byte
	piece           []byte
	heldAt, pieceAt int64
}

// Append appends the page's bytes from one offset to another.
func (w *Window) Append(dst []byte, from, to int64) []byte {
	if from < w.pieceAt {
		dst = append(dst, w.held[from-w.heldAt:min(to, w.pieceAt)-w.heldAt]...)
		from = w.pieceAt
	}
	if from < to {
		dst = append(dst, w.piece[from-w.pieceAt:to-w.pieceAt]...)
	}
	return dst
}

// Reset makes the window ready for a page.
func (w *Window) Reset() { w.Begin(0) }

// Begin makes the window ready for what follows the offset at of a page.
func (w *Window) Begin(at int64) { *w = Window{held: w.held[:0], heldAt: at, pieceAt: at} }

// Next takes the next piece of the page. It is not copied.
func (w *Window) Next(piece []byte) { w.piece = piece }

// Rest appends the page's bytes from an offset to the end of the piece.
func (w *Window) Rest(dst []byte, from int64) []byte {
	return w.Append(dst, from, w.pieceAt+int64(len(w.piece)))
}

// Keep drops the bytes before the offset from, and moves the rest of the piece to held.
func (w *Window) Keep(from int64) {
	end := w.pieceAt + int64(len(w.piece))
	if from < w.pieceAt {
		w.held = w.held[:copy(w.held, w.held[from-w.heldAt:])]
		w.held = append(w.held, w.piece...)
	} else {
		w.held = append(w.held[:0], w.piece[from-w.pieceAt:]...)
	}
	w.heldAt, w.pieceAt, w.piece = from, end, nil
}

// Held returns how many bytes are held back.
func (w *Window) Held() int { return len(w.held) }
