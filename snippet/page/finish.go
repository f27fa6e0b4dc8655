package page

import (
	"errors"
	"io"

	"github.com/seed-3405227d/frontdesk/snippet/weave/head"
)

// finish completes a page whose origin has returned. Errors of the client's
// connection are the server's to notice.
func (w *writer) finish() {
	if w.stage == waiting {
		w.Outcome = Empty
		return
	}
	if w.stage == sniffing {
		_ = w.sniff()
	}
	if w.decoder != nil && w.stage != failed {
		w.decoder.Ended = true
		_ = w.drain()
	}
	if w.stage == searching {
		verdict := head.NoPlace
		if w.guard("search", func() { verdict = w.judgePage(w.page.finder.Finish()) }) {
			_ = w.follow(verdict, nil)
		} else {
			_ = w.fail(nil)
		}
	}
	if w.stage == sending {
		_ = w.end(nil)
	}
}

// abandon sends what an origin wrote before it failed, as it was.
func (w *writer) abandon() {
	begun := w.stage != waiting
	if w.stage == sniffing || w.stage == searching && !(w.decoder != nil && w.sent) {
		_ = w.pass(Failed, nil)
	}
	if w.stage == sending && w.replacing() && w.decoder == nil {
		_ = w.giveUp(Failed)
		if w.received < w.length {
			_ = w.breakOff(io.ErrUnexpectedEOF)
		}
	}
	if w.stage == sending && w.gathering() {
		_ = w.flush()
	}
	if begun && w.decoder != nil {
		// The page was cut off in the middle of a coding that is not the client's.
		_ = w.breakOff(errors.New("the origin failed"))
	}
	w.Outcome = Failed
}
