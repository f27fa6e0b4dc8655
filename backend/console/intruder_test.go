package console_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/seed-3405227d/frontdesk/backend/console"
	"github.com/seed-3405227d/frontdesk/backend/notify/mailtest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// No form of the console is taken from a page of another site, whoever's browser sends it.
func TestNoRouteTakesAFormOfAnotherSite(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		values := d.shopOfSecrets()
		values["shared"] = "1-unknown"
		in, outside := d.signedIn("vera"), d.browser()
		before := d.everything()
		forms := 0
		for _, pattern := range console.Patterns() {
			if !strings.HasPrefix(pattern, "POST ") {
				continue
			}
			forms++
			for _, b := range []*browser{in, outside} {
				for header, value := range map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "null"} {
					r := b.requestFor(pattern, values, "", "login", "vera", "password", password, "current", password)
					r.Header.Set(header, value)
					a := b.do(r)
					require.Equal(t, http.StatusForbidden, a.status, "%s %s", pattern, header)
					require.Empty(t, a.header.Values("Set-Cookie"), pattern)
				}
			}
		}
		require.Greater(t, forms, 50)
		require.Equal(t, before, d.everything())
		require.Equal(t, http.StatusOK, in.get("/account").status, "nobody was signed out")
	})
}

// The answers to a wrong password are the same whoever the login is of, down to the headers.
func TestAWrongPasswordTellsNothingOfAccounts(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.hold()
		disabled, err := d.Operators.Create(t.Context(), operator.Server(), operator.Account{Login: "gone", Password: password, Role: operator.Agent, Sites: scope.All()})
		require.NoError(t, err)
		require.NoError(t, d.Operators.SetDisabled(t.Context(), operator.Server(), disabled.ID, true))
		waiting, err := d.Operators.Create(t.Context(), operator.Server(), operator.Account{Login: "wait", Password: password, Role: operator.Agent, Sites: scope.All()})
		require.NoError(t, err)
		_, err = d.Operators.Reset(t.Context(), operator.Server(), waiting.ID)
		require.NoError(t, err)
		d.hasSteps(d.signedIn("vera"))
		var first answer
		for i, login := range []string{"nobody", "vera", "gone", "wait"} {
			b := d.browser()
			a := b.post("/sign-in", "login", login, "password", "not the password")
			require.Equal(t, http.StatusUnauthorized, a.status, login)
			a.body = strings.ReplaceAll(a.body, `"`+login+`"`, `""`)
			a.header.Del("Date")
			a.header.Del("Content-Length")
			if i == 0 {
				first = a
			}
			require.Equal(t, first, a, login)
		}
	})
}

// Whoever puts a session of theirs into a browser is not in it when somebody signs in there.
func TestASessionIsNobodysBeforeSigningIn(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.hasSteps(d.signedIn("vera"))
		half := d.half("vera")
		planted := half.Jar.Cookies(half.request(http.MethodGet, "/").URL)
		_, err := d.Operators.Create(t.Context(), operator.Server(), operator.Account{Login: "boris", Password: password, Role: operator.Agent, Sites: scope.All()})
		require.NoError(t, err)
		owner := d.browser()
		owner.Jar.SetCookies(owner.request(http.MethodGet, "/").URL, planted)
		require.Equal(t, "/overview", owner.post("/sign-in", "login", "boris", "password", password).header.Get("Location"))
		require.Equal(t, "/sign-in", owner.get("/sign-in/code").header.Get("Location"), "the step of somebody else is over")
		for _, path := range []string{"/account", "/sign-in/code"} {
			require.Equal(t, http.StatusSeeOther, half.get(path).status, "the one that was planted has ended")
		}

		// One that nobody was given begins nothing, either.
		stranger := d.browser()
		stranger.Jar.SetCookies(stranger.request(http.MethodGet, "/").URL, []*http.Cookie{{Name: "frontdesk", Value: strings.Repeat("A", 43), Path: "/"}})
		in := stranger.post("/sign-in", "login", "boris", "password", password)
		require.NotEqual(t, strings.Repeat("A", 43), in.cookie(t, "frontdesk").Value)
	})
}

// The links in mails lead to the configured host, whatever the request says of itself; and of those who come with one at once,
// one has it.
func TestAMailedLinkIsTheConsolesAndGoodOnce(t *testing.T) {
	eachMailing(t, func(t *testing.T, d *desk, post *mailtest.Server) {
		_, err := d.Operators.Create(t.Context(), operator.Server(), operator.Account{Login: "boris", Email: "boris@shop.example", Password: password, Role: operator.Agent, Sites: scope.All()})
		require.NoError(t, err)
		b := d.browser()
		r := b.request(http.MethodPost, "/forgotten", "login", "boris")
		r.Host = "evil.example"
		r.Header.Set("X-Forwarded-Host", "evil.example")
		r.Header.Set("Forwarded", "host=evil.example")
		require.Equal(t, http.StatusOK, b.do(r).status)
		letter := comes(t, post)
		require.NotContains(t, letter.Plain+letter.HTML, "evil")
		_, token := linkIn(t, letter)

		browsers := make([]*browser, 6)
		answers := make([]answer, len(browsers))
		var at errgroup.Group
		for i := range browsers {
			browsers[i] = d.browser()
			browsers[i].address = "192.0.2.1:1"
			at.Go(func() error {
				answers[i] = browsers[i].post("/password", "token", token, "password", "another password "+string(rune('a'+i)))
				return nil
			})
		}
		require.NoError(t, at.Wait())
		got := 0
		for i, a := range answers {
			if a.status == http.StatusSeeOther {
				got++
				require.Equal(t, http.StatusOK, browsers[i].get("/account").status)
			}
		}
		require.Equal(t, 1, got)
		require.Equal(t, http.StatusForbidden, d.browser().get("/password?token="+token).status)
	})
}
