package edge

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/api/tracker"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/edge/effect"
	"github.com/seed-3405227d/frontdesk/edge/post"
	"github.com/seed-3405227d/frontdesk/snippet/page"
)

func TestMain(m *testing.M) {
	tracker.NumbersTime = wait
	// What the tests count, the list of what reports have to look at, and the visits that are kept no longer.
	dbtest.MainBySite(m, "SELECT COUNT(*) FROM ", "SELECT site_id, kind, id, day, times FROM report_due ",
		"SELECT site_id, id, visitor_id, views FROM visits WHERE last_at < ")
}

// Tests wait up to wait for things that happen in the background, and look at them every tick.
const (
	wait = time.Minute
	tick = 10 * time.Millisecond
)

const shopPage = `<!doctype html><html><head><title>Lamps</title></head><body><p>8 (495) 123-45-67</p></body></html>`

// front is a server with one block, in front of an origin that has one page.
type front struct {
	t       testing.TB
	edge    *Edge
	block   *Block
	told    *told
	address string
	named   []string      // the keys that the configuration names
	hosts   []string      // the hosts at which it serves the site
	ending  chan struct{} // of the configuration
}

// The settings of numbers, as tests write them.
type (
	Number   = number.Number
	Tracking = number.Tracking
	Picture  = number.Picture
)

// told is what an observer has received.
type told struct {
	mu       sync.Mutex
	pages    []page.Outcome
	passed   []string
	faults   []string
	arrivals []Arrival
}

func (o *told) Form(post.FormOutcome)   {}
func (o *told) Found(post.FoundOutcome) {}

func (o *told) Arrived(a Arrival) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.arrivals = append(o.arrivals, a)
}

// arrived takes the arrivals that were received.
func (o *told) arrived() (arrivals []Arrival) {
	o.mu.Lock()
	defer o.mu.Unlock()
	arrivals, o.arrivals = o.arrivals, nil
	return arrivals
}

func (o *told) Page(_ string, r page.Result) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pages = append(o.pages, r.Outcome)
}

func (o *told) Passed(reason string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.passed = append(o.passed, reason)
}

func (o *told) Fault(place string, _ any, _ []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.faults = append(o.faults, place)
}

// all takes everything that was received.
func (o *told) all() (pages []page.Outcome, passed, faults []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	pages, passed, faults = o.pages, o.passed, o.faults
	o.pages, o.passed, o.faults = nil, nil, nil
	return pages, passed, faults
}

// serve runs the block on a SQLite database. A request's header Site is its site's key. Without the header, it is
// "shop".
func serve(t testing.TB, settings effect.Settings) *front {
	t.Helper()
	return serveOn(t, settings, dbtest.SQLite(t), origin)
}

// serveOn does what serve does, on the given database and in front of the given origin.
func serveOn(t testing.TB, settings effect.Settings, database db.Settings, origin effect.Next) *front {
	t.Helper()
	f := &front{t: t, told: new(told), named: []string{"shop"}, ending: make(chan struct{})}
	service := backend.New(database, zap.NewNop(), nil)
	t.Cleanup(func() { require.NoError(t, service.Close()) })
	f.edge = New(Subjects{Observer: f.told, Shared: &effect.Shared{
		Service: service, Pictures: new(effect.Pictures), Logger: zap.NewNop(), Fault: f.told.Fault,
		Pools:  func() number.ConfiguredPools { return number.ConfiguredPools{} },
		Names:  func(key string) bool { return strings.Contains(strings.Join(f.named, " "), key) && key != "" },
		Hosts:  func(string) []string { return f.hosts },
		Ending: f.ending,
	}})
	f.configure(settings)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Site")
		if key == "" {
			key = "shop"
		}
		err := f.block.Serve(w, r, &effect.Request{Key: key, URL: r.URL, Client: r.Header.Get("Client")}, func() bool { return r.URL.Path != "/untracked" }, origin)
		require.NoError(t, err)
	}))
	t.Cleanup(server.Close)
	f.address = server.URL
	return f
}

