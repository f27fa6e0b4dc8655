package view

import (
	"context"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// crossingTime is how long a link brings a visitor to another host of the site after its token was made.
const crossingTime = time.Minute

// CrossingToken is what a link to another host of the site has in its address, so that the visitor stays the same where
// the browser does not send the cookie.
func (s *Views) CrossingToken(r *gate.Request, visitor visit.ID) string {
	return s.keys.CrossingString(r.Site.ID, visitor, r.Field("User-Agent", MaxUserAgent), crossingTime)
}

// Crossed is the visitor whom a link with the token has brought to a page; 0 for none. A link is good once, in the browser
// that had the token made, and only from a page of the site: so nobody becomes the visitor of somebody else by a link
// that is sent to him. nonce is that of the view if the script reports it, or "".
func (s *Views) Crossed(ctx context.Context, r *gate.Request, token, referrer, nonce string) visit.ID {
	visitor, until, valid := s.keys.ParseCrossingString(r.Site.ID, token, r.Field("User-Agent", MaxUserAgent))
	if !valid || !r.Site.Own.Refers(referrer) && !refersTo(r.Host, referrer) {
		return 0
	}
	if good, err := s.visits.Cross(ctx, r.Site.ID, visitor, until, nonce); err != nil || !good {
		return 0
	}
	return visitor
}

// refersTo says whether the referrer is a page of the host that serves the request, which may have a port.
func refersTo(host, referrer string) bool {
	page, err := url.Parse(referrer)
	if name, _, failed := net.SplitHostPort(host); failed == nil {
		host = name
	}
	return err == nil && page.Host != "" && strings.EqualFold(page.Hostname(), strings.Trim(host, "[]"))
}
