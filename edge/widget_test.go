package edge

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/site/appearance"
	"github.com/seed-3405227d/frontdesk/edge/effect"
)

// widget is the answer of v1/widget about the site's looks.
func (f *front) widget(headers ...string) (told appearance.Look) {
	f.t.Helper()
	key := "shop"
	if len(headers) > 0 {
		key = headers[1]
	}
	answer := f.get("/frontdesk/v1/widget?l=en&k="+key, headers...)
	require.Equal(f.t, http.StatusOK, answer.StatusCode, answer.body)
	require.Empty(f.t, answer.Header.Values("Set-Cookie"))
	require.NoError(f.t, json.Unmarshal([]byte(answer.body), &told))
	return told
}

func TestWidgetOfTheConsoleStandsAboveTheConfigurations(t *testing.T) {
	settings := func() effect.Settings {
		return effect.Settings{Widget: &appearance.Widget{Color: new("#0a7d4f"), Title: appearance.Wording{"*": "Northlight"}}}
	}
	onEach(t, settings, origin, func(t *testing.T, f *front) {
		require.Contains(t, f.get("/frontdesk/svc.js").body, `"launcher":true`)
		told := f.widget()
		require.Equal(t, []any{"#0a7d4f", "Northlight", "right"}, []any{told.Widget.Color, told.Widget.Title, told.Widget.Side})

		version := f.set(0, site.Settings{Widget: &appearance.Widget{Launcher: new(false), Side: new("left"), Title: appearance.Wording{"en": "Lamps"}}})
		told = f.widget()
		require.Equal(t, []any{"#0a7d4f", "Lamps", "left"}, []any{told.Widget.Color, told.Widget.Title, told.Widget.Side})
		require.False(t, told.Widget.Launcher)
		require.NotContains(t, f.get("/frontdesk/svc.js").body, `"launcher":true`)

		f.set(version, site.Settings{})
		require.Equal(t, "Northlight", f.widget().Widget.Title)
	})
}

func TestPagesOfASiteThatSaysNothingHaveNoLauncher(t *testing.T) {
	f := serve(t, effect.Settings{}).ready()
	require.NotContains(t, f.get("/frontdesk/svc.js").body, `"launcher":true`)
	require.False(t, f.widget().Widget.Launcher)
	f.set(0, site.Settings{Widget: &appearance.Widget{Color: new("#0a7d4f")}})
	require.Contains(t, f.get("/frontdesk/svc.js").body, `"launcher":true`)
	require.True(t, f.widget().Widget.Launcher)
}

// The looks of the panels have to be known before anybody agrees to be tracked.
func TestWidgetIsToldBeforeConsent(t *testing.T) {
	f := serve(t, effect.Settings{Consent: &effect.Consent{Cookie: "cookies"}, Respect: []string{"gpc"}}).ready()
	answer := f.get("/frontdesk/v1/widget?k=shop", "Sec-GPC", "1")
	require.Equal(t, http.StatusOK, answer.StatusCode, answer.body)
	require.Empty(t, answer.Header.Values("Set-Cookie"))
	require.Zero(t, f.count(`SELECT count(*) FROM visitors`))
}

func TestWidgetIsNoSettingOfAServiceElsewhere(t *testing.T) {
	settings := effect.Settings{Service: "https://desk.example/frontdesk/", Widget: new(appearance.Widget)}
	require.ErrorContains(t, settings.Complete(), "widget: the site's service is https://desk.example/frontdesk/: set it there")
}
