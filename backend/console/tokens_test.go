package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

func TestAnAdminKeepsTokens(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		vera := d.signedIn("vera")
		shop := fmt.Sprint(d.shop.ID)
		made := vera.post("/tokens", "name", "Our <CRM>", "scopes", "leads:read", "sites", shop, "days", "30")
		require.Equal(t, http.StatusOK, made.status)
		page := parse(t, made.body)
		secret := page.Find("#token").AttrOr("value", "")
		opened, err := d.Tokens.Open(t.Context(), secret)
		require.NoError(t, err)
		require.Equal(t, "Our <CRM>", opened.Name)
		require.Equal(t, scope.Of(d.shop.ID), opened.Sites)
		require.Equal(t, "vera", opened.By)
		require.False(t, opened.Opens(token.ReadSites))

		later := vera.get("/tokens").body
		require.NotContains(t, later, secret, "it is shown once")
		row := parse(t, later).Find(".kept-rows li").Text()
		require.Contains(t, row, "Our <CRM>")
		require.Contains(t, row, "Leads: read · "+d.shop.Key)

		for words, fields := range map[string][]string{
			"Give the token a name":       {"name", " ", "scopes", "leads:read", "sites", shop, "days", "30"},
			"Choose what the token opens": {"name", "A", "scopes", "", "sites", shop, "days", "30"},
			"Choose a site at least":      {"name", "A", "scopes", "leads:read", "days", "30"},
			"Choose how long the token":   {"name", "A", "scopes", "leads:read", "sites", shop, "days", "many"},
			"Choose what the token":       {"name", "A", "scopes", "everything", "sites", shop, "days", "30"},
		} {
			refused := vera.post("/tokens", fields...)
			require.Equal(t, http.StatusUnprocessableEntity, refused.status)
			require.Contains(t, parse(t, refused.body).Find("p.problem").Text(), words)
		}

		// An admin of one site neither sees the tokens of others nor ends one that opens more.
		other, err := d.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		_, err = d.Operators.Create(t.Context(), operator.Server(), operator.Account{Login: "eve", Password: password, Role: operator.Admin, Sites: scope.Of(other.ID)})
		require.NoError(t, err)
		wide, _, err := d.Tokens.Make(t.Context(), operator.Server(), token.Token{Name: "Wide", Scopes: token.Scopes, Sites: scope.Of(d.shop.ID, other.ID)}, 1)
		require.NoError(t, err)
		eve := d.signedIn("eve")
		list := eve.get("/tokens").body
		require.NotContains(t, list, "CRM")
		require.Contains(t, list, "Wide")
		require.Equal(t, http.StatusUnprocessableEntity, eve.post(fmt.Sprintf("/tokens/%d/removal", wide.ID)).status)
		require.Equal(t, http.StatusNotFound, eve.post(fmt.Sprintf("/tokens/%d/removal", opened.ID)).status)
		require.Equal(t, http.StatusUnprocessableEntity, eve.post("/tokens", "name", "A", "scopes", "leads:read", "all", "true", "days", "30").status)

		require.Equal(t, "/tokens", vera.post(fmt.Sprintf("/tokens/%d/removal", opened.ID)).header.Get("Location"))
		_, err = d.Tokens.Open(t.Context(), secret)
		require.ErrorIs(t, err, token.ErrEnded)
		require.NotContains(t, vera.get("/tokens").body, "CRM")
		history := parse(t, vera.get("/history").body).Text()
		require.Contains(t, history, "Made a token for programs")
		require.Contains(t, history, "Revoked a token")
	})
}

func parse(t *testing.T, page string) *goquery.Document {
	t.Helper()
	document, err := goquery.NewDocumentFromReader(strings.NewReader(page))
	require.NoError(t, err)
	return document
}
