package appearance_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/site/appearance"
	"github.com/seed-3405227d/frontdesk/backend/site/appearance/appearancetest"
	"github.com/seed-3405227d/frontdesk/locales"
	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

func TestWidgetIsStoredAsItWasSet(t *testing.T) {
	_, err := appearancetest.Whole().Check()
	require.NoError(t, err)
	content, err := json.Marshal(appearancetest.Whole())
	require.NoError(t, err)
	require.Contains(t, string(content), `"title":"Lamps"`, "a text of every language is a text")
	var read *appearance.Widget
	require.NoError(t, json.Unmarshal(content, &read))
	require.Equal(t, appearancetest.Whole(), read)
}

func TestWidgetRefuses(t *testing.T) {
	long := strings.Repeat("я", 501)
	for name, c := range map[string]struct {
		widget   appearance.Widget
		setting  string
		expected string
	}{
		"a side":                         {appearance.Widget{Side: new("top")}, "side", `side "top": expected left or right`},
		"a colour's name":                {appearance.Widget{Color: new("red")}, "color", `color "red": expected # and three or six`},
		"a rule behind a colour":         {appearance.Widget{Color: new("#fff;background:url(//x)")}, "color", "expected # and three or six"},
		"a script for a picture":         {appearance.Widget{Avatar: new("javascript:alert(1)")}, "avatar", "expected an https address or a path of the site"},
		"data for a picture":             {appearance.Widget{Avatar: new("data:image/svg+xml,<svg onload=alert(1)>")}, "avatar", "expected an https address"},
		"a picture of another host":      {appearance.Widget{Avatar: new("//elsewhere.example/a.png")}, "avatar", "expected an https address"},
		"a picture by http":              {appearance.Widget{Avatar: new("http://shop.example/a.png")}, "avatar", "expected an https address"},
		"a quote in an address":          {appearance.Widget{Avatar: new(`/a.png"onerror=alert(1)`)}, "avatar", "expected an https address"},
		"a password in an address":       {appearance.Widget{Avatar: new("https://me:secret@shop.example/a.png")}, "avatar", "expected an https address"},
		"a long address":                 {appearance.Widget{Avatar: new("/" + strings.Repeat("a", 500))}, "avatar", "at most 500 bytes"},
		"a long title":                   {appearance.Widget{Title: appearance.Wording{"*": long[:2*81]}}, "title", "title: expected at most 80 characters"},
		"an empty title":                 {appearance.Widget{Title: appearance.Wording{"en": " "}}, "title", "title: expected a text"},
		"a title of two lines":           {appearance.Widget{Title: appearance.Wording{"en": "a\nb"}}, "title", "one line without control characters"},
		"torn bytes":                     {appearance.Widget{Title: appearance.Wording{"en": "a\xff"}}, "title", "without control characters"},
		"a language":                     {appearance.Widget{Language: new("de")}, "language", `language "de": expected en or ru`},
		"a language of a text":           {appearance.Widget{Greeting: appearance.Wording{"de": "Hallo"}}, "greeting", `greeting in the language "de": expected en or ru`},
		"a long greeting":                {appearance.Widget{Greeting: appearance.Wording{"*": long}}, "greeting", "at most 500 characters"},
		"a text that is none":            {appearance.Widget{Texts: map[string]appearance.Wording{"request.tile": {"*": "a"}}}, "texts", `text "request.tile" is not known: expected one of request.`},
		"a subject that is none":         {appearance.Widget{Texts: map[string]appearance.Wording{"tile": {"*": "a"}}}, "texts", `text "tile" is not known: expected one of`},
		"a long text":                    {appearance.Widget{Texts: map[string]appearance.Wording{"request.title": {"*": long}}}, "texts", "text request.title: expected at most 500 characters"},
		"no fields":                      {appearance.Widget{Fields: []appearance.FormField{}}, "fields", "expected phone or email among them"},
		"a field twice":                  {appearance.Widget{Fields: []appearance.FormField{{Name: "phone"}, {Name: "phone"}}}, "fields", "is given already"},
		"markup for a field's name":      {appearance.Widget{Fields: []appearance.FormField{{Name: "<b>"}}}, "fields", "expected a name of at most 64 letters"},
		"a field without a label":        {appearance.Widget{Fields: []appearance.FormField{{Name: "phone"}, {Name: "city"}}}, "fields", `field "city": expected name, phone, email, message, or a field of your own`},
		"too many fields":                {appearance.Widget{Fields: make([]appearance.FormField, 21)}, "fields", "at most 20"},
		"an invitation for nobody":       {appearance.Widget{Invitations: []appearance.Invitation{{After: 30}}}, "invitations", "expected its text"},
		"an invitation at once":          {appearance.Widget{Invitations: []appearance.Invitation{{Text: appearance.Wording{"*": "a"}}}}, "invitations", "expected after, address or source"},
		"an invitation after a day":      {appearance.Widget{Invitations: []appearance.Invitation{{After: 86400, Text: appearance.Wording{"*": "a"}}}}, "invitations", "expected whole seconds up to 3600"},
		"an invitation's address":        {appearance.Widget{Invitations: []appearance.Invitation{{Address: "https://x", Text: appearance.Wording{"*": "a"}}}}, "invitations", "expected a path"},
		"an invitation's source":         {appearance.Widget{Invitations: []appearance.Invitation{{Source: "news", Text: appearance.Wording{"*": "a"}}}}, "invitations", `source: condition "news"`},
		"a source that no page can tell": {appearance.Widget{Invitations: []appearance.Invitation{{Source: "kind=direct", Text: appearance.Wording{"*": "a"}}}}, "invitations", "expected a condition on utm parameters"},
		"two sources":                    {appearance.Widget{Invitations: []appearance.Invitation{{Source: "utm_source=a b", Text: appearance.Wording{"*": "a"}}}}, "invitations", "expected one condition without spaces"},
		"too many invitations":           {appearance.Widget{Invitations: make([]appearance.Invitation, 21)}, "invitations", "at most 20"},
	} {
		t.Run(name, func(t *testing.T) {
			err := site.Settings{Widget: &c.widget}.Check()
			var invalid *site.Invalid
			require.ErrorAs(t, err, &invalid)
			require.Equal(t, "widget."+c.setting, invalid.Setting)
			require.Contains(t, err.Error(), c.expected)
			require.Less(t, len(err.Error()), 1500, "what is wrong is not repeated at length")
		})
	}
}