// configure has the front serve a block of the settings.
func (f *front) configure(settings effect.Settings) {
	f.t.Helper()
	require.NoError(f.t, settings.Complete())
	var err error
	f.block, err = f.edge.Add(settings)
	require.NoError(f.t, err)
}

func origin(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=60")
	_, err := io.WriteString(w, shopPage)
	return err
}

// ready starts the service and waits for it.
func (f *front) ready() *front {
	f.t.Helper()
	f.edge.Service.Start(backend.Configuration{Sites: f.named})
	require.Eventually(f.t, f.edge.Service.Ready, wait, tick)
	return f
}

type answer struct {
	*http.Response
	body string
}

func (f *front) do(method, path string, headers ...string) answer {
	f.t.Helper()
	r, err := http.NewRequestWithContext(f.t.Context(), method, f.address+path, nil)
	require.NoError(f.t, err)
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Add(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(f.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(f.t, err)
	return answer{response, string(body)}
}

func (f *front) get(path string, headers ...string) answer {
	f.t.Helper()
	return f.do(http.MethodGet, path, headers...)
}

// numbered are settings with a tracking number for visitors from a newsletter.
func numbered() effect.Settings {
	return effect.Settings{Prerender: "static", Numbers: []Number{{
		Number:   "74951234567",
		Pictures: []Picture{{Place: "img"}},
		Tracking: []Tracking{{Static: "74957650001", When: []string{"utm_source=news"}}},
	}}}
}

func TestWaysOfARequest(t *testing.T) {
	f := serve(t, numbered()).ready()
	require.Contains(t, f.get("/").body, `["setCsAccount","shop"]`)
	require.Contains(t, f.get("/?utm_source=news").body, "8 (495) 765-00-01")
	require.Equal(t, shopPage, f.get("/untracked").body)
	pages, passed, faults := f.told.all()
	require.Equal(t, []page.Outcome{page.Woven, page.Woven}, pages)
	require.Empty(t, passed, "what the configuration leaves out has no reason")
	require.Empty(t, faults)

	require.Equal(t, shopPage, f.get("/", "Site", "nobody").body)
	require.Equal(t, shopPage, f.get("/frontdesk/svc.js", "Site", "nobody").body, "what is under the prefix of no site is the origin's")
	require.Equal(t, shopPage, f.get("/", "Site", "no key!").body)
	_, passed, _ = f.told.all()
	require.Equal(t, []string{unknownSite, unknownSite}, passed)
}

func TestRoutes(t *testing.T) {
	f := serve(t, numbered()).ready()
	for path, contentType := range map[string]string{
		"/frontdesk/svc.js":    "text/javascript; charset=utf-8",
		"/frontdesk/v1/status": "application/json; charset=utf-8",
	} {
		got := f.get(path + "?k=shop")
		require.Equal(t, http.StatusOK, got.StatusCode, path)
		require.Equal(t, contentType, got.Header.Get("Content-Type"))
	}
	for _, nothing := range []string{
		"", "v1", "v1/", "v1/hit/", "v1/none", "svc.js/", "phone", "phone/", "phone/none.svg", "phone/a/b.svg", "assets/", "assets/none.js",
		"api/add_offline_message/more", "vc/s/more", "%2e%2e", "v1%2Fstatus",
	} {
		got := f.get("/frontdesk/" + nothing)
		require.Equal(t, http.StatusNotFound, got.StatusCode, nothing)
	}
	for method, path := range map[string]string{http.MethodPost: "svc.js", http.MethodDelete: "assets/a.js", http.MethodPut: "phone/a.svg", http.MethodPatch: "v1/status"} {
		got := f.do(method, "/frontdesk/"+path)
		require.Equal(t, http.StatusMethodNotAllowed, got.StatusCode, path)
		require.Contains(t, got.Header.Get("Allow"), "GET")
		require.Contains(t, got.body, `"code":"method_not_allowed"`)
		require.Equal(t, "no-store", got.Header.Get("Cache-Control"))
	}
}

// If the configuration names the site, its numbers need no database: they are replaced before the database is there.
// The script is left out, since it would have nobody to call.
func TestNumbersWithoutADatabase(t *testing.T) {
	f := serve(t, numbered())
	got := f.get("/?utm_source=news")
	require.Equal(t, strings.Replace(shopPage, "8 (495) 123-45-67", "8 (495) 765-00-01", 1), got.body)
	require.Equal(t, "private, max-age=60", got.Header.Get("Cache-Control"), "nobody else is to see it")
	require.Contains(t, got.Header.Get("Set-Cookie"), "svc_src=")
	require.Equal(t, shopPage, f.get("/").body)
	require.Equal(t, shopPage, f.get("/?utm_source=news", "Site", "nobody").body)
	pages, passed, _ := f.told.all()
	require.Equal(t, []page.Outcome{notReady, notReady}, pages)
	require.Equal(t, []string{notReady}, passed)

	require.Equal(t, http.StatusOK, f.get("/frontdesk/svc.js").StatusCode)
	unavailable := f.get("/frontdesk/v1/status?k=shop")
	require.Equal(t, http.StatusServiceUnavailable, unavailable.StatusCode)
	require.Equal(t, "5", unavailable.Header.Get("Retry-After"))
	require.Contains(t, unavailable.body, `"code":"unavailable"`)

	f.ready()
	require.Contains(t, f.get("/?utm_source=news").body, "__cs")
}

func TestFaultsLeaveThePage(t *testing.T) {
	f := serve(t, numbered()).ready()
	known, err := f.edge.Site(t.Context(), "shop")
	require.NoError(t, err)
	shop, err := f.block.For(known, true)
	require.NoError(t, err)
	shop.Consent.Cookie, shop.Consent.Value, shop.Script = "agreed", new(regexp.Regexp), nil // faults
	require.Contains(t, f.get("/?utm_source=news", "Cookie", "agreed=1").body, "8 (495) 123-45-67", "the page is the neutral one")
	require.Equal(t, http.StatusInternalServerError, f.get("/frontdesk/svc.js").StatusCode)
	f.block.Defaults = nil
	f.edge.Names = nil
	require.Equal(t, shopPage, f.get("/", "Site", "other").body)
	_, _, faults := f.told.all()
	require.Equal(t, []string{"choosing numbers", "answering"}, faults)
}

// The settings of a site stand above the block's, on whichever node they are set, and without another request.
func TestSettingsOfASite(t *testing.T) {
	f := serve(t, numbered()).ready()
	desk, done, err := f.edge.Service.Use()
	require.NoError(t, err)
	defer done()
	change := func(version int64, s site.Settings) {
		t.Helper()
		require.NoError(t, desk.Sites.Refresh(t.Context()))
		_, err := desk.Sites.Change(t.Context(), "shop", version, s, "anna")
		require.NoError(t, err)
	}
	const news = "/?utm_source=news"
	script := f.get("/frontdesk/svc.js").body
	require.NotContains(t, script, "agreed")

	mask, on, off := "+49 ### ######", true, "off"
	change(0, site.Settings{PhoneMask: &mask, DynamicalReplacement: &on})
	got := f.get(news).body
	require.Contains(t, got, `["setUIPhoneMaskFormat","+49 ### ######"]`)
	require.Contains(t, got, `["setDynamicalReplacement",true]`)
	require.Contains(t, got, "8 (495) 765-00-01", "what is not set stays the block's")

	change(1, site.Settings{Prerender: &off, Consent: &site.Consent{Cookie: "agreed", Value: "yes"}, Origins: []string{"https://m.shop.example"}})
	got = f.get(news).body
	require.NotContains(t, got, "setUIPhoneMaskFormat")
	require.Contains(t, got, "8 (495) 123-45-67")
	require.Contains(t, f.get("/frontdesk/svc.js").body, "agreed")
	cross := f.do(http.MethodOptions, "/frontdesk/v1/hit", "Origin", "https://m.shop.example", "Access-Control-Request-Method", "POST")
	require.Equal(t, "https://m.shop.example", cross.Header.Get("Access-Control-Allow-Origin"))

	change(2, site.Settings{})
	require.Contains(t, f.get(news).body, "8 (495) 765-00-01")
	require.Equal(t, script, f.get("/frontdesk/svc.js").body)
}
