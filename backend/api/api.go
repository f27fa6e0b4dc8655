// Package api answers what browsers and customers' servers call: the routes of
// the browser script, and the two server-side calls of the browser interface
// (sections 4.2 and 4.3).
//
// All answers are JSON objects with a boolean "success". A failure says what
// was wrong, in words and in a code, and stores nothing:
//
//	{"success":false,"error":"the page view is not of this site","code":"foreign_ids"}
package api

import (
	"context"
	"encoding/json"
	"hash/maphash"
	"net/http"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/captcha"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/forward"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/pace"
	"github.com/seed-3405227d/frontdesk/backend/visit"
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
	// Origins are those from which browsers may call besides the site's own, in
	// the writing of the Origin header: "https://www.shop.example".
	Origins []string
	// WholeAddresses has clients' addresses stored whole; else their networks are.
	WholeAddresses bool
	// Quota is how much is stored of visitors' texts and files on a day.
	Quota visit.Quota
	// Consent has to be given before anything is set or stored.
	Consent Consent
	// Region tells the country by which phones without a country code are read, in
	// two letters (ISO 3166-1); empty where it is not known. It may ask the database.
	Region func(context.Context) string
	// Numbers tells the records of the numbers that the visitor of a page view is shown, as
	// the script takes them: a JSON array. It is nil where the site has no tracking numbers.
	Numbers func(context.Context, visit.Hit) (json.RawMessage, error)
	// Callback says how visitors are called back.
	Callback callback.Settings
	// Forward has what a form says sent to Service, which has the site's visitors; nil where that is this one. It is
	// durable when Forward returns nil.
	Forward func(context.Context, forward.Item) error
	Service forward.Service
	// Widget is how the site's panels look and what they say; nil for as built in.
	Widget *Widget
	// Ending is closed when the configuration ends, and its streams with it; nil for never.
	Ending <-chan struct{}
}

// Observer is told what was stored, for counting. It must not block.
type Observer interface {
	// Hit is called for each page view; reports of one that is known are not told.
	Hit(site string)
	// Lead is called for each new lead; repeated deliveries are not told.
	Lead(site, origin string)
	// Unkept is called for what was not kept since the visitor has not agreed, with what that was.
	Unkept(what string)
}

// Presence tells whether somebody is there for the visitors of a site.
type Presence interface {
	Online(ctx context.Context, siteID int64) (bool, error)
	// Answering is the group of the site that answers now; 0 for none.
	Answering(ctx context.Context, siteID, wanted int64) (groupID int64, err error)
}

// Subjects are what the routes need.
type Subjects struct {
	Visits    *visit.Visits
	Leads     *lead.Leads
	Presence  Presence
	Captchas  *captcha.Captchas
	Callbacks *callback.Callbacks
	Chats     *chat.Chats
	Live      *chat.Live
	// Name is what visitors may know of an operator; empty for nothing.
	Name func(ctx context.Context, operatorID int64) (string, error)
}

// API serves the routes. It is safe for concurrent use.
type API struct {
	Subjects
	logger   *zap.Logger
	observer Observer

	scripts       *limits
	servers       *limits
	pages         *limits // of clients whose pages come with their visits
	arrivals      *limits // of the same at their first pages
	forms         *limits // of those who send forms to the site
	chats         chats
	captchaLimits captchaLimits
	callbackLimit *limits // of those who ask for callbacks
	outage        rate.Sometimes
	hiding        maphash.Seed // of visitors' addresses
}

// New returns the routes' handler. The observer may be nil.
func New(subjects Subjects, logger *zap.Logger, observer Observer) *API {
	if observer == nil {
		observer = nobody{}
	}
	return &API{
		Subjects: subjects, logger: logger, observer: observer,
		scripts:       newLimits(scriptRate, scriptBurst),
		servers:       newLimits(serverRate, serverBurst),
		pages:         newLimits(scriptRate, scriptBurst),
		arrivals:      &limits{by: pace.NewByNetwork(arrivalsAtOnce, arrivalPause)},
		forms:         newLimits(formRate, formBurst),
		chats:         newChats(),
		captchaLimits: newCaptchaLimits(),
		callbackLimit: &limits{by: pace.NewByNetwork(callbacksAtOnce, callbackPause)},
		outage:        rate.Sometimes{Interval: time.Second},
		hiding:        maphash.MakeSeed(),
	}
}

type nobody struct{}

func (nobody) Hit(string)          {}
func (nobody) Lead(string, string) {}
func (nobody) Unkept(string)       {}

// storeTimeout bounds the work of one request, so that the script hears of a
// failure within the 5 seconds that it has for telling the page.
const storeTimeout = 4 * time.Second

// Route is an address under the prefix that the API answers.
type Route struct {
	path    string // without slashes at its ends
	methods []string
	opens   key
	serve   func(*API, context.Context, *call) (any, error)
	// stream answers by itself, for as long as the client listens; serve is nil then.
	stream func(*API, *call) error
	// consent: it sets or stores something about the visitor in the browser.
	consent bool
	// server: it is called by customers' servers, with a slash at the end or
	// without. PHP hides the body of an answer with a status of 400 or above, so
	// the sender's mistakes are told with 200.
	server bool
	// result: its failures carry the result object of addOfflineRequest.
	result bool
}

