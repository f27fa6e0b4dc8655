package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/attribution"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/console"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// says has a configuration that says this for the shop.
func (d *desk) says(set site.Settings, fixed ...site.Fixed) {
	d.Configured = func(key string) (site.Settings, bool) { return set, key == d.shop.Key }
	d.Fixed = func(string) []site.Fixed { return fixed }
	d.console.Close()
	d.console = console.New(d.Subjects, d.now, zap.NewNop())
}

func TestSettingsOfASite(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.says(site.Settings{
			PhoneMask: new("+44 ####"), Prerender: new("off"), Attribution: new(attribution.First), Timezone: new("Asia/Kathmandu"), PersonDays: new(60), Currency: new("NPR"), Consent: &site.Consent{Cookie: "agreed"},
			Respect: []string{"gpc"}, RetentionDays: new(800), Callback: &callback.Settings{Captcha: new(true), PerDay: 50}, Origins: []string{"https://m.shop.example"},
		}, site.Fixed{Directive: "prefix", Value: "/desk/"})
		_, err := d.Sites.Change(t.Context(), d.shop.Key, 0, site.Settings{GuideHidden: new(true)}, "else")
		require.NoError(t, err)
		b := d.signedIn("vera")
		page := fmt.Sprintf("/sites/%d/settings", d.shop.ID)
		shown := b.document(page).Text()
		for _, told := range []string{"+44\u00a0####.", "Off.", "The first visit.", "agreed.", "Asia/Kathmandu.", "60.", "NPR.", "Global Privacy Control.", "800.", "On.", "50.", "2.", "https://m.shop.example.", "That of the site's numbers."} {
			require.Contains(t, shown, "As configured: "+strings.TrimSuffix(told, "."))
		}
		require.Contains(t, shown, "Path of the service/desk/")
		require.NotContains(t, shown, "Set here", "nothing is set yet")
		fields := func(version int, more ...string) []string {
			return append([]string{"version", fmt.Sprint(version), "phone_mask", "own", "phone_mask.own", "+7 (###) ###-##-##", "consent", "own", "consent.own", "cookies=yes*",
				"prerender", "static", "dynamical_replacement", "on", "attribution", "last", "timezone", "own", "timezone.own", "Europe/Berlin", "person_days", "own", "person_days.own", "7",
				"currency", "own", "currency.own", "eur", "respect", "none", "retention_days", "own", "retention_days.own", "400", "origins", "own", "origins.own", "https://a.example\r\nhttps://B.example\r\n",
				"ignore_forms", "off", "credentials", "own", "credentials.own", "form.contact", "region", "own", "region.own", "ru", "callback_off", "off", "callback_phone", "own", "callback_phone.own", "+7 (495) 123-45-67",
				"callback_repeat", "own", "callback_repeat.own", "0", "callback_countries", "own", "callback_countries.own", "ru kz"}, more...)
		}
		is := func() site.Site {
			s, err := d.Sites.ByKey(t.Context(), d.shop.Key)
			require.NoError(t, err)
			return s
		}
		require.Equal(t, http.StatusSeeOther, b.post(page, fields(1)...).status)
		require.Equal(t, site.Settings{PhoneMask: new("+7 (###) ###-##-##"), Region: new("RU"), Consent: &site.Consent{Cookie: "cookies", Value: "yes*"}, Prerender: new("static"), DynamicalReplacement: new(true),
			Attribution: new(attribution.Last), Timezone: new("Europe/Berlin"), PersonDays: new(7), Currency: new("EUR"), Respect: []string{}, RetentionDays: new(400), Origins: []string{"https://a.example", "https://b.example"},
			IgnoreForms: new(true), Credentials: new("form.contact"), Callback: &callback.Settings{Off: new(true), Phone: "74951234567", Repeat: new(0), Countries: []string{"RU", "KZ"}}, GuideHidden: new(true),
		}, is().Settings, "what the form does not have stays")
		require.Equal(t, 18, b.document(page).Find(".setting .tag").Length(), "what is set here says so")
		require.Contains(t, b.document(page).Find("#phone_mask-hint").Text(), "In the configuration: +44\u00a0####.", "and what it overrides")

		stale := b.post(page, fields(1, "phone_mask", "none")...)
		require.Equal(t, http.StatusConflict, stale.status)
		require.Contains(t, stale.body, "Somebody else has changed the settings in the meantime.")
		require.Contains(t, stale.body, `name="version" value="2"`)
		for name, values := range map[string][]string{
			"phone_mask": {"no digit", ""}, "consent": {"", "a b", "=x"}, "timezone": {"Europe/Bonn", ""}, "person_days": {"366", "x"}, "currency": {"BTC"}, "region": {"XX"}, "retention_days": {"0", "36501", "x"},
			"origins": {"shop.example", "https://shop.example/path"}, "credentials": {"form[", "фо"}, "callback_phone": {"call me", "12"}, "callback_caller_id": {"x"}, "callback_countries": {"RU,KZ", "XX"},
			"callback_per_day": {"0", "10001", "x"}, "callback_repeat": {"11", "-1"}, "callback_pause_seconds": {"0", "9", "86401"},
		} {
			for _, wrong := range values {
				refused := b.post(page, fields(2, name, "own", name+".own", wrong)...)
				require.Equal(t, http.StatusUnprocessableEntity, refused.status, "%s %q", name, wrong)
				require.Equal(t, 1, refused.page(t).Find(".setting .wrong").Length(), "%s %q: the mistake is shown at its field", name, wrong)
				if name != "consent" {
					require.Contains(t, refused.body, `value="cookies=yes*"`, "what was typed is still there")
				}
			}
		}
		for _, wrong := range [][]string{{"prerender", "on"}, {"attribution", "all"}, {"respect", "own"}, {"messengers", "yes"}, {"callback_platform", "pigeon"}, {"retention_days", "none"}} {
			require.Equal(t, http.StatusUnprocessableEntity, b.post(page, fields(2, wrong...)...).status, wrong)
		}
		require.Equal(t, int64(2), is().Version, "what is refused changes nothing")

		require.Equal(t, http.StatusSeeOther, b.post(page, "version", "2").status)
		require.Equal(t, site.Settings{GuideHidden: new(true)}, is().Settings, "as configured again")
		require.Equal(t, http.StatusSeeOther, b.post(page, fields(3, "phone_mask", "none", "consent", "none", "dynamical_replacement", "off", "prerender", "dynamic")...).status)
		require.Equal(t, "dynamic", *is().Settings.Prerender)
		require.Contains(t, b.get(page).body, `<option value="dynamic" selected>By source and by visitor</option>`)
		require.Empty(t, *is().Settings.PhoneMask)
		require.Equal(t, site.Consent{}, *is().Settings.Consent)
		require.False(t, *is().Settings.DynamicalReplacement)
		history := b.get("/history").body
		require.Contains(t, history, "Settings changed")
		require.Contains(t, history, "<bdi>Consent</bdi>")
		require.Contains(t, history, "<bdi>Visits are kept for</bdi>")

		require.Equal(t, http.StatusSeeOther, b.post(fmt.Sprintf("/sites/%d/retired", d.shop.ID), "retired", "true").status)
		require.Equal(t, http.StatusNotFound, b.get(page).status)
		require.Equal(t, http.StatusNotFound, b.post(page, fields(5)...).status)
	})
}

