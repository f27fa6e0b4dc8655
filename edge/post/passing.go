package post

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/capture/posted"
	"github.com/seed-3405227d/frontdesk/backend/intake"
	"github.com/seed-3405227d/frontdesk/edge/effect"
	"github.com/seed-3405227d/frontdesk/snippet/page/header"
)

// Serve passes a request on whose body may be a form. It keeps the form if a rule matches. Otherwise it notes how
// the site answers the form.
func (p *Posts) Serve(w http.ResponseWriter, r *http.Request, q *effect.Request, next effect.Next) error {
	body := posted.New(r.Header.Get("Content-Type"))
	if body == nil || r.ContentLength == 0 || r.Header.Get("Content-Encoding") != "" {
		return next(w, r)
	}
	rules := q.Effect.Captures
	for i := range rules {
		if rules[i].Matches(r.Method, q.URL.Path) {
			return p.captured(w, r, q, p.passing(q, r, &rules[i], body), next)
		}
	}
	if r.Method == http.MethodPost && !q.Effect.IgnoreForms {
		return p.noticed(w, r, q, body, next)
	}
	return next(w, r)
}

// captured passes a request on whose form a rule keeps. It stores the form before the answer goes on. It does not
// change the body or the answer, but notices a body that is too short.
func (p *Posts) captured(w http.ResponseWriter, r *http.Request, q *effect.Request, form *passingForm, next effect.Next) error {
	form.sent, form.asked = p.Service.Now(), q.AsSent(r)
	form.asked.Header = r.Header.Clone() // the service hides its cookies from the origin
	defer form.share.Close()
	return form.passes(w, r, func(status int, charset string) { form.end(status, charset) }, next)
}

// passes passes the request on and keeps the body that passes. It calls end once, before the answer goes on. The status
// is 0 if the client has gone before there was an answer: then the site has not failed.
func (f *passingForm) passes(w http.ResponseWriter, r *http.Request, end func(status int, charset string), next effect.Next) error {
	answer := &outcome{ResponseWriter: w, posts: f.posts, client: r.Context(), end: end}
	if f.body != nil {
		passing := r.Body
		answer.tee = newTee(r, f)
		r.Body = answer.tee
		defer func() { r.Body = passing }()
	}
	err := next(answer, r)
	if err != nil {
		answer.tell(f.posts.statusOf(err)) // the server makes an answer of the error
	} else {
		answer.tell(http.StatusOK)
	}
	return err
}

// passingForm is a form on its way to the site.
type passingForm struct {
	*effect.Request
	posts *Posts
	rule  *capture.Rule
	asked *http.Request
	sent  time.Time

	share *intake.Share // of the body

	mu      sync.Mutex // the site may still read the body when the answer begins
	body    *posted.Body
	aborted bool // the client has not sent the whole body
}

// passing returns a form on its way, whose body may be nil.
func (p *Posts) passing(q *effect.Request, r *http.Request, rule *capture.Rule, body *posted.Body) *passingForm {
	return &passingForm{Request: q, posts: p, rule: rule, body: body, share: p.intake.Share(cmp.Or(q.Client, r.RemoteAddr))}
}

// pass keeps the next bytes of the body. If there is no room for them, it keeps the beginning of the body.
func (f *passingForm) pass(p []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.body == nil {
		return
	}
	held := f.body.Held()
	if !f.posts.Guard("keeping a form", func() { _, _ = f.body.Write(p) }) {
		f.body = nil
	} else if !f.share.Take(f.body.Held() - held) {
		f.body.Stop(intake.Free)
	}
}

func (f *passingForm) abort() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.aborted = true
}

// whole says whether the client has sent the whole body so far, without breaking off.
func (f *passingForm) whole() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.aborted
}

// take returns the body so far. A second call returns nil.
func (f *passingForm) take() *posted.Body {
	f.mu.Lock()
	defer f.mu.Unlock()
	body := f.body
	f.body = nil
	return body
}

// cut notes that no more of the body is read: what has come of it is the form.
func (f *passingForm) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.body != nil {
		f.body.Stop(f.body.Held())
	}
}

// outcome is the answer to a form. It calls end before the answer begins.
type outcome struct {
	http.ResponseWriter
	posts  *Posts
	client context.Context // done when the client has gone
	end    func(status int, charset string)
	tee    *tee // of the form's body; nil if the body is not kept
	told   bool
}

// tell calls end, once, when the status of the site's answer is known.
func (o *outcome) tell(status int) {
	if o.told || status < 200 {
		return
	}
	o.told = true
	if capture.IsError(status) && o.client.Err() != nil {
		status = 0 // it is the server's own, and nobody sees it
	}
	if o.tee != nil {
		o.tee.rest()
		if !o.tee.whole() {
			o.tee.form.cut()
		}
	}
	o.posts.Guard("storing a form", func() { o.end(status, header.CharsetOf(o.Header().Get("Content-Type"))) })
}

func (o *outcome) WriteHeader(status int) {
	o.tell(status)
	o.ResponseWriter.WriteHeader(status)
}

func (o *outcome) Write(p []byte) (int, error) {
	o.tell(http.StatusOK)
	return o.ResponseWriter.Write(p)
}

// ReadFrom lets the server choose how it sends a file.
func (o *outcome) ReadFrom(r io.Reader) (int64, error) {
	o.tell(http.StatusOK)
	return io.Copy(o.ResponseWriter, r)
}

func (o *outcome) FlushError() error {
	o.tell(http.StatusOK)
	return http.NewResponseController(o.ResponseWriter).Flush()
}

// Unwrap returns the writer below, for [http.ResponseController].
func (o *outcome) Unwrap() http.ResponseWriter { return o.ResponseWriter }
