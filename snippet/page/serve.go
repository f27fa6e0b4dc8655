// Package page takes a page on its way from the origin to the client, and weaves the insertion code and the numbers into
// it. It owns which answers are pages, how long a page may be held, and what becomes of its headers. Whatever fails, the
// page goes on as it came. The edge asks it for each request.
package page

import (
	"net/http"
	"strings"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/page/header"
)

// Serve calls next once, in this goroutine, and weaves the code into the page that
// it writes. What is not a page for a visitor passes untouched, and so does
// everything when weaving fails: neither adds an error to what next returns.
//
// When a page is asked for, next sees the request with "Accept-Encoding: identity"
// and with the validators that the origin gave; the request's headers are restored before Serve
// returns. If next fails, what it wrote goes out as it was, and the response is not
// completed. So it is if next panics after a flush; before one, what was held back is
// dropped. A page that turns out to be corrupt after its beginning was sent ends in a
// panic with http.ErrAbortHandler, so that the client does not take it for whole.
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
		defer ww.restore()
	}
	panics := true
	defer func() {
		if panics && (ww.owed || ww.sent) { // a proxy flushes what has come before it breaks off
			ww.abandon()
			_ = http.NewResponseController(w).Flush()
		}
	}()
	err := next(ww, r)
	panics = false
	if err != nil {
		ww.abandon()
	} else {
		ww.finish()
	}
	if ww.broken != nil {
		_ = http.NewResponseController(w).Flush() // or the beginning would be dropped
		panic(http.ErrAbortHandler)
	}
	if ww.page != nil && ww.page.sample != nil && err == nil {
		v.Sample(ww.page.sample, header.Value(w.Header(), "Content-Type"), ww.stage != passing)
	}
	if x := ww.exchange; x != nil {
		ww.Numbers, ww.Replaced, ww.Unselected, ww.Crowded = true, x.Replaces(), x.Unselected, ww.Crowded || x.Crowded
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
		if header.Value(h, "Sec-Fetch-Dest") != "document" {
			return Method
		}
	default:
		return Method
	}
	switch {
	case len(h["Upgrade"]) > 0:
		return Upgrade
	case header.HasDirective(h["Cache-Control"], "no-transform"):
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
	case header.HasDirective(h["Cache-Control"], "no-transform"):
		return NoTransform
	}
	return ""
}

func hasAttachment(h http.Header) bool {
	disposition, _, _ := strings.Cut(header.Value(h, "Content-Disposition"), ";")
	return strings.EqualFold(strings.TrimSpace(disposition), "attachment")
}
