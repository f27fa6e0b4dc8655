package page

import (
	"net/http"

	"github.com/seed-3405227d/frontdesk/snippet"
)

// arrive asks for the visit of a page that is given the code, while its headers can still
// change. The code is what the page is given in front of its own.
func (w *writer) arrive(code []byte) []byte {
	if w.visit.Arrive == nil || w.sent || w.status >= 300 {
		return code
	}
	a := w.visit.Arrive()
	h := w.rw.Header()
	if a.SetCookie != "" {
		h["Set-Cookie"] = append(h["Set-Cookie"], a.SetCookie)
	}
	if a.Shown != nil {
		w.visit.Shown = *a.Shown
		w.visit.Shown.SetAudience(snippet.ForVisitor)
	}
	if a.View == "" {
		return code
	}
	forbidReuse(h)
	if a.Shown != nil {
		w.visit.Shown.TellAhead()
	}
	return a.AppendTo(code)
}

// recall has an answer that begins no visit show what the visitor's page shows.
func (w *writer) recall(status int) {
	if w.visit.Recall == nil || status >= 300 {
		return
	}
	shown, known := w.visit.Recall()
	if w.visit.Recall = nil; known {
		w.visit.Shown = shown
		w.visit.Shown.SetAudience(snippet.ForVisitor)
	}
}

// forbidReuse has browsers ask for the page each time it is opened: each time is a view.
// They keep it for the way back all the same, and the script notices that. So does no-store, but
// it would cost the back-forward cache.
func forbidReuse(h http.Header) {
	control := "private, no-cache"
	if hasDirective(h["Cache-Control"], "no-store") {
		control += ", no-store"
	}
	h["Cache-Control"] = []string{control}
}
