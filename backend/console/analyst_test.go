package console_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/console"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// forAnalysts are the routes that an analyst may use, beside the doors. Whoever adds one makes sure that it shows nobody.
var forAnalysts = []string{"GET /{$}", "GET /hosts", "GET /overview", "GET /reports", "GET /reports/export", "GET /reports/paths", "GET /reports/paths/export", "GET /help", "GET /help/{manual}", "GET /help/images/{drawing}",
	"GET /reports/saved", "POST /reports/saved", "POST /reports/saved/{saved}", "POST /reports/saved/{saved}/removal", "GET /account", "POST /account/password", "POST /account/email",
	"GET /account/two-step", "POST /account/two-step", "POST /account/two-step/codes", "POST /account/two-step/removal", "POST /account/sessions/removal",
	"POST /account/passkeys/options", "POST /account/passkeys", "POST /account/passkeys/removal"}

// ofPersons are the secrets of the shop that its visitors have told, and not its sites, campaigns and operators.
var ofPersons = []string{"SecretName", "SecretMessage", "SecretCity", "SecretProperty", "secret@mail.example", "12 345-67-89", "9123456789", "SecretRefused",
	"SecretRecording", "SecretQuestion", "SecretFile", "SecretContent", "765-00-09", "4957650009"}

// analyst is a browser in which an analyst of the shop has signed in.
func (d *desk) analyst() (*browser, operator.Operator) {
	d.t.Helper()
	made, err := d.Operators.Create(d.t.Context(), operator.Server(), operator.Account{Login: "ann", Password: password, Role: operator.Analyst, Sites: scope.Of(d.shop.ID)})
	require.NoError(d.t, err)
	return d.signedIn("ann"), made
}

func TestAnAnalystSeesReportsAndNoPersons(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		values := d.shopOfSecrets()
		d.visited()
		b, _ := d.analyst()
		for _, pattern := range console.Patterns() {
			if slices.Contains(doors, pattern) {
				continue
			}
			a := b.do(b.requestFor(pattern, values, ""))
			if !slices.Contains(forAnalysts, pattern) {
				require.Equal(t, http.StatusForbidden, a.status, "%s is open to analysts, by accident or on purpose", pattern)
				continue
			}
			require.NotEqual(t, http.StatusForbidden, a.status, pattern)
			if pattern == "GET /help/{manual}" { // which has words of everything
				continue
			}
			for _, secret := range ofPersons {
				require.NotContains(t, a.body, secret, pattern)
			}
		}
		for _, by := range report.Dimensions {
			for _, page := range []string{"/reports", "/reports/export"} {
				a := b.get(page + "?by=" + string(by) + "&and=")
				require.Equal(t, http.StatusOK, a.status)
				for _, secret := range ofPersons {
					require.NotContains(t, a.body, secret, "%s by %s", page, by)
				}
			}
		}
		for _, page := range []string{"/overview", "/reports", "/reports?by=hour&and=weekday"} {
			shown := b.get(page).document(t)
			require.NotZero(t, shown.Find(".tiles dd").Length())
			require.Zero(t, shown.Find("a[href^='/reports/rows'], #needs, #stream, #lookup, a[href^='/leads'], a[href^='/visitors'], a[href^='/sites']").Length(), page)
		}
		require.Equal(t, http.StatusNotFound, b.get("/nowhere").status)
	})
}

func TestAnAnalystAnswersNobody(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		_, ann := d.analyst()
		_, err := d.Presence.Arrive(t.Context(), ann.ID) // whatever has the console open
		require.NoError(t, err)
		online, err := d.Presence.Online(t.Context(), d.shop.ID)
		require.NoError(t, err)
		require.False(t, online)
		_, err = d.Groups.Keep(t.Context(), operator.Server(), group.Group{SiteID: d.shop.ID, Name: "Sales", Routing: group.ToAll, Members: []int64{ann.ID}})
		require.ErrorIs(t, err, group.ErrMembers)

		vera := d.signedIn("vera")
		l := d.lead(d.hit(visit.Arrival{}), map[string]any{"name": "Anna"})
		lead := fmt.Sprintf("/leads/%d/%d", d.shop.ID, l.ID)
		require.NotContains(t, vera.get(lead).body, `>ann</option>`)
		given := vera.post(fmt.Sprintf("/leads/owner/%d/%d", d.shop.ID, l.ID), "from", "0", "to", fmt.Sprint(ann.ID))
		require.Equal(t, http.StatusUnprocessableEntity, given.status)
	})
}

// What an operator's open pages show is nothing for an analyst.
func TestWhoBecomesAnAnalystIsSignedOut(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		boris, err := d.Operators.Create(t.Context(), operator.Server(), operator.Account{Login: "boris", Password: password, Role: operator.Agent, Sites: scope.Of(d.shop.ID)})
		require.NoError(t, err)
		kept, err := d.Groups.Keep(t.Context(), operator.Server(), group.Group{SiteID: d.shop.ID, Name: "Sales", Routing: group.ToAll, Members: []int64{boris.ID}})
		require.NoError(t, err)
		b := d.signedIn("boris")
		require.Equal(t, http.StatusOK, b.get("/leads").status)

		vera := d.signedIn("vera")
		account := fmt.Sprint("/operators/", boris.ID)
		require.Equal(t, http.StatusSeeOther, vera.post(account, "name", "Boris", "role", "analyst", "all", "false", "sites", fmt.Sprint(d.shop.ID)).status)
		require.Equal(t, "/sign-in?to=%2Fleads", b.get("/leads").header.Get("Location"))
		kept, err = d.Groups.Get(t.Context(), d.shop.ID, kept.ID)
		require.NoError(t, err)
		require.Empty(t, kept.Members)
		require.Contains(t, vera.get("/history").body, "Operator → Analyst")
		require.Contains(t, vera.get(account).body, `<option value="analyst" selected>`)

		b = d.signedIn("boris")
		require.Equal(t, http.StatusForbidden, b.get("/leads").status)
		require.Equal(t, http.StatusOK, b.get("/reports").status)
	})
}
