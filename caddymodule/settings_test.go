package caddymodule

import (
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/stretchr/testify/require"
)

func TestRegionOfMask(t *testing.T) {
	for mask, region := range map[string]string{
		"+7 (###) ###-##-##":  "RU",
		"+1 (###) ###-####":   "US",
		"+49 ### #######":     "DE",
		"+375 (##) ###-##-##": "BY",
		"+44##########":       "GB",
		"8 (###) ###-##-##":   "",
		"(###) ###-####":      "",
		"+800 #### ####":      "", // of no country
		"+999 ###":            "",
		"":                    "",
	} {
		require.Equal(t, region, regionOfMask(mask), mask)
	}
}

// TestJSONIsCheckedLikeTheCaddyfile asks of handlers that come by JSON what
// parsing asks of lines.
func TestJSONIsCheckedLikeTheCaddyfile(t *testing.T) {
	for expected, wrong := range map[string]*Handler{
		"site key":           {SiteKey: "my shop"},
		"prefix":             {Prefix: "frontdesk"},
		"two names":          {Objects: []string{"Svc"}},
		"object name":        {Objects: []string{"window", "SvcWidget"}},
		"variant":            {Variant: "a"},
		"service":            {Service: "remote"},
		"phone mask":         {PhoneMask: "none"},
		"consent":            {Consent: &Consent{Value: "yes"}},
		"a cookie can":       {Consent: &Consent{Cookie: "c", Value: "a b"}},
		"origin":             {Origins: []string{"m.shop.example"}},
		"in lower case":      {Origins: []string{"https://M.shop.example"}},
		"there are no pools": {Prerender: "dynamic"},
		"expected a number":  {Prerender: "static", Numbers: []Number{{Number: "74951234567"}}},
		"first, last":        {Attribution: "never"},
	} {
		require.ErrorContains(t, wrong.check(), expected)
	}
	right := Handler{SiteKey: "shop", Prefix: "/desk", Origins: []string{"http://localhost:3000"}}
	require.NoError(t, right.check())
	require.Equal(t, "/desk/", right.Prefix)
}

func TestNumbersInJSON(t *testing.T) {
	for expected, wrong := range map[string]Number{
		"not a complete international number":                                      {Number: "112"},
		"digits in international form":                                             {Number: "seven"},
		`number "8 (495) 123-45-67": expected the country code as its first group`: {Number: "8 (495) 123-45-67"},
		`static "(495) 765-43-21": expected the country code`:                      {Static: []Static{{Number: "(495) 765-43-21"}}},
		`target "footer"`:                   {Targets: []string{"footer"}},
		`selector "a["`:                     {Selectors: []string{"a["}},
		`place ".tel" is given already`:     {Targets: []string{".tel"}, Pictures: []Picture{{Place: ".tel"}}},
		`selector "img["`:                   {Pictures: []Picture{{Place: "img["}}},
		"8 to 200 pixels, not 7":            {Pictures: []Picture{{Place: "img", Size: 7}}},
		"8 to 200 pixels, not -1":           {Pictures: []Picture{{Place: "img", Size: -1}}},
		"not \"grass\"":                     {Pictures: []Picture{{Place: "img", Color: "grass"}}},
		"env.TEST_NO_SUCH_VARIABLE":         {Pictures: []Picture{{Place: "img", Font: "{env.TEST_NO_SUCH_VARIABLE}/a.ttf"}}},
		"reading the font":                  {Pictures: []Picture{{Place: "img", Font: "testdata/numbers.caddyfiletest"}}},
		"not a complete international":      {Static: []Static{{Number: "7495"}}},
		`condition "utm=x"`:                 {Static: []Static{{Number: "74957654321", When: []string{"utm=x"}}}},
		"static 74957654322 is never shown": {Static: []Static{{Number: "74957654321"}, {Number: "74957654322"}}},
		"static 74951234567 is the number":  {Static: []Static{{Number: "+7 495 123-45-67"}}},
	} {
		if wrong.Number == "" {
			wrong.Number = "74951234567"
		}
		h := Handler{Numbers: []Number{wrong}}
		require.ErrorContains(t, h.check(), expected)
	}
	for _, written := range []string{"84951234567", "+7495 123-45-67", "7 (495) 123-45-67", "(74951234567)", "+44 (20) 7946 0018", "+1-202-555-0123", "1.202.555.0123"} {
		require.NoError(t, (&Handler{Numbers: []Number{{Number: written}}}).check(), written)
	}
	right := Handler{Numbers: []Number{{Number: "+7 (495) 123-45-67", Static: []Static{{Number: "+7.495.765.43.21"}}}}, Prerender: "static"}
	require.NoError(t, right.check())
	require.NoError(t, right.check(), "it can be asked again")
	require.Equal(t, "74951234567", right.Numbers[0].Number)
	require.Equal(t, "74957654321", right.Numbers[0].Static[0].Number)
}

func TestDoubts(t *testing.T) {
	for text, expected := range map[string][]string{
		"frontdesk {\n number 74951234567 {\n static 74957654321\n }\n prerender static\n }": nil,
		"frontdesk {\n number 74951234567\n }":                                               nil,
		"frontdesk {\n number 74951234567 {\n static 74957654321\n }\n }":                    {"no number is replaced, since prerender is off"},
		"frontdesk {\n number 74951234567 {\n static 84957654321\n }\n prerender static\n }": {"static 84957654321 has the country code 84, and the number for which it stands, 74951234567, has 7"},
	} {
		h := new(Handler)
		require.NoError(t, h.UnmarshalCaddyfile(caddyfile.NewTestDispenser(text)))
		doubts := h.doubts()
		require.Len(t, doubts, len(expected), text)
		for i := range expected {
			require.Contains(t, doubts[i], expected[i])
		}
	}
}
