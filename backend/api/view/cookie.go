package view

import (
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// VisitorCookie holds the tracker's visitor string.
const VisitorCookie gate.Cookie = "svc_v"

// BackCookie holds what the link of a letter opens for this browser: the token of a conversation.
const BackCookie gate.Cookie = "svc_b"

// Returning is the visitor whom the request's cookies name, and the value of the cookie
// that does; 0 for none. A cookie that is not the service's own is as good as none, and
// hides no other.
func (s *Views) Returning(r *gate.Request) (visitor visit.ID, value string) {
	for value := range VisitorCookie.Values(r.Header, r.Site.SharedCookies) {
		if visitor, ok := s.keys.ParseVisitorString(r.Site.ID, value); ok {
			return visitor, value
		}
	}
	return 0, ""
}

// Cookie is the visitor's, for a page at the address.
func Cookie(r *gate.Request, value, pageURL string) *http.Cookie {
	return VisitorCookie.For(r.Host, r.Secure(pageURL), r.Site.SharedCookies, value)
}
