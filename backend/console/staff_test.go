package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

func TestAnAdminKeepsAccounts(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		vera := d.signedIn("vera")
		require.Equal(t, http.StatusSeeOther, vera.post("/operators", "login", "boris", "password", password, "role", "operator", "sites", fmt.Sprint(d.shop.ID)).status)
		list, err := d.Operators.List(t.Context(), scope.All())
		require.NoError(t, err)
		require.Equal(t, scope.Of(d.shop.ID), list[0].Sites)
		page := fmt.Sprintf("/operators/%d", list[0].ID)
		boris := d.signedIn("boris")

		require.Equal(t, page, vera.post(page, "name", "Boris B.", "role", "admin").header.Get("Location"))
		body := vera.get(page).body
		require.Contains(t, body, "The changes are saved.")
		require.Contains(t, body, "<bdi>Boris B.</bdi>")
		require.Equal(t, http.StatusOK, boris.get("/operators").status, "an admin now")
		require.Equal(t, http.StatusForbidden, boris.post("/sites", "key", "new.example").status, "of one site")
		require.Equal(t, http.StatusUnprocessableEntity, vera.post(page+"/sites").status, "no site is left")

		// All that the page asks for is kept together, or nothing of it.
		asked, err := goquery.NewDocumentFromReader(strings.NewReader(vera.get(page).body))
		require.NoError(t, err)
		require.Equal(t, 1, asked.Find("[data-settings]").Length())
		refused := vera.post(page, "name", "Boris C.", "role", "operator", "with", "sites")
		require.Equal(t, http.StatusUnprocessableEntity, refused.status, "no site is left")
		typed, err := goquery.NewDocumentFromReader(strings.NewReader(refused.body))
		require.NoError(t, err)
		require.Equal(t, "Boris C.", typed.Find("#name").AttrOr("value", ""), "what was typed stays")
		require.Zero(t, typed.Find("#role [selected], [name=sites][checked]").Length())
		require.Equal(t, http.StatusOK, boris.get("/operators").status, "still an admin")
		require.Equal(t, page, vera.post(page, "name", "Boris C.", "role", "admin", "with", "sites", "all", "true").header.Get("Location"))
		list, err = d.Operators.List(t.Context(), scope.All())
		require.NoError(t, err)
		require.Equal(t, "Boris C.", list[0].Name)
		require.Equal(t, scope.All(), list[0].Sites)

		made := vera.post(page + "/password")
		require.Equal(t, http.StatusOK, made.status)
		document, err := goquery.NewDocumentFromReader(strings.NewReader(made.body))
		require.NoError(t, err)
		link, err := url.Parse(document.Find("#link").AttrOr("value", ""))
		require.NoError(t, err)
		require.Equal(t, d.server.Listener.Addr().String(), link.Host)
		require.NotContains(t, vera.get(page).body, link.Query().Get("token"), "shown once")
		require.Contains(t, vera.get("/operators").body, "has no password yet")
		require.Equal(t, http.StatusSeeOther, boris.get("/visitors").status, "signed out")
		require.Equal(t, http.StatusUnauthorized, boris.post("/sign-in", "login", "boris", "password", password).status)

		for range 2 { // looking at it uses nothing up
			door := boris.get(link.RequestURI())
			require.Equal(t, http.StatusOK, door.status)
			require.Contains(t, door.body, `value="boris"`)
		}
		token := link.Query().Get("token")
		short := boris.post("/password", "token", token, "password", "short")
		require.Equal(t, http.StatusUnprocessableEntity, short.status)
		require.Contains(t, short.body, "A password needs at least 10 characters.")
		for guessed, why := range map[string][2]string{
			"password12":  {"one of the most common passwords", "один из самых частых паролей"},
			"abcdefghijk": {"follows the keyboard, the alphabet", "подряд по клавиатуре, алфавиту"},
			"Boris--2026": {"made of the login, the name", "составлен из логина, имени"},
		} {
			for i, language := range []string{"en", "ru"} {
				r := boris.request(http.MethodPost, "/password", "token", token, "password", guessed)
				r.Header.Set("Accept-Language", language)
				refused := boris.do(r)
				require.Equal(t, http.StatusUnprocessableEntity, refused.status)
				require.Contains(t, refused.body, why[i])
			}
		}
		require.Equal(t, "/overview", boris.post("/password", "token", token, "password", "another password").header.Get("Location"))
		require.Equal(t, http.StatusOK, boris.get("/visitors").status, "signed in")
		require.Equal(t, http.StatusForbidden, d.browser().post("/password", "token", token, "password", "another password").status, "once")
		require.Equal(t, http.StatusForbidden, d.browser().get("/password?token=").status)

		require.Equal(t, "/operators", vera.post(page+"/removal").header.Get("Location"))
		require.Equal(t, http.StatusNotFound, vera.get(page).status)
		require.Equal(t, http.StatusSeeOther, boris.get("/visitors").status, "signed out")

		done := vera.get("/history").body
		for _, text := range []string{"Account created", "Name changed", "<bdi> → Boris B.</bdi>", "Operator → Admin", "Password reset", "Password changed", "Account removed"} {
			require.Contains(t, done, text)
		}
	})
}

// An admin who takes the last site that both see from an account sees the account no more.
func TestAnAdminTakesTheOwnSitesAway(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		other, err := d.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		for login, sites := range map[string]scope.Sites{"keeper": scope.Of(d.shop.ID), "both": scope.Of(d.shop.ID, other.ID)} {
			_, err := d.Operators.Create(t.Context(), operator.Server(), operator.Account{Login: login, Password: password, Role: operator.Admin, Sites: sites})
			require.NoError(t, err)
		}
		list, err := d.Operators.List(t.Context(), scope.All())
		require.NoError(t, err)
		require.Equal(t, "both", list[0].Login)
		keeper, page := d.signedIn("keeper"), fmt.Sprintf("/operators/%d", list[0].ID)
		require.Equal(t, page, keeper.post(page+"/sites", "sites", fmt.Sprint(d.shop.ID)).header.Get("Location"))
		require.Equal(t, "/operators", keeper.post(page+"/sites").header.Get("Location"))
		require.Contains(t, keeper.get("/operators").body, "The changes are saved.")
		require.Equal(t, http.StatusNotFound, keeper.get(page).status)
		require.Contains(t, keeper.get("/history").body, "Access to sites withdrawn")
	})
}

func TestHistoryIsOfOnesSites(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		for i := range 2 {
			_, err := d.Operators.Create(t.Context(), operator.Server(), operator.Account{
				Login: fmt.Sprintf("agent%03d", i), Password: password, Role: operator.Agent, Sites: scope.Of(d.shop.ID)})
			require.NoError(t, err)
		}
		other, err := d.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		vera := d.signedIn("vera")
		require.Equal(t, http.StatusSeeOther, vera.post("/operators", "login", "eve", "password", password, "role", "admin", "sites", fmt.Sprint(other.ID)).status)
		eve := d.signedIn("eve").get("/history").body
		require.Contains(t, eve, "<bdi>eve</bdi>")
		require.NotContains(t, eve, "agent000")
		all := vera.get("/history").body
		for _, text := range []string{"agent000", "agent001", "<bdi>eve</bdi>", "other.example", "Site added"} {
			require.Contains(t, all, text)
		}
		require.Equal(t, http.StatusNotFound, vera.get("/history?before=x").status)
		require.NotContains(t, vera.get("/history?before=0-1").body, "agent000")
	})
}
