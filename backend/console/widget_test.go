package console_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/console"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/site/appearance"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// configureWidget has the configuration say something of the shop's panels.
func (d *desk) configureWidget(configured *appearance.Widget) {
	d.Configured = func(key string) (site.Settings, bool) {
		return site.Settings{PhoneMask: new("+44 ####"), Widget: configured}, key == "shop.example"
	}
	d.console.Close()
	d.console = console.New(d.Subjects, d.now, zap.NewNop())
}

// looked is what the preview is told.
type looked struct {
	Look     appearance.Look   `json:"look"`
	Warnings []string          `json:"warnings"`
	Wrong    map[string]string `json:"wrong"`
}

func (b *browser) look(page string, fields ...string) (told looked) {
	b.t.Helper()
	answer := b.post(page+"/look", fields...)
	require.Equal(b.t, http.StatusOK, answer.status, answer.body)
	require.NoError(b.t, json.Unmarshal([]byte(answer.body), &told))
	return told
}

func TestWidgetOfASite(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.configureWidget(&appearance.Widget{Color: new("#0a7d4f"), Title: appearance.Wording{"*": "Northlight"}, Side: new("left")})
		b := d.signedIn("vera")
		page := fmt.Sprintf("/sites/%d/widget", d.shop.ID)
		first := b.get(page).body
		for _, told := range []string{"In the configuration: #0a7d4f.", "In the configuration: Left.", "In the configuration: On.", `placeholder="Northlight"`} {
			require.Contains(t, first, told)
		}
		is := func() site.Site {
			s, err := d.Sites.ByKey(t.Context(), d.shop.Key)
			require.NoError(t, err)
			return s
		}
		fields := func(version int, more ...string) []string {
			return append([]string{"version", fmt.Sprint(version), "launcher", "off", "side", "right", "color", "own", "colorText", "#fd0", "avatar", "own", "avatarText", "/vera.jpg",
				"language", "visitor", "title.en", "Lamps", "title.ru", "Лампы", "greeting.en", "Hi", "greeting.ru", "Hi", "chat", "on", "files", "off", "sitephone", "", "unanswered", "own", "unansweredIn", "90", "mailAnswers", "none",
				"fieldsAre", "own", "fields", "2", "field0name", "phone", "field0required", "yes", "field1name", "city", "field1label.en", "City", "field1label.ru", "Город",
				"invitationsAre", "own", "invitations", "1", "invite0after", "30", "invite0address", "/cart*", "invite0source", "gclid", "invite0text.en", "May we\r\nhelp?",
				"text.request.send.ru", "Спросить"}, more...)
		}
		require.Equal(t, http.StatusSeeOther, b.post(page, fields(0)...).status)
		require.Equal(t, &appearance.Widget{
			Launcher: new(false), Side: new("right"), Color: new("#fd0"), Avatar: new("/vera.jpg"), Language: new(""),
			Title: appearance.Wording{"en": "Lamps", "ru": "Лампы"}, Greeting: appearance.Wording{"*": "Hi"}, Chat: new(true), Files: new(false), Unanswered: new(90), MailAnswers: new(0),
			Fields:      []appearance.FormField{{Name: "phone", Required: true}, {Name: "city", Label: appearance.Wording{"en": "City", "ru": "Город"}}},
			Invitations: []appearance.Invitation{{After: 30, Address: "/cart*", Source: "gclid", Text: appearance.Wording{"en": "May we help?"}}},
			Texts:       map[string]appearance.Wording{"request.send": {"ru": "Спросить"}},
		}, is().Settings.Widget)
		shown := b.get(page).body
		for _, value := range []string{`value="#fd0"`, `value="/vera.jpg"`, `>Lamps</textarea>`, `>Спросить</textarea>`, `value="/cart*"`, `value="city"`} {
			require.Contains(t, shown, value)
		}

		stale := b.post(page, fields(0, "side", "left")...)
		require.Equal(t, http.StatusConflict, stale.status)
		require.Contains(t, stale.body, "Somebody else has changed the settings in the meantime.")
		for _, wrong := range [][]string{
			{"colorText", "red"}, {"unansweredIn", "9"}, {"unansweredIn", ""}, {"mailAnswers", "own", "mailedIn", "x"}, {"avatarText", "javascript:alert(1)"}, {"side", "top"}, {"language", "de"}, {"title.en", strings.Repeat("a", 81)}, {"greeting.ru", strings.Repeat("я", 501)},
			{"field0name", "<b>"}, {"field0name", "city"}, {"field1label.en", strings.Repeat("a", 81)}, {"invite0after", "soon"}, {"invite0source", "kind=direct"}, {"invite0text.en", ""},
			{"text.request.send.en", strings.Repeat("a", 501)}, {"text.request.send.en", "a\x00b"},
		} {
			refused := b.post(page, fields(1, wrong...)...)
			require.Equal(t, http.StatusUnprocessableEntity, refused.status, wrong)
			require.Contains(t, refused.body, "Nothing was saved.")
			if wrong[0] != "side" && wrong[0] != "language" { // which no form sends
				require.Contains(t, refused.body, `class="wrong"`, "%s: it is said where", wrong)
			}
			require.Contains(t, refused.body, ">Спросить</textarea>", "what was typed is still there")
		}
		require.Equal(t, int64(1), is().Version, "what is refused changes nothing")
		require.Contains(t, b.get("/history").body, "<bdi>Chat and forms</bdi>")

		require.Equal(t, http.StatusSeeOther, b.post(page, "version", "1").status)
		require.Nil(t, is().Settings.Widget, "as configured again")
	})
}

