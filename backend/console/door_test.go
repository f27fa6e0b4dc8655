package console_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

func TestSetupLinkWorksOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, database *db.DB) {
		d := newDesk(t, database)
		token, needed, err := d.Operators.SetupToken(t.Context())
		require.NoError(t, err)
		require.True(t, needed)
		b := d.browser()

		first := b.get("/sign-in").body
		require.Contains(t, first, "There is no account yet")
		require.Contains(t, first, "grep 'setup?token'")
		require.NotContains(t, first, `name="password"`)
		require.NotContains(t, first, token)
		require.Equal(t, http.StatusForbidden, b.get("/setup?token=guess").status)
		page := b.get("/setup?token=" + token)
		require.Equal(t, http.StatusOK, page.status)
		require.Contains(t, page.body, `value="`+token+`"`)

		refused := b.post("/setup", "token", token, "login", "vera", "password", "short")
		require.Equal(t, http.StatusUnprocessableEntity, refused.status)
		require.Contains(t, refused.body, `value="vera"`, "what was typed stays")
		require.Equal(t, http.StatusForbidden, b.post("/setup", "token", "guess", "login", "eve", "password", password).status)

		made := b.post("/setup", "token", token, "login", "vera", "name", "Vera", "password", password)
		require.Equal(t, http.StatusSeeOther, made.status, made.body)
		require.Equal(t, "/sites", made.header.Get("Location"))
		inside := b.get("/sites")
		require.Equal(t, http.StatusOK, inside.status, "and one is signed in")
		require.Contains(t, inside.body, "Vera")
		require.Equal(t, http.StatusOK, b.get("/operators").status, "as an admin")

		other := d.browser()
		require.Contains(t, other.get("/sign-in").body, `name="password"`)
		require.Equal(t, http.StatusNotFound, other.get("/setup?token="+token).status, "there is no such page any more")
		require.Equal(t, http.StatusNotFound, other.post("/setup", "token", token, "login", "eve", "password", password).status)
	})
}

func TestSignIn(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.browser()
		sent := b.get("/leads?at=1&id=2")
		require.Equal(t, http.StatusSeeOther, sent.status)
		require.Equal(t, "/sign-in?to="+url.QueryEscape("/leads?at=1&id=2"), sent.header.Get("Location"))

		wrong := b.post("/sign-in", "login", "vera", "password", "wrong password")
		unknown := b.post("/sign-in", "login", "v3ra", "password", "wrong password")
		require.Equal(t, http.StatusUnauthorized, wrong.status)
		require.Equal(t, strings.ReplaceAll(wrong.body, "vera", "v3ra"), unknown.body, "the answer tells nothing about logins")

		in := b.post("/sign-in", "login", "Vera", "password", password, "to", "/leads?at=1&id=2")
		require.Equal(t, http.StatusSeeOther, in.status)
		require.Equal(t, "/leads?at=1&id=2", in.header.Get("Location"))
		require.Equal(t, http.StatusOK, b.get("/leads").status)
		require.Equal(t, "/overview", b.get("/sign-in").header.Get("Location"))

		out := b.post("/sign-out")
		require.Equal(t, http.StatusSeeOther, out.status)
		require.Equal(t, http.StatusSeeOther, b.get("/leads").status)
	})
}

func TestSignInLeadsNowhereElse(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		for _, to := range []string{"https://evil.example/", "//evil.example/", `/\evil.example/`, "javascript:alert(1)", "leads", "", "/\t/evil.example", "http:/visitors"} {
			in := d.browser().post("/sign-in", "login", "vera", "password", password, "to", to)
			require.Equal(t, "/overview", in.header.Get("Location"), "%q", to)
		}
	})
}

func TestCookiesAreKeptFromOthers(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		in := d.browser().post("/sign-in", "login", "vera", "password", password)
		session, browser := in.cookie(t, "frontdesk"), in.cookie(t, "frontdesk-browser-")
		require.Equal(t, http.SameSiteLaxMode, session.SameSite, "links from elsewhere lead in")
		require.Equal(t, http.SameSiteStrictMode, browser.SameSite)
		for _, c := range []*http.Cookie{session, browser} {
			require.True(t, c.HttpOnly)
			require.False(t, c.Secure, "over plain HTTP there would be none")
			require.Empty(t, c.Domain)
			require.Equal(t, "/", c.Path)
		}

		rows, _, err := db.One(t.Context(), d.DB.Read(), db.Only[int], `SELECT COUNT(*) FROM operator_sessions WHERE token = $1`, session.Value)
		require.NoError(t, err)
		require.Zero(t, rows, "the table does not hold what a cookie holds")
	})
}

