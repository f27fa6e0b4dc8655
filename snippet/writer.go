package snippet

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/snippet/weave"
)

// mode is how a writer treats what the origin writes.
type mode uint8

const (
	waiting    mode = iota // no final status yet
	sniffing               // the origin leaves it to the server to see what it sends
	searching              // for the place
	discarding             // the body of a HEAD request's answer
	rewriting              // the place is passed, but the page is still decoded, or its numbers are replaced
	passing                // everything goes straight through
	failed                 // the page is corrupt and cannot be completed
)

const (
	// maxHold is how much of a page is held back in hope of the place, so that the
	// headers can still tell the length. It bounds the memory for encoded and for
	// decoded bytes alike.
	maxHold = 64 << 10
	// sniffLen is what http.DetectContentType looks at.
	sniffLen = 512
	// firstWrite is how much goes out together with the inserted code, if there is
	// as much: handlers around us judge a response by its first write.
	firstWrite = 8 << 10
)

// writer weaves the code into what is written to it.
type writer struct {
	rw      http.ResponseWriter
	code    *Code
	request *http.Request
	visit   Visit
	bypass  Outcome // why the answer is not given the code, whatever it is

	mode     mode
	status   int
	sent     bool  // the headers have gone out
	length   int64 // of the origin's body, or -1
	coding   string
	charset  string // as the headers state it
	decoder  *decoder
	policies []policy
	page     *page
	offset   int64     // of page.held in the page
	share    share     // of what all pages may hold, for page and sample
	exchange *exchange // of the page's numbers, once it has begun
	received int64     // bytes that have gone into it
	ending   bool      // all of the page has
	original bool      // the numbers stay as they are: their exchange has failed
	sample   []byte
	sampling bool
	broken   error

	prepared bool
	identity [1]string
	saved    [len(requestHeaders)][]string
	asked    conditions
	marked   mark // by which validators are told apart, once it has been asked for

	began   time.Time // when the first byte came, where it counts
	outcome Outcome
	crowded bool // too much is held of other pages
	fault   *Fault
	spent   time.Duration
	ended   bool
}

func (c *Code) newWriter(rw http.ResponseWriter, r *http.Request, v Visit, bypass Outcome) *writer {
	return &writer{rw: rw, code: c, request: r, visit: v, bypass: bypass, share: share{budget: heldPages}}
}

// page is the memory that a page needs on its way.
type page struct {
	finder  weave.Finder
	held    []byte // of the page, not sent yet
	origin  []byte // what was written, while it can still be passed untouched; if encoded
	code    []byte // to be inserted
	out     []byte
	scratch []byte
}

// idle lets go of what is larger than a page needs that holds nothing.
func (p *page) idle() {
	for _, b := range [...]*[]byte{&p.held, &p.origin, &p.out} {
		if *b = (*b)[:0]; cap(*b) > maxIdle {
			*b = nil
		}
	}
}

var pages = sync.Pool{New: func() any { return new(page) }}

// Header is the map that goes out, so that trailers work.
func (w *writer) Header() http.Header { return w.rw.Header() }

// Unwrap lets http.ResponseController find what is not ours.
func (w *writer) Unwrap() http.ResponseWriter { return w.rw }

// WriteHeader sends the headers, or keeps the status until it is known what
// becomes of the page. Informational responses go out at once.
func (w *writer) WriteHeader(status int) {
	switch {
	case w.mode == passing && w.sent, w.mode == waiting && 100 <= status && status < 200 && status != http.StatusSwitchingProtocols:
		w.rw.WriteHeader(status)
	case w.mode == waiting:
		w.begin(status)
	}
}

// begin decides by the headers.
func (w *writer) begin(status int) {
	w.status = status
	w.mode = passing
	h := w.rw.Header()
	candidate := false
	if !w.guard("judge", func() { candidate = w.judge(status, h) }) {
		candidate, w.outcome = false, Failed
	}
	if !candidate {
		w.mode = passing
		w.sendHeader()
		return
	}
	if w.mode == discarding {
		dropBodyHeaders(h)
		h.Del("Content-Length")
		h.Del("Content-Encoding")
		w.sendHeader()
	}
}

