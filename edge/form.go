package edge

import (
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// rule is the first of the rules for posts like the request; nil for none.
func (b *Block) rule(r *http.Request, q *Request) *capture.Rule {
	for i := range b.settings.Captures {
		if rule := &b.settings.Captures[i]; rule.Matches(r.Method, q.URL.Path) {
			return rule
		}
	}
	return nil
}

// captured passes a request on whose body may be a form that is kept, and has what it says
// stored before the answer goes on. Neither the body nor the answer is changed.
func (b *Block) captured(w http.ResponseWriter, r *http.Request, q *Request, rule *capture.Rule, next Next) error {
	body := capture.NewBody(r.Header.Get("Content-Type"))
	if body == nil || r.ContentLength == 0 || r.Header.Get("Content-Encoding") != "" {
		return next(w, r)
	}
	form := &form{block: b, sent: time.Now(), rule: rule, asked: q.AsSent(r), body: body}
	form.asked.Header = r.Header.Clone() // the origin does not see our cookies
	passing := r.Body
	r.Body = &tee{ReadCloser: passing, form: form}
	defer func() { r.Body = passing }()
	answer := &outcome{ResponseWriter: w, form: form, key: q.Key}
	err := next(answer, r)
	if err != nil {
		answer.tell(http.StatusBadGateway) // or whatever is made of the error
	} else {
		answer.tell(http.StatusOK)
	}
	return err
}

// form is one on its way.
type form struct {
	block *Block
	rule  *capture.Rule
	asked *http.Request
	sent  time.Time

	mu   sync.Mutex // the body may still be read while the answer begins
	body *capture.Body
}

// tee is the body of a request, of which the form keeps what passes.
type tee struct {
	io.ReadCloser
	form *form
}

func (t *tee) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	if n > 0 {
		t.form.pass(p[:n])
	}
	return n, err
}

func (f *form) pass(p []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.body != nil && !f.block.edge.guard("keeping a form", func() { f.body.Write(p) }) {
		f.body = nil
	}
}

// take is what has passed, once.
func (f *form) take() *capture.Body {
	f.mu.Lock()
	defer f.mu.Unlock()
	body := f.body
	f.body = nil
	return body
}

// outcome is the answer to a form. Before it begins, the form is stored.
type outcome struct {
	http.ResponseWriter
	form *form
	key  string
	told bool
}

// tell has the form stored, once, when it is known what the site has made of it.
func (o *outcome) tell(status int) {
	if o.told || status < 200 {
		return
	}
	o.told = true
	o.form.block.edge.guard("storing a form", func() { o.form.end(o.key, status, snippet.CharsetOf(o.Header().Get("Content-Type"))) })
}

func (o *outcome) WriteHeader(status int) {
	o.tell(status)
	o.ResponseWriter.WriteHeader(status)
}

func (o *outcome) Write(p []byte) (int, error) {
	o.tell(http.StatusOK)
	return o.ResponseWriter.Write(p)
}

// ReadFrom leaves it to the server how a file is sent.
func (o *outcome) ReadFrom(r io.Reader) (int64, error) {
	o.tell(http.StatusOK)
	return io.Copy(o.ResponseWriter, r)
}

func (o *outcome) FlushError() error {
	o.tell(http.StatusOK)
	return http.NewResponseController(o.ResponseWriter).Flush()
}

// Unwrap is for [http.ResponseController].
func (o *outcome) Unwrap() http.ResponseWriter { return o.ResponseWriter }
