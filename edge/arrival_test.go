package edge

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/attribution"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/edge/effect"
)

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

// pooled are settings in which each visitor from an advertisement sees another number, and the readers of the
// newsletter share one.
func pooled() effect.Settings {
	return effect.Settings{Prerender: "dynamic", Numbers: []Number{{Number: "74951234567", Tracking: []Tracking{
		{Static: "74957650001", When: []string{"utm_source=news"}},
		{Dynamic: []string{"74957650011", "74957650012", "74957650013"}, When: []string{"utm_medium=cpc"}},
	}}}}
}

// onEach runs the test on both database engines, behind a shop that is tracked.
func onEach(t *testing.T, settings func() effect.Settings, origin effect.Next, test func(t *testing.T, f *front)) {
	t.Helper()
	for engine, database := range map[string]func(testing.TB) db.Settings{db.SQLite: dbtest.SQLite, db.Postgres: dbtest.Postgres} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			f := serveOn(t, settings(), database(t), origin)
			f.edge.patience = time.Minute // the machine may be busy
			test(t, f.ready())
		})
	}
}

// desk returns the service behind the pages.
func (f *front) desk() *backend.Desk {
	f.t.Helper()
	desk, done, err := f.edge.Service.Use()
	require.NoError(f.t, err)
	f.t.Cleanup(done)
	return desk
}

// count returns the result of a query that counts.
func (f *front) count(query string, args ...any) int {
	f.t.Helper()
	n, _, err := db.One(f.t.Context(), f.desk().DB.Read(), db.Only[int], query, args...)
	require.NoError(f.t, err)
	return n
}

// browser keeps cookies and goes from page to page.
type browser struct {
	*front
	cookie string
	from   string // the page before
}

func (f *front) browser() *browser { return &browser{front: f} }

// opened is a page in the browser.
type opened struct {
	answer
	visit struct {
		View    string
		SiteKey string `json:"site_key"`
		Key     string
		URI     string
		Visitor int64 `json:"visitor_id"`
		Hit     int64 `json:"hit_id"`
		Session int64 `json:"session_id"`
		Numbers *[]record
	}
	address string
	raw     json.RawMessage // the numbers as they stand in the page
}

var (
	visitBlock = regexp.MustCompile(`<script type="application/json" data-svc-visit>([^<]*)</script>`)
	written    = regexp.MustCompile(`8 \(495\) (\d{3}-\d\d-\d\d)`)
)