// A platform that this server does not have is offered only to a site that has chosen it.
func TestPlatformsOfASite(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.Platforms = func() []string { return []string{"sip"} }
		d.says(site.Settings{})
		b := d.signedIn("vera")
		page := fmt.Sprintf("/sites/%d/settings", d.shop.ID)
		offered := func() []string {
			return b.document(page).Find("#callback_platform option").Map(func(_ int, o *goquery.Selection) string { return o.AttrOr("value", "") })
		}
		require.Equal(t, []string{"", "sip"}, offered())
		require.Equal(t, http.StatusSeeOther, b.post(page, "version", "0", "callback_platform", "twilio").status)
		require.Equal(t, []string{"", "sip", "twilio"}, offered())
	})
}

func TestRulesForForms(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.says(site.Settings{Captures: []capture.Rule{{Path: "/configured", Phone: []string{"tel"}}}})
		b := d.signedIn("vera")
		page := fmt.Sprintf("/sites/%d/captures", d.shop.ID)
		rules := func() []capture.Rule {
			s, err := d.Sites.ByKey(t.Context(), d.shop.Key)
			require.NoError(t, err)
			return s.Settings.Captures
		}
		require.Contains(t, b.get(page).body, "/configured")
		require.Contains(t, b.get(page+"/new?like=0").body, `value="tel"`, "a rule of the configuration can be changed here")
		require.Equal(t, http.StatusNotFound, b.get(page+"/new?like=1").status)
		require.Equal(t, http.StatusNotFound, b.get(page+"/0").status)

		require.Equal(t, http.StatusSeeOther, b.post(page, "version", "0", "path", "/contact*", "form_name", "Contact", "kind", "visitor", "on", "success", "methods", "PUT",
			"name", "your-name", "phone", "tel, mobile ,", "user_fields", "city").status)
		require.Equal(t, http.StatusSeeOther, b.post(page, "version", "1", "path", "/order", "kind", "lead", "on", "always", "methods", "POST").status)
		first := capture.Rule{Path: "/contact*", FormName: "Contact", Kind: "visitor", On: "success", Methods: []string{"PUT"}, Name: []string{"your-name"}, Phone: []string{"tel", "mobile"}, UserFields: []string{"city"}}
		second := capture.Rule{Path: "/order", Kind: "lead", On: "always", Methods: []string{"POST"}}
		require.Equal(t, []capture.Rule{first, second}, rules())
		require.Contains(t, b.get(page+"/0").body, `value="tel, mobile"`)

		require.Equal(t, http.StatusSeeOther, b.post(page+"/1/up", "version", "2").status)
		require.Equal(t, []capture.Rule{second, first}, rules())
		require.Equal(t, http.StatusConflict, b.post(page+"/1/up", "version", "2").status, "somebody else has moved it")
		require.Equal(t, http.StatusConflict, b.post(page, "version", "2", "path", "/x", "methods", "POST").status)
		second.FormName = "Order"
		require.Equal(t, http.StatusSeeOther, b.post(page, "version", "3", "at", "0", "path", "/order", "form_name", "Order", "kind", "lead", "on", "always", "methods", "POST").status)
		require.Equal(t, []capture.Rule{second, first}, rules())
		for _, wrong := range [][]string{{"path", "contact"}, {"path", ""}, {"phone", "tel", "email", "tel"}, {"user_fields", "password"}, {"kind", "sale"}, {"on", "never"}} {
			sent := append([]string{"version", "4", "path", "/new", "kind", "lead", "on", "always", "methods", "POST"}, wrong...)
			refused := b.post(page, sent...)
			require.Equal(t, http.StatusUnprocessableEntity, refused.status, wrong)
			require.Equal(t, 1, refused.page(t).Find("form .wrong").Length(), wrong)
		}
		require.Len(t, rules(), 2, "what is refused changes nothing")
		require.Equal(t, http.StatusNotFound, b.post(page+"/2/removal", "version", "4").status)
		require.Equal(t, http.StatusSeeOther, b.post(page+"/0/removal", "version", "4").status)
		require.Equal(t, http.StatusSeeOther, b.post(page+"/0/removal", "version", "5").status)
		require.Nil(t, rules(), "those of the configuration apply alone")
	})
}