// judge says whether the page may be changed, and prepares for it.
func (w *writer) judge(status int, h http.Header) bool {
	contentType := value(h, "Content-Type")
	isHTML, charset := parseType(contentType)
	data := !isHTML && w.visit.depends() && isData(w.request, contentType)
	if data && !w.visit.Shown.replaces() {
		w.visit.limitCaches(h, false)
		data = false
	}
	if w.bypass != "" && !data && !(isHTML && w.visit.Shown.replaces()) {
		if w.outcome = w.bypass; isHTML {
			addVary(h, "Sec-Fetch-Dest")
			w.visit.limitCaches(h, false)
		}
		return false
	}
	if status == http.StatusNotModified && w.mark().answerNotModified(w.asked, h) {
		w.visit.limitCaches(h, true)
	}
	if w.outcome = judgeResponse(status, h); w.outcome != "" {
		if status == http.StatusSwitchingProtocols {
			w.outcome = Upgrade
		}
		if 300 < status && status < 400 && len(h["Location"]) > 0 && len(w.visit.SetCookies) > 0 {
			w.visit.limitCaches(h, true) // a visit that is led on remains one
		}
		return false
	}
	coding, ok := decodable(h["Content-Encoding"])
	switch {
	case data:
		if !ok {
			w.outcome = Encoding
			return false
		}
	case !isHTML:
		w.outcome = NotHTML
		// As net/http does, an absent type is found out; a nil one is not.
		if _, typed := h["Content-Type"]; !typed && ok && coding == "" && w.request.Method != http.MethodHead {
			w.mode = sniffing
			w.page = pages.Get().(*page)
			return true
		}
		return false
	default:
		if !w.judgeDocument(h, charset, ok) {
			return false
		}
	}
	w.visit.limitCaches(h, true)
	w.mark().suffixTag(status, h)
	if w.request.Method == http.MethodHead {
		w.outcome, w.mode = Head, discarding
		return true
	}
	w.length = -1
	if n, err := strconv.ParseInt(value(h, "Content-Length"), 10, 64); err == nil && n >= 0 && coding == "" {
		w.length = n
	}
	if w.page == nil {
		w.page = pages.Get().(*page)
	}
	if w.coding = coding; coding != "" {
		w.decoder = newDecoder(coding, w.afford)
	}
	if data {
		w.outcome, w.mode = Data, rewriting
		w.exchange = w.visit.Shown.newDataExchange()
		return true
	}
	w.charset = charset
	w.page.finder.Reset(charset != "")
	w.sampling = w.visit.Sample != nil
	if w.visit.Shown.needsWhole() {
		w.began = time.Now()
	}
	w.mode = searching
	return true
}

// judgeDocument says whether a page may be changed; readable, whether its coding is known.
func (w *writer) judgeDocument(h http.Header, charset string, readable bool) bool {
	switch {
	case !readable:
		w.outcome = Encoding
	case !weave.Compatible(charset):
		w.outcome = Charset
	default:
		w.policies = headerPolicies(h)
		if _, allowed := w.code.chooseForm(w.policies, w.request.Host); !allowed && w.bypass == "" {
			w.bypass = CSP
			if !w.visit.Shown.replaces() {
				w.outcome = CSP
			}
		}
	}
	addVary(h, "Sec-Fetch-Dest")
	if w.outcome != "" {
		w.visit.limitCaches(h, true)
		return false
	}
	return true
}

// dropBodyHeaders removes what describes the bytes of a body that changes.
func dropBodyHeaders(h http.Header) {
	for _, name := range [...]string{"Accept-Ranges", "Content-Md5", "Digest", "Content-Digest", "Repr-Digest"} {
		delete(h, name)
	}
}

func (w *writer) sendHeader() {
	w.sent = true
	w.rw.WriteHeader(w.status)
}

