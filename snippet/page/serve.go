// Package page takes a page on its way from the origin to the client, and weaves the insertion code and the numbers into
// it. It owns which answers are pages, how long a page may be held, and what becomes of its headers. Whatever fails, the
// page goes on as it came. The edge asks it for each request.
package page

import (
	"net/http"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/snippet"
)

// Visit is what one request brings beside the page.
type Visit struct {
	// Purpose is what [PurposeOf] tells of the request. Where it is Unsaid, Serve asks.
	Purpose Purpose
	// Withheld, if it is not empty, is why the page is given no insertion code. Its
	// numbers are replaced all the same; no cache keeps a page in which they are.
	Withheld Outcome
	// Shown is what the visitor sees in the places of the printed numbers.
	Shown snippet.Shown
	// Arrive, if it is not nil, is called once at most: when a page of status 2xx is found to
	// get the code and none of it has been sent. The page waits for it. It must not panic. No cache
	// is to keep any page of the request.
	Arrive func() snippet.Arrival
	// Preview, if it is not nil, has the page say that it is one, and mark what is shown.
	Preview *snippet.Preview
	// Recall, if it is not nil, is called once at most, for a part of a page or a framework's data of
	// status 2xx: it tells what the visitor is shown now, if that is known. The same holds as for Arrive.
	Recall func() (snippet.Shown, bool)
	// SetCookies are the whole values of Set-Cookie fields that go with the page. If
	// there are any, the page is private.
	SetCookies []string
	// ByCookie tells that a cookie decides what is shown: answers vary by it. The origin is not to see it.
	ByCookie bool
	// VaryBy are further fields of a request by which answers vary that vary by cookies.
	VaryBy []string
	// Now is the clock by which a page is too slow to be gathered; time.Now where it is nil.
	Now func() time.Time
	// Timed asks for [Result.Spent].
	Timed bool
	// Sample, if it is not nil, is called once a page has gone out, with the page as
	// the origin sent it, decoded, and its content type. Pages of more than 256 KiB
	// are left out. The bytes are the callee's.
	Sample func(page []byte, contentType string)
}

// Serve calls next once, in this goroutine, and weaves the code into the page that
// it writes. What is not a page for a visitor passes untouched, and so does
// everything when weaving fails: neither adds an error to what next returns.
//
// When a page is asked for, next sees the request with "Accept-Encoding: identity"
// and with the validators that the origin gave; the request's headers are restored before Serve
// returns. If next fails, what it wrote goes out as it was, and the response is not
// completed; if it panics, what was held back until then is dropped. A page that turns out to be corrupt after its
// beginning was sent ends in a panic with http.ErrAbortHandler, so that the client
// does not take it for whole.
func Serve(c *snippet.Code, w http.ResponseWriter, r *http.Request, v Visit, next func(http.ResponseWriter, *http.Request) error) (Result, error) {
	if v.Purpose == Unsaid {
		v.Purpose = PurposeOf(r.Header, r.URL.Path)
	}
	outcome := judgeRequest(r, v.Purpose)
	if v.Withheld != "" {
		if outcome == "" {
			outcome = v.Withheld
		}
		if !v.Shown.Replaces() {
			return Result{Outcome: outcome}, next(w, r)
		}
		v.Shown.SetAudience(snippet.ForVisitor)
	}
	if outcome != "" && outcome != Frame && outcome != FragmentRequest && outcome != v.Withheld {
		return Result{Outcome: outcome}, next(w, r)
	}
	if v.Arrive != nil || v.Recall != nil {
		v.Shown.SetAudience(snippet.ForVisitor)
	}
	ww := newWriter(c, w, r, v, outcome)
	defer ww.close()
	if outcome == "" || v.depends() {
		ww.prepareRequest()
		defer ww.restoreRequest()
	}
	err := next(ww, r)
	if err != nil {
		ww.abandon()
	} else {
		ww.finish()
	}
	if ww.broken != nil {
		_ = http.NewResponseController(w).Flush() // or the beginning would be dropped
		panic(http.ErrAbortHandler)
	}
	if ww.sample != nil && err == nil {
		v.Sample(ww.sample, value(w.Header(), "Content-Type"))
	}
	if x := ww.exchange; x != nil {
		ww.Unselected, ww.Crowded = x.skipped, ww.Crowded || x.crowded
	}
	result := ww.Result
	ww.recycle()
	return result, err
}

// judgeRequest says why the answer to a request is not woven, or nothing.
func judgeRequest(r *http.Request, purpose Purpose) Outcome {
	h := r.Header
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodPost: // the page that follows a form is one to be seen
		if value(h, "Sec-Fetch-Dest") != "document" {
			return Method
		}
	default:
		return Method
	}
	switch {
	case len(h["Upgrade"]) > 0:
		return Upgrade
	case hasDirective(h["Cache-Control"], "no-transform"):
		return NoTransform
	case purpose == ForFrame:
		return Frame
	case purpose.IsFetch():
		return FragmentRequest
	}
	return ""
}

// judgeResponse says why a response is not woven, or nothing. Its content type is
// judged by itself.
func judgeResponse(status int, h http.Header) Outcome {
	switch {
	case status == http.StatusPartialContent:
		return Range
	case status < 200 || status == http.StatusNoContent || status == http.StatusResetContent || 300 <= status && status < 400:
		return Status
	case hasAttachment(h):
		return Attachment
	case hasDirective(h["Cache-Control"], "no-transform"):
		return NoTransform
	}
	return ""
}

func hasAttachment(h http.Header) bool {
	disposition, _, _ := strings.Cut(value(h, "Content-Disposition"), ";")
	return strings.EqualFold(strings.TrimSpace(disposition), "attachment")
}

// hasDirective looks a directive without arguments up in lists of them.
func hasDirective(lists []string, name string) bool {
	for _, list := range lists {
		for len(list) >= len(name) {
			var directive string
			directive, list, _ = strings.Cut(list, ",")
			if strings.EqualFold(strings.TrimSpace(directive), name) {
				return true
			}
		}
	}
	return false
}

// parseType splits a content type into what it is and its charset.
func parseType(contentType string) (isHTML bool, charset string) {
	media, parameters, _ := strings.Cut(contentType, ";")
	if !strings.EqualFold(strings.TrimSpace(media), "text/html") {
		return false, ""
	}
	for parameters != "" {
		var parameter string
		parameter, parameters, _ = strings.Cut(parameters, ";")
		name, label, ok := strings.Cut(parameter, "=")
		if ok && strings.EqualFold(strings.TrimSpace(name), "charset") {
			return true, strings.Trim(strings.TrimSpace(label), `"'`)
		}
	}
	return true, ""
}

// CharsetOf is the character set that a content type names, in its own words; empty for none.
func CharsetOf(contentType string) string {
	_, charset := parseType(contentType)
	return charset
}

// value is the first value of a header field whose name is in canonical form.
func value(h http.Header, name string) string {
	if values := h[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// addVary notes that the answer depends on a field of the request.
func addVary(h http.Header, field string) {
	for _, list := range h["Vary"] {
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); name == "*" || strings.EqualFold(name, field) {
				return
			}
		}
	}
	h["Vary"] = append(h["Vary"], field)
}
