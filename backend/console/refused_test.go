package console_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/refused"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// refuse refuses a submission, as the service does, and gives it as it is kept.
func (d *desk) refuse(code string, sent json.RawMessage, ref visit.Ref) refused.Refusal {
	d.t.Helper()
	d.pass(1e6)
	d.Refused.AddSoon(refused.Refusal{SiteID: d.shop.ID, Ref: ref, Origin: lead.Server, Address: "192.0.2.7", Code: code, Reason: "because of " + code, Region: "RU", Sent: sent})
	require.NoError(d.t, d.Refused.Write(d.t.Context()))
	list, err := d.Refused.List(d.t.Context(), scope.All(), lead.Cursor{}, 1)
	require.NoError(d.t, err)
	return list[0]
}

func TestRefusedRequestsAreShownAndTakenOver(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		require.Contains(t, b.get("/leads").body, `href="/leads/refused"`)
		require.Contains(t, b.get("/leads/refused").body, "Nothing was refused")
		require.Equal(t, http.StatusSeeOther, d.browser().get("/leads/refused").status, "only for those who have signed in")

		h := d.hit(visit.Arrival{})
		r := d.refuse("sale_cost_without_sale", refused.FormSent(url.Values{"name": {"Anna"}, "phone": {"8 (495) 123-45-67"}, "sale_cost": {"500"}, "city": {"Tver", "Oslo"}, "key": {"k"}}), h.Ref)
		d.refuse("empty", json.RawMessage(`{"name":"-"}`), visit.Ref{})
		d.refuse("made_up", json.RawMessage(`{"`+strings.Repeat("n", 9)+`":{"a":[1]}}`), visit.Ref{})
		page := b.get("/leads/refused").body
		for _, text := range []string{"A cost without a sale", "because of sale_cost_without_sale", "Anna", "Tver\nOslo", "192.0.2.7", "Nothing was filled in", "because of made_up", "{&#34;a&#34;:[1]}"} {
			require.Contains(t, page, text)
		}
		russian := d.browser()
		russian.post("/sign-in", "login", "vera", "password", password)
		russian.post("/language", "language", "ru", "back", "/leads/refused")
		page = russian.get("/leads/refused").body
		for _, text := range []string{"Отклонённые заявки", "Сумма без продажи", "Принять как заявку"} {
			require.Contains(t, page, text)
		}
		russian.post("/language", "language", "en", "back", "/leads/refused")

		action := fmt.Sprintf("/leads/refused/%d/%d", d.shop.ID, r.ID)
		document, err := goquery.NewDocumentFromReader(strings.NewReader(b.get("/leads/refused").body))
		require.NoError(t, err)
		require.Equal(t, 2, document.Find(".refused form").Length(), "nothing to take over in the empty one")
		require.Equal(t, 1, document.Find(fmt.Sprintf(".refused form[action='%s']", action)).Length())
		var leads []string
		for range 2 {
			a := b.post(action)
			require.Equal(t, http.StatusSeeOther, a.status)
			leads = append(leads, a.header.Get("Location"))
		}
		require.Equal(t, leads[0], leads[1], "pressed twice, it is one lead")
		taken := b.get(leads[0]).body
		for _, text := range []string{"It is a lead now.", "Anna", "+7 495 123-45-67", "sale_cost", "500", "Tver"} {
			require.Contains(t, taken, text)
		}
		require.Contains(t, b.get("/leads/refused").body, `href="`+leads[0]+`"`)
		require.Equal(t, http.StatusNotFound, b.post("/leads/refused/1/99999").status)
		require.Equal(t, http.StatusNotFound, b.post("/leads/refused/1/x").status)
		empty, err := d.Refused.List(t.Context(), scope.All(), lead.Cursor{}, 10)
		require.NoError(t, err)
		for _, r := range empty {
			if r.Code == "empty" {
				a := b.post(fmt.Sprintf("/leads/refused/%d/%d", r.SiteID, r.ID))
				require.Equal(t, http.StatusUnprocessableEntity, a.status)
				require.Contains(t, a.body, "It has nothing")
			}
		}
	})
}

