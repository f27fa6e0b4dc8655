package page

import (
	"net/http"
	"time"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/page/header"
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
	// are left out. Of a page that carries the code already, only the beginning is known, and it is not whole.
	// The bytes are the callee's.
	Sample func(page []byte, contentType string, whole bool)
}

// depends says whether the page may be another one for other visitors.
func (v *Visit) depends() bool {
	return v.Shown.Differs() || v.ByCookie
}

// limitCaches tells caches for whom a page is that may hold numbers, with the visit's
// cookies if it is to bring them.
func (v *Visit) limitCaches(h http.Header, cookies bool) {
	cookies = cookies && len(v.SetCookies) > 0
	if v.Shown.Audience() != snippet.ForEveryone || cookies {
		header.MakePrivate(h)
	}
	if v.ByCookie {
		header.AddVary(h, "Cookie")
		for _, field := range v.VaryBy {
			header.AddVary(h, field)
		}
	}
	if cookies {
		h["Set-Cookie"] = append(h["Set-Cookie"], v.SetCookies...)
	}
}

// arrive asks for the visit of a page that is given the code, while its headers h can still
// change. The code is what the page is given in front of its own.
func (v *Visit) arrive(h http.Header, code []byte) []byte {
	a := v.Arrive()
	if a.SetCookie != "" {
		h["Set-Cookie"] = append(h["Set-Cookie"], a.SetCookie)
	}
	if a.Shown != nil {
		v.Shown = *a.Shown
		v.Shown.SetAudience(snippet.ForVisitor)
	}
	if a.View == "" {
		return code
	}
	header.ForbidReuse(h)
	if a.Shown != nil {
		v.Shown.TellAhead()
	}
	return a.AppendTo(code)
}

// recall has an answer that begins no visit show what the visitor's page shows.
func (v *Visit) recall(status int) {
	if v.Recall == nil || status >= 300 {
		return
	}
	shown, known := v.Recall()
	if v.Recall = nil; known {
		v.Shown = shown
		v.Shown.SetAudience(snippet.ForVisitor)
	}
}