// A button of a row changes what the form shows, and nothing else.
func TestRowsOfTheWidgetsForm(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		page := fmt.Sprintf("/sites/%d/widget", d.shop.ID)
		sent := []string{"version", "0", "fieldsAre", "own", "fields", "2", "field0name", "name", "field1name", "phone", "field1required", "yes", "do"}
		names := func(body string) (names []string) {
			for part := range strings.SplitSeq(body, `<input name="field`) {
				if _, value, found := strings.Cut(part[:min(len(part), 30)], `name" value="`); found {
					name, _, _ := strings.Cut(value, `"`)
					names = append(names, name)
				}
			}
			return names
		}
		require.Equal(t, []string{"phone", "name"}, names(b.post(page, append(sent, "up-1")...).body))
		require.Equal(t, []string{"name", "phone", ""}, names(b.post(page, append(sent, "field")...).body))
		require.Equal(t, []string{"phone"}, names(b.post(page, append(sent, "unfield-0")...).body))
		require.Equal(t, []string{"name", "phone"}, names(b.post(page, append(sent, "unfield-99999999999")...).body))
		invited := b.post(page, append(sent, "invite")...).body
		require.Contains(t, invited, `name="invite0after" value="30"`)
		require.NotContains(t, invited, `name="invite1after"`)
		s, err := d.Sites.ByKey(t.Context(), d.shop.Key)
		require.NoError(t, err)
		require.Zero(t, s.Version)
	})
}

func TestPreviewOfAWidgetIsWhatWouldBeInEffect(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.configureWidget(&appearance.Widget{Color: new("#0a7d4f"), Title: appearance.Wording{"*": "Northlight"}})
		b := d.signedIn("vera")
		page := fmt.Sprintf("/sites/%d/widget", d.shop.ID)

		as := b.look(page, "in", "ru")
		require.Equal(t, "ru", as.Look.Language)
		require.Equal(t, "#0a7d4f", as.Look.Widget.Color)
		require.Equal(t, "Northlight", as.Look.Widget.Title)
		require.Equal(t, "+44 ####", as.Look.Widget.Mask)
		require.Equal(t, snippet.Texts("ru"), as.Look.Texts)
		require.Empty(t, as.Warnings)

		typed := b.look(page, "in", "en", "title.en", "<script>alert(1)</script>", "color", "own", "colorText", "#ffee00", "avatar", "own", "avatarText", "/vera.jpg", "text.request.title.en", "Ask")
		require.Equal(t, "<script>alert(1)</script>", typed.Look.Widget.Title, "it is a text")
		require.Equal(t, "Ask", typed.Look.Texts["request.title"])
		require.Equal(t, "https://shop.example/vera.jpg", typed.Look.Widget.Avatar, "a path of the site, not of the console")
		require.Len(t, typed.Warnings, 1)
		require.Contains(t, typed.Warnings[0], "This colour is hard to see on a white page. Its contrast with white is 1.2")
		require.Contains(t, b.look(page, "color", "own", "colorText", "#101018").Warnings[0], "on a dark page")

		half := b.look(page, "title.en", "Lamps", "color", "own", "colorText", "#ffe", "avatar", "own", "avatarText", "java")
		require.Equal(t, "Lamps", half.Look.Widget.Title)
		require.Empty(t, half.Look.Widget.Avatar, "what is not right yet is as configured")
		require.Contains(t, half.Wrong, "avatar")

		s, err := d.Sites.ByKey(t.Context(), d.shop.Key)
		require.NoError(t, err)
		require.Zero(t, s.Version, "looking changes nothing")

		require.NotContains(t, b.post(page, "do", "none", "title.en", "</textarea><script>alert(1)</script>").body, "<script>alert")
	})
}

// One page has a frame, for one page of the console's own.
func TestPoliciesOfThePreview(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		page := fmt.Sprintf("/sites/%d/widget", d.shop.ID)
		form := b.get(page).header.Get("Content-Security-Policy")
		require.Contains(t, form, "; frame-src 'self'")
		require.Contains(t, form, "frame-ancestors 'none'")
		stage := b.get(page + "/stage")
		require.Contains(t, stage.header.Get("Content-Security-Policy"), "frame-ancestors 'self'")
		require.NotContains(t, stage.header.Get("Content-Security-Policy"), "connect-src")
		require.Equal(t, "SAMEORIGIN", stage.header.Get("X-Frame-Options"))
		require.Contains(t, stage.body, "/assets/"+snippet.PanelsAsset())
		require.Equal(t, http.StatusOK, b.get("/assets/"+snippet.PanelsAsset()).status)
		require.NotContains(t, b.get(fmt.Sprintf("/sites/%d/settings", d.shop.ID)).header.Get("Content-Security-Policy"), "frame-src")
		require.Equal(t, http.StatusNotFound, b.get("/sites/999/widget/stage").status)
	})
}