func TestWidgetStandsAboveFieldByField(t *testing.T) {
	configured := appearancetest.Whole()
	require.Equal(t, configured, (*appearance.Widget)(nil).Over(configured))
	require.Equal(t, configured, configured.Over(nil))

	own := &appearance.Widget{Launcher: new(false), Color: new("#fff"), Title: appearance.Wording{"ru": "Лампы"}, Greeting: appearance.Wording{"*": "Hi"},
		Texts: map[string]appearance.Wording{"request.send": {"*": "Go"}}, Invitations: []appearance.Invitation{}}
	expected := appearancetest.Whole()
	expected.Launcher, expected.Color = new(false), new("#fff")
	expected.Title = appearance.Wording{"*": "Lamps", "ru": "Лампы"}
	expected.Greeting = appearance.Wording{"*": "Hi"} // which hides what is said in each
	expected.Texts["request.send"] = appearance.Wording{"*": "Go"}
	expected.Invitations = []appearance.Invitation{} // none
	require.Equal(t, expected, own.Over(configured))
	require.Equal(t, appearancetest.Whole(), configured, "the configuration's stays as it is")
}

func TestLauncherIsThereOnceTheSiteHasSaidSomething(t *testing.T) {
	require.False(t, (*appearance.Widget)(nil).HasLauncher())
	require.True(t, new(appearance.Widget).HasLauncher())
	require.False(t, (&appearance.Widget{Launcher: new(false)}).HasLauncher())
}

// FuzzWidget holds that settings which are accepted give a look in each language that has
// only what the panels know.
func FuzzWidget(f *testing.F) {
	content, err := json.Marshal(appearancetest.Whole())
	require.NoError(f, err)
	f.Add(string(content))
	f.Add(`{"title":{"en":"a","ru":1}}`)
	f.Add(`{"avatar":"hTtps://0"}`)
	f.Add(`{"color":"#FFF","avatar":"/\u0000","texts":{"request.title":""},"fields":[null]}`)
	f.Fuzz(func(t *testing.T, content string) {
		var w *appearance.Widget
		var err error
		stepstest.Hold(t, len(content), func() {
			if err = json.Unmarshal([]byte(content), &w); err == nil {
				_, err = w.Check()
			}
		})
		if err != nil {
			return
		}
		for _, language := range locales.Languages {
			look := w.Look(language)
			require.Regexp(t, `^#[0-9a-f]{6}$`, look.Widget.Color)
			require.Regexp(t, `^(?:|/[^/\\].*|/|(?i:https)://.*)$`, look.Widget.Avatar)
			require.Contains(t, []string{"left", "right"}, look.Widget.Side)
			require.Len(t, look.Texts, len(snippet.Texts(language)))
			for _, text := range look.Texts {
				require.NotEmpty(t, text)
				require.NotContains(t, text, "\n")
			}
			for _, field := range look.Widget.Fields {
				require.NotEmpty(t, field.Name)
			}
			for _, invitation := range look.Widget.Invitations {
				require.NotEmpty(t, invitation.Text)
				require.NotEmpty(t, invitation.ID)
			}
		}
	})
}
