package api_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/api/widget"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/site/appearance"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// withWidget runs the service for a site of these settings, on both databases.
func withWidget(t *testing.T, settings *appearance.Widget, test func(t *testing.T, s *desk)) {
	_, err := settings.Check()
	require.NoError(t, err)
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		of := siteOf(variantA)
		of.Widget = widget.New(settings, "+7 (###) ###-##-##")
		test(t, serve(t, d, of))
	})
}

func TestWidgetAsBuiltIn(t *testing.T) {
	withWidget(t, nil, func(t *testing.T, s *desk) {
		told := s.send(http.MethodGet, "v1/widget?k=shop&l=en", "")
		require.Equal(t, http.StatusOK, told.status, told.raw)
		require.Contains(t, told.header.Values("Vary"), "Accept-Language")
		require.Empty(t, told.header.Values("Set-Cookie"))
		require.Equal(t, true, told.body["success"])
		require.Equal(t, false, told.body["online"])
		require.Equal(t, "en", told.body["language"])
		texts := map[string]any{}
		for key, text := range snippet.Texts("en") {
			texts[key] = text
		}
		require.Equal(t, texts, told.body["texts"])
		require.Equal(t, map[string]any{
			"launcher": false, "side": "right", "color": "#1f6feb", "avatar": "", "title": "", "greeting": "",
			"fields": []any{
				map[string]any{"name": "name", "required": false}, map[string]any{"name": "phone", "required": true},
				map[string]any{"name": "email", "required": false}, map[string]any{"name": "message", "required": false},
			},
			"chat": true, "files": true, "rating": false, "sitephone": false, "captcha": false, "mask": "+7 (###) ###-##-##", "invitations": []any{},
		}, told.body["widget"], "nobody has asked for a button, and nobody can be called")
	})
}

func TestWidgetAsSet(t *testing.T) {
	settings := &appearance.Widget{
		Side: new("left"), Color: new("#A0F"), Avatar: new("/vera.jpg"), Files: new(false), Sitephone: new(false),
		Title:    appearance.Wording{"*": "Lamps", "ru": "Лампы"},
		Greeting: appearance.Wording{"ru": "Здравствуйте!"},
		Fields:   []appearance.FormField{{Name: "phone"}, {Name: "city", Required: true, Label: appearance.Wording{"en": "City", "ru": "Город"}}},
		Texts:    map[string]appearance.Wording{"request.title": {"ru": "<b>Чат</b>"}},
		Invitations: []appearance.Invitation{
			{After: 30, Address: "/cart*", Source: "utm_source=news*", Text: appearance.Wording{"en": "May we help?"}},
		},
	}
	withWidget(t, settings, func(t *testing.T, s *desk) {
		in := func(language string) (texts, widget map[string]any) {
			told := s.send(http.MethodGet, "v1/widget?k=shop&l="+language, "")
			require.Equal(t, http.StatusOK, told.status, told.raw)
			require.Equal(t, language, told.body["language"])
			return told.body["texts"].(map[string]any), told.body["widget"].(map[string]any)
		}
		texts, english := in("en")
		require.Equal(t, snippet.Texts("en")["request.title"], texts["request.title"], "it is replaced in the other language alone")
		require.Equal(t, true, english["launcher"])
		require.Equal(t, "left", english["side"])
		require.Equal(t, "#aa00ff", english["color"])
		require.Equal(t, "/vera.jpg", english["avatar"])
		require.Equal(t, false, english["files"])
		require.Equal(t, false, english["sitephone"])
		require.Equal(t, "Lamps", english["title"])
		require.Empty(t, english["greeting"])
		require.Equal(t, []any{map[string]any{"name": "phone", "required": false}, map[string]any{"name": "city", "required": true, "label": "City"}}, english["fields"])

		texts, russian := in("ru")
		require.Equal(t, "<b>Чат</b>", texts["request.title"], "as text: it is the panels that show it as such")
		require.Equal(t, "Лампы", russian["title"])
		require.Equal(t, "Здравствуйте!", russian["greeting"])
		here, there := english["invitations"].([]any)[0].(map[string]any), russian["invitations"].([]any)[0].(map[string]any)
		require.NotEmpty(t, here["id"])
		require.Equal(t, here, there, "said in the language that there is, and once")
		delete(here, "id")
		require.Equal(t, map[string]any{"after": json.Number("30"), "address": "/cart*", "source": "utm_source=news*", "text": "May we help?"}, here)
	})
}

func TestWidgetLanguage(t *testing.T) {
	ask := func(t *testing.T, s *desk, page, accepted string) any {
		told := s.send(http.MethodGet, "v1/widget?k=shop&l="+page, "", "Accept-Language", accepted)
		require.Equal(t, http.StatusOK, told.status, told.raw)
		return told.body["language"]
	}
	withWidget(t, nil, func(t *testing.T, s *desk) {
		require.Equal(t, "ru", ask(t, s, "ru-RU", "en"), "the page's")
		require.Equal(t, "ru", ask(t, s, "", "ru,en;q=0.5"), "else the visitor's")
		require.Equal(t, "en", ask(t, s, "zz%00", "fr"), "else the first")
		require.Equal(t, "ru", ask(t, s, "ja", "ru"), "a page in no language that there is")
		require.Equal(t, "en", ask(t, s, "en;q=0.1,ru;q=1,en;q=1,en;q=1,en;q=1,en;q=1,en;q=1,en;q=1", "en"), "no list that pages would have")
	})
	withWidget(t, &appearance.Widget{Language: new("ru")}, func(t *testing.T, s *desk) {
		require.Equal(t, "ru", ask(t, s, "en", "en"), "the site has set it")
	})
}

func TestWidgetOfAnotherSite(t *testing.T) {
	withWidget(t, nil, func(t *testing.T, s *desk) {
		told := s.send(http.MethodGet, "v1/widget?k=other", "")
		require.Equal(t, http.StatusNotFound, told.status)
		require.Equal(t, "unknown_site", told.code())
		require.Equal(t, http.StatusMethodNotAllowed, s.send(http.MethodPost, "v1/widget?k=shop", "{}").status)
		require.Equal(t, http.StatusForbidden, s.send(http.MethodGet, "v1/widget?k=shop", "", "Origin", "https://elsewhere.example").status)
	})
}
