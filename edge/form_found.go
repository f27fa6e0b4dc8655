package edge

import (
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/form"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// noticed passes a request on whose form no rule keeps, and notes how the site answers it. It reads the body only if
// the form's fields are not known yet. It keeps the names of the fields, and nothing that people have written.
func (b *Block) noticed(w http.ResponseWriter, r *http.Request, q *Request, body *capture.Body, next Next) error {
	s, err := b.edge.Site(r.Context(), q.Key)
	if err != nil || len(q.URL.Path) > form.MaxPath {
		return next(w, r)
	}
	effect, err := b.effectFor(s, true)
	if err != nil || !effect.consent.Given(r.Header) || b.edge.previewing(s.ID, r.Header) != nil {
		return next(w, r)
	}
	path := form.PathOf(q.URL.Path)
	if b.edge.formKnown(s, path) {
		body = nil
	}
	f := &passingForm{block: b, body: body}
	return f.passes(w, r, func(status int, charset string) { f.notice(s, path, status, charset) }, next)
}

func (e *Edge) formKnown(s site.Site, path string) bool {
	desk, done, err := e.Service.Use()
	if err != nil {
		return true
	}
	defer done()
	return desk.Forms.Known(s.ID, path)
}

// notice notes the site's answer. It ignores a form in which people say nothing of themselves, and a form with unknown
// fields that the site refuses with a 4xx status.
func (f *passingForm) notice(s site.Site, path string, status int, charset string) {
	answer := form.Answer{Path: path, Status: status}
	if body := f.take(); body != nil {
		read, err := body.Form(charset)
		if err != nil || !read.Recognise("", nil).Says() || 400 <= status && status < 500 {
			return
		}
		answer.Fields = read.Names()
	}
	f.block.edge.noteForm(s.ID, answer)
}

// noteForm notes how the site has answered a form.
func (e *Edge) noteForm(siteID int64, answer form.Answer) {
	if desk, done, err := e.Service.Use(); err == nil {
		defer done()
		if siteID == 0 { // the site was not found in time
			return
		}
		desk.Forms.Note(siteID, answer)
	}
}
