package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"

	"github.com/seed-3405227d/frontdesk/backend/intake"
	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

const (
	// maxScriptBody is the size in bytes of a call of the script. Browsers keep
	// no more than that alive for a page that is gone.
	maxScriptBody = 64 << 10
	// maxLeadBody is the size in bytes of a lead of the script. Texts beyond
	// maxScriptBody are sent before the page is left.
	maxLeadBody = 1 << 20
	// maxServerBody is the size in bytes of a server's call. Servers send the
	// transcripts of whole chats.
	maxServerBody = 1 << 20
	// maxPairs is how many fields of a server's call are read.
	maxPairs = 10_000
	// bodyTimeout bounds how long a body may take to arrive.
	bodyTimeout = 10 * time.Second
	// maxExcess is the size in bytes, and excessTimeout the time, for which the rest of
	// a body that is too large is read on. Whoever has sent all of it sees the answer;
	// a connection that is closed while it sends may lose it.
	maxExcess     = 8 << 20
	excessTimeout = 3 * time.Second
)

// decode reads the JSON object of the script's call, of limit bytes at most.
func (c *call) decode(into any, limit int64) error {
	const asked = "application/json"
	if given := c.r.Header.Get("Content-Type"); given != asked { // the script writes just that
		if mediaType, _, err := mime.ParseMediaType(given); err != nil || mediaType != asked {
			return fail(http.StatusUnsupportedMediaType, "wrong_content_type", "the body must be application/json")
		}
	}
	content, err := c.body(limit)
	if err != nil {
		return err
	}
	steps.Walk(len(content))
	if !utf8.Valid(content) {
		return malformed("malformed_text", "the body is not valid UTF-8")
	}
	if err := json.Unmarshal(content, into); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			if wrong.Field == "" {
				return malformed("wrong_type", "the body must be a JSON object")
			}
			return malformed("wrong_type", "%s must not be of the type %s", wrong.Field, strings.Fields(wrong.Value)[0])
		}
		return malformed("malformed_json", "the body is not well-formed JSON")
	}
	return nil
}

// form reads the fields of a server's call, all of which can be stored.
func (c *call) form() (url.Values, error) {
	content, charset, err := c.encoded()
	if err != nil {
		return nil, err
	}
	return parseForm(content, charset)
}

// encoded is the body of a server's call and the charset that it declares.
func (c *call) encoded() (content, charset string, err error) {
	mediaType, parameters, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if err != nil {
		// Senders forget the header, or write a charset that cannot be parsed.
		mediaType, _, _ = strings.Cut(c.r.Header.Get("Content-Type"), ";")
		mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	}
	if mediaType != "application/x-www-form-urlencoded" && mediaType != "" {
		return "", "", fail(http.StatusUnsupportedMediaType, "wrong_content_type",
			"the body must be application/x-www-form-urlencoded (in PHP: http_build_query)")
	}
	body, err := c.body(maxServerBody)
	return string(body), parameters["charset"], err
}

// parseForm reads url-encoded fields of the charset, and refuses what cannot be read
// or stored.
func parseForm(content, charset string) (url.Values, error) {
	form, whole := readForm(content, charset)
	if !whole {
		return nil, malformed("malformed_form", "the fields are not well-formed application/x-www-form-urlencoded")
	}
	for name, values := range form {
		for _, text := range append(values, name) {
			if !utf8.ValidString(text) {
				return nil, malformed("malformed_text", "the fields are not valid UTF-8, and no other charset is declared in Content-Type")
			}
			if strings.IndexByte(text, 0) >= 0 {
				return nil, malformed("malformed_text", "a field holds a NUL character")
			}
		}
	}
	return form, nil
}

