package snippet

import (
	"errors"
	"io"
	"net/http"
	"strconv"
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
	if len(w.sample)+len(p) > maxSample || !w.share.reach(w.held()+len(p)) {
		w.sampling, w.sample = false, nil
		return
	}
	w.sample = append(w.sample, p...)
}

// held is how much of the page is held beside the exchange.
func (w *writer) held() int { return len(w.page.held) + len(w.page.origin) + len(w.sample) }

// rewrite takes a piece of the page behind the place of the code.
func (w *writer) rewrite(p []byte) error {
	w.note(p)
	return w.emit(p)
}

// replaces says whether numbers are replaced in a page that is not given the code.
func (w *writer) replaces(o Outcome) bool {
	switch o {
	case Gone:
		return false
	case Failed, Encoding, Charset, NotHTML, Crowded:
		return w.exchange != nil // it has begun
	}
	return w.visit.Shown.replaces()
}

// emit sends a piece of the page, with its numbers replaced where some are in
// effect. What is sent so is the page from its beginning, in order.
func (w *writer) emit(p []byte) error {
	if !w.visit.Shown.replaces() || w.original || w.ending {
		return w.write(p)
	}
	w.received += int64(len(p))
	if w.complete() {
		return w.exchangeLast(p)
	}
	if !w.guard("replace", func() {
		x := w.exchanging()
		if x.append(p); x.overdue() {
			x.hurry()
		}
	}) {
		return w.giveUp(Failed, p)
	}
	if x := w.exchange; x.waiting || w.length >= 0 && len(x.out) < maxReady {
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
		w.exchange = w.visit.Shown.newExchange(charset, w.length, w.began, hydrates(w.rw.Header()))
	}
	return w.exchange
}

// insertAndReplace sends the page with the code, and goes on replacing numbers.
func (w *writer) insertAndReplace(p []byte) error {
	w.outcome = Woven
	w.mode = rewriting
	if w.original {
		w.stream()
		return w.insertBefore(p)
	}
	var held []byte
	ok := w.guard("insert", func() {
		held = append(w.page.held, p...)
		w.exchanging().insert(w.page.finder.Place(), w.page.code)
		w.page.held = held[:0]
	})
	if !ok {
		w.original, w.outcome = true, Failed
		w.stream()
		return errors.Join(w.write(w.page.held), w.write(p))
	}
	err := w.emit(held)
	w.page.idle()
	return err
}

// flush sends what can be sent. A page that is needed whole may still wait, but not for
// long: proxies flush after each piece of a page whose length they do not know.
func (w *writer) flush() error {
	if x := w.exchange; x != nil && !w.original && !w.ending {
		w.stream()
		if x.overdue() && !w.guard("replace", x.hurry) {
			return w.giveUp(Failed, nil)
		}
		if !x.waiting {
			if err := w.sendExchanged(); err != nil {
				return err
			}
		}
	}
	return http.NewResponseController(w.rw).Flush()
}

// sendExchanged sends what is ready.
func (w *writer) sendExchanged() error {
	w.stream()
	err := w.write(w.exchange.out)
	w.exchange.sent()
	return err
}

// giveUp lets the page go on as it is, after a panic of ours over the piece p or since
// the client has gone.
func (w *writer) giveUp(o Outcome, p []byte) error {
	w.original, w.outcome = true, o
	if w.exchange == nil { // it had not begun
		w.stream()
		return w.write(p)
	}
	var rest []byte
	if !w.guard("rest", func() { rest = w.exchange.rest() }) {
		return w.breakOff(errors.New("replacing failed"))
	}
	return errors.Join(w.sendExchanged(), w.write(rest))
}

// leave ends our own work, since the client has gone. What still comes goes on as it is.
func (w *writer) leave(p []byte) error {
	var err error
	if w.exchange != nil && !w.original && !w.ending {
		err = w.giveUp(Gone, nil)
	}
	switch {
	case w.mode == failed:
		return w.broken
	case w.mode == searching, w.mode == sniffing:
		return errors.Join(err, w.pass(Gone, p))
	case w.decoder != nil:
		return w.breakOff(w.request.Context().Err())
	}
	w.mode, w.sampling = passing, false
	return errors.Join(err, w.write(p))
}

// endExchange sends the end of the page.
func (w *writer) endExchange() error { return w.exchangeLast(nil) }

// exchangeLast sends the end of the page, of which p is the last piece. A page that has
// come at once goes out with its length.
func (w *writer) exchangeLast(p []byte) error {
	if w.original || w.ending {
		return w.write(p)
	}
	w.ending = true
	if w.received < w.length {
		// The origin has broken off. Nothing makes the page look whole.
		return errors.Join(w.giveUp(w.outcome, nil), w.breakOff(io.ErrUnexpectedEOF))
	}
	var err error
	if !w.guard("replace", func() {
		w.exchanging().append(p)
		err = w.exchange.finish(w.outcome == Woven)
	}) {
		return w.giveUp(Failed, p)
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
	result := Result{Outcome: w.outcome, Spent: w.spent, Crowded: w.crowded, Fault: w.fault}
	if x := w.exchange; x != nil {
		result.Numbers, result.Unselected = true, x.skipped
		result.Crowded = result.Crowded || x.crowded
	}
	return result
}
