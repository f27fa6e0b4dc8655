package snippet

import (
	"net/http"
	"strconv"
)

// Arrival is what a page is sent with that begins or goes on a visit. The zero value is
// nothing.
type Arrival struct {
	// View is the id of the page view, of ASCII letters, digits, - and _. The script reports
	// the view by it. It may be empty.
	View string
	// Credentials are those of the view, nil while they are not known.
	Credentials *Credentials
	// Shown, if it is not nil, takes the place of [Visit.Shown].
	Shown *Shown
	// SetCookie is the whole value of a Set-Cookie field; empty for none.
	SetCookie string
}

// Credentials are what a page knows of its view (browser interface, section 2.1).
type Credentials struct {
	SiteKey, Key, URI     string
	Visitor, Hit, Session int64
}

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
		w.visit.Shown.audience = ForVisitor
	}
	if a.View == "" {
		return code
	}
	forbidReuse(h)
	w.visit.Shown.ahead = a.Shown != nil
	return a.appendTo(code)
}

// recall has an answer that begins no visit show what the visitor's page shows.
func (w *writer) recall(status int) {
	if w.visit.Recall == nil || status >= 300 {
		return
	}
	shown, known := w.visit.Recall()
	if w.visit.Recall = nil; known {
		w.visit.Shown = shown
		w.visit.Shown.audience = ForVisitor
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

// appendTo writes the block that tells the script of the visit.
func (a *Arrival) appendTo(b []byte) []byte {
	b = append(b, `<script type="application/json" data-svc-visit>{"view":"`...)
	b = append(append(b, a.View...), '"')
	if c := a.Credentials; c != nil {
		for _, field := range [...]struct{ name, value string }{{"site_key", c.SiteKey}, {"key", c.Key}, {"uri", c.URI}} {
			b = appendQuoted(append(append(append(b, `,"`...), field.name...), `":`...), field.value)
		}
		for _, field := range [...]struct {
			name  string
			value int64
		}{{"visitor_id", c.Visitor}, {"hit_id", c.Hit}, {"session_id", c.Session}} {
			b = strconv.AppendInt(append(append(append(b, `,"`...), field.name...), `":`...), field.value, 10)
		}
	}
	if a.Shown != nil {
		b = append(append(b, `,"numbers":`...), a.Shown.Records()...)
	}
	return append(b, "}</script>"...)
}
