package console_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/attribution"
	"github.com/seed-3405227d/frontdesk/backend/console"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

func TestSettingsOfASite(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.Configured = func(key string) (site.Settings, bool) {
			return site.Settings{PhoneMask: new("+44 ####"), Prerender: new("off"), Attribution: new(attribution.First), Timezone: new("Asia/Kathmandu"), PersonDays: new(60), Currency: new("NPR"), Consent: &site.Consent{Cookie: "agreed"}}, key == "shop.example"
		}
		d.console.Close()
		d.console = console.New(d.Subjects, d.now, zap.NewNop())
		origins := []string{"https://m.shop.example"}
		_, err := d.Sites.Change(t.Context(), d.shop.Key, 0, site.Settings{Origins: origins}, "else")
		require.NoError(t, err)
		b := d.signedIn("vera")
		page := fmt.Sprintf("/sites/%d/settings", d.shop.ID)
		for _, told := range []string{"In the configuration: &#43;44\u00a0####.", "In the configuration: Off.", "In the configuration: The first visit.", "In the configuration: agreed.", "In the configuration: Asia/Kathmandu.", "In the configuration: 60.", "In the configuration: NPR."} {
			require.Contains(t, b.get(page).body, told)
		}
		fields := func(version int, more ...string) []string {
			return append([]string{"version", fmt.Sprint(version), "mask", "own", "maskText", "+7 (###) ###-##-##", "consent", "own", "consentName", "cookies", "consentIs", "yes*",
				"prerender", "static", "dynamical", "on", "attribution", "last", "timezone", "Europe/Berlin", "personDays", "7", "currency", "eur"}, more...)
		}
		is := func() site.Site {
			s, err := d.Sites.ByKey(t.Context(), d.shop.Key)
			require.NoError(t, err)
			return s
		}
		require.Equal(t, http.StatusSeeOther, b.post(page, fields(1)...).status)
		require.Equal(t, site.Settings{PhoneMask: new("+7 (###) ###-##-##"), Consent: &site.Consent{Cookie: "cookies", Value: "yes*"}, Prerender: new("static"),
			DynamicalReplacement: new(true), Attribution: new(attribution.Last), Timezone: new("Europe/Berlin"), PersonDays: new(7), Currency: new("EUR"), Origins: origins}, is().Settings, "what the form does not have stays")

		stale := b.post(page, fields(1, "mask", "none")...)
		require.Equal(t, http.StatusConflict, stale.status)
		require.Contains(t, stale.body, "Somebody else has changed the settings in the meantime.")
		require.Contains(t, stale.body, `name="version" value="2"`)
		for _, wrong := range [][]string{{"maskText", "no digit"}, {"maskText", ""}, {"consentName", ""}, {"consentName", "a b"}, {"prerender", "on"}, {"attribution", "all"}, {"timezone", "Europe/Bonn"}, {"personDays", "366"}, {"personDays", "x"}, {"currency", "BTC"}} {
			refused := b.post(page, fields(2, wrong...)...)
			require.Equal(t, http.StatusUnprocessableEntity, refused.status, wrong)
			require.Contains(t, refused.body, `role="alert"`)
			require.Contains(t, refused.body, `value="yes*"`, "what was typed is still there")
		}
		require.Equal(t, int64(2), is().Version, "what is refused changes nothing")

		require.Equal(t, http.StatusSeeOther, b.post(page, "version", "2").status)
		require.Equal(t, site.Settings{Origins: origins}, is().Settings, "as configured again")
		require.Equal(t, http.StatusSeeOther, b.post(page, fields(3, "mask", "none", "consent", "none", "dynamical", "off", "prerender", "dynamic")...).status)
		require.Equal(t, "dynamic", *is().Settings.Prerender)
		require.Contains(t, b.get(page).body, `<option value="dynamic" selected>By source and by visitor</option>`)
		require.Empty(t, *is().Settings.PhoneMask)
		require.Equal(t, site.Consent{}, *is().Settings.Consent)
		require.False(t, *is().Settings.DynamicalReplacement)
		history := b.get("/history").body
		require.Contains(t, history, "Settings changed")
		require.Contains(t, history, "<bdi>Consent</bdi>")

		require.Equal(t, http.StatusSeeOther, b.post(fmt.Sprintf("/sites/%d/retired", d.shop.ID), "retired", "true").status)
		require.Equal(t, http.StatusNotFound, b.get(page).status)
		require.Equal(t, http.StatusNotFound, b.post(page, fields(5)...).status)
	})
}
