package page

import (
	"errors"
	"io"
	"strings"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/coding"
	"github.com/seed-3405227d/frontdesk/snippet/weave/head"
)

// search looks for the place in the next piece of the page, which is decoded.
func (w *writer) search(p []byte) error {
	w.page.note(p)
	verdict := head.Undecided
	if !w.guard("search", func() { verdict = w.judgePage(w.page.finder.Feed(p)) }) {
		return w.fail(p)
	}
	err := w.follow(verdict, p)
	if w.owed && w.stage != searching {
		w.owed = false
		err = errors.Join(err, w.FlushError())
	}
	return err
}

// judgePage renders the code once there is a place for it.
func (w *writer) judgePage(v head.Verdict) head.Verdict {
	if v != head.Found || w.bypass != "" {
		return v
	}
	policies := w.policies
	for _, text := range w.page.finder.Policies() {
		policies = append(policies, snippet.ParsePolicies(text)...)
	}
	f, ok := w.code.ChooseForm(policies, w.request.Host)
	if !ok {
		return head.Policy
	}
	if namesHost(w.page.finder.Base()) {
		f.OnHost(w.request.Host)
	}
	code := w.page.code[:0]
	if w.visit.Arrive != nil && !w.sent && w.status < 300 {
		code = w.visit.arrive(w.rw.Header(), code)
	}
	w.form = f
	w.page.code = w.code.AppendTo(code, f)
	if w.visit.Preview != nil {
		w.page.code = w.visit.Preview.AppendTo(w.page.code, w.code, f, &w.visit.Shown)
	}
	return v
}

// follow does what the verdict asks for; p is what has been read last.
func (w *writer) follow(v head.Verdict, p []byte) error {
	switch v {
	case head.Undecided:
		return w.hold(p)
	case head.Found:
		if w.bypass != "" {
			return w.pass(w.bypass, p)
		}
		return w.insert(p)
	}
	return w.pass(outcomeOf(v), p)
}

// hold keeps what cannot be sent yet.
func (w *writer) hold(p []byte) error {
	if !w.sent {
		if len(w.page.held)+len(p) <= maxHold {
			if w.page.mayHold(len(p)) {
				w.page.held = append(w.page.held, p...)
				return nil
			}
			w.Crowded = true
		}
		w.start(-1)
	}
	return w.release(p)
}

// release sends what is before any place that may still be found, and keeps the rest.
func (w *writer) release(p []byte) error {
	var held, piece, rest []byte
	if !w.guard("search", func() {
		n := int(w.page.finder.Passed() - w.received)
		k := min(n, len(w.page.held))
		held, piece, rest = w.page.held[:k], p[:n-k], p[n-k:]
	}) {
		return w.fail(p)
	}
	if err := errors.Join(w.emit(held), w.emit(piece)); err != nil {
		return err
	}
	w.page.held = append(w.page.held[:copy(w.page.held, w.page.held[len(held):])], rest...)
	return nil
}

// insert sends the page with the code; p has been read last.
func (w *writer) insert(p []byte) error {
	w.Outcome, w.stage = Woven, sending
	length := int64(-1)
	if !w.guard("insert", func() {
		if !w.sent {
			length = w.length
		}
		o := w.begun()
		if w.code.Supersedes() {
			w.supersede(w.code, w.form, w.page.finder.Place())
			o = w.outlet
		}
		length = o.Insert(w.page.held, w.page.finder.Place(), w.page.code, length)
		w.received += int64(len(w.page.held))
	}) {
		if err := w.giveUp(Failed, w.page.held); err != nil {
			return err
		}
		return w.write(p)
	}
	w.page.held = w.page.held[:0]
	if length >= 0 {
		w.start(length)
	}
	err := w.emit(p)
	if w.gathering() {
		return err
	}
	w.page.idle()
	if w.stage == sending && w.outlet == w.straight && w.decoder == nil && w.page.sample == nil {
		w.stage = passing
	}
	return err
}

// pass lets the page go as the origin sent it; p has been read and not been kept.
func (w *writer) pass(o Outcome, p []byte) error {
	w.Outcome = o
	held := w.page.held
	w.page.held = held[:0]
	through := w.replaces(o, &w.visit.Shown)
	if !through {
		if o != Already { // what has come of it shows whose code it carries
			w.page.sample = nil
		}
		if through = w.decoder != nil && w.sent; through {
			w.goStraight(w.received)
		}
	}
	if through {
		w.stage = sending
		return errors.Join(w.emit(held), w.emit(p))
	}
	if w.decoder != nil {
		w.decoder.Stop()
		w.decoder, p = nil, nil
		held = w.page.origin
	}
	w.stage = passing
	if !w.sent {
		w.sendHeader()
	}
	err := errors.Join(w.write(held), w.write(p))
	w.page.idle()
	return err
}

// fail gives up after a panic of ours.
func (w *writer) fail(p []byte) error {
	if w.decoder != nil && w.sent {
		return w.breakOff(errors.New("weaving failed"))
	}
	return w.pass(Failed, p)
}

// breakOff ends a page that cannot be completed.
func (w *writer) breakOff(err error) error {
	w.Outcome = Failed
	w.stage, w.broken = failed, err
	return err
}

// decode takes the next piece of an encoded page. While nothing has been sent, no
// more is decoded than can be kept, so that the page can still pass as it came.
func (w *writer) decode(p []byte) error {
	for w.stage == searching && !w.sent && len(p) > 0 {
		n := min(len(p), maxHold-len(w.page.origin))
		if n > 0 && !w.page.mayHold(n) {
			w.Crowded = true
			if err := w.pass(Crowded, nil); err != nil {
				return err
			}
			break
		}
		if n == 0 {
			w.start(-1)
			break
		}
		w.page.origin = append(w.page.origin, p[:n]...)
		w.decoder.Input = p[:n]
		if err := w.drain(); err != nil {
			return err
		}
		p = p[n:]
	}
	if w.decoder == nil {
		return w.write(p)
	}
	w.decoder.Input = p
	return w.drain()
}

// drain handles all that the decoder can make of its input.
func (w *writer) drain() error {
	for w.decoder != nil {
		var chunk []byte
		var err error
		if !w.guard("decode", func() { chunk, err = w.decoder.Next() }) {
			err = errors.New("decoding failed")
		}
		switch {
		case errors.Is(err, coding.ErrHungry), errors.Is(err, io.EOF):
			return nil
		case err != nil && w.sent:
			return w.breakOff(err)
		case errors.Is(err, coding.ErrCrowded):
			w.Crowded = true
			return w.pass(Crowded, nil)
		case err != nil:
			return w.pass(Encoding, nil)
		case w.stage == searching:
			err = w.search(chunk)
		default:
			w.page.note(chunk)
			err = w.emit(chunk)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// namesHost says whether an address is another host's, or may be.
func namesHost(base string) bool {
	base = strings.TrimSpace(base)
	if len(base) > 1 && strings.IndexByte(`/\`, base[0]) >= 0 && strings.IndexByte(`/\`, base[1]) >= 0 {
		return true
	}
	i := strings.IndexAny(base, ":/?#")
	return i > 0 && base[i] == ':'
}
