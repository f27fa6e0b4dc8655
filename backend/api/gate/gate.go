// Package gate is where requests under a site's prefix come in. It knows what the configuration says of the site, and
// refuses requests of pages of other origins, of clients that send too many, and of visitors who have not agreed to be
// counted. The rooms behind it mount their routes, read bodies and answer by it.
package gate

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/seed-3405227d/frontdesk/backend/api/widget"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/forward"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/quota"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Site is what the configuration says of the site that a request is for.
type Site struct {
	// ID and Key are those of the site in the database.
	ID  int64
	Key string
	// Signed says that the credentials of its pages are proved by key and uri: variant
	// A of the browser interface (section 9). In variant B the ids, which nobody can
	// guess, are looked up.
	Signed bool
	// Prefix is the path under which the service answers, with slashes at both
	// ends, such as "/frontdesk/".
	Prefix string
	// Origins are those from which browsers may send requests besides the site's own, in
	// the writing of the Origin header: "https://www.shop.example".
	Origins []string
	// Own are the hosts of the site.
	Own source.Own
	// SharedCookies has cookies set for all hosts of the registrable domain.
	SharedCookies bool
	// WholeAddresses has clients' addresses stored whole; else their networks are.
	WholeAddresses bool
	// Quota is how much is stored of visitors' texts and files on a day.
	Quota quota.Quota
	// Uses count what the site uses of its limits. nil limits nothing.
	Uses *limit.Uses
	// Consent has to be given before anything is set or stored.
	Consent Consent
	// Region tells the country by which phones without a country code are read, in
	// two letters (ISO 3166-1); empty where it is not known. It may ask the database.
	Region func(context.Context) string
	// Numbers tells the records of the numbers that the visitor of a page view is shown, as
	// the script takes them: a JSON array. It is nil where the site has no tracking numbers.
	Numbers func(context.Context, visit.View) (json.RawMessage, error)
	// Callback says how visitors are called back.
	Callback callback.Settings
	// Forward has what a form says sent to Service, which has the site's visitors; nil where that is this one. It is
	// durable when Forward returns nil.
	Forward func(context.Context, forward.Item) error
	Service forward.Service
	// Widget is how the site's panels look and what they say; nil for as built in.
	Widget *widget.Widget
	// Ending is closed when the configuration ends, and its streams with it; nil for never.
	Ending <-chan struct{}
}

// storeTimeout bounds the work of one request, so that the script hears of a
// failure within the 5 seconds that it has for telling the page.
const storeTimeout = 4 * time.Second

// Storing returns the context of the work of one request, which goes on when the client has gone. It begins anew for what
// is done behind a body that takes long to arrive.
func Storing(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
}

// Key is what opens a route.
type Key string

const (
	// Open routes tell nothing of a visitor.
	Open Key = "anybody"
	// OfView routes are opened by the credentials of a page view, which stand in forms, mails and logs. What they open
	// adds to what is known of the visitor, and tells nothing of it.
	OfView Key = "page view"
	// OfBrowser routes are opened by the visitor's browser: by its cookie or, where it sends none, by its token.
	OfBrowser Key = "browser"
	// OfAddress routes are opened by a token in their address.
	OfAddress Key = "token"
)

// Route is an address under the prefix, and what answers there.
type Route struct {
	Path    string // without slashes at its ends
	Methods []string
	Opens   Key
	// Serve returns the answer: a [File], or else what is written as JSON.
	Serve func(context.Context, *Request) (any, error)
	// Stream answers by itself, for as long as the client listens; Serve is nil then.
	Stream func(*Request) error
	// Consent: it sets or stores something about the visitor in the browser.
	Consent bool
	// Server: it is called by customers' servers, with a slash at the end or
	// without. PHP hides the body of an answer with a status of 400 or above, so
	// the sender's mistakes are told with 200.
	Server bool
	// Result: its failures carry the result object of addOfflineRequest.
	Result bool
}

// The methods that routes take.
var (
	Post      = []string{http.MethodPost}
	Get       = []string{http.MethodGet}
	GetOrPost = []string{http.MethodGet, http.MethodPost}
)

// Request is a request under the prefix of a site. URL.Scheme is "https" where a trusted proxy has ended TLS, and
// RemoteAddr is the address of the client itself, not of a proxy.
type Request struct {
	*http.Request
	W    http.ResponseWriter
	Site Site
	// Opens is what opens the request's route.
	Opens Key
	// Weigh counts the size of the body; nil where the client is not limited.
	Weigh func(size int)
	// Refused is told why the request is refused, if that is the sender's mistake; nil for nobody.
	Refused func(context.Context, *Failure)
}

// Gate admits requests to their routes. It is safe for concurrent use.
type Gate struct {
	logger *zap.Logger
	// unkept is told of requests that are refused since the visitor has not agreed.
	unkept func(what string)
	// explain is what the client is told of a subject's error; nil if that is nobody's mistake.
	explain          func(error) *Failure
	scripts, servers *Limits
	outage           rate.Sometimes
}

// How many requests one client may send in a second, and at once. Whole offices share an
// address, and the requests of a site's visitors through its server all come from
// that server.
const (
	ScriptRate, ScriptBurst = 50, 500
	serverRate, serverBurst = 200, 2000
)

// New returns a gate; see [Gate] for what it needs.
func New(logger *zap.Logger, unkept func(what string), explain func(error) *Failure) *Gate {
	return &Gate{
		logger: logger, unkept: unkept, explain: explain,
		scripts: NewLimits(ScriptBurst, time.Second/ScriptRate),
		servers: NewLimits(serverBurst, time.Second/serverRate),
		outage:  rate.Sometimes{Interval: time.Second},
	}
}

// Serve answers a request for the route, which is as [Request] says.
func (g *Gate) Serve(w http.ResponseWriter, of *http.Request, site Site, route *Route) {
	r := &Request{Request: of, W: w, Site: site, Opens: route.Opens}
	NotToBeKept(w.Header())
	if done := r.crossOrigin(route); done {
		return
	}
	if f := g.admit(r, route); f != nil {
		r.fail(f, route.Result)
		return
	}
	if route.Stream != nil {
		if err := route.Stream(r); err != nil {
			r.fail(g.failureOf(r, route, err), route.Result)
		}
		return
	}
	// What has arrived is stored, even when the page that sent it is gone.
	ctx, cancel := Storing(r.Context())
	defer cancel()
	answer, err := route.Serve(ctx, r)
	if err == nil {
		r.answer(answer)
		return
	}
	f := g.failureOf(r, route, err)
	if r.Refused != nil && (f.business() || f.Status == http.StatusUnsupportedMediaType) {
		r.Refused(ctx, f)
	}
	if route.Server && f.business() {
		f.Status = http.StatusOK
	}
	r.fail(f, route.Result)
}

// admit tells why the request may not come to its route; nil if it may.
func (g *Gate) admit(r *Request, route *Route) *Failure {
	if f := r.Allowed(route.Methods); f != nil {
		return f
	}
	limits := g.scripts
	if route.Server {
		limits = g.servers
	}
	if wait := limits.Wait(r.Request); wait > 0 {
		return TooMany("too many calls from this address", wait)
	}
	r.Weigh = func(size int) { limits.Weigh(r.Request, size) }
	// Servers are not asked for consent: they send no cookies, and the credentials that they do send are given out
	// after consent only.
	if route.Consent && !r.Site.Consent.Given(r.Header) {
		g.unkept(UnkeptCall)
		return NewFailure(http.StatusForbidden, "consent_missing", "the visitor has not agreed to be counted")
	}
	return nil
}
