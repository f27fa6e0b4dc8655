package page

import "net/http"

// requestHeaders are those fields of a request that are changed while the origin
// answers it.
var requestHeaders = [...]string{"Accept-Encoding", "If-None-Match", "If-Modified-Since", "Range", "If-Range"}

// prepareRequest asks the origin for a page that can be read: not compressed, and
// under the validators that the origin knows.
func (w *writer) prepareRequest() {
	h := w.request.Header
	for i, name := range requestHeaders {
		w.saved[i] = h[name]
	}
	document := w.visit.Purpose == ForDocument
	// Styles and pictures may stay compressed. But the HTTP transport asks for
	// gzip by itself where the field is absent.
	if document || len(h["Accept-Encoding"]) == 0 {
		w.identity[0] = "identity"
		h["Accept-Encoding"] = w.identity[:]
	}
	if w.request.Method == http.MethodPost || len(h["If-None-Match"]) == 0 && len(h["If-Modified-Since"]) == 0 && len(h["If-Range"]) == 0 {
		return
	}
	if !w.guard("conditions", func() {
		w.asked = w.mark().translate(h, document || w.visit.Shown.Differs() && isForPage(w.visit.Purpose))
	}) {
		w.restoreRequest()
		w.asked = conditions{}
	}
}

func (w *writer) restoreRequest() {
	h := w.request.Header
	for i, name := range requestHeaders {
		if w.saved[i] == nil {
			delete(h, name)
		} else {
			h[name] = w.saved[i]
		}
	}
}

// isForPage says whether a request, none for a document, is for a part of a page or
// for its data.
func isForPage(p Purpose) bool { return p == ForFrame || p == ForPart }
