package page

import (
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/coding"
	"github.com/seed-3405227d/frontdesk/snippet/page/header"
)

// stage is how far an answer has come. It tells what becomes of what the origin writes.
type stage uint8

const (
	waiting    stage = iota // no final status yet
	sniffing                // the origin leaves it to the server to see what it sends
	searching               // for the place of the code
	sending                 // all goes through the outlet: the place is passed, or there is none
	discarding              // the body of a HEAD request's answer
	passing                 // everything goes straight through
	failed                  // the page is corrupt and cannot be completed
)

const (
	// maxHold is how much of a page is held back in hope of the place, so that the
	// headers can still tell the length. It bounds the memory for encoded and for
	// decoded bytes alike.
	maxHold = 64 << 10
	// sniffLen is what http.DetectContentType looks at.
	sniffLen = 512
)

// writer weaves the code into what is written to it.
type writer struct {
	answer
	question
	way
	code   *snippet.Code
	visit  Visit
	bypass Outcome // why the answer is not given the code, whatever it is
	Result         // as far as it is known

	stage    stage
	length   int64  // of the origin's body, or -1
	charset  string // as the headers state it
	policies []snippet.Policy
	decoder  *coding.Decoder
	page     *page
	began    time.Time // when the first byte came, where it counts
	broken   error
	form     snippet.Form // of the code, once there is a place for it
	owed     bool         // a flush waits for the place, since the headers wait for the visit
}

func newWriter(c *snippet.Code, rw http.ResponseWriter, r *http.Request, v Visit, bypass Outcome) *writer {
	if v.Now == nil {
		v.Now = time.Now
	}
	return &writer{answer: answer{rw: rw}, question: question{request: r}, code: c, visit: v, bypass: bypass, Result: Result{timed: v.Timed}}
}

// answer is what goes to the client.
type answer struct {
	rw     http.ResponseWriter
	status int
	sent   bool // the headers have gone out
}

// Header is the map that goes out, so that trailers work.
func (a *answer) Header() http.Header { return a.rw.Header() }

// Unwrap lets http.ResponseController find what is not ours.
func (a *answer) Unwrap() http.ResponseWriter { return a.rw }

func (a *answer) sendHeader() {
	a.sent = true
	a.rw.WriteHeader(a.status)
}

func (a *answer) write(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	_, err := a.rw.Write(p)
	return err
}

// WriteHeader sends the headers, or keeps the status until it is known what
// becomes of the page. Informational responses go out at once.
func (w *writer) WriteHeader(status int) {
	switch {
	case w.stage == passing && w.sent, w.stage == waiting && 100 <= status && status < 200 && status != http.StatusSwitchingProtocols:
		w.rw.WriteHeader(status)
	case w.stage == waiting:
		w.begin(status)
	}
}

// start sends the headers of a page that may change, with its length unless that is negative.
func (w *writer) start(length int64) {
	if w.sent {
		return
	}
	h := w.rw.Header()
	header.DropBody(h)
	delete(h, "Content-Encoding")
	if length >= 0 {
		h["Content-Length"] = []string{strconv.FormatInt(length, 10)}
	} else {
		delete(h, "Content-Length")
	}
	w.page.origin = w.page.origin[:0]
	w.sendHeader()
}

// Write takes the next piece of the body. It never keeps p.
func (w *writer) Write(p []byte) (int, error) {
	if w.stage == waiting {
		w.WriteHeader(http.StatusOK)
	}
	if w.stage == passing {
		return w.rw.Write(p)
	}
	if err := w.take(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// maxPiece is how much of a page is worked on before it is seen whether the client is
// still there.
const maxPiece = 256 << 10

// take treats a part of the body at the stages at which it is not just passed.
func (w *writer) take(p []byte) error {
	for len(p) > maxPiece && w.stage != passing {
		if err := w.takePiece(p[:maxPiece]); err != nil {
			return err
		}
		p = p[maxPiece:]
	}
	return w.takePiece(p)
}

func (w *writer) takePiece(p []byte) error {
	if w.stage != passing && w.stage != discarding && w.request.Context().Err() != nil {
		return w.leave(p)
	}
	switch {
	case w.stage == passing:
		return w.write(p)
	case w.stage == failed:
		return w.broken
	case w.stage == sniffing:
		w.page.held = append(w.page.held, p[:min(len(p), sniffLen)]...)
		if len(w.page.held) < sniffLen {
			return nil
		}
		rest := p[min(len(p), sniffLen):]
		if err := w.sniff(); err != nil {
			return err
		}
		return w.take(rest)
	case w.decoder != nil:
		return w.decode(p)
	case w.stage == searching:
		return w.search(p)
	case w.stage == sending:
		w.page.note(p)
		return w.emit(p)
	}
	return nil
}

// sniff finds out what an origin sends that does not say so, as net/http would.
func (w *writer) sniff() error {
	held := w.page.held
	contentType := http.DetectContentType(held)
	isHTML, _ := header.ParseType(contentType)
	if !isHTML || len(held) == 0 {
		return w.pass(NotHTML, nil)
	}
	h := w.rw.Header()
	h["Content-Type"] = []string{contentType}
	if !w.guard("judge", func() { w.judge(w.status, h) }) {
		return w.pass(Failed, nil)
	}
	if w.stage != searching {
		return w.pass(w.Outcome, nil)
	}
	first := append([]byte(nil), held...)
	w.page.held = held[:0]
	return w.search(first)
}

// FlushError sends what can be sent. A page whose place has not been found until
// then goes on without a length.
func (w *writer) FlushError() error {
	if w.stage == waiting {
		w.WriteHeader(http.StatusOK)
	}
	if w.stage == sniffing {
		if err := w.sniff(); err != nil {
			return err
		}
	}
	switch w.stage {
	case failed:
		return w.broken
	case searching:
		if w.visit.Arrive != nil && !w.sent && w.bypass == "" && w.status < 300 {
			w.owed = true // proxies flush before the first byte of a page whose length they do not know
			return nil
		}
		w.start(-1)
		if err := w.release(nil); err != nil {
			return err
		}
	}
	if err := w.flush(); err != nil {
		return err
	}
	return http.NewResponseController(w.rw).Flush()
}

// close ends the writer, whatever has happened.
func (w *writer) close() {
	if w.decoder != nil {
		w.decoder.Stop()
	}
	w.stage = passing
	if w.page != nil {
		w.page.share.Free()
	}
	if w.exchange != nil {
		w.exchange.Free()
	}
}

// recycle keeps what the page needed for the next one.
func (w *writer) recycle() {
	if x := w.exchange; x != nil && w.Fault == nil {
		w.exchange, w.outlet = nil, nil
		x.GiveBack()
	}
	if p := w.page; p != nil {
		w.page = nil
		p.giveBack()
	}
}

var (
	_ http.ResponseWriter = (*writer)(nil)
	_ io.ReaderFrom       = (*writer)(nil)
)