// navigation are the headers that browsers send when their users open a page.
var navigation = []string{
	"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "Sec-Fetch-User", "?1", "Accept", "text/html,*/*;q=0.8", "User-Agent", firefox, "Accept-Language", "ru",
}

// open opens a page. headers replace those of a navigation; an empty one is not sent.
func (b *browser) open(path string, headers ...string) opened {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.address+path, nil)
	require.NoError(b.t, err)
	for _, list := range [][]string{navigation, {"Cookie", b.cookie, "Referer", b.from}, headers} {
		for i := 0; i < len(list); i += 2 {
			if r.Header.Set(list[i], list[i+1]); list[i+1] == "" {
				r.Header.Del(list[i])
			}
		}
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	require.NoError(b.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(b.t, err)
	p := opened{answer: answer{response, string(body)}, address: b.address + path}
	if block := visitBlock.FindStringSubmatch(p.body); block != nil {
		require.NoError(b.t, json.Unmarshal([]byte(block[1]), &p.visit))
		var raw struct{ Numbers json.RawMessage }
		require.NoError(b.t, json.Unmarshal([]byte(block[1]), &raw))
		p.raw = raw.Numbers
		require.Contains(b.t, p.body, block[0]+"<script>var __cs=", "in front of the code")
	}
	if set := response.Header.Get("Set-Cookie"); set != "" {
		b.cookie, _, _ = strings.Cut(set, ";")
	}
	b.from = p.address
	return p
}

// shows returns the number that the page shows.
func (p opened) shows() string {
	if found := written.FindStringSubmatch(p.body); found != nil {
		return found[1]
	}
	return ""
}

// hitAnswer is the answer to the script's report.
type hitAnswer struct {
	Visitor int64 `json:"visitor_id"`
	Hit     int64 `json:"hit_id"`
	Session int64 `json:"session_id"`
	Key     string
	URI     string
	Numbers json.RawMessage
}

// run makes the script of the page report its view, under an id of its own.
func (b *browser) run(p opened, id string) (told hitAnswer) {
	b.t.Helper()
	referrer := ""
	if p.Response != nil {
		referrer = p.Request.Referer()
	}
	body, err := json.Marshal(map[string]string{
		"site_key": "shop", "view": strings.Repeat("v", 22-len(id)) + id, "served": p.visit.View, "url": p.address, "referrer": referrer, "kind": "load", "title": "Lamps",
	})
	require.NoError(b.t, err)
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.address+"/frontdesk/v1/hit", strings.NewReader(string(body)))
	require.NoError(b.t, err)
	for name, value := range map[string]string{"Content-Type": "application/json", "User-Agent": firefox, "Cookie": b.cookie} {
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(b.t, err)
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	require.NoError(b.t, err)
	require.Equal(b.t, http.StatusOK, response.StatusCode, string(raw))
	require.NoError(b.t, json.Unmarshal(raw, &told))
	b.cookie, _, _ = strings.Cut(response.Header.Get("Set-Cookie"), ";")
	return told
}

// joined says that the answer is about the page's own view and brings no other numbers.
func joined(t *testing.T, p opened, told hitAnswer) {
	t.Helper()
	require.NotEmpty(t, p.visit.Hit)
	require.Equal(t, []int64{p.visit.Visitor, p.visit.Hit, p.visit.Session}, []int64{told.Visitor, told.Hit, told.Session})
	require.Equal(t, []string{p.visit.Key, p.visit.URI}, []string{told.Key, told.URI})
	sameNumbers(t, p.raw, told.Numbers)
}

// sameNumbers says that the records are of the same numbers.
func sameNumbers(t *testing.T, some, others json.RawMessage) {
	t.Helper()
	require.Equal(t, lasting.ReplaceAllString(string(some), ""), lasting.ReplaceAllString(string(others), ""))
}

// lasting is how long a number is the visitor's. It is less before the script has reported the visitor.
var lasting = regexp.MustCompile(`"lasts":\d+,`)

// A page brings the number of its visitor, and all that a site asks of the visit. The script only goes on with them.
func TestPageBringsItsVisit(t *testing.T) {
	t.Parallel()
	onEach(t, pooled, origin, func(t *testing.T, f *front) {
		first, second := f.browser(), f.browser()
		landing := first.open("/?utm_medium=cpc")
		require.Equal(t, "765-00-11", landing.shows())
		require.Equal(t, "shop", landing.visit.SiteKey)
		require.Equal(t, f.address+"/?utm_medium=cpc", landing.visit.URI)
		require.Len(t, *landing.visit.Numbers, 1)
		require.True(t, (*landing.visit.Numbers)[0].DT)
		require.Equal(t, "private, no-cache", landing.Header.Get("Cache-Control"))
		require.Contains(t, landing.Header.Values("Vary"), "Cookie")
		require.Contains(t, landing.Header.Get("Set-Cookie"), "HttpOnly")
		require.Contains(t, landing.body, `data-svc-numbers>{"numbers":[],"replaced":[["number=74951234567","8 (495) 123-45-67","8 (495) 765-00-11"]]}`)

		other := second.open("/?utm_medium=cpc")
		require.Equal(t, "765-00-12", other.shows())
		require.NotEqual(t, landing.visit.Visitor, other.visit.Visitor)
		joined(t, landing, first.run(landing, "1"))
		joined(t, other, second.run(other, "2"))

		// The visit goes on, with scripts or without.
		next := first.open("/lamps")
		require.Equal(t, "765-00-11", next.shows())
		require.Equal(t, landing.visit.Session, next.visit.Session)
		joined(t, next, first.run(next, "3"))
		require.Equal(t, "765-00-12", second.open("/lamps").shows())
		require.Equal(t, "123-45-67", f.browser().open("/").shows(), "one who came from nowhere")
		require.Equal(t, "765-00-01", f.browser().open("/?utm_source=news").shows())

		require.Equal(t, 6, f.count(`SELECT COUNT(*) FROM views`))
		require.Equal(t, 4, f.count(`SELECT COUNT(*) FROM visits`))
		require.Equal(t, 3, f.count(`SELECT COUNT(*) FROM views WHERE title = 'Lamps'`))
		require.Equal(t, []Arrival{Whole, Whole, Whole, Whole, Whole, Whole}, f.told.arrived())
		pages, _, faults := f.told.all()
		require.Len(t, pages, 6)
		require.Empty(t, faults)
	})
}

// The page's credentials are enough for calls of the site's server, even if no script runs.
func TestCredentialsOfAPageWithoutItsScript(t *testing.T) {
	t.Parallel()
	for _, variant := range []string{"A", "B"} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			settings := func() effect.Settings {
				s := pooled()
				s.Variant = variant
				return s
			}
			onEach(t, settings, origin, func(t *testing.T, f *front) {
				p := f.browser().open("/order?utm_medium=cpc")
				form := url.Values{"name": {"Anna"}, "site_key": {"shop"}, "visitor_id": {fmt.Sprint(p.visit.Visitor)}, "hit_id": {fmt.Sprint(p.visit.Hit)}, "session_id": {fmt.Sprint(p.visit.Session)}}
				tracker := url.Values{"sk": {"shop"}, "ci": {fmt.Sprint(p.visit.Visitor)}, "hi": {fmt.Sprint(p.visit.Hit)}, "vp": {"+7 495 000-00-01"}}
				if variant == "A" {
					form["key"], form["uri"] = []string{p.visit.Key}, []string{p.visit.URI}
					tracker["k"], tracker["ur"] = form["key"], form["uri"]
				}
				for route, fields := range map[string]url.Values{"api/add_offline_message/": form, "vc/s/": tracker} {
					response, err := http.PostForm(f.address+"/frontdesk/"+route, fields)
					require.NoError(t, err)
					body, err := io.ReadAll(response.Body)
					response.Body.Close()
					require.NoError(t, err)
					require.Contains(t, string(body), `"success":true`)
				}
				require.Equal(t, 1, f.count(`SELECT COUNT(*) FROM leads WHERE visitor_id = $1 AND source_medium = 'cpc'`, p.visit.Visitor))
			})
		})
	}
}

// unseen is an origin of answers that nobody looks at, by path.
func unseen(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("ETag", `"one"`)
	switch path := r.URL.Path; path {
	case "/image":
		h.Set("Content-Type", "image/png")
	case "/json":
		h.Set("Content-Type", "application/json")
	case "/redirect":
		h.Set("Location", "/")
		w.WriteHeader(http.StatusFound)
	case "/missing":
		w.WriteHeader(http.StatusNotFound)
	case "/failed":
		w.WriteHeader(http.StatusInternalServerError)
	case "/same":
		w.WriteHeader(http.StatusNotModified)
		return nil
	case "/download":
		h.Set("Content-Disposition", "attachment")
	case "/policy":
		h.Set("Content-Security-Policy", "script-src 'none'")
	case "/fragment":
		_, err := io.WriteString(w, "<p>8 (495) 123-45-67</p>")
		return err
	case "/carrying":
		_, err := io.WriteString(w, `<!doctype html><html><head><script src="/frontdesk/svc.js"></script></head></html>`)
		return err
	}
	_, err := io.WriteString(w, shopPage)
	return err
}

// For answers that are no pages, or that nobody may look at, nothing is stored and no number is leased.
func TestWhatBeginsNoVisit(t *testing.T) {
	t.Parallel()
	settings := func() effect.Settings {
		s := pooled()
		s.Consent = &effect.Consent{Cookie: "agreed", Value: "yes"}
		return s
	}
	onEach(t, settings, unseen, func(t *testing.T, f *front) {
		for _, path := range []string{"/image", "/json", "/redirect", "/missing", "/failed", "/same", "/download", "/policy", "/fragment", "/carrying"} {
			p := f.browser().open(path+"?utm_medium=cpc", "Cookie", "agreed=yes")
			require.Empty(t, p.visit.View, path)
			require.Empty(t, p.Header.Get("Set-Cookie"), path)
			require.NotContains(t, p.body, "765-00-1", path)
		}
		for name, headers := range map[string][]string{
			"no consent":     {"Cookie", "agreed=no"},
			"prefetch":       {"Sec-Purpose", "prefetch"},
			"prerender":      {"Sec-Purpose", "prefetch;prerender"},
			"prefetch, once": {"Purpose", "prefetch"},
			"a frame":        {"Sec-Fetch-Dest", "iframe"},
			"a script":       {"Sec-Fetch-Dest", "empty", "Sec-Fetch-Mode", "cors"},
			"a crawler":      {"User-Agent", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"},
			"a program":      {"Sec-Fetch-Mode", "", "Sec-Fetch-Dest", "", "Sec-Fetch-User", "", "Accept", "*/*"},
		} {
			p := f.browser().open("/?utm_medium=cpc", append([]string{"Cookie", "agreed=yes"}, headers...)...)
			require.Empty(t, p.visit.View, name)
			require.Empty(t, p.Header.Get("Set-Cookie"), name)
			require.Equal(t, "123-45-67", p.shows(), name)
			if !slices.Contains(headers, "Sec-Fetch-Dest") {
				require.Equal(t, "765-00-01", f.browser().open("/?utm_source=news", append([]string{"Cookie", "agreed=yes"}, headers...)...).shows(), "what the address alone tells")
			}
		}
		head := f.do(http.MethodHead, "/?utm_medium=cpc", append([]string{"Cookie", "agreed=yes"}, navigation...)...)
		require.Empty(t, head.Header.Get("Set-Cookie"))
		require.Zero(t, f.count(`SELECT COUNT(*) FROM visitors`))
		require.Zero(t, f.count(`SELECT COUNT(*) FROM pool_numbers`))
		require.Equal(t, "765-00-11", f.browser().open("/?utm_medium=cpc", "Cookie", "agreed=yes").shows())
	})
}

