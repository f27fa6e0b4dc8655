package console_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// signedInWith is a browser of that User-Agent header, at that address.
func (d *desk) signedInWith(login, agent, address string) *browser {
	d.t.Helper()
	b := d.browser()
	b.address = address
	r := b.request(http.MethodPost, "/sign-in", "login", login, "password", password)
	r.Header.Set("User-Agent", agent)
	require.Equal(d.t, http.StatusSeeOther, b.do(r).status)
	return b
}

const firefoxOnLinux = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

func TestSessionsAreListedAndEnded(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.hold()
		d.pass(time.Hour)
		here := d.signedIn("vera")
		there := d.signedInWith("vera", firefoxOnLinux, "192.0.2.77:1234")
		page := here.get("/account").document(t)
		require.Equal(t, 2, page.Find("#opened ~ ol > li").Length())
		text := page.Find("#opened ~ ol").Text()
		for _, told := range []string{"Firefox · Linux", "192.0.2.0/24", "this browser"} {
			require.Contains(t, text, told)
		}
		require.NotContains(t, text, "192.0.2.77", "an address is kept as elsewhere")
		require.Equal(t, 1, page.Find("#opened ~ ol form").Length(), "the own session is left by signing out")
		name := page.Find("#opened ~ ol [name=session]").AttrOr("value", "")

		// A session is seen when it is used.
		d.pass(20 * time.Minute)
		there.get("/visitors")
		seen, err := d.SignIns.Sessions(t.Context(), d.account("vera"))
		require.NoError(t, err)
		require.Equal(t, name, seen[0].Name)
		require.Equal(t, d.now().UnixMilli(), seen[0].Seen.UnixMilli())
		require.Equal(t, 20*time.Minute, seen[0].Seen.Sub(seen[0].Began).Round(time.Second))

		_, err = d.Operators.Create(t.Context(), operator.Server(), operator.Account{Login: "boris", Password: password, Role: operator.Agent, Sites: scope.All()})
		require.NoError(t, err)
		boris := d.signedIn("boris")
		require.Equal(t, http.StatusSeeOther, boris.post("/account/sessions/removal", "session", name).status)
		require.Equal(t, http.StatusOK, there.get("/visitors").status, "nobody ends sessions of others")

		require.Equal(t, "/account", here.post("/account/sessions/removal", "session", name).header.Get("Location"))
		require.Equal(t, "/sign-in?to=%2Fvisitors", there.get("/visitors").header.Get("Location"))
		require.Equal(t, http.StatusOK, here.get("/visitors").status)
		a, b := d.signedIn("vera"), d.signedIn("vera")
		require.Equal(t, "/account", here.post("/account/sessions/removal").header.Get("Location"))
		require.Equal(t, http.StatusSeeOther, a.get("/visitors").status)
		require.Equal(t, http.StatusSeeOther, b.get("/visitors").status)
		require.Equal(t, http.StatusOK, here.get("/visitors").status)
		require.Equal(t, 1, here.get("/account").document(t).Find("#opened ~ ol > li").Length())
		require.Contains(t, here.get("/history").body, "Sessions ended")
	})
}

// A request that was under way when its session was ended does not bring it back.
func TestEndedSessionsStayEnded(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.signedIn("vera")
		open, err := d.SignIns.Sessions(t.Context(), d.account("vera"))
		require.NoError(t, err)
		data, found, err := d.SignIns.FindCtx(t.Context(), open[0].Name)
		require.NoError(t, err)
		require.True(t, found)
		require.NoError(t, d.SignIns.End(t.Context(), operator.Server(), d.account("vera").ID, open[0].Name))
		require.NoError(t, d.SignIns.CommitCtx(t.Context(), open[0].Name, data, d.now().Add(time.Hour)))
		_, found, err = d.SignIns.FindCtx(t.Context(), open[0].Name)
		require.NoError(t, err)
		require.False(t, found)
	})
}

func TestAnAdminEndsSessions(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		other, err := d.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		for login, sites := range map[string]scope.Sites{"boris": scope.Of(d.shop.ID), "both": scope.Of(d.shop.ID, other.ID)} {
			_, err := d.Operators.Create(t.Context(), operator.Server(), operator.Account{Login: login, Password: password, Role: operator.Agent, Sites: sites})
			require.NoError(t, err)
		}
		_, err = d.Operators.Create(t.Context(), operator.Server(), operator.Account{Login: "keeper", Password: password, Role: operator.Admin, Sites: scope.Of(d.shop.ID)})
		require.NoError(t, err)
		keeper, boris, both := d.signedIn("keeper"), d.signedIn("boris"), d.signedIn("both")
		page := func(login string) string { return fmt.Sprint("/operators/", d.account(login).ID) }
		require.Equal(t, 1, keeper.get(page("boris")).document(t).Find("#opened ~ ol > li").Length())
		require.Zero(t, keeper.get(page("both")).document(t).Find("#opened").Length(), "who works for other sites too")
		require.Equal(t, http.StatusUnprocessableEntity, keeper.post(page("both")+"/sessions/removal").status)
		require.Equal(t, http.StatusOK, both.get("/visitors").status)
		require.Equal(t, http.StatusUnprocessableEntity, keeper.post(page("keeper")+"/sessions/removal").status)
		require.Equal(t, page("boris"), keeper.post(page("boris")+"/sessions/removal").header.Get("Location"))
		require.Equal(t, http.StatusSeeOther, boris.get("/visitors").status)
		require.Contains(t, keeper.get(page("boris")).body, "not signed in anywhere")
	})
}