// readForm reads url-encoded fields of the charset, which is UTF-8 unless it is
// another that browsers know. What is not well-formed stays as it is, and whole is
// false. A semicolon separates nothing: it is one that a sender did not encode.
func readForm(content, charset string) (form url.Values, whole bool) {
	steps.Walk(len(content))
	form, whole = make(url.Values), true
	decoded := decoderOf(charset)
	unescape := func(text string) string {
		plain, err := url.QueryUnescape(text)
		if err != nil {
			whole, plain = false, text
		}
		return decoded(plain)
	}
	pairs := 0
	for pair := range strings.SplitSeq(content, "&") {
		if pairs++; pairs > maxPairs {
			return form, false
		}
		if pair != "" {
			name, value, _ := strings.Cut(pair, "=")
			form.Add(unescape(name), unescape(value))
		}
	}
	return form, whole
}

// decoderOf returns what reads texts of the charset, as [readForm] knows it.
func decoderOf(charset string) func(string) string {
	known, err := htmlindex.Get(charset)
	if err != nil {
		return func(text string) string { return text }
	}
	if name, _ := htmlindex.Name(known); name == "utf-8" {
		return func(text string) string { return text }
	}
	decoder := known.NewDecoder()
	var read []byte // used again: most texts are short
	return func(text string) string {
		if text == "" {
			return ""
		}
		// A decoder writes U+FFFD for what it cannot read, and does not fail.
		utf8, _, err := transform.Append(decoder, read[:0], []byte(text))
		if err != nil {
			return text
		}
		read = utf8
		return string(utf8)
	}
}

// Receive reads the body of a call that something else serves, limit bytes at most. Where ok is false, the call has
// been answered: its body is too large, has not come whole or in time, or there is no room for it.
func Receive(w http.ResponseWriter, r *http.Request, limit int64) (body []byte, ok bool) {
	c := &call{w: w, r: r}
	body, err := c.body(limit)
	if f, failed := errors.AsType[*failure](err); failed {
		notToBeKept(w.Header())
		c.fail(new(Route), f)
		return nil, false
	}
	return body, err == nil
}

// body reads the request's body, limit bytes at most. It takes memory as the body comes, from the budget that has
// admitted the request.
func (c *call) body(limit int64) ([]byte, error) {
	tooLarge := fail(http.StatusRequestEntityTooLarge, "too_large", "the body is larger than %d bytes", limit)
	// Where the server supports no deadlines, it has its own.
	control := http.NewResponseController(c.w)
	readOn := func() {
		if control.SetReadDeadline(time.Now().Add(excessTimeout)) == nil {
			defer control.SetReadDeadline(time.Time{})
		}
		io.CopyN(io.Discard, c.r.Body, maxExcess)
	}
	if c.r.ContentLength > limit {
		if c.r.Header.Get("Expect") == "" { // else nothing is sent before it is asked for
			readOn()
		}
		return nil, tooLarge
	}
	if control.SetReadDeadline(time.Now().Add(bodyTimeout)) == nil {
		defer control.SetReadDeadline(time.Time{})
	}
	content, err := intake.ReadAll(http.MaxBytesReader(c.w, intake.Body(c.r), limit), c.r.ContentLength)
	var exceeded *http.MaxBytesError
	switch {
	case err == nil:
		if c.weigh != nil {
			c.weigh(len(content))
		}
		return content, nil
	case errors.As(err, &exceeded):
		readOn()
		return nil, tooLarge
	case errors.Is(err, intake.ErrFull):
		full := fail(http.StatusServiceUnavailable, "busy", "too much is being received at once; repeat the call later")
		full.retryAfter = intake.RetryAfter
		return nil, full
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return nil, fail(http.StatusRequestTimeout, "too_slow", "the body did not arrive within %v", bodyTimeout)
	}
	return nil, malformed("malformed_body", "the body did not arrive whole")
}

// field is a text of a call by its name.
type field struct{ name, text string }

// checkTexts refuses texts that are longer than limit bytes, or cannot be
// stored.
func checkTexts(limit int, fields ...field) error {
	for _, f := range fields {
		if len(f.text) > limit {
			return malformed("too_long", "%s is longer than %d bytes", f.name, limit)
		}
		if strings.IndexByte(f.text, 0) >= 0 {
			return malformed("malformed_text", "%s holds a NUL character", f.name)
		}
	}
	return nil
}
