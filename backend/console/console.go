// Package console is the web page in front of which operators sit: who is on
// the site now, what requests come in, and who is behind them.
//
// Pages are rendered here and kept up to date over server-sent events. All that
// comes from visitors is treated as hostile text.
package console

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/form"
	"github.com/seed-3405227d/frontdesk/backend/intake"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/person"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/spool"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Subjects are what the console shows.
type Subjects struct {
	DB         *db.DB // told of news by it
	Journal    *journal.Journal
	Sites      *site.Sites
	Visits     *visit.Visits
	Leads      *lead.Leads
	Chats      *chat.Chats
	Operators  *operator.Operators
	Numbers    *number.Shown
	Calls      *number.Calls
	Callbacks  *callback.Callbacks
	Leases     *number.Leases
	Previews   *number.Previews
	Deliveries *notify.Deliveries
	Persons    *person.Persons
	Forms      *form.Forms
	// Region is the country in whose way the visitors of a site write numbers: ISO 3166-1
	// alpha-2, or empty. It may be nil.
	Region func(ctx context.Context, siteID int64) string
	// Configured tells what this server's configuration says for the site of a key, if
	// it names the site. It may be nil.
	Configured func(key string) (site.Settings, bool)
	// Hosts are those at which this server's configuration serves the site of a key. It
	// may be nil.
	Hosts func(key string) []string
	// Pools are those of this server's configuration. It may be nil.
	Pools func() number.ConfiguredPools
	// Spool tells what waits on the disk for the database. It may be nil.
	Spool func() spool.State
	// WholeAddresses tells whether clients' addresses are logged whole. It may be nil.
	WholeAddresses func() bool
}

// Console serves the operators' pages at the root of a host of their own. The
// RemoteAddr of a request is taken for the client's address. A request whose URL
// has the scheme https came over TLS, if only to a proxy in front of this server.
type Console struct {
	Subjects
	now      func() time.Time
	logger   *zap.Logger
	words    []*words
	pages    pages
	sessions sessions
	attempts *attempts
	crossing http.CrossOriginProtection
	routes   http.Handler

	streams         streams
	attendance      attendance
	sharedLeads     *shared[subjectKey, lead.Lead]
	sharedStaff     *shared[scope.Sites, []operator.Operator]
	sharedCalls     *shared[subjectKey, number.Call]
	sharedCallbacks *shared[subjectKey, callback.Callback]
	sharedSites     *shared[struct{}, []site.Site]
	sharedPresence  *shared[presenceKey, *presence]
	sharedMoves     *shared[moveKey, [][]byte]
	sharedChats     *shared[subjectKey, chatSeen]
	sharedCalling   *shared[callingKey, []chatSeen]
}

// New returns the console over its subjects.
func New(subjects Subjects, now func() time.Time, logger *zap.Logger) *Console {
	c := &Console{
		Subjects: subjects,
		now:      now,
		logger:   logger,
		words:    allWords(now),
		attempts: newAttempts(now),
		streams:  newStreams(),
	}
	c.sessions = newSessions(subjects.Operators.Sessions(), c.failed)
	c.attendance.console = c
	c.sharedLeads = newShared(1000, 10*time.Second, now, func(ctx context.Context, k subjectKey) (lead.Lead, error) { return c.Leads.Outline(ctx, k.site, k.id) })
	c.sharedStaff = newShared(64, 3*time.Second, now, func(ctx context.Context, sites scope.Sites) ([]operator.Operator, error) {
		return c.Operators.List(ctx, sites)
	})
	c.sharedCalls = newShared(1000, 10*time.Second, now, func(ctx context.Context, k subjectKey) (number.Call, error) { return c.Calls.Get(ctx, k.site, k.id) })
	c.sharedCallbacks = newShared(1000, 10*time.Second, now, func(ctx context.Context, k subjectKey) (callback.Callback, error) {
		return c.Callbacks.Get(ctx, k.site, k.id)
	})
	c.sharedSites = newShared(1, 3*time.Second, now, func(ctx context.Context, _ struct{}) ([]site.Site, error) { return c.Sites.List(ctx) })
	c.sharedPresence = newShared(64, time.Minute, now, func(ctx context.Context, k presenceKey) (*presence, error) {
		sites, err := c.sharedSites.get(ctx, struct{}{})
		if err != nil {
			return nil, err
		}
		present := presenceOf(k.words, seenOf(sites, k.sites), k.scene.Live)
		return &present, nil
	})
	c.sharedMoves = newShared(64, time.Minute, now, func(_ context.Context, k moveKey) ([][]byte, error) { return c.move(k) })
	c.sharedCalling = newShared(64, 10*time.Second, now, func(ctx context.Context, k callingKey) ([]chatSeen, error) { return c.callingAll(ctx, k.sites) })
	c.sharedChats = newShared(1000, 10*time.Second, now, func(ctx context.Context, k subjectKey) (seen chatSeen, err error) {
		conversation, err := c.Chats.Get(ctx, k.site, k.id)
		if err != nil {
			return seen, err
		}
		all, err := c.seenChats(ctx, []chat.Conversation{conversation})
		if err != nil {
			return seen, err
		}
		return all[0], nil
	})
	c.pages = parsePages(c.words, pageNames...)
	c.crossing.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.fail(w, r, http.StatusForbidden, "fail.crossing")
	}))
	c.routes = c.crossing.Handler(c.table())
	return c
}

