package snippet

import (
	"net/http"
	"strings"
)

// requestHeaders are those fields of a request that are changed while the origin
// answers it.
var requestHeaders = [...]string{"Accept-Encoding", "If-None-Match", "If-Modified-Since"}

// prepareRequest asks the origin for a page that can be read: not compressed, and
// under the validators that the origin knows.
func (w *writer) prepareRequest() {
	h := w.request.Header
	for i, name := range requestHeaders {
		w.saved[i] = h[name]
	}
	w.prepared = true
	// Without the field, the HTTP transport would ask for gzip by itself.
	w.identity[0] = "identity"
	h["Accept-Encoding"] = w.identity[:]
	if w.request.Method == http.MethodPost {
		return
	}
	if !w.guard(func() { w.asked, _ = w.code.translate(h, isDocument(h)) }) {
		w.restoreRequest()
		w.asked = conditions{}
	}
}

func (w *writer) restoreRequest() {
	if !w.prepared {
		return
	}
	h := w.request.Header
	for i, name := range requestHeaders {
		if w.saved[i] == nil {
			delete(h, name)
		} else {
			h[name] = w.saved[i]
		}
	}
}

// isDocument says whether a request is surely one for a page to be shown.
func isDocument(h http.Header) bool {
	if dest := value(h, "Sec-Fetch-Dest"); dest != "" {
		return dest == "document"
	}
	for _, list := range h["Accept"] {
		if strings.Contains(strings.ToLower(list), "text/html") {
			return true
		}
	}
	return false
}
