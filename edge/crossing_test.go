package edge

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/edge/effect"
)

const lamps = "https://lamps.example/birch?size=2"

// crossed returns a visitor's cookie, and the token of a link to another domain of the site.
func (f *front) crossed(name string) (token, cookie string) {
	f.t.Helper()
	answer, cookie := f.call("hit", viewOf(name, f.address+"/?utm_source=news", ""))
	var credentials map[string]any
	require.NoError(f.t, json.Unmarshal(answer, &credentials))
	answer, _ = f.call("crossing", map[string]any{"credentials": credentials}, cookie)
	var told struct{ Crossing string }
	require.NoError(f.t, json.Unmarshal(answer, &told))
	require.NotEmpty(f.t, told.Crossing)
	return told.Crossing, cookie
}

// The address of a page that a link of another domain of the site has led to has the visitor in it. The browser gets the
// visitor's cookie and the address without that, and neither the origin nor caches see it.
func TestVisitorFromAnotherDomain(t *testing.T) {
	for engine, database := range map[string]func(testing.TB) db.Settings{db.SQLite: dbtest.SQLite, db.Postgres: dbtest.Postgres} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			settings := effect.Settings{Origins: []string{"https://lamps.example"}, Consent: &effect.Consent{Cookie: "agreed"}}
			f := serveOn(t, settings, database(t), origin)
			f.edge.patience = wait // the machine may be busy
			f.ready()
			settings.Consent = nil
			f.configure(settings)
			token, visitor := f.crossed("1")
			arrive := func(token string, headers ...string) opened {
				t.Helper()
				p := f.browser().open("/birch?svc_crossing="+token+"&size=2&", append([]string{"Referer", lamps}, headers...)...)
				require.Equal(t, http.StatusSeeOther, p.StatusCode)
				require.Equal(t, "/birch?size=2&", p.Header.Get("Location"))
				require.Equal(t, "no-store", p.Header.Get("Cache-Control"))
				require.Empty(t, p.Header.Get("Referrer-Policy"), "the page is to know where its visitor comes from")
				return p
			}
			nobody := func(why, token string, headers ...string) {
				t.Helper()
				require.Empty(t, arrive(token, headers...).Header.Values("Set-Cookie"), why)
			}
			nobody("no token", "x")
			nobody("a link that was shared", token, "Referer", "")
			nobody("a link on a stranger's page", token, "Referer", "https://evil.example/")
			nobody("another browser", token, "User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:139.0) Gecko/20100101 Firefox/139.0")
			nobody("a page that is fetched ahead", token, "Sec-Purpose", "prefetch")
			nobody("a request of a script", token, "Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty")
			nobody("a frame", token, "Sec-Fetch-Dest", "iframe")
			_, _, known := f.hit("2", f.address+"/", "")
			nobody("who is known stays who he is", token, "Cookie", known)

			there := arrive(token)
			set, err := http.ParseSetCookie(there.Header.Get("Set-Cookie"))
			require.NoError(t, err)
			require.Equal(t, visitor, set.Name+"="+set.Value)
			require.True(t, set.HttpOnly)
			nobody("the link was used", token)

			// Before consent nobody is taken over. The address is made clean all the same.
			token, _ = f.crossed("3")
			settings.Consent = &effect.Consent{Cookie: "agreed"}
			f.configure(settings)
			nobody("no consent", token)
			require.NotEmpty(t, arrive(token, "Cookie", "agreed=yes").Header.Get("Set-Cookie"))
			require.Equal(t, http.StatusOK, f.do(http.MethodHead, "/?svc_crossing="+token).StatusCode, "only pages that are opened")
		})
	}
}

// Where pages show numbers by source, the browser remembers the source on the other domain too.
func TestSourceFromAnotherDomain(t *testing.T) {
	settings := numbered()
	settings.Origins = []string{"https://lamps.example"}
	f := serve(t, settings)
	f.edge.patience = wait
	f.ready()
	token, visitor := f.crossed("1")
	b := f.browser()
	there := b.open("/birch?svc_crossing="+token, "Referer", lamps)
	var cookies []string
	for _, cookie := range there.Cookies() {
		cookies = append(cookies, cookie.Name+"="+cookie.Value)
	}
	require.Len(t, cookies, 2)
	require.Equal(t, visitor, cookies[1])
	b.cookie = strings.Join(cookies, "; ")
	require.Equal(t, "765-00-01", b.open("/birch", "Referer", lamps).shows())
	b.cookie = visitor
	require.Equal(t, "123-45-67", b.open("/birch", "Referer", lamps).shows(), "but for that cookie")
}

// The script brings visitors along where the site has several domains.
func TestScriptKnowsTheDomains(t *testing.T) {
	for _, site := range []struct {
		origins, hosts []string
		want           string // empty for one domain
	}{
		{nil, nil, ""},
		{nil, []string{"shop.test"}, ""},
		{[]string{"https://m.shop.test"}, []string{"shop.test"}, ""},
		{[]string{"https://lamps.test"}, nil, "lamps.test"},
		{nil, []string{"localhost", "127.0.0.1:8080"}, "127.0.0.1 localhost"},
		{nil, []string{"*.shop.co.uk", "shop.uk"}, "*.shop.co.uk shop.uk"},
		{[]string{"https://lamps.test:8443"}, []string{"m.shop.test", "www.shop.test"}, "lamps.test m.shop.test,shop.test"},
	} {
		f := serve(t, effect.Settings{Origins: site.origins})
		f.hosts = site.hosts
		script := f.ready().get("/frontdesk/svc.js").body
		if site.want == "" {
			require.NotContains(t, script, `"domains"`)
			require.NotContains(t, script, "svc_crossing")
			continue
		}
		require.Contains(t, script, `"domains":"`+site.want+`"`)
		require.Contains(t, script, "svc_crossing")
	}
}