// Close ends the open streams for good, and returns when they have ended.
func (c *Console) Close() { c.streams.close() }

// maxForm bounds the body of a request in bytes.
const maxForm = 64 << 10

// ServeHTTP answers a request for the console.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	protect(w.Header(), r)
	most := int64(maxForm)
	if isChatFile(r) {
		most = chat.MaxFile + 1
	}
	r.Body = http.MaxBytesReader(w, intake.Body(r), most)
	if inPage(r) {
		w = &insidePage{w}
	}
	if !isChatFile(r) && !c.readForm(w, r) {
		return
	}
	c.routes.ServeHTTP(w, r)
}

// formTimeout bounds how long a form may take to arrive.
const formTimeout = 10 * time.Second

// readForm reads the form of a request, if it has one. It answers a request whose form has not come whole, or for
// which there is no room now, and returns false. What else may be wrong with a form, its page says.
func (c *Console) readForm(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodPost || r.ContentLength > maxForm { // a page says that it is too large
		return true
	}
	// Where the server supports no deadlines, it has its own.
	if control := http.NewResponseController(w); control.SetReadDeadline(time.Now().Add(formTimeout)) == nil {
		defer control.SetReadDeadline(time.Time{})
	}
	switch err := r.ParseForm(); {
	case errors.Is(err, intake.ErrFull):
		w.Header().Set("Retry-After", strconv.Itoa(intake.RetryAfter))
		c.fail(w, r, http.StatusServiceUnavailable, "fail.busy")
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, io.ErrUnexpectedEOF):
		c.fail(w, r, http.StatusBadRequest, "fail.form")
	default:
		return true
	}
	return false
}

// inPage tells whether the page's script has sent the form, and stays if it is not
// told to go elsewhere.
func inPage(r *http.Request) bool { return r.Header.Get("Console-Form") != "" }

// insidePage answers a form that was sent so: a script does not see where a
// redirect leads to.
type insidePage struct{ http.ResponseWriter }

func (w *insidePage) WriteHeader(status int) {
	if to := w.Header().Get("Location"); status == http.StatusSeeOther && to != "" {
		w.Header().Del("Location")
		w.Header().Set("Console-Location", to)
		status = http.StatusOK
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for [http.ResponseController].
func (w *insidePage) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// away is one for the process: it is the same whatever is configured. It is made when the first page is asked for
// before the database has been reached.
var away = sync.OnceValue(func() http.Handler {
	c := &Console{logger: zap.NewNop(), words: allWords(time.Now)}
	c.pages = parsePages(c.words, "failure")
	mux := http.NewServeMux()
	mux.Handle("GET /assets/{name}", assets)
	mux.HandleFunc("/", c.unavailable)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protect(w.Header(), r)
		mux.ServeHTTP(w, r)
	})
})