// Browsers send Sec-Fetch headers over TLS only, and old ones never. A client that keeps the cookie is a visitor.
func TestSecondRequestIsAVisitors(t *testing.T) {
	t.Parallel()
	onEach(t, pooled, origin, func(t *testing.T, f *front) {
		b := f.browser()
		silent := []string{"Sec-Fetch-Mode", "", "Sec-Fetch-Dest", "", "Sec-Fetch-User", ""}
		first := b.open("/?utm_medium=cpc", silent...)
		require.Equal(t, "123-45-67", first.shows())
		require.Empty(t, first.visit.View)
		require.Contains(t, first.Header.Get("Set-Cookie"), "svc_v=")
		require.Equal(t, []Arrival{Stranger}, f.told.arrived())
		require.Zero(t, f.count(`SELECT COUNT(*) FROM visitors`))

		second := b.open("/?utm_medium=cpc", silent...)
		require.Equal(t, "765-00-11", second.shows())
		require.Equal(t, 6*time.Minute+30*time.Second, f.lease("74957650011").lasts().Round(10*time.Second))
		joined(t, second, b.run(second, "1"))
		require.Equal(t, "765-00-11", b.open("/lamps", silent...).shows())
	})
}

// leased is a stored lease.
type leased struct{ lease.Lease }

