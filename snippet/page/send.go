package page

import (
	"errors"
	"io"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/page/outlet"
)

// way is the way out of a page.
type way struct {
	outlet   outlet.Outlet    // what the page goes through, once it has begun
	exchange *outlet.Exchange // the outlet that the page began with, where its numbers are replaced
	straight *outlet.Straight // the outlet of other pages
	received int64            // bytes that have gone into the outlet

	superseding *outlet.Superseding // the outlet in front, where other services' code is put out of action
}

func (w *way) replaceBy(x *outlet.Exchange) { w.exchange, w.outlet = x, x }

// goStraight lets the page go on as it comes, from the offset on.
func (w *way) goStraight(from int64) {
	w.straight.Restart(from)
	w.outlet = w.straight
}

// gathering says whether a page that is only given the code waits for its end.
func (w *way) gathering() bool {
	return w.straight != nil && w.outlet == w.straight && w.straight.Gathers()
}

// replacing says whether the page still goes through what changes it.
func (w *way) replacing() bool {
	return w.exchange != nil && w.outlet == w.exchange || w.superseding != nil && w.outlet == w.superseding
}

// supersede puts other services' code out of action in the page from now on. The code belongs at the offset at.
func (w *way) supersede(c *snippet.Code, f snippet.Form, at int64) {
	w.superseding = outlet.NewSuperseding(w.outlet, w.received, at, *c.Own(), c.Instead(f))
	w.outlet = w.superseding
}

// replaces says whether numbers are replaced in a page that is not given the code.
func (w *way) replaces(o Outcome, s *snippet.Shown) bool {
	switch o {
	case Gone:
		return false
	case Failed, Encoding, Charset, NotHTML, Crowded:
		return w.exchange != nil // it has begun
	}
	return s.Replaces()
}

// begun is the outlet of the page. It begins with the first piece, when the page's charset is known.
func (w *writer) begun() outlet.Outlet {
	if w.outlet == nil {
		if s := &w.visit.Shown; s.Replaces() {
			charset := w.charset
			if charset == "" {
				charset = w.page.finder.Charset()
			}
			w.replaceBy(outlet.NewExchange(s, charset, w.length, w.visit.Now, w.began, hydrates(w.rw.Header())))
		} else {
			w.goStraight(0)
		}
	}
	return w.outlet
}

// emit sends the next piece of the page through its outlet.
func (w *writer) emit(p []byte) error {
	if w.received += int64(len(p)); w.stage == sending && w.decoder == nil && w.received == w.length {
		return w.end(p)
	}
	var first, second []byte
	if !w.guard("replace", func() { first, second = w.begun().Take(p, false) }) {
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
	if !w.guard("replace", func() { first, second = w.outlet.Take(nil, true) }) {
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
	if !w.guard("replace", func() { first, second = w.begun().Finish(p, w.Outcome == Woven) }) {
		return w.giveUp(Failed, p)
	}
	w.start(int64(len(first) + len(second)))
	err := w.send(first, second)
	w.goStraight(w.received)
	return err
}

// send writes what an outlet gave.
func (w *writer) send(first, second []byte) error {
	if len(first)+len(second) == 0 {
		return nil
	}
	w.start(-1)
	err := errors.Join(w.write(first), w.write(second))
	w.outlet.Sent()
	return err
}

// giveUp lets the page go on as it is, after a panic of ours over these pieces or since the client
// has gone.
func (w *writer) giveUp(o Outcome, pieces ...[]byte) error {
	w.Outcome = o
	rest := func() [][]byte { return w.exchange.Rest() }
	if w.superseding != nil {
		rest = w.superseding.Rest
	}
	switch {
	case w.outlet == nil: // it could not begin
	case w.replacing():
		if !w.guard("rest", func() { pieces = rest() }) {
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
		w.exchange.Sent()
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
	w.stage, w.page.sample = passing, nil
	return errors.Join(err, w.write(p))
}
