package page

import (
	"errors"
	"io"
	"slices"
)

// outlet is what a page goes through on its way out, in order and from its beginning. Its methods
// run inside the guard. What they give is written outside of it, and is valid until the next call.
type outlet interface {
	// insert takes the next piece of the page, and the code that belongs at the offset at, in this
	// piece or behind it. It gives what the length of a page becomes, where that is known already; -1 is an
	// unknown length.
	insert(piece []byte, at int64, code []byte, length int64) int64
	// take takes the next piece and gives what is to be sent now, in two parts. With flush, nothing
	// waits that need not.
	take(piece []byte, flush bool) (first, second []byte)
	// finish takes the last piece and gives all that is left. A woven page has been given the code.
	finish(piece []byte, woven bool) (first, second []byte)
	// sent tells that what was given has been written.
	sent()
}

// straight is the outlet of pages that are only given the code.
type straight struct {
	offset int64  // of the next piece in the page
	out    []byte // what goes out together with the code
	at     int    // in out, where the code belongs
	code   []byte // while it is to be inserted
	whole  int    // of how many bytes a page is that goes out at once, or 0
}

func (s *straight) insert(piece []byte, at int64, code []byte, length int64) int64 {
	s.out, s.at, s.code = append(s.out[:0], piece...), int(at-s.offset), code
	if length >= 0 {
		if length <= maxShort {
			s.whole = int(length)
		}
		length += int64(len(code))
	}
	return length
}

// gathers says whether something waits for the rest of a short page.
func (s *straight) gathers() bool { return s.code != nil }

func (s *straight) take(piece []byte, flush bool) (first, second []byte) {
	if s.offset += int64(len(piece)); s.code == nil {
		return piece, nil
	}
	if !flush && len(s.out)+len(piece) < s.whole {
		s.out = append(s.out, piece...)
		return nil, nil
	}
	n := len(piece)
	if s.whole == 0 {
		n = min(n, max(s.at-len(s.out), firstWrite))
	}
	s.out = slices.Insert(append(s.out, piece[:n]...), s.at, s.code...)
	s.code = nil
	return s.out, piece[n:]
}

func (s *straight) finish(piece []byte, _ bool) (first, second []byte) { return s.take(piece, true) }

func (s *straight) sent() {}

// begun is the outlet of the page. It begins with the first piece, when the page's charset is known.
func (w *writer) begun() outlet {
	if w.outlet == nil {
		if s := &w.visit.Shown; s.Replaces() {
			charset := w.charset
			if charset == "" {
				charset = w.page.finder.Charset()
			}
			w.replaceBy(newExchange(s, charset, w.length, w.visit.Now, w.began, hydrates(w.rw.Header())))
		} else {
			w.goStraight(0)
		}
	}
	return w.outlet
}

func (w *writer) replaceBy(x *exchange) { w.exchange, w.outlet, w.Numbers = x, x, true }

// goStraight lets the page go on as it comes, from the offset on.
func (w *writer) goStraight(from int64) {
	w.page.straight = straight{offset: from, out: w.page.straight.out[:0]}
	w.outlet = &w.page.straight
}

// gathering says whether a page that is only given the code waits for its end.
func (w *writer) gathering() bool {
	return w.page != nil && w.outlet == &w.page.straight && w.page.straight.gathers()
}

// replacing says whether the page goes through its exchange still.
func (w *writer) replacing() bool { return w.exchange != nil && w.outlet == w.exchange }

// replaces says whether numbers are replaced in a page that is not given the code.
func (w *writer) replaces(o Outcome) bool {
	switch o {
	case Gone:
		return false
	case Failed, Encoding, Charset, NotHTML, Crowded:
		return w.exchange != nil // it has begun
	}
	return w.visit.Shown.Replaces()
}

// emit sends the next piece of the page through its outlet.
func (w *writer) emit(p []byte) error {
	if w.received += int64(len(p)); w.stage == sending && w.decoder == nil && w.received == w.length {
		return w.end(p)
	}
	var first, second []byte
	if !w.guard("replace", func() { first, second = w.begun().take(p, false) }) {
		return w.giveUp(Failed, p)
	}
	return w.send(first, second)
}

// flush sends what need not wait. A page that is needed whole may still wait, but not for
// long: proxies flush after each piece of a page whose length they do not know.
func (w *writer) flush() error {
	if !w.replacing() && !w.gathering() {
		return nil
	}
	w.start(-1)
	var first, second []byte
	if !w.guard("replace", func() { first, second = w.outlet.take(nil, true) }) {
		return w.giveUp(Failed)
	}
	return w.send(first, second)
}

// end sends what is left of the page, whose last piece is p. A page that has come at once goes out
// with its length.
func (w *writer) end(p []byte) error {
	if w.replacing() && w.received < w.length {
		// The origin has broken off. Nothing makes the page look whole.
		return errors.Join(w.giveUp(w.Outcome), w.breakOff(io.ErrUnexpectedEOF))
	}
	var first, second []byte
	if !w.guard("replace", func() { first, second = w.begun().finish(p, w.Outcome == Woven) }) {
		return w.giveUp(Failed, p)
	}
	w.start(int64(len(first) + len(second)))
	err := w.send(first, second)
	w.goStraight(w.received)
	return err
}

// send writes what a outlet gave.
func (w *writer) send(first, second []byte) error {
	if len(first)+len(second) == 0 {
		return nil
	}
	w.start(-1)
	err := errors.Join(w.write(first), w.write(second))
	w.outlet.sent()
	return err
}

// giveUp lets the page go on as it is, after a panic of ours over these pieces or since the client
// has gone.
func (w *writer) giveUp(o Outcome, pieces ...[]byte) error {
	w.Outcome = o
	switch w.outlet {
	case nil: // it could not begin
	case w.exchange:
		if !w.guard("rest", func() { pieces = w.exchange.rest() }) {
			return w.breakOff(errors.New("replacing failed"))
		}
	default:
		return w.breakOff(errors.New("inserting failed")) // the headers tell of the code
	}
	w.goStraight(w.received)
	w.start(-1)
	var err error
	for _, p := range pieces {
		err = errors.Join(err, w.write(p))
	}
	if w.exchange != nil {
		w.exchange.sent()
	}
	return err
}

// leave ends our own work, since the client has gone. What still comes goes on as it is.
func (w *writer) leave(p []byte) error {
	var err error
	if w.replacing() {
		err = w.giveUp(Gone)
	} else {
		err = w.flush()
	}
	switch {
	case w.stage == failed:
		return w.broken
	case w.stage == searching, w.stage == sniffing:
		return errors.Join(err, w.pass(Gone, p))
	case w.decoder != nil:
		return w.breakOff(w.request.Context().Err())
	}
	w.stage, w.sample = passing, nil
	return errors.Join(err, w.write(p))
}

var (
	_ outlet = (*straight)(nil)
	_ outlet = (*exchange)(nil)
)