func (l leased) lasts() time.Duration { return l.Until.Sub(l.Begun) }

// lease returns the last lease of the number.
func (f *front) lease(digits string) leased {
	f.t.Helper()
	desk := f.desk()
	leases, err := desk.Leases.Of(f.t.Context(), desk.DB.Read(), digits, time.Now().Add(time.Second))
	require.NoError(f.t, err)
	require.NotEmpty(f.t, leases)
	return leased{leases[0]}
}

// A number that only a first page has asked for is not held for a visitor who has gone. The script confirms the lease,
// and so does the next page.
func TestLeaseOfAFirstPageIsProvisional(t *testing.T) {
	t.Parallel()
	onEach(t, pooled, origin, func(t *testing.T, f *front) {
		scripted, silent := f.browser(), f.browser()
		p := scripted.open("/?utm_medium=cpc")
		require.Equal(t, 90*time.Second, f.lease("74957650011").lasts())
		scripted.run(p, "1")
		require.GreaterOrEqual(t, f.lease("74957650011").lasts(), 6*time.Minute+30*time.Second)

		silent.open("/?utm_medium=cpc")
		require.Equal(t, 90*time.Second, f.lease("74957650012").lasts())
		silent.open("/lamps")
		require.GreaterOrEqual(t, f.lease("74957650012").lasts(), 6*time.Minute+30*time.Second)
	})
}

