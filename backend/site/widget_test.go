package site_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/locales"
	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

// wholeWidget is a widget in which everything is set.
func wholeWidget() *site.Widget {
	return &site.Widget{
		Launcher: new(true), Side: new("left"), Color: new("#0a7d4f"), Avatar: new("https://cdn.example/vera.jpg"), Language: new("ru"),
		Title: site.Wording{"*": "Lamps"}, Greeting: site.Wording{"en": "Hello", "ru": "Здравствуйте"},
		Fields: []site.FormField{{Name: "email", Required: true}, {Name: "город", Label: site.Wording{"*": "Город"}}},
		Texts:  map[string]site.Wording{"request.title": {"en": "Ask"}},
		Chat:   new(true), Files: new(false), Sitephone: new(true),
		Invitations: []site.Invitation{{After: 30, Address: "/cart*", Source: "utm_source=news*", Text: site.Wording{"*": "May we help?"}}},
	}
}

func TestWidgetIsStoredAsItWasSet(t *testing.T) {
	require.NoError(t, wholeWidget().Check())
	content, err := json.Marshal(wholeWidget())
	require.NoError(t, err)
	require.Contains(t, string(content), `"title":"Lamps"`, "a text of every language is a text")
	var read *site.Widget
	require.NoError(t, json.Unmarshal(content, &read))
	require.Equal(t, wholeWidget(), read)
}

