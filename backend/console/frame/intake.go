package frame

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/intake"
)

// MaxForm bounds the body of a request in bytes.
const MaxForm = 64 << 10

// formTimeout bounds how long a form may take to arrive.
const formTimeout = 10 * time.Second

// taking reads what is sent, and has next answer it.
func (f *Frame) taking(routes *http.ServeMux, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, pattern := routes.Handler(r)
		most, isFile := f.uploads[pattern]
		r.Body = http.MaxBytesReader(w, intake.Body(r), max(most, MaxForm))
		if InPage(r) {
			w = &insidePage{w}
		}
		if isFile || r.ContentLength > MaxForm && f.saying[pattern] || f.readForm(w, r) {
			next.ServeHTTP(w, r)
		}
	})
}

// readForm reads the form of a request, if it has one. It answers a request whose form has not come whole, is too large,
// or for which there is no room now, and returns false. What else may be wrong with a form, its page says.
func (f *Frame) readForm(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodPost {
		return true
	}
	if r.ContentLength > MaxForm {
		r.PostForm = make(url.Values) // it is not read
		f.fail(w, r, http.StatusRequestEntityTooLarge, "fail.large")
		return false
	}
	// Where the server supports no deadlines, it has its own.
	if control := http.NewResponseController(w); control.SetReadDeadline(time.Now().Add(formTimeout)) == nil {
		defer control.SetReadDeadline(time.Time{})
	}
	sent := &sentBody{ReadCloser: r.Body}
	r.Body = sent
	r.PostFormValue("") // reads forms of either kind
	_, large := errors.AsType[*http.MaxBytesError](sent.broken)
	switch {
	case errors.Is(sent.broken, intake.ErrFull):
		w.Header().Set("Retry-After", strconv.Itoa(intake.RetryAfter))
		f.fail(w, r, http.StatusServiceUnavailable, "fail.busy")
	case large:
		f.fail(w, r, http.StatusRequestEntityTooLarge, "fail.large")
	case sent.broken != nil:
		f.fail(w, r, http.StatusBadRequest, "fail.form")
	default:
		return true
	}
	return false
}

// sentBody keeps why a body has not come whole. What reads a form does not tell that from what is wrong with a form.
type sentBody struct {
	io.ReadCloser
	broken error
}

func (b *sentBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		b.broken = err
	}
	return n, err
}

// InPage tells whether the page's script has sent the form, and stays if it is not
// told to go elsewhere.
func InPage(r *http.Request) bool { return r.Header.Get("Console-Form") != "" }

// insidePage answers a form that was sent so: a script does not see where a
// redirect leads to.
type insidePage struct{ http.ResponseWriter }

func (w *insidePage) WriteHeader(status int) {
	if to := w.Header().Get("Location"); status == http.StatusSeeOther && to != "" {
		w.Header().Del("Location")
		w.Header().Set("Console-Location", to)
		status = http.StatusOK
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for [http.ResponseController].
func (w *insidePage) Unwrap() http.ResponseWriter { return w.ResponseWriter }