// ServeAway answers in place of a console whose database has not been reached yet: it
// says so on every page, which tries again by itself.
func ServeAway(w http.ResponseWriter, r *http.Request) { away().ServeHTTP(w, r) }

// table is the routes, and a list of their patterns, by which a test goes to each.
type table struct {
	mux      *http.ServeMux
	patterns []string
	sessions sessions
}

// Handle adds a route for everybody, which has no session.
func (t *table) Handle(pattern string, handler http.Handler) {
	t.patterns = append(t.patterns, pattern)
	t.mux.Handle(pattern, handler)
}

// HandleFunc adds a route that has a session. What is for operators stands behind signedIn or admin.
func (t *table) HandleFunc(pattern string, handler http.HandlerFunc) {
	t.Handle(pattern, t.sessions.loaded(handler))
}

func (t *table) ServeHTTP(w http.ResponseWriter, r *http.Request) { t.mux.ServeHTTP(w, r) }

// Patterns are those of all routes of a console, as [http.ServeMux] reads them.
func Patterns() []string { return new(Console).table().patterns }

func (c *Console) table() *table {
	mux := &table{mux: http.NewServeMux(), sessions: c.sessions}
	mux.Handle("GET /assets/{name}", assets)
	mux.Handle("GET /worker.js", worker)

	mux.HandleFunc("GET /setup", c.showSetup)
	mux.HandleFunc("POST /setup", c.setUp)
	mux.HandleFunc("GET /password", c.showNewPassword)
	mux.HandleFunc("POST /password", c.setNewPassword)
	mux.HandleFunc("GET /sign-in", c.showSignIn)
	mux.HandleFunc("POST /sign-in", c.signIn)
	mux.HandleFunc("POST /sign-out", c.signOut)
	mux.HandleFunc("POST /language", c.chooseLanguage)

	mux.HandleFunc("GET /{$}", c.signedIn(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/visitors", http.StatusSeeOther)
	}))
	mux.HandleFunc("GET /visitors", c.signedIn(c.showVisitors))
	mux.HandleFunc("GET /visitors/{site}/{visitor}", c.signedIn(c.showCard))
	mux.HandleFunc("GET /leads", c.signedIn(c.showLeads))
	mux.HandleFunc("GET /leads/refused", c.signedIn(c.showRefused))
	mux.HandleFunc("POST /leads/refused", c.signedIn(c.takeOverAll))
	mux.HandleFunc("POST /leads/refused/{site}/{refused}", c.signedIn(c.takeOver))
	mux.HandleFunc("GET /leads/{site}/{lead}", c.signedIn(c.showLead))
	mux.HandleFunc("GET /leads/{site}/{lead}/text", c.signedIn(c.sendLead))
	mux.HandleFunc("GET /leads/refused/{site}/{refused}/text", c.signedIn(c.sendRefused))
	mux.HandleFunc("POST /leads/read", c.signedIn(c.readLeads))
	mux.HandleFunc("GET /leads/forms", c.signedIn(c.showForms))
	mux.HandleFunc("POST /leads/forms/{site}", c.admin(c.captureForm))
	mux.HandleFunc("GET /leads/export", c.signedIn(c.exportLeads))
	mux.HandleFunc("POST /leads/state/{site}/{lead}", c.signedIn(c.work(c.setLeadState, "")))
	mux.HandleFunc("POST /leads/owner/{site}/{lead}", c.signedIn(c.work(c.giveLead, "")))
	mux.HandleFunc("POST /leads/notes/{site}/{lead}", c.signedIn(c.work(c.addNote, "")))
	mux.HandleFunc("POST /leads/parts/{site}/{lead}", c.signedIn(c.work(c.mergeLead, "lead.mergeDone")))
	mux.HandleFunc("POST /leads/parts/{site}/{lead}/removal", c.signedIn(c.work(c.splitLead, "lead.splitDone")))
	mux.HandleFunc("GET /chats", c.signedIn(c.showChats))
	mux.HandleFunc("GET /chats/{site}/{conversation}", c.signedIn(c.showChat))
	mux.HandleFunc("GET /chats/{site}/{conversation}/messages", c.signedIn(c.showEntries))
	mux.HandleFunc("GET /chats/{site}/{conversation}/messages/{message}", c.signedIn(c.sendMessage))
	mux.HandleFunc("POST /chats/{site}/{conversation}/messages", c.signedIn(c.sayChat))
	mux.HandleFunc("POST /chats/{site}/{conversation}/files", c.signedIn(c.sendChatFile))
	mux.HandleFunc("GET /chats/{site}/{conversation}/files/{file}", c.signedIn(c.showChatFile))
	mux.HandleFunc("POST /chats/{site}/{conversation}/read", c.signedIn(c.readChat))
	mux.HandleFunc("POST /chats/{site}/{conversation}/typing", c.signedIn(c.typeChat))
	mux.HandleFunc("POST /chats/{site}/{conversation}/work", c.signedIn(c.workChat))
	mux.HandleFunc("GET /calls", c.signedIn(c.showCalls))
	mux.HandleFunc("GET /callbacks", c.signedIn(c.showCallbacks))
	mux.HandleFunc("GET /callbacks/new", c.signedIn(c.showNewCallback))
	mux.HandleFunc("POST /callbacks", c.signedIn(c.makeCallback))
	mux.HandleFunc("GET /callbacks/{site}/{callback}", c.signedIn(c.showCallback))
	mux.HandleFunc("POST /callbacks/{site}/{callback}/call", c.signedIn(c.callbackDeed(c.callNow, "callback.calling")))
	mux.HandleFunc("POST /callbacks/{site}/{callback}/postponement", c.signedIn(c.callbackDeed(c.postponeCallback, "callback.postponed")))
	mux.HandleFunc("POST /callbacks/{site}/{callback}/closing", c.signedIn(c.callbackDeed(c.closeCallback, "callback.closed")))
	mux.HandleFunc("GET /numbers", c.signedIn(c.showNumbers))
	mux.HandleFunc("GET /numbers/pools", c.signedIn(c.showPools))
	mux.HandleFunc("GET /numbers/{site}/new", c.admin(c.showNewNumber))
	mux.HandleFunc("GET /numbers/{site}/who", c.signedIn(c.showWho))
	mux.HandleFunc("GET /numbers/{site}/{number}", c.signedIn(c.showNumber))
	mux.HandleFunc("POST /numbers/{site}", c.admin(c.changeNumber))
	mux.HandleFunc("POST /numbers/{site}/{number}/removal", c.admin(c.removeNumber))
	mux.HandleFunc("GET /pools/{site}/new", c.admin(c.showNewPool))
	mux.HandleFunc("GET /pools/{site}/{pool}", c.signedIn(c.showPool))
	mux.HandleFunc("POST /pools/{site}", c.admin(c.changePool))
	mux.HandleFunc("POST /pools/{site}/{pool}/removal", c.admin(c.removePool))
	mux.HandleFunc("GET /stream/{view}", c.signedIn(c.stream))

	mux.HandleFunc("GET /account", c.signedIn(c.showAccount))
	mux.HandleFunc("POST /account/password", c.signedIn(c.changePassword))
	mux.HandleFunc("POST /account/away", c.signedIn(c.setAway))

	mux.HandleFunc("GET /sites", c.admin(c.showSites))
	mux.HandleFunc("POST /sites", c.chief(c.addSite))
	mux.HandleFunc("GET /sites/{site}", c.admin(c.showSite))
	mux.HandleFunc("GET /sites/{site}/settings", c.admin(c.showSettings))
	mux.HandleFunc("POST /sites/{site}/settings", c.admin(c.changeSettings))
	mux.HandleFunc("GET /sites/{site}/widget", c.admin(c.showWidget))
	mux.HandleFunc("POST /sites/{site}/widget", c.admin(c.changeWidget))
	mux.HandleFunc("POST /sites/{site}/widget/look", c.admin(c.lookWidget))
	mux.HandleFunc("GET /sites/{site}/widget/stage", c.admin(c.showStage))
	mux.HandleFunc("POST /sites/{site}/retired", c.admin(c.retireSite))
	mux.HandleFunc("GET /sites/{site}/deliveries", c.admin(c.showDeliveries))
	mux.HandleFunc("GET /sites/{site}/endpoints/new", c.admin(c.showNewEndpoint))
	mux.HandleFunc("POST /sites/{site}/endpoints", c.admin(c.changeEndpoint))
	mux.HandleFunc("GET /sites/{site}/endpoints/{endpoint}", c.admin(c.showEndpoint))
	mux.HandleFunc("POST /sites/{site}/endpoints/{endpoint}/test", c.admin(c.testEndpoint))
	mux.HandleFunc("POST /sites/{site}/endpoints/{endpoint}/paused", c.admin(c.pauseEndpoint))
	mux.HandleFunc("POST /sites/{site}/endpoints/{endpoint}/secret", c.admin(c.rotateSecret))
	mux.HandleFunc("POST /sites/{site}/endpoints/{endpoint}/again", c.admin(c.sendAgain))
	mux.HandleFunc("POST /sites/{site}/endpoints/{endpoint}/failed", c.admin(c.sendFailedAgain))
	mux.HandleFunc("POST /sites/{site}/endpoints/{endpoint}/removal", c.admin(c.removeEndpoint))
	mux.HandleFunc("GET /sites/{site}/groups", c.admin(c.showGroups))
	mux.HandleFunc("GET /sites/{site}/groups/new", c.admin(c.showNewGroup))
	mux.HandleFunc("POST /sites/{site}/groups", c.admin(c.keepGroup))
	mux.HandleFunc("GET /sites/{site}/groups/{group}", c.admin(c.showGroup))
	mux.HandleFunc("POST /sites/{site}/groups/{group}/removal", c.admin(c.removeGroup))
	mux.HandleFunc("GET /sites/{site}/replies", c.admin(c.showReplies))
	mux.HandleFunc("POST /sites/{site}/replies", c.admin(c.keepReply))
	mux.HandleFunc("POST /sites/{site}/replies/{reply}/removal", c.admin(c.removeReply))
	mux.HandleFunc("GET /operators", c.admin(c.showOperators))
	mux.HandleFunc("POST /operators", c.admin(c.addOperator))
	mux.HandleFunc("GET /operators/{operator}", c.admin(c.showOperator))
	mux.HandleFunc("POST /operators/{operator}", c.admin(c.editOperator))
	mux.HandleFunc("POST /operators/{operator}/sites", c.admin(c.setOperatorSites))
	mux.HandleFunc("POST /operators/{operator}/disabled", c.admin(c.setDisabled))
	mux.HandleFunc("POST /operators/{operator}/password", c.admin(c.resetPassword))
	mux.HandleFunc("POST /operators/{operator}/removal", c.admin(c.removeOperator))
	mux.HandleFunc("GET /history", c.admin(c.showHistory))
	mux.HandleFunc("GET /person", c.admin(c.showPerson))
	mux.HandleFunc("GET /person/{site}/{visitor}", c.admin(c.showPersonOf))
	mux.HandleFunc("POST /person", c.admin(c.lookAtPerson))
	mux.HandleFunc("POST /person/export", c.admin(c.exportPerson))
	mux.HandleFunc("POST /person/erasure", c.admin(c.erasePerson))

	missing := func(w http.ResponseWriter, r *http.Request) { c.fail(w, r, http.StatusNotFound, "fail.notFound") }
	inside := c.signedIn(missing)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if c.sessions.of(r).GetInt64(r.Context(), sessionOperator) == 0 {
			missing(w, r)
			return
		}
		inside(w, r)
	})
	return mux
}

// protect sets the headers of every answer: nothing of the console is framed,
// cached, or allowed to run anything but its own files.
func protect(h http.Header, r *http.Request) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "+
		"manifest-src 'self'; worker-src 'self'; "+
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	// With no-referrer, browsers send "Origin: null" with a form over plain HTTP, and
	// the form would be refused as another site's.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	h.Set("X-Robots-Tag", "noindex, nofollow")
	h.Set("Cache-Control", "no-store")
	if secure(r) {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}