// What happened is said in words for the owner, and all who can be reached are taken over at once.
func TestRefusedRequestsAreTakenOverAtOnce(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		for i := range 60 {
			d.refuse("made_up", fmt.Appendf(nil, `{"message":"Nobody %d"}`, i), visit.Ref{})
		}
		require.Zero(t, page(t, b.get("/leads/refused").body).Find("form[action='/leads/refused']").Length(), "nobody can be reached")
		for i, code := range []string{"form_failed", "form_broken", "made_up"} {
			d.Refused.AddSoon(refused.Refusal{SiteID: d.shop.ID, Origin: lead.Form, Code: code, Reason: "why", Region: "RU", SiteError: 500 * max(0, 1-i),
				Sent: fmt.Appendf(nil, `{"name":"Ivan %d","phone":"8 (495) 123-45-67"}`, i)})
		}
		require.NoError(t, d.Refused.Write(t.Context()))
		shown := page(t, b.get("/leads/refused").body)
		require.Contains(t, shown.Text(), "The site answered with an error: Ivan 0, +7 495 123-45-67")
		require.Contains(t, shown.Text(), "The visitor left before the whole form had arrived: Ivan 1, +7 495 123-45-67")
		require.Equal(t, 3, shown.Find(".refused .reach a[href='tel:+74951234567']").Length())
		for said := ""; !strings.Contains(said, "All of them are leads now."); said = b.get("/leads/refused").body {
			require.Equal(t, http.StatusSeeOther, b.post("/leads/refused").status) // each goes on for three seconds
		}
		list := b.get("/leads?failed=yes").body
		require.Contains(t, list, "Ivan 0")
		require.Contains(t, list, "Site error: 500")
		require.NotContains(t, list, "Ivan 2")
		all, err := d.Leads.List(t.Context(), scope.All(), lead.Cursor{}, 100)
		require.NoError(t, err)
		require.Len(t, all, 3)
		b.post("/leads/refused")
		all, err = d.Leads.List(t.Context(), scope.All(), lead.Cursor{}, 100)
		require.NoError(t, err)
		require.Len(t, all, 3, "once is once")
		require.Equal(t, http.StatusUnprocessableEntity, b.get("/leads?failed=no").status)
	})
}

// page is the page as goquery has it.
func page(t *testing.T, body string) *goquery.Document {
	t.Helper()
	document, err := goquery.NewDocumentFromReader(strings.NewReader(body))
	require.NoError(t, err)
	return document
}

func TestHostileRefusedRequestsStayText(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		sent, err := json.Marshal(map[string]string{hostile: hostile, "name": hostile + deceptive})
		require.NoError(t, err)
		d.refuse("forged", sent, visit.Ref{})
		document, err := goquery.NewDocumentFromReader(strings.NewReader(d.signedIn("vera").get("/leads/refused").body))
		require.NoError(t, err)
		require.Zero(t, document.Find("script:not([src^='/assets/']), img, hx-partial, [onerror], style, [style]").Length())
		require.Contains(t, document.Find(".refused dd").Text(), "<script>alert(1)</script>")
		require.Contains(t, document.Find(".refused summary").Text(), "U+202E")
	})
}

func TestRefusedRequestsArePaged(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		for i := range 55 {
			d.pass(1e6)
			d.Refused.AddSoon(refused.Refusal{SiteID: d.shop.ID, Address: fmt.Sprint(i), Code: "forged", Origin: lead.Script, Sent: json.RawMessage(fmt.Sprintf(`{"name":"Ann %d."}`, i))})
		}
		require.NoError(t, d.Refused.Write(t.Context()))
		b := d.signedIn("vera")
		first, err := goquery.NewDocumentFromReader(strings.NewReader(b.get("/leads/refused").body))
		require.NoError(t, err)
		require.Equal(t, 50, first.Find("details.refused").Length())
		second := b.get(first.Find(".after a").AttrOr("href", "")).body
		require.Contains(t, second, "Ann 4.")
		require.NotContains(t, second, "Ann 5.")
	})
}