var (
	post      = []string{http.MethodPost}
	get       = []string{http.MethodGet}
	getOrPost = []string{http.MethodGet, http.MethodPost}
)

var routes = []Route{
	{path: "v1/hit", methods: post, opens: open, serve: (*API).hit, consent: true},
	{path: "v1/event", methods: post, opens: ofBrowser, serve: (*API).event, consent: true},
	{path: "v1/lead", methods: post, opens: ofView, serve: (*API).lead, consent: true, result: true},
	{path: "v1/visitor", methods: post, opens: ofView, serve: (*API).visitor, consent: true},
	{path: "v1/property", methods: post, opens: ofBrowser, serve: (*API).property, consent: true},
	{path: "v1/presence", methods: post, opens: ofBrowser, serve: (*API).presence, consent: true},
	{path: "v1/status", methods: get, opens: open, serve: (*API).status},
	{path: "v1/callback", methods: post, opens: ofBrowser, serve: (*API).callback, consent: true},
	{path: "v1/widget", methods: get, opens: open, serve: (*API).widget},
	{path: "v1/chat", methods: post, opens: ofBrowser, serve: (*API).chat, consent: true},
	{path: "v1/chat/say", methods: post, opens: ofBrowser, serve: (*API).chatSay, consent: true},
	{path: "v1/chat/read", methods: post, opens: ofBrowser, serve: (*API).chatRead, consent: true},
	{path: "v1/chat/typing", methods: post, opens: ofBrowser, serve: (*API).chatTyping, consent: true},
	{path: "v1/chat/transcript", methods: post, opens: ofBrowser, serve: (*API).chatTranscript, consent: true},
	{path: "v1/chat/link", methods: post, opens: ofBrowser, serve: (*API).chatLink, consent: true},
	{path: "v1/chat/send", methods: post, opens: ofAddress, serve: (*API).chatSend, consent: true},
	{path: "v1/chat/file", methods: get, opens: ofAddress, serve: (*API).chatFile},
	{path: "v1/chat/stream", methods: get, opens: ofAddress, stream: (*API).chatStream},
	{path: "v1/captcha", methods: post, opens: ofBrowser, serve: (*API).captcha, consent: true},
	{path: "v1/captcha/{file}", methods: get, opens: open, serve: (*API).captchaFile},
	{path: "api/add_offline_message", methods: post, opens: ofView, serve: (*API).addOfflineMessage, server: true},
	{path: "vc/s", methods: getOrPost, opens: ofView, serve: (*API).addVisitorInformation, server: true},
}

// Routes are what routes are added to, such as an [http.ServeMux].
type Routes interface {
	HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request))
}

// Mount adds the API's addresses to the routes of a site's prefix, which has slashes at
// both ends. What they are asked comes to serve, which passes it to [API.Serve].
func Mount(mux Routes, prefix string, serve func(http.ResponseWriter, *http.Request, *Route)) {
	for i := range routes {
		route := &routes[i]
		handler := func(w http.ResponseWriter, r *http.Request) { serve(w, r, route) }
		mux.HandleFunc(prefix+route.path, handler)
		if route.server {
			mux.HandleFunc(prefix+route.path+"/{$}", handler)
		}
	}
}

// call is one request.
type call struct {
	w    http.ResponseWriter
	r    *http.Request
	site Site
	// opens is what opens the call's route.
	opens key
	// weigh counts the size of the body, where the client is limited.
	weigh func(size int)
	// submitted is the lead that the call brings, as it is kept if it is refused.
	submitted *lead.Refused
}

// Serve answers a request to one of the addresses of [Mount]. r.URL.Scheme is "https"
// where a trusted proxy has ended TLS, and r.RemoteAddr is the address of the client
// itself, not of a proxy.
func (a *API) Serve(w http.ResponseWriter, r *http.Request, site Site, route *Route) {
	c := &call{w: w, r: r, site: site, opens: route.opens}
	header := w.Header()
	notToBeKept(header)
	if done := c.crossOrigin(route); done {
		return
	}
	if err := c.allowed(route); err != nil {
		c.fail(route, err)
		return
	}
	if err := a.limit(c, route); err != nil {
		c.fail(route, err)
		return
	}
	if route.consent {
		if err := c.consent(); err != nil {
			a.observer.Unkept(UnkeptCall)
			c.fail(route, err)
			return
		}
	}
	if route.stream != nil {
		if err := route.stream(a, c); err != nil {
			c.fail(route, a.failureOf(c, route.path, err))
		}
		return
	}
	// What has arrived is stored, even when the page that sent it is gone.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), storeTimeout)
	defer cancel()
	answer, err := route.serve(a, ctx, c)
	if err != nil {
		f := a.failureOf(c, route.path, err)
		if c.submitted != nil && (f.business() || f.status == http.StatusUnsupportedMediaType) {
			a.keepRefused(ctx, c, f)
		}
		if route.server && f.business() {
			f.status = http.StatusOK
		}
		c.fail(route, f)
		return
	}
	if f, is := answer.(file); is {
		c.send(f)
		return
	}
	c.answer(http.StatusOK, answer)
}
