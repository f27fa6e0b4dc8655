package frame

import (
	"errors"
	"net/http"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/console/session"
)

// Failure is an error that is said to the operator.
type Failure struct {
	Status int
	Text   string // name of the words
	// Plain tells that the words are the whole answer: the page's script shows them.
	Plain bool
}

func (f *Failure) Error() string { return f.Text }

func Fail(status int, text string) error { return &Failure{Status: status, Text: text} }

// Refuse is a failure that the page's script shows.
func Refuse(status int, text string) error { return &Failure{Status: status, Text: text, Plain: true} }

var (
	// NotFound is the failure of what there is not, or not for the operator.
	NotFound = Fail(http.StatusNotFound, "fail.notFound")
	// ErrForm is the failure of a form that no page of the console has.
	ErrForm = Fail(http.StatusBadRequest, "fail.form")
)

// failureOf is the failure that the error says, or nil.
func (f *Frame) failureOf(err error) *Failure {
	if said, ok := errors.AsType[*Failure](err); ok {
		return said
	}
	for _, room := range f.rooms {
		for unknown, text := range room.Unknown {
			if errors.Is(err, unknown) {
				return &Failure{Status: http.StatusNotFound, Text: text}
			}
		}
	}
	return nil
}

// IsUnknown tells whether the error says that there is no such thing.
func (f *Frame) IsUnknown(err error) bool {
	said := f.failureOf(err)
	return said != nil && said.Status == http.StatusNotFound
}

// Answering answers requests by the handler, and says what has failed. What is no [Failure] is not the client's fault:
// the database does not answer.
func (f *Frame) Answering(h Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			f.failed(w, r, err)
		}
	})
}

func (f *Frame) failed(w http.ResponseWriter, r *http.Request, err error) {
	switch said := f.failureOf(err); {
	case said != nil && said.Plain:
		http.Error(w, f.Words(r).Text(said.Text), said.Status)
	case said != nil:
		f.fail(w, r, said.Status, said.Text)
	default:
		if r.Context().Err() == nil { // else nobody waits any more
			f.Logger.Error("the console cannot show a page", zap.String("path", r.URL.Path), zap.Error(err))
		}
		f.unavailable(w, r)
	}
}

func (f *Frame) unavailable(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Retry-After", "5")
	f.fail(w, r, http.StatusServiceUnavailable, "fail.unavailable")
}

// failurePage is the content of a page that says what went wrong.
type failurePage struct {
	Status int
	Hint   string // what to do; may be empty
}

// hints say what to do about failures.
var hints = map[string]string{"fail.notFound": "hint.notFound", "fail.unavailable": "hint.unavailable"}

// early are failures of which nobody knows yet whom they befall.
var early = map[string]bool{"fail.unavailable": true, "fail.busy": true, "fail.form": true, "fail.large": true}

// fail shows a page that says what went wrong and what to do next. It stands where
// the page would have stood: an operator keeps the console around it.
func (f *Frame) fail(w http.ResponseWriter, r *http.Request, status int, text string) {
	p := f.begin(r, "failure")
	if status < http.StatusInternalServerError { // else it is the database that fails
		if whole, err := f.Page(r, "failure"); err == nil {
			p = whole
		}
	}
	p.Problem = p.Words.Text(text)
	if r.Method == http.MethodPost { // there is nothing to see at the address of a form
		p.Here = Local(r.PostFormValue("back"))
	}
	if early[text] && !p.Inside {
		p.Inside = session.HasCookie(r)
		p.Menu = f.menuOf(p)
	}
	body := failurePage{Status: status}
	if hint := hints[text]; hint != "" {
		body.Hint = p.Words.Text(hint)
	}
	p.Body = body
	_ = f.Show(w, status, p) // this was the page that says what fails
}
