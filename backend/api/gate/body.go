package gate

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/intake"
	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

const (
	// MaxScriptBody is the size in bytes of a request of the script. Browsers keep
	// no more than that alive for a page that is gone.
	MaxScriptBody = 64 << 10
	// bodyTimeout bounds how long a body may take to arrive, and fileTimeout how long a file may.
	bodyTimeout = 10 * time.Second
	fileTimeout = 2 * time.Minute
	// maxExcess is the size in bytes, and excessTimeout the time, for which the rest of
	// a body that is too large is read on. Whoever has sent all of it sees the answer;
	// a connection that is closed while it sends may lose it.
	maxExcess     = 8 << 20
	excessTimeout = 3 * time.Second
)

// Decode reads the JSON object of the script's request, of limit bytes at most.
func (r *Request) Decode(into any, limit int64) error {
	const asked = "application/json"
	if given := r.Header.Get("Content-Type"); given != asked { // the script writes just that
		if mediaType, _, err := mime.ParseMediaType(given); err != nil || mediaType != asked {
			return NewFailure(http.StatusUnsupportedMediaType, "wrong_content_type", "the body must be application/json")
		}
	}
	content, err := r.ReadBody(limit)
	if err != nil {
		return err
	}
	steps.Walk(len(content))
	if !utf8.Valid(content) {
		return Malformed("malformed_text", "the body is not valid UTF-8")
	}
	if err := json.Unmarshal(content, into); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			if wrong.Field == "" {
				return Malformed("wrong_type", "the body must be a JSON object")
			}
			return Malformed("wrong_type", "%s must not be of the type %s", wrong.Field, strings.Fields(wrong.Value)[0])
		}
		return Malformed("malformed_json", "the body is not well-formed JSON")
	}
	return nil
}

// Receive reads the body of a request that something else serves, limit bytes at most. Where ok is false, the request has
// been answered: its body is too large, has not come whole or in time, or there is no room for it.
func Receive(w http.ResponseWriter, r *http.Request, limit int64) (body []byte, ok bool) {
	body, err := (&Request{Request: r, W: w}).ReadBody(limit)
	if f, failed := errors.AsType[*Failure](err); failed {
		FailWith(w, f)
		return nil, false
	}
	return body, err == nil
}

// ReadBody reads the request's body, limit bytes at most. It takes memory as the body comes, from the budget that has
// admitted the request.
func (r *Request) ReadBody(limit int64) ([]byte, error) { return r.read(limit, bodyTimeout) }

// ReadFile is ReadBody for a file, for which phones need longer. What is done with it is done in a context of [Storing].
func (r *Request) ReadFile(limit int64) ([]byte, error) { return r.read(limit, fileTimeout) }

func (r *Request) read(limit int64, within time.Duration) ([]byte, error) {
	tooLarge := NewFailure(http.StatusRequestEntityTooLarge, "too_large", "the body is larger than %d bytes", limit)
	// Where the server supports no deadlines, it has its own.
	control := http.NewResponseController(r.W)
	readOn := func() {
		if control.SetReadDeadline(time.Now().Add(excessTimeout)) == nil {
			defer control.SetReadDeadline(time.Time{})
		}
		io.CopyN(io.Discard, r.Body, maxExcess)
	}
	if r.ContentLength > limit {
		if r.Header.Get("Expect") == "" { // else nothing is sent before it is asked for
			readOn()
		}
		return nil, tooLarge
	}
	if control.SetReadDeadline(time.Now().Add(within)) == nil {
		defer control.SetReadDeadline(time.Time{})
	}
	content, err := intake.ReadAll(http.MaxBytesReader(r.W, intake.Body(r.Request), limit), r.ContentLength)
	var exceeded *http.MaxBytesError
	switch {
	case err == nil:
		if r.Weigh != nil {
			r.Weigh(len(content))
		}
		return content, nil
	case errors.As(err, &exceeded):
		readOn()
		return nil, tooLarge
	case errors.Is(err, intake.ErrFull):
		full := NewFailure(http.StatusServiceUnavailable, "busy", "too much is being received at once; repeat the call later")
		full.RetryAfter = intake.RetryAfter
		return nil, full
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return nil, NewFailure(http.StatusRequestTimeout, "too_slow", "the body did not arrive within %v", within)
	}
	return nil, Malformed("malformed_body", "the body did not arrive whole")
}

// CheckText refuses the text of a field if it is longer than limit bytes, or cannot be
// stored.
func CheckText(name, text string, limit int) error {
	if len(text) > limit {
		return Malformed("too_long", "%s is longer than %d bytes", name, limit)
	}
	if strings.IndexByte(text, 0) >= 0 {
		return Malformed("malformed_text", "%s holds a NUL character", name)
	}
	return nil
}