// Write takes the next piece of the body. It never keeps p.
func (w *writer) Write(p []byte) (int, error) {
	if w.mode == waiting {
		w.WriteHeader(http.StatusOK)
	}
	if w.mode == passing {
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

// take treats a part of the body in the modes in which it is not just passed.
func (w *writer) take(p []byte) error {
	for len(p) > maxPiece && w.mode != passing {
		if err := w.takePiece(p[:maxPiece]); err != nil {
			return err
		}
		p = p[maxPiece:]
	}
	return w.takePiece(p)
}

func (w *writer) takePiece(p []byte) error {
	if w.mode != passing && w.mode != discarding && w.request.Context().Err() != nil {
		return w.leave(p)
	}
	switch {
	case w.mode == passing:
		return w.write(p)
	case w.mode == failed:
		return w.broken
	case w.mode == sniffing:
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
	case w.mode == searching:
		return w.search(p)
	case w.mode == rewriting:
		return w.rewrite(p)
	}
	return nil
}

// sniff finds out what an origin sends that does not say so, as net/http would.
func (w *writer) sniff() error {
	held := w.page.held
	contentType := http.DetectContentType(held)
	isHTML, _ := parseType(contentType)
	if !isHTML || len(held) == 0 {
		return w.pass(NotHTML, nil)
	}
	h := w.rw.Header()
	h["Content-Type"] = []string{contentType}
	if !w.guard("judge", func() { w.judge(w.status, h) }) {
		return w.pass(Failed, nil)
	}
	if w.mode != searching {
		return w.pass(w.outcome, nil)
	}
	first := append([]byte(nil), held...)
	w.page.held = held[:0]
	return w.search(first)
}

// ReadFrom reads until the place is passed and leaves the rest to the server, who
// may have a shorter way from a file to the network.
func (w *writer) ReadFrom(r io.Reader) (int64, error) {
	if w.mode == waiting {
		w.WriteHeader(http.StatusOK)
	}
	var total int64
	if w.mode != passing {
		n, err := w.readUntilPassing(r)
		if total = n; err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return total, err
		}
	}
	if rf, ok := w.rw.(io.ReaderFrom); ok {
		n, err := rf.ReadFrom(r)
		return total + n, err
	}
	n, err := io.Copy(struct{ io.Writer }{w.rw}, r)
	return total + n, err
}

// readUntilPassing ends without an error when everything else can be passed.
func (w *writer) readUntilPassing(r io.Reader) (total int64, err error) {
	p := w.page
	if p == nil { // nothing is kept of the body
		return io.Copy(struct{ io.Writer }{w}, r)
	}
	if p.scratch == nil {
		p.scratch = make([]byte, 32<<10)
	}
	for w.mode != passing {
		n, err := r.Read(p.scratch)
		if n > 0 {
			if err := w.take(p.scratch[:n]); err != nil {
				return total, err
			}
			total += int64(n)
		}
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// FlushError sends what can be sent. A page whose place has not been found until
// then goes on without a length.
func (w *writer) FlushError() error {
	if w.mode == waiting {
		w.WriteHeader(http.StatusOK)
	}
	if w.mode == sniffing {
		if err := w.sniff(); err != nil {
			return err
		}
	}
	switch w.mode {
	case failed:
		return w.broken
	case searching:
		w.stream()
		if err := w.release(nil); err != nil {
			return err
		}
	}
	return w.flush()
}

func (w *writer) write(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	_, err := w.rw.Write(p)
	return err
}

// close gives everything back, whatever has happened.
func (w *writer) close() {
	w.restoreRequest()
	if w.decoder != nil {
		w.decoder.stop()
	}
	w.mode = passing
	w.share.free()
	if x := w.exchange; x != nil {
		w.exchange = nil
		x.share.free()
		if w.ended && w.fault == nil {
			x.giveBack()
		}
	}
	if p := w.page; p != nil && w.ended {
		w.page = nil
		p.idle()
		pages.Put(p)
	}
}
