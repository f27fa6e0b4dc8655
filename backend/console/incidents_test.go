package console_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Admins of a site hear of what is wrong with it on every page, and see it on the site's own until it is over.
func TestIncidents(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		other, err := d.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		for login, account := range map[string]operator.Account{
			"agent": {Role: operator.Agent, Sites: scope.Of(d.shop.ID)}, "eve": {Role: operator.Admin, Sites: scope.Of(other.ID)},
		} {
			account.Login, account.Password = login, password
			_, err := d.Operators.Create(t.Context(), operator.Server(), account)
			require.NoError(t, err)
		}
		vera, agent, eve := d.signedIn("vera"), d.signedIn("agent"), d.signedIn("eve")
		site := fmt.Sprintf("/sites/%d", d.shop.ID)
		require.Empty(t, vera.get(site).page(t).Find(".wrongs").Text())
		heard, leads := vera.follow("/leads", ""), agent.follow("/leads", "")

		write := func(f func(ctx context.Context, tx db.Tx) error) {
			require.NoError(t, d.DB.Write(t.Context(), 0, f))
		}
		write(func(ctx context.Context, tx db.Tx) error {
			if err := incident.Note(ctx, tx, incident.Incident{SiteID: d.shop.ID, Kind: incident.Pool, About: "main", Name: "main"}, true, d.now()); err != nil {
				return err
			}
			return incident.Note(ctx, tx, incident.Incident{SiteID: d.shop.ID, Kind: incident.Form, About: "/<b>", Name: "/<b>", Status: 502}, true, d.now())
		})
		news := heard.until("no free number in the pool").data
		require.Contains(t, news, `data-count="2"`)
		require.Contains(t, news, "Something is wrong")
		require.NotContains(t, news, "<b>\u201d")
		d.lead(d.hit(visit.Arrival{}), map[string]any{"name": "Ann"})
		require.NotContains(t, leads.until("Ann").data, "no free number", "it is nothing for an operator")

		shown := vera.get(site).page(t)
		require.Equal(t, 2, shown.Find(".wrongs li").Length())
		require.Contains(t, shown.Find(".wrongs").Text(), "The site answers the form /<b> with an error (502)")
		require.Equal(t, "2", shown.Find("#incidents").Text())
		require.Contains(t, vera.get("/sites").page(t).Find(".rows.sites").Text(), "2 problems")
		require.Equal(t, http.StatusOK, eve.get("/sites").status)
		require.Equal(t, "0", eve.get("/sites").page(t).Find("#incidents").Text())
		require.Zero(t, agent.get("/leads").page(t).Find("#incidents").Length())

		write(func(ctx context.Context, tx db.Tx) error {
			return incident.Mend(ctx, tx, d.shop.ID, incident.Form, "/<b>", d.now())
		})
		require.Contains(t, vera.get(site).page(t).Find(".wrongs .mended").Text(), "works again")
		d.pass(incident.PoolOver)
		require.NoError(t, d.Incidents.Settle(t.Context()))
		require.Contains(t, heard.until("has free numbers again").data, `data-count="0"`)
		require.Empty(t, vera.get(site).page(t).Find(".wrongs").Text())
	})
}