func TestWidgetRefuses(t *testing.T) {
	long := strings.Repeat("я", 501)
	for name, c := range map[string]struct {
		widget   site.Widget
		setting  string
		expected string
	}{
		"a side":                         {site.Widget{Side: new("top")}, "side", `side "top": expected left or right`},
		"a colour's name":                {site.Widget{Color: new("red")}, "color", `color "red": expected # and three or six`},
		"a rule behind a colour":         {site.Widget{Color: new("#fff;background:url(//x)")}, "color", "expected # and three or six"},
		"a script for a picture":         {site.Widget{Avatar: new("javascript:alert(1)")}, "avatar", "expected an https address or a path of the site"},
		"data for a picture":             {site.Widget{Avatar: new("data:image/svg+xml,<svg onload=alert(1)>")}, "avatar", "expected an https address"},
		"a picture of another host":      {site.Widget{Avatar: new("//elsewhere.example/a.png")}, "avatar", "expected an https address"},
		"a picture by http":              {site.Widget{Avatar: new("http://shop.example/a.png")}, "avatar", "expected an https address"},
		"a quote in an address":          {site.Widget{Avatar: new(`/a.png"onerror=alert(1)`)}, "avatar", "expected an https address"},
		"a password in an address":       {site.Widget{Avatar: new("https://me:secret@shop.example/a.png")}, "avatar", "expected an https address"},
		"a long address":                 {site.Widget{Avatar: new("/" + strings.Repeat("a", 500))}, "avatar", "at most 500 bytes"},
		"a long title":                   {site.Widget{Title: site.Wording{"*": long[:2*81]}}, "title", "title: expected at most 80 characters"},
		"an empty title":                 {site.Widget{Title: site.Wording{"en": " "}}, "title", "title: expected a text"},
		"a title of two lines":           {site.Widget{Title: site.Wording{"en": "a\nb"}}, "title", "one line without control characters"},
		"torn bytes":                     {site.Widget{Title: site.Wording{"en": "a\xff"}}, "title", "without control characters"},
		"a language":                     {site.Widget{Language: new("de")}, "language", `language "de": expected en or ru`},
		"a language of a text":           {site.Widget{Greeting: site.Wording{"de": "Hallo"}}, "greeting", `greeting in the language "de": expected en or ru`},
		"a long greeting":                {site.Widget{Greeting: site.Wording{"*": long}}, "greeting", "at most 500 characters"},
		"a text that is none":            {site.Widget{Texts: map[string]site.Wording{"request.tile": {"*": "a"}}}, "texts", `text "request.tile" is not known: expected one of request.`},
		"a subject that is none":         {site.Widget{Texts: map[string]site.Wording{"tile": {"*": "a"}}}, "texts", `text "tile" is not known: expected one of`},
		"a long text":                    {site.Widget{Texts: map[string]site.Wording{"request.title": {"*": long}}}, "texts", "text request.title: expected at most 500 characters"},
		"no fields":                      {site.Widget{Fields: []site.FormField{}}, "fields", "expected phone or email among them"},
		"a field twice":                  {site.Widget{Fields: []site.FormField{{Name: "phone"}, {Name: "phone"}}}, "fields", "is given already"},
		"markup for a field's name":      {site.Widget{Fields: []site.FormField{{Name: "<b>"}}}, "fields", "expected a name of at most 64 letters"},
		"a field without a label":        {site.Widget{Fields: []site.FormField{{Name: "phone"}, {Name: "city"}}}, "fields", `field "city": expected name, phone, email, message, or a field of your own`},
		"too many fields":                {site.Widget{Fields: make([]site.FormField, 21)}, "fields", "at most 20"},
		"an invitation for nobody":       {site.Widget{Invitations: []site.Invitation{{After: 30}}}, "invitations", "expected its text"},
		"an invitation at once":          {site.Widget{Invitations: []site.Invitation{{Text: site.Wording{"*": "a"}}}}, "invitations", "expected after, address or source"},
		"an invitation after a day":      {site.Widget{Invitations: []site.Invitation{{After: 86400, Text: site.Wording{"*": "a"}}}}, "invitations", "expected whole seconds up to 3600"},
		"an invitation's address":        {site.Widget{Invitations: []site.Invitation{{Address: "https://x", Text: site.Wording{"*": "a"}}}}, "invitations", "expected a path"},
		"an invitation's source":         {site.Widget{Invitations: []site.Invitation{{Source: "news", Text: site.Wording{"*": "a"}}}}, "invitations", `source: condition "news"`},
		"a source that no page can tell": {site.Widget{Invitations: []site.Invitation{{Source: "kind=direct", Text: site.Wording{"*": "a"}}}}, "invitations", "expected a condition on utm parameters"},
		"two sources":                    {site.Widget{Invitations: []site.Invitation{{Source: "utm_source=a b", Text: site.Wording{"*": "a"}}}}, "invitations", "expected one condition without spaces"},
		"too many invitations":           {site.Widget{Invitations: make([]site.Invitation, 21)}, "invitations", "at most 20"},
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
	configured := wholeWidget()
	require.Equal(t, configured, (*site.Widget)(nil).Over(configured))
	require.Equal(t, configured, configured.Over(nil))

	own := &site.Widget{Launcher: new(false), Color: new("#fff"), Title: site.Wording{"ru": "Лампы"}, Greeting: site.Wording{"*": "Hi"},
		Texts: map[string]site.Wording{"request.send": {"*": "Go"}}, Invitations: []site.Invitation{}}
	expected := wholeWidget()
	expected.Launcher, expected.Color = new(false), new("#fff")
	expected.Title = site.Wording{"*": "Lamps", "ru": "Лампы"}
	expected.Greeting = site.Wording{"*": "Hi"} // which hides what is said in each
	expected.Texts["request.send"] = site.Wording{"*": "Go"}
	expected.Invitations = []site.Invitation{} // none
	require.Equal(t, expected, own.Over(configured))
	require.Equal(t, wholeWidget(), configured, "the configuration's stays as it is")
}

func TestLauncherIsThereOnceTheSiteHasSaidSomething(t *testing.T) {
	require.False(t, (*site.Widget)(nil).HasLauncher())
	require.True(t, new(site.Widget).HasLauncher())
	require.False(t, (&site.Widget{Launcher: new(false)}).HasLauncher())
}

// FuzzWidget holds that settings which are accepted give a look in each language that has
// only what the panels know.
func FuzzWidget(f *testing.F) {
	content, err := json.Marshal(wholeWidget())
	require.NoError(f, err)
	f.Add(string(content))
	f.Add(`{"title":{"en":"a","ru":1}}`)
	f.Add(`{"color":"#FFF","avatar":"/\u0000","texts":{"request.title":""},"fields":[null]}`)
	f.Fuzz(func(t *testing.T, content string) {
		var w *site.Widget
		var err error
		stepstest.Hold(t, len(content), func() { err = errors.Join(json.Unmarshal([]byte(content), &w), w.Check()) })
		if err != nil {
			return
		}
		for _, language := range locales.Languages {
			look := w.Look(language)
			require.Regexp(t, `^#[0-9a-f]{6}$`, look.Widget.Color)
			require.Regexp(t, `^(?:|/[^/\\].*|/|https://.*)$`, look.Widget.Avatar)
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
