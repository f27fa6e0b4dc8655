package console_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// An admin finds a person, hands out what is known, and has it erased. All of that is told in the history.
func TestAPersonIsFoundExportedAndErased(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		h := d.hit(visit.Arrival{})
		l := d.lead(h, map[string]any{"name": "Anna <b>", "phone": "8 (495) 123-45-67", "message": "Red lamp"})
		other := d.lead(d.hit(visit.Arrival{}), map[string]any{"name": "Boris", "email": "boris@example.com"})
		b := d.signedIn("vera")
		require.Contains(t, b.get("/operators").body, `href="/person"`)
		require.Contains(t, b.get("/person").body, "Nobody has been erased yet")
		card := b.get(fmt.Sprintf("/visitors/%d/%d", d.shop.ID, h.Visitor)).body
		of := fmt.Sprintf("/person/%d/%d", d.shop.ID, h.Visitor)
		require.Contains(t, card, `href="`+of+`"`)
		require.Contains(t, b.get(of).body, fmt.Sprintf(`name="visitor" value="%d"`, h.Visitor))

		for _, nobody := range []string{"", "12345", "Anna"} {
			a := b.post("/person", "who", nobody)
			require.Equal(t, http.StatusUnprocessableEntity, a.status, nobody)
			require.Contains(t, a.body, "at least seven digits")
		}
		require.Contains(t, b.post("/person", "who", "+7 495 000-00-00").body, "Nothing is known")
		visitor := []string{"site", fmt.Sprint(d.shop.ID), "visitor", fmt.Sprint(int64(h.Visitor))}
		for _, fields := range [][]string{{"who", "+7 495 123 45 67"}, {"who", "84951234567"}, {"who", "(495) 1234567"}, visitor} {
			a := b.post("/person", fields...)
			require.Equal(t, http.StatusOK, a.status)
			require.Contains(t, a.body, fmt.Sprintf(`href="/leads/%d/%d"`, d.shop.ID, l.ID), fields)
			require.Contains(t, a.body, fmt.Sprintf(`href="/visitors/%d/%d"`, d.shop.ID, h.Visitor), fields)
			require.NotContains(t, a.body, fmt.Sprintf(`href="/leads/%d/%d"`, d.shop.ID, other.ID), fields)
		}

		// Others may have named her.
		require.NotContains(t, b.post("/person", "who", "+7 495 123 45 67").body, "mentioned in texts")
		_, conversation := d.asks("My sister has 8 (495) 123-45-67")
		named := d.lead(d.hit(visit.Arrival{}), map[string]any{"name": "Clara", "message": "My sister has 8 (495) 123-45-67"})
		known := b.post("/person", "who", "+7 495 123 45 67").body
		require.Contains(t, known, "Of these, mentioned in texts")
		require.Contains(t, known, fmt.Sprintf(`href="/leads/%d/%d"`, d.shop.ID, named.ID))
		require.Contains(t, known, `href="`+chatPath(conversation)+`"`)
		require.Contains(t, known, "Chat messages")

		a := b.post("/person/export", "who", "+7 495 123 45 67")
		require.Contains(t, a.header.Get("Content-Disposition"), "attachment")
		var exported struct{ Tables map[string][]map[string]any }
		require.NoError(t, json.Unmarshal([]byte(a.body), &exported))
		require.Equal(t, "Anna <b>", exported.Tables["leads"][0]["name"])
		require.Equal(t, http.StatusUnprocessableEntity, b.post("/person/export", "who", "").status)

		_, err := d.Operators.Create(t.Context(), operator.Server(), operator.Account{Login: "olga", Password: password, Role: operator.Agent, Sites: scope.All()})
		require.NoError(t, err)
		elsewhere, err := d.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		_, err = d.Operators.Create(t.Context(), operator.Server(), operator.Account{Login: "eve", Password: password, Role: operator.Admin, Sites: scope.Of(elsewhere.ID)})
		require.NoError(t, err)
		require.Equal(t, http.StatusForbidden, d.signedIn("olga").post("/person", "who", "+7 495 123 45 67").status)
		require.NotContains(t, d.signedIn("olga").get(fmt.Sprintf("/visitors/%d/%d", d.shop.ID, h.Visitor)).body, of)
		eve := d.signedIn("eve")
		require.Contains(t, eve.post("/person", "who", "+7 495 123 45 67").body, "Nothing is known")
		require.Equal(t, http.StatusNotFound, eve.post("/person", visitor...).status)
		require.Equal(t, http.StatusSeeOther, eve.post("/person/erasure", "who", "+7 495 123 45 67").status)
		require.NoError(t, d.Persons.EraseAsked(t.Context()))
		_, err = d.Leads.Get(t.Context(), d.shop.ID, l.ID)
		require.NoError(t, err, "it is not hers to erase")

		require.Equal(t, http.StatusUnprocessableEntity, b.post("/person/erasure", "who", "").status)
		a = b.post("/person/erasure", "who", "+7 495 123 45 67")
		require.Equal(t, "/person", a.header.Get("Location"))
		page := b.get("/person").body
		require.Contains(t, page, "The person is being erased")
		require.Contains(t, page, "Being erased")
		require.NoError(t, d.Persons.EraseAsked(t.Context()))
		page = b.get("/person").body
		require.NotContains(t, page, "Being erased")
		require.Contains(t, page, "other.example", "whoever sees all sites sees what is erased at each")
		require.NotContains(t, eve.get("/person").body, "<bdi>vera")
		_, err = d.Leads.Get(t.Context(), d.shop.ID, l.ID)
		require.ErrorIs(t, err, lead.ErrUnknown)
		_, err = d.Leads.Get(t.Context(), d.shop.ID, other.ID)
		require.NoError(t, err)

		said := b.get(chatPath(conversation)).body
		require.Contains(t, said, "The text was erased.")
		require.NotContains(t, said, "My sister")
		_, err = d.Leads.Get(t.Context(), d.shop.ID, named.ID)
		require.ErrorIs(t, err, lead.ErrUnknown)

		history := b.get("/history").body
		for _, deed := range []string{"Person looked up", "Data exported", "Person erased"} {
			require.Contains(t, history, deed)
		}
		require.Regexp(t, `[1-9][0-9]* records`, history)
		require.NotRegexp(t, `495\D*123|123-?45-?67`, history, "three digits alone stand in times and marks of a page too")
		require.NotContains(t, eve.get("/history").body, "<bdi>vera")
	})
}
