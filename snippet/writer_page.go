package snippet

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/snippet/weave"
)

// search looks for the place in the next piece of the page, which is decoded.
func (w *writer) search(p []byte) error {
	w.note(p)
	verdict := weave.Undecided
	if !w.guard(func() { verdict = w.judgePage(w.page.finder.Feed(p)) }) {
		return w.fail(p)
	}
	return w.follow(verdict, p)
}

// judgePage renders the code once there is a place for it.
func (w *writer) judgePage(v weave.Verdict) weave.Verdict {
	if v != weave.Found || w.bypass != "" {
		return v
	}
	policies := w.policies
	for _, text := range w.page.finder.Policies() {
		policies = append(policies, parsePolicies(text)...)
	}
	f, ok := w.code.chooseForm(policies, w.request.Host)
	if !ok {
		return weave.Policy
	}
	if namesHost(w.page.finder.Base()) && isHost(w.request.Host) {
		f.host = w.request.Host
	}
	w.page.out = w.code.appendTo(w.page.out[:0], f)
	return v
}

// follow does what the verdict asks for; p is what has been read last.
func (w *writer) follow(v weave.Verdict, p []byte) error {
	switch v {
	case weave.Undecided:
		return w.hold(p)
	case weave.Found:
		switch {
		case w.bypass != "":
			return w.pass(w.bypass, p)
		case w.code.rules != nil:
			return w.insertAndReplace(p)
		}
		return w.insert(p)
	}
	return w.pass(outcomeOf(v), p)
}

// hold keeps what cannot be sent yet.
func (w *writer) hold(p []byte) error {
	if !w.sent {
		if len(w.page.held)+len(p) <= maxHold {
			w.page.held = append(w.page.held, p...)
			return nil
		}
		w.stream()
	}
	return w.release(p)
}

// stream begins to send the page before the place is known.
func (w *writer) stream() {
	if w.sent {
		return
	}
	h := w.rw.Header()
	dropBodyHeaders(h)
	delete(h, "Content-Length")
	delete(h, "Content-Encoding")
	w.page.origin = w.page.origin[:0]
	w.sendHeader()
}

// release sends what is before any place that may still be found, and keeps the rest.
func (w *writer) release(p []byte) error {
	n := int(w.page.finder.Passed() - w.offset)
	w.offset += int64(n)
	if k := min(n, len(w.page.held)); k > 0 {
		if err := w.emit(w.page.held[:k]); err != nil {
			return err
		}
		w.page.held = w.page.held[:copy(w.page.held, w.page.held[k:])]
		n -= k
	}
	if n > 0 {
		if err := w.emit(p[:n]); err != nil {
			return err
		}
	}
	w.page.held = append(w.page.held, p[n:]...)
	return nil
}

// insert sends the page with the code, which is in page.out.
func (w *writer) insert(p []byte) error {
	pg := w.page
	inserted := len(pg.out)
	if !w.sent {
		h := w.rw.Header()
		dropBodyHeaders(h)
		delete(h, "Content-Encoding")
		if w.length >= 0 {
			h["Content-Length"] = []string{strconv.FormatInt(w.length+int64(inserted), 10)}
		} else {
			delete(h, "Content-Length")
		}
		w.sendHeader()
	}
	w.outcome = Woven
	w.mode = passing
	if w.decoder != nil || w.sampling {
		w.mode = rewriting
	}
	before := int(pg.finder.Place() - w.offset)
	held := pg.held
	pg.held = held[:0]
	if before >= firstWrite {
		k := min(before, len(held))
		if err := w.write(held[:k]); err != nil {
			return err
		}
		if err := w.write(p[:before-k]); err != nil {
			return err
		}
		held, p, before = held[k:], p[before-k:], 0
	}
	// What is before the code, and a little of what is behind it, go out with it:
	// held up to the place, the code, and the rest.
	inHeld := min(before, len(held))
	inP := before - inHeld
	behind := held[inHeld:]
	if inP > 0 {
		behind = p[inP:]
	} else if len(behind) == 0 {
		behind = p
	}
	extra := min(len(behind), max(0, firstWrite-before-inserted))
	pg.out = append(pg.out, behind[:extra]...)
	pg.out = prepend(pg.out, held[:inHeld], p[:inP])
	if err := w.write(pg.out); err != nil {
		return err
	}
	if inP > 0 || len(held) == inHeld {
		return w.write(behind[extra:])
	}
	if err := w.write(behind[extra:]); err != nil {
		return err
	}
	return w.write(p)
}