// A crawler that looks like a browser and keeps no cookies does not empty the pool.
func TestFirstPagesOfOneNetworkAreBounded(t *testing.T) {
	t.Parallel()
	settings := func() effect.Settings {
		s := pooled()
		s.Numbers[0].Tracking[1].Dynamic = nil
		for i := range 60 {
			s.Numbers[0].Tracking[1].Dynamic = append(s.Numbers[0].Tracking[1].Dynamic, fmt.Sprint(74957650100+i))
		}
		return s
	}
	onEach(t, settings, origin, func(t *testing.T, f *front) {
		shown := 0
		for range 50 {
			// Loopback is then a client like others.
			p := f.browser().open("/?utm_medium=cpc", "X-Forwarded-For", "192.0.2.1")
			if p.visit.View != "" {
				shown++
			} else {
				require.Equal(t, "123-45-67", p.shows())
				require.Contains(t, p.Header.Get("Set-Cookie"), "svc_v=")
			}
		}
		require.GreaterOrEqual(t, shown, 20)
		require.Less(t, shown, 50)
		require.Equal(t, shown, f.count(`SELECT COUNT(*) FROM visitors`))
	})
}

// The answer to the script and the page go by the same visits, whichever visit decides, and however the visitor came.
func TestPagesAndAnswersFollowTheSameVisits(t *testing.T) {
	t.Parallel()
	for _, model := range []attribution.Model{attribution.First, attribution.Last, attribution.LastNonDirect} {
		t.Run(string(model), func(t *testing.T) {
			t.Parallel()
			settings := func() effect.Settings {
				s := pooled()
				s.Attribution = model
				return s
			}
			onEach(t, settings, origin, func(t *testing.T, f *front) {
				const cpc, news = "/?utm_medium=cpc", "/?utm_source=news"
				for n, way := range [][]string{{cpc, "/a", news, "/b", "/c"}, {"/", news, cpc}, {news, "/a", "/b"}, {"/", "/a", cpc, "/b"}} {
					b := f.browser()
					for i, path := range way {
						if strings.Contains(path, "?") {
							b.from = ""
						}
						p := b.open(path)
						if (n+i)%2 == 0 { // scripts are blocked now and then
							joined(t, p, b.run(p, fmt.Sprint(n, "-", i)))
						}
					}
				}
			})
		})
	}
}

// dataOrigin is an origin of a page, of parts of it, and of a framework's data.
func dataOrigin(w http.ResponseWriter, r *http.Request) error {
	if strings.HasPrefix(r.URL.Path, "/_next/data/") {
		w.Header().Set("Content-Type", "application/json")
		_, err := io.WriteString(w, `{"phone":"8 (495) 123-45-67"}`)
		return err
	}
	return origin(w, r)
}