// Over TLS, other hosts cannot set the cookies, and they never leave without it.
func TestCookiesOverTLS(t *testing.T) {
	d := newDesk(t, dbtest.Open(t, dbtest.SQLite(t)))
	require.NoError(t, d.Operators.Add(t.Context(), "vera", password, operator.Admin))
	for name, over := range map[string]func(http.Handler) *httptest.Server{
		"here": httptest.NewTLSServer,
		"at a proxy": func(h http.Handler) *httptest.Server {
			return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				r.URL.Scheme = "https" // as the server that trusts the proxy says
				h.ServeHTTP(w, r)
			}))
		},
	} {
		server := over(d.console)
		t.Cleanup(server.Close)
		b := d.browser()
		b.base, b.Client.Transport = server.URL, server.Client().Transport
		in := b.post("/sign-in", "login", "vera", "password", password)
		require.Equal(t, http.StatusSeeOther, in.status, name)
		require.NotEmpty(t, in.header.Get("Strict-Transport-Security"), name)
		for _, prefix := range []string{"__Host-frontdesk", "__Host-frontdesk-browser-"} {
			c := in.cookie(t, prefix)
			require.True(t, c.Secure, name)
			require.True(t, c.HttpOnly, name)
			require.Equal(t, "/", c.Path, name)
			require.Empty(t, c.Domain, name)
		}
		require.True(t, b.post("/language", "language", "ru").cookie(t, "frontdesk_language").Secure, name)
	}
	require.Empty(t, d.browser().get("/sign-in").header.Get("Strict-Transport-Security"))
}

func TestRequestsOfOtherSitesAreRefused(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		for header, value := range map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"} {
			r := b.request(http.MethodPost, "/operators", "login", "eve", "password", password, "role", "admin", "all", "true")
			r.Header.Set(header, value)
			require.Equal(t, http.StatusForbidden, b.do(r).status, header)
		}
		r := b.request(http.MethodPost, "/operators", "login", "eve", "password", password, "role", "admin", "all", "true")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		require.Equal(t, http.StatusSeeOther, b.do(r).status)
	})
}

func TestHeadersOfPages(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		for _, path := range []string{"/visitors", "/sign-out-of-nowhere", "/sites"} {
			h := b.get(path).header
			policy := h.Get("Content-Security-Policy")
			require.Contains(t, policy, "default-src 'none'")
			require.Contains(t, policy, "frame-ancestors 'none'")
			require.NotContains(t, policy, "unsafe")
			require.Equal(t, "nosniff", h.Get("X-Content-Type-Options"))
			require.Equal(t, "same-origin", h.Get("Referrer-Policy"))
			require.Equal(t, []string{"no-store"}, h.Values("Cache-Control"))
		}
	})
}

func TestPasswordChangeEndsOtherSessions(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		here, elsewhere := d.signedIn("vera"), d.signedIn("vera")
		require.Equal(t, http.StatusUnprocessableEntity, here.post("/account/password", "current", "wrong", "password", "a new password").status)
		require.Equal(t, http.StatusUnprocessableEntity, here.post("/account/password", "current", password, "password", "short").status)
		require.Equal(t, http.StatusOK, elsewhere.get("/account").status)
		require.Equal(t, http.StatusSeeOther, here.post("/account/password", "current", password, "password", "a new password").status)
		require.Equal(t, http.StatusOK, here.get("/account").status)
		require.Equal(t, http.StatusSeeOther, elsewhere.get("/account").status)
	})
}

func TestOperatorsDoNotReachWhatIsForAdmins(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		boris, err := d.Operators.Create(t.Context(), operator.Server(), operator.Account{Sites: scope.All(), Login: "boris", Password: password, Role: operator.Agent})
		require.NoError(t, err)
		b := d.signedIn("boris")
		for _, path := range []string{"/sites", "/operators"} {
			require.Equal(t, http.StatusForbidden, b.get(path).status, path)
		}
		require.Equal(t, http.StatusForbidden, b.post("/sites", "key", "other.example").status)
		require.Equal(t, http.StatusForbidden, b.post("/operators", "login", "eve", "password", password, "role", "admin").status)
		require.Equal(t, http.StatusForbidden, b.post("/operators/1/disabled", "disabled", "true").status)
		require.Equal(t, http.StatusOK, b.get("/visitors").status)

		admin := d.signedIn("vera")
		require.Equal(t, http.StatusSeeOther, admin.post("/operators/"+strconv.FormatInt(boris.ID, 10)+"/disabled", "disabled", "true").status)
		out := b.get("/visitors")
		require.Equal(t, http.StatusForbidden, out.status, "a disabled operator is out at once")
		require.Contains(t, out.body, "Your account is disabled")
		require.Contains(t, out.body, `action="/sign-in"`)
		require.Equal(t, http.StatusForbidden, d.browser().post("/sign-in", "login", "boris", "password", password).status)
		wrong := d.browser().post("/sign-in", "login", "boris", "password", "a wrong password")
		require.Equal(t, http.StatusUnauthorized, wrong.status, "and nobody else hears of it")
		require.NotContains(t, wrong.body, "disabled")
	})
}