// prepend puts a and b before what is in out.
func prepend(out, a, b []byte) []byte {
	n := len(a) + len(b)
	out = append(out, a...)
	out = append(out, b...)
	copy(out[n:], out[:len(out)-n])
	copy(out, a)
	copy(out[len(a):], b)
	return out
}

// pass lets the page go as the origin sent it; p has been read and not been kept.
func (w *writer) pass(o Outcome, p []byte) error {
	w.outcome = o
	if w.replaces(o) {
		w.mode = rewriting
		held := w.page.held
		w.page.held = held[:0]
		return errors.Join(w.emit(held), w.emit(p))
	}
	w.sampling = false
	if w.decoder != nil {
		if w.sent {
			w.mode = rewriting
			return errors.Join(w.write(w.page.held), w.write(p))
		}
		w.decoder.stop()
		w.decoder, p = nil, nil
		w.page.held = append(w.page.held[:0], w.page.origin...)
	}
	w.mode = passing
	if !w.sent {
		w.sendHeader()
	}
	held := w.page.held
	w.page.held = held[:0]
	if err := w.write(held); err != nil {
		return err
	}
	return w.write(p)
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
	w.outcome = Failed
	w.mode, w.broken = failed, err
	return err
}

// decode takes the next piece of an encoded page. While nothing has been sent, no
// more is decoded than can be kept, so that the page can still pass as it came.
func (w *writer) decode(p []byte) error {
	for w.mode == searching && !w.sent && len(p) > 0 {
		n := min(len(p), maxHold-len(w.page.origin))
		if n == 0 {
			w.stream()
			break
		}
		w.page.origin = append(w.page.origin, p[:n]...)
		w.decoder.input = p[:n]
		if err := w.drain(); err != nil {
			return err
		}
		p = p[n:]
	}
	if w.decoder == nil {
		return w.write(p)
	}
	w.decoder.input = p
	return w.drain()
}

// drain handles all that the decoder can make of its input.
func (w *writer) drain() error {
	for w.decoder != nil {
		var chunk []byte
		var err error
		if !w.guard(func() { chunk, err = w.decoder.next() }) {
			err = errors.New("decoding failed")
		}
		switch {
		case errors.Is(err, errHungry), errors.Is(err, io.EOF):
			return nil
		case err != nil && w.sent:
			return w.breakOff(err)
		case err != nil:
			return w.pass(Encoding, nil)
		case w.mode == searching:
			err = w.search(chunk)
		default:
			err = w.rewrite(chunk)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// finish completes a page whose origin has returned. Errors of the client's
// connection are the server's to notice.
func (w *writer) finish() {
	if w.mode == waiting {
		w.outcome = Empty
		return
	}
	if w.mode == sniffing {
		_ = w.sniff()
	}
	if w.decoder != nil && w.mode != failed {
		w.decoder.ended = true
		_ = w.drain()
	}
	if w.mode == rewriting && w.exchange != nil {
		_ = w.endExchange()
	}
	if w.mode != searching {
		return
	}
	verdict := weave.NoPlace
	if !w.guard(func() { verdict = w.judgePage(w.page.finder.Finish()) }) {
		_ = w.fail(nil)
		return
	}
	_ = w.follow(verdict, nil)
	if w.mode == rewriting && w.exchange != nil {
		_ = w.endExchange()
	}
}

// abandon sends what an origin wrote before it failed, as it was.
func (w *writer) abandon() {
	mode := w.mode
	if mode == sniffing || mode == searching && !(w.decoder != nil && w.sent) {
		_ = w.pass(Failed, nil)
	}
	w.exchanged.Lock()
	defer w.exchanged.Unlock()
	if x := w.exchange; x != nil && w.mode == rewriting && w.decoder == nil && !w.original && !w.ending {
		_ = errors.Join(w.sendExchanged(), w.write(x.rest()))
		if w.received < w.length {
			_ = w.breakOff(io.ErrUnexpectedEOF)
		}
	}
	if mode != waiting && w.decoder != nil {
		// The page was cut off in the middle of a coding that is not the client's.
		_ = w.breakOff(errors.New("the origin failed"))
	}
	w.outcome = Failed
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

// isHost says whether a request's host can be written into an address.
func isHost(host string) bool {
	for i := range len(host) {
		if c := host[i]; !isUnreserved(c) && strings.IndexByte(":[]", c) < 0 {
			return false
		}
	}
	return host != ""
}

var (
	_ http.ResponseWriter = (*writer)(nil)
	_ io.ReaderFrom       = (*writer)(nil)
)
