package page

import (
	"net/http"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/page/validator"
)

// requestHeaders are those fields of a request that are changed while the origin
// answers it.
var requestHeaders = [...]string{"Accept-Encoding", "If-None-Match", "If-Modified-Since", "Range", "If-Range"}

// question is what the origin is asked, and what the client has asked.
type question struct {
	request  *http.Request
	saved    [len(requestHeaders)][]string
	identity [1]string
	asked    validator.Conditions
	marked   validator.Mark // once it has been asked for
}

// mark is the mark of the page in validators.
func (q *question) mark(c *snippet.Code, s *snippet.Shown) validator.Mark {
	if q.marked == "" {
		q.marked = validator.Mark(c.Mark(s))
	}
	return q.marked
}

// prepare asks the origin for a page that is not compressed. It says whether the client has asked about the copy that it
// has: then the origin is to be asked under the validators that it knows.
func (q *question) prepare(document bool) (conditional bool) {
	h := q.request.Header
	for i, name := range requestHeaders {
		q.saved[i] = h[name]
	}
	// Styles and pictures may stay compressed. But the HTTP transport asks for
	// gzip by itself where the field is absent.
	if document || len(h["Accept-Encoding"]) == 0 {
		q.identity[0] = "identity"
		h["Accept-Encoding"] = q.identity[:]
	}
	return q.request.Method != http.MethodPost && (len(h["If-None-Match"]) > 0 || len(h["If-Modified-Since"]) > 0 || len(h["If-Range"]) > 0)
}

// restore gives the request the fields that it came with.
func (q *question) restore() {
	h := q.request.Header
	for i, name := range requestHeaders {
		if q.saved[i] == nil {
			delete(h, name)
		} else {
			h[name] = q.saved[i]
		}
	}
}

// prepareRequest asks the origin for a page that can be read: not compressed, and
// under the validators that the origin knows.
func (w *writer) prepareRequest() {
	document := w.visit.Purpose == ForDocument
	if !w.prepare(document) {
		return
	}
	if !w.guard("conditions", func() {
		w.asked = w.mark(w.code, &w.visit.Shown).Translate(w.request.Header, document || w.visit.Shown.Differs() && isForPage(w.visit.Purpose))
	}) {
		w.restore()
		w.asked = validator.Conditions{}
	}
}

// isForPage says whether a request, none for a document, is for a part of a page or
// for its data.
func isForPage(p Purpose) bool { return p == ForFrame || p == ForPart }
