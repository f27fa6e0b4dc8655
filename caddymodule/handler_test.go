package caddymodule

import (
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/edge/effect"
)

// What comes by JSON is asked what parsing asks of lines.
func TestJSONIsCheckedLikeTheCaddyfile(t *testing.T) {
	picture := number.Number{Number: "74951234567", Pictures: []number.Picture{{Place: "img", Font: "{env.TEST_NO_SUCH_VARIABLE}/a.ttf"}}}
	for expected, wrong := range map[string]*Handler{
		"site key":                  {SiteKey: "my shop"},
		"prefix":                    {Settings: effect.Settings{Prefix: "frontdesk"}},
		"env.TEST_NO_SUCH_VARIABLE": {Settings: effect.Settings{Numbers: []number.Number{picture}}},
	} {
		require.ErrorContains(t, wrong.complete(), expected)
	}
	h := new(Handler)
	require.NoError(t, h.complete())
	require.Equal(t, hostPlaceholder, h.SiteKey)
}

func TestDoubts(t *testing.T) {
	for text, expected := range map[string][]string{
		"frontdesk {\n number 74951234567 {\n static 74957654321\n }\n prerender static\n }": nil,
		"frontdesk {\n number 74951234567\n }":                                               nil,
		"frontdesk {\n prerender static\n }":                                                 {"prerender static: no number of the configuration has such tracking numbers"},
		"frontdesk {\n number 74951234567\n prerender dynamic\n }":                           {"prerender dynamic: no number of the configuration has such tracking numbers"},
		"frontdesk {\n number 74951234567 {\n static 74957654321\n }\n }":                    nil,
		"frontdesk {\n number 74951234567 {\n static 84957654321\n }\n prerender static\n }": nil, // it is +7 495 765-43-21
		"frontdesk {\n number 74951234567 {\n static +84957654321\n }\n prerender static\n }": {
			"tracking number 84957654321 has the country code 84, but its printed number, 74951234567, has 7: write 74957654321 if that is meant"},
		"frontdesk {\n number 74951234567 {\n static 442079460018\n }\n prerender static\n }": {"tracking number 442079460018 has the country code 44"},
		"frontdesk {\n number 84951234567\n number 84957654321\n }": {
			"number 84951234567 has the country code 84: write 74951234567 if that is meant", "write 74957654321 if that is meant"},
		"frontdesk {\n number 84912345678\n region VN\n }": nil,
	} {
		h := new(Handler)
		require.NoError(t, h.UnmarshalCaddyfile(caddyfile.NewTestDispenser(text)))
		doubts := h.Doubts()
		require.Len(t, doubts, len(expected), text)
		for i := range expected {
			require.Contains(t, doubts[i], expected[i])
		}
	}
}
