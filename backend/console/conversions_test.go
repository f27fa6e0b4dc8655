package console_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/visit"
)

func TestDestinationsOfASite(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		site := fmt.Sprintf("/sites/%d", d.shop.ID)
		require.Contains(t, b.get(site+"/conversions").body, "No destinations yet")
		require.Contains(t, b.get(site+"/conversions/new?as=ga4").body, `value="generate_lead"`)
		require.Equal(t, http.StatusNotFound, b.get(site+"/conversions/new?as=other").status)

		// What is wrong is said, and nothing is changed.
		form := []string{"kind", "ga4", "address", "UA-1", "credential", "secret-of-google", "name_lead", "generate_lead", "currency", "eur"}
		wrong := b.post(site+"/conversions", form...)
		require.Equal(t, http.StatusUnprocessableEntity, wrong.status)
		require.Contains(t, wrong.body, "This is not what the platform shows.")
		require.Contains(t, wrong.body, `value="UA-1"`)
		require.NotContains(t, wrong.body, "secret-of-google")
		form[3] = "G-ABC1DEF2GH"
		require.Equal(t, http.StatusSeeOther, b.post(site+"/conversions", form...).status)
		list, err := d.Deliveries.Endpoints.List(t.Context(), d.shop.ID)
		require.NoError(t, err)
		require.Len(t, list, 1)
		page := fmt.Sprintf("%s/conversions/%d", site, list[0].ID)
		shown := b.get(page).body
		require.Contains(t, shown, `value="G-ABC1DEF2GH"`)
		require.Contains(t, shown, `value="EUR"`)
		require.NotContains(t, shown+b.get("/history").body, "secret-of-google")
		require.Contains(t, b.get(site+"/conversions").body, "Google Analytics 4")

		// A change without the secret leaves it, and the first version is an old one then.
		change := append(form, "endpoint", fmt.Sprint(list[0].ID), "version", "1", "name_sale", "purchase")
		change[5] = ""
		require.Equal(t, http.StatusSeeOther, b.post(site+"/conversions", change...).status)
		require.Equal(t, http.StatusConflict, b.post(site+"/conversions", change...).status)
		now, err := d.Deliveries.Endpoints.Get(t.Context(), d.shop.ID, list[0].ID)
		require.NoError(t, err)
		require.Equal(t, "secret-of-google", now.Credential)

		// The page of receivers knows it, and leads here. It is no webhook.
		require.Contains(t, b.get(site+"/deliveries").body, page)
		endpoint := fmt.Sprintf("%s/endpoints/%d", site, list[0].ID)
		require.Equal(t, page, b.get(endpoint).header.Get("Location"))
		require.Equal(t, http.StatusNotFound, b.post(site+"/endpoints", "endpoint", fmt.Sprint(list[0].ID), "version", "2", "kind", "webhook", "address", "https://crm.example/", "events", "lead.added", "language", "en").status)
		require.Equal(t, http.StatusUnprocessableEntity, b.post(site+"/endpoints", "kind", "ga4", "address", "G-ABC1DEF2GH", "events", "lead.added", "language", "en").status)
		require.Equal(t, http.StatusSeeOther, b.post(endpoint+"/paused", "paused", "true").status)
		require.Contains(t, b.get(page).body, "Paused")
		require.Equal(t, http.StatusSeeOther, b.post(endpoint+"/removal").status)
		require.Equal(t, http.StatusNotFound, b.get(page).status)
	})
}

var shownPassword = regexp.MustCompile(`id="password" value="([^"]+)"`)

func TestFilesOfADestination(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.deliver()
		b := d.signedIn("vera")
		site := fmt.Sprintf("/sites/%d", d.shop.ID)
		made := b.post(site+"/conversions", "kind", "google_ads", "name_lead", "Lead", "currency", "EUR")
		require.Equal(t, http.StatusOK, made.status)
		password := shownPassword.FindStringSubmatch(made.body)[1]
		list, err := d.Deliveries.Endpoints.List(t.Context(), d.shop.ID)
		require.NoError(t, err)
		page := fmt.Sprintf("%s/conversions/%d", site, list[0].ID)
		require.NotContains(t, b.get(page).body, password)
		fetch := func(name, password string) answer {
			r := b.request(http.MethodGet, fmt.Sprintf("/feeds/%d-%d/%s", d.shop.ID, list[0].ID, name))
			r.Header.Del("Cookie")
			if password != "" {
				r.SetBasicAuth("frontdesk", password)
			}
			return b.do(r)
		}
		require.Eventually(t, func() bool { // it is looked at from then on
			d.lead(d.hit(visit.Arrival{URL: "https://shop.example/order?gclid=Cj0KCQ-abc_1"}), map[string]any{"name": "Ada", "message": fmt.Sprint(d.calls.Add(1))})
			return strings.Contains(fetch("conversions.csv", password).body, "Cj0KCQ-abc_1,Lead,")
		}, time.Minute, 200*time.Millisecond)
		got := fetch("conversions.csv", password)
		require.Equal(t, "text/csv; charset=utf-8", got.header.Get("Content-Type"))
		require.Contains(t, got.body, "Parameters:TimeZone=+0000\nGoogle Click ID,Conversion Name,")
		require.Contains(t, fetch("adjustments.csv", password).body, "Order ID,Conversion Name,")
		require.Equal(t, http.StatusNotFound, fetch("calls.csv", password).status)
		require.Contains(t, b.get(page+"/conversions.csv").body, "Cj0KCQ-abc_1,Lead,", "an admin downloads it")
		require.Equal(t, http.StatusNotFound, b.get(page+"/other.csv").status)

		// Another password takes the place of the first one.
		again := shownPassword.FindStringSubmatch(b.post(page + "/password").body)[1]
		require.NotEqual(t, password, again)
		d.hold()
		for range 10 {
			refused := fetch("conversions.csv", password)
			require.Equal(t, http.StatusUnauthorized, refused.status)
			require.Contains(t, refused.header.Get("WWW-Authenticate"), "Basic")
		}
		require.Equal(t, http.StatusTooManyRequests, fetch("conversions.csv", password).status)
		d.pass(2 * time.Minute)
		require.Equal(t, http.StatusOK, fetch("conversions.csv", again).status)
	})
}
