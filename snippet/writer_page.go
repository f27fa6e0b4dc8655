package snippet

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/snippet/weave"
)

// search looks for the place in the next piece of the page, which is decoded.
func (w *writer) search(p []byte) error {
	w.note(p)
	verdict := weave.Undecided
	if !w.guard("search", func() { verdict = w.judgePage(w.page.finder.Feed(p)) }) {
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
	w.page.code = w.code.appendTo(w.page.code[:0], f)
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
		case w.visit.Shown.replaces():
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
			if w.share.reach(w.held() + len(p)) {
				w.page.held = append(w.page.held, p...)
				return nil
			}
			w.crowded = true
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
	var held, piece, rest []byte
	if !w.guard("search", func() {
		n := int(w.page.finder.Passed() - w.offset)
		k := min(n, len(w.page.held))
		held, piece, rest = w.page.held[:k], p[:n-k], p[n-k:]
		w.offset += int64(n)
	}) {
		return w.fail(p)
	}
	if err := errors.Join(w.emit(held), w.emit(piece)); err != nil {
		return err
	}
	w.page.held = append(w.page.held[:copy(w.page.held, w.page.held[len(held):])], rest...)
	return nil
}

// insert sends the page with the code.
func (w *writer) insert(p []byte) error {
	if !w.sent {
		h := w.rw.Header()
		dropBodyHeaders(h)
		delete(h, "Content-Encoding")
		if w.length >= 0 {
			h["Content-Length"] = []string{strconv.FormatInt(w.length+int64(len(w.page.code)), 10)}
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
	return w.insertBefore(p)
}

// insertBefore sends what is held with the code in its place, and p behind it. What is before the code,
// and a little of what is behind it, go out with it.
func (w *writer) insertBefore(p []byte) error {
	pg := w.page
	var rest []byte
	if !w.guard("insert", func() {
		at := int(pg.finder.Place() - w.offset)
		n := min(len(p), max(at-len(pg.held), firstWrite))
		pg.out = append(append(pg.out[:0], pg.held...), p[:n]...)
		pg.out = slices.Insert(pg.out, at, pg.code...)
		rest = p[n:]
	}) {
		return w.breakOff(errors.New("inserting failed")) // the headers tell of the code
	}
	err := w.write(pg.out)
	pg.idle()
	if err != nil {
		return err
	}
	return w.write(rest)
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
	err := errors.Join(w.write(held), w.write(p))
	w.page.idle()
	return err
}

// afford says whether a decoder may take so many bytes. Where the page has begun to go out decoded, it must.
func (w *writer) afford(bytes int) bool {
	return w.share.reach(w.held()+bytes) || w.sent
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
		if n > 0 && !w.share.reach(w.held()+n) {
			w.crowded = true
			if err := w.pass(Crowded, nil); err != nil {
				return err
			}
			break
		}
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
		if !w.guard("decode", func() { chunk, err = w.decoder.next() }) {
			err = errors.New("decoding failed")
		}
		switch {
		case errors.Is(err, errHungry), errors.Is(err, io.EOF):
			return nil
		case err != nil && w.sent:
			return w.breakOff(err)
		case errors.Is(err, errCrowded):
			w.crowded = true
			return w.pass(Crowded, nil)
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
	if !w.guard("search", func() { verdict = w.judgePage(w.page.finder.Finish()) }) {
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
	if w.exchange != nil && w.mode == rewriting && w.decoder == nil && !w.original && !w.ending {
		_ = w.giveUp(Failed, nil)
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
