package snippet

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"
)

// maxReady is how much of a page is sent at once. A page that is not longer goes out with
// its length.
const maxReady = 16 << 10

// maxSample bounds the pages that are handed to [Visit.Sample].
const maxSample = 256 << 10

// note keeps what the origin sent, for the one who wants to see it.
func (w *writer) note(p []byte) {
	if !w.sampling {
		return
	}
	if len(w.sample)+len(p) > maxSample {
		w.sampling, w.sample = false, nil
		return
	}
	w.sample = append(w.sample, p...)
}

// rewrite takes a piece of the page behind the place of the code.
func (w *writer) rewrite(p []byte) error {
	w.note(p)
	return w.emit(p)
}

// replaces says whether numbers are replaced in a page that is not given the code.
func (w *writer) replaces(o Outcome) bool {
	switch o {
	case Failed, Encoding, Charset, NotHTML:
		return w.exchange != nil // it has begun
	}
	return w.code.rules != nil
}

// emit sends a piece of the page, with its numbers replaced where some are in
// effect. What is sent so is the page from its beginning, in order.
func (w *writer) emit(p []byte) error {
	if w.code.rules == nil {
		return w.write(p)
	}
	w.exchanged.Lock()
	defer w.exchanged.Unlock()
	return w.exchangePiece(p)
}

func (w *writer) exchangePiece(p []byte) error {
	if w.original || w.ending {
		return w.write(p)
	}
	w.received += int64(len(p))
	if w.complete() {
		return w.exchangeLast(p)
	}
	if !w.guard(func() { w.exchanging().append(p) }) {
		return w.giveUp(p)
	}
	if w.length >= 0 && len(w.exchange.out) < maxReady {
		return nil // who knows the length has the rest at hand
	}
	return w.sendExchanged()
}

// complete says whether the whole page has come, as far as its length tells.
func (w *writer) complete() bool {
	return w.mode == rewriting && w.decoder == nil && w.received == w.length
}

func (w *writer) exchanging() *exchange {
	if w.exchange == nil {
		charset := w.charset
		if charset == "" {
			charset = w.page.finder.Charset()
		}
		w.exchange = w.code.newExchange(charset, hydrates(w.rw.Header()))
	}
	return w.exchange
}

// insertAndReplace sends the page with the code, which is in page.out, and goes on
// replacing numbers.
func (w *writer) insertAndReplace(p []byte) error {
	w.exchanged.Lock()
	defer w.exchanged.Unlock()
	w.outcome = Woven
	w.mode = rewriting
	held := append(w.page.held, p...)
	w.page.held = held[:0]
	if w.original {
		w.stream()
		at := int(w.page.finder.Place() - w.offset)
		if err := w.write(append(held[:at:at], w.page.out...)); err != nil {
			return err
		}
		return w.write(held[at:])
	}
	if !w.guard(func() { w.exchanging().insert(w.page.finder.Place(), w.page.out) }) {
		w.original, w.outcome = true, Failed
		w.stream()
	}
	return w.exchangePiece(held)
}

// maxPatience is how long a page waits for its end behind the first flush. Proxies
// flush after each piece of a page whose length they do not know.
const maxPatience = 200 * time.Millisecond

// flush sends what can be sent. A page that is needed whole may still wait, but not for
// long.
func (w *writer) flush() error {
	w.exchanged.Lock()
	defer w.exchanged.Unlock()
	if x := w.exchange; x != nil && !w.original && !w.ending {
		w.stream()
		if !x.waiting {
			if err := w.sendExchanged(); err != nil {
				return err
			}
		} else if w.patience == nil {
			w.patience = time.AfterFunc(maxPatience, w.hurry)
		}
	}
	return http.NewResponseController(w.rw).Flush()
}

// hurry lets a page go that has waited too long. It runs beside the request.
func (w *writer) hurry() {
	w.exchanged.Lock()
	defer w.exchanged.Unlock()
	x := w.exchange
	if x == nil || !x.waiting || w.original || w.ending {
		return
	}
	defer func() {
		if recover() != nil {
			w.original = true
			_ = errors.Join(w.sendExchanged(), w.write(x.rest()))
		}
	}()
	x.hurry()
	_ = w.sendExchanged()
	_ = http.NewResponseController(w.rw).Flush()
}

// sendExchanged sends what is ready.
func (w *writer) sendExchanged() error {
	w.stream()
	x := w.exchange
	out := x.out
	x.out = out[:0]
	return w.write(out)
}

// giveUp lets the page go on as it is, after a panic of ours over the piece p.
func (w *writer) giveUp(p []byte) error {
	w.original, w.outcome = true, Failed
	if w.exchange == nil { // it had not begun
		w.stream()
		return w.write(p)
	}
	return errors.Join(w.sendExchanged(), w.write(w.exchange.rest()))
}

// endExchange sends the end of the page.
func (w *writer) endExchange() error {
	w.exchanged.Lock()
	defer w.exchanged.Unlock()
	return w.exchangeLast(nil)
}

// exchangeLast sends the end of the page, of which p is the last piece. A page that has
// come at once goes out with its length.
func (w *writer) exchangeLast(p []byte) error {
	if w.original || w.ending {
		return w.write(p)
	}
	w.ending = true
	if w.received < w.length {
		// The origin has broken off. Nothing makes the page look whole.
		return errors.Join(w.sendExchanged(), w.write(w.exchange.rest()), w.breakOff(io.ErrUnexpectedEOF))
	}
	var err error
	if !w.guard(func() {
		w.exchanging().append(p)
		err = w.exchange.finish(w.outcome == Woven)
	}) {
		return w.giveUp(p)
	}
	if err != nil {
		w.exchange.skipped = true
	}
	if !w.sent {
		h := w.rw.Header()
		dropBodyHeaders(h)
		delete(h, "Content-Encoding")
		h["Content-Length"] = []string{strconv.Itoa(len(w.exchange.out))}
		w.sendHeader()
	}
	return w.sendExchanged()
}

func (w *writer) result() Result {
	result := Result{Outcome: w.outcome, Spent: w.spent}
	if w.exchange != nil {
		result.Numbers, result.Unselected = true, w.exchange.skipped
	}
	return result
}