// Answers to the scripts and frames of a visitor's page show the numbers of the page, and begin no visit.
func TestPartsOfAPageShowItsVisitorsNumbers(t *testing.T) {
	t.Parallel()
	onEach(t, pooled, dataOrigin, func(t *testing.T, f *front) {
		parts := map[string][]string{
			"/frame":                      {"Sec-Fetch-Dest", "iframe"},
			"/_next/data/build/lamp.json": {"Sec-Fetch-Dest", "empty", "Sec-Fetch-Mode", "cors", "Accept", "*/*"},
			"/part":                       {"Sec-Fetch-Dest", "empty", "Sec-Fetch-Mode", "cors", "Hx-Request", "true"},
		}
		shown := func(b *browser, want string) {
			t.Helper()
			for path, headers := range parts {
				cookie, from := b.cookie, b.from
				p := b.open(path, headers...)
				require.Equal(t, want, p.shows(), path)
				require.Empty(t, p.visit.View)
				require.Empty(t, p.Header.Get("Set-Cookie"))
				if b.cookie != "" {
					require.Contains(t, p.Header.Get("Cache-Control"), "private")
					require.Empty(t, p.Header.Get("ETag"))
				}
				b.cookie, b.from = cookie, from
			}
		}
		b := f.browser()
		shown(b, "123-45-67")
		require.Equal(t, "765-00-11", b.open("/?utm_medium=cpc").shows())
		shown(b, "765-00-11")
		other := f.browser()
		other.open("/?utm_source=news")
		shown(other, "765-00-01")
		third := f.browser()
		third.cookie = "svc_v=forged"
		shown(third, "123-45-67")
		require.Equal(t, 2, f.count(`SELECT COUNT(*) FROM views`))
		require.Equal(t, 1, f.count(`SELECT COUNT(*) FROM pool_numbers WHERE visitor_id <> 0`))
	})
}

// A page from a cache, the browser's own or another private one, is a view of its own.
func TestPageOutOfACache(t *testing.T) {
	t.Parallel()
	onEach(t, pooled, origin, func(t *testing.T, f *front) {
		b := f.browser()
		p := b.open("/?utm_medium=cpc")
		joined(t, p, b.run(p, "1"))
		again := b.run(p, "2")
		require.Equal(t, p.visit.Visitor, again.Visitor)
		require.NotEqual(t, p.visit.Hit, again.Hit)
		sameNumbers(t, p.raw, again.Numbers)

		other := f.browser()
		other.open("/")
		cached := other.run(p, "3")
		require.NotEqual(t, p.visit.Visitor, cached.Visitor)
		without := f.browser().run(p, "4")
		require.NotContains(t, []int64{p.visit.Visitor, cached.Visitor}, without.Visitor)
		require.Contains(t, string(cached.Numbers), "74957650012")
		require.Contains(t, string(without.Numbers), "74957650013")
	})
}

// Numbers in a framework's data are replaced together with those in the text, if the lengths are the same.
func TestVisitorsNumberInAllWritings(t *testing.T) {
	t.Parallel()
	const hydrated = `<!doctype html><html><head><title>Lamps</title></head><body><a href="tel:+74951234567" title="+7 495 123-45-67">8 (495) <b>123</b>-45-67</a>` +
		`<script id="__NEXT_DATA__" type="application/json">{"phone":"+7 (495) 123-45-67","plain":"74951234567"}</script></body></html>`
	onEach(t, pooled, func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, err := io.WriteString(w, hydrated)
		return err
	}, func(t *testing.T, f *front) {
		for _, last := range []string{"11", "12"} {
			body := f.browser().open("/?utm_medium=cpc").body
			for _, want := range []string{`tel:+749576500` + last, `title="+7 495 765-00-` + last, `"+7 (495) 765-00-` + last, `"749576500` + last} {
				require.Contains(t, body, want)
			}
			body = body[strings.Index(body, "<body>"):]
			body, _, _ = strings.Cut(body, `<script type="application/json" data-svc-numbers>`)
			require.NotContains(t, body, "1234567")
		}
	})
}
