package effect

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/number"
)

// Settings that come as a whole are checked as single ones are.
func TestSettingsAreChecked(t *testing.T) {
	for expected, wrong := range map[string]*Settings{
		"prefix":              {Prefix: "frontdesk"},
		"two names":           {Objects: []string{"Svc"}},
		"object name":         {Objects: []string{"window", "SvcWidget"}},
		"variant":             {Variant: "a"},
		"service":             {Service: "remote"},
		"tracker":             {Tracker: "https://desk.example"},
		"set it there":        {Service: "https://desk.example/", Prerender: "static"},
		"phone mask":          {PhoneMask: "none"},
		"region \"Russia\"":   {Region: "Russia"},
		"consent":             {Consent: &Consent{Value: "yes"}},
		"a cookie can":        {Consent: &Consent{Cookie: "c", Value: "a b"}},
		"origin":              {Origins: []string{"m.shop.example"}},
		"in small letters":    {Origins: []string{"https://M.shop.example"}},
		"off, static":         {Prerender: "always"},
		"begins with a slash": {Captures: []capture.Rule{{Path: "contact"}}},
		"under the prefix":    {Captures: []capture.Rule{{Path: "/frontdesk/a"}}},
		"first, last":         {Attribution: "never"},
	} {
		require.ErrorContains(t, wrong.Complete(), expected)
	}
	right := Settings{Prefix: "/desk", Origins: []string{"http://localhost:3000"}}
	require.NoError(t, right.Complete())
	require.Equal(t, "/desk/", right.Prefix)
}

func TestNumbersAreChecked(t *testing.T) {
	for expected, wrong := range map[string]number.Number{
		"not a complete international number":                                      {Number: "112"},
		"digits in international form":                                             {Number: "seven"},
		`number "8 (495) 123-45-67": expected the country code as its first group`: {Number: "8 (495) 123-45-67"},
		`static: number "(495) 765-43-21": expected the country code`:              {Tracking: []number.Tracking{{Static: "(495) 765-43-21"}}},
		`target "footer"`:                                 {Targets: []string{"footer"}},
		`selector "a["`:                                   {Selectors: []string{"a["}},
		`place ".tel" is given already`:                   {Targets: []string{".tel"}, Pictures: []number.Picture{{Place: ".tel"}}},
		`selector "img["`:                                 {Pictures: []number.Picture{{Place: "img["}}},
		"8 to 200 pixels, not 7":                          {Pictures: []number.Picture{{Place: "img", Size: 7}}},
		"8 to 200 pixels, not -1":                         {Pictures: []number.Picture{{Place: "img", Size: -1}}},
		"not \"grass\"":                                   {Pictures: []number.Picture{{Place: "img", Color: "grass"}}},
		"reading the font":                                {Pictures: []number.Picture{{Place: "img", Font: "settings.go"}}},
		"not a complete international":                    {Tracking: []number.Tracking{{Static: "7495"}}},
		`condition "utm=x"`:                               {Tracking: []number.Tracking{{Static: "74957654321", When: []string{"utm=x"}}}},
		"static 74957654322 is never shown":               {Tracking: []number.Tracking{{Static: "74957654321"}, {Static: "74957654322"}}},
		"dynamic: number \"7495\": ":                      {Tracking: []number.Tracking{{Dynamic: []string{"7495"}}}},
		"number 74957654321 is given already":             {Tracking: []number.Tracking{{Dynamic: []string{"74957654321", "7 495 765-43-21"}}}},
		"74957654321 is a static tracking number":         {Tracking: []number.Tracking{{Static: "74957654321", When: []string{"gclid"}}, {Dynamic: []string{"74957654321"}}}},
		"dynamic 74951234567 is never shown: static":      {Tracking: []number.Tracking{{Static: "74957654321"}, {Dynamic: []string{"74957654322"}}}},
		"static 74957654321 is never shown: dynamic":      {Tracking: []number.Tracking{{Dynamic: []string{"74957654322"}}, {Static: "74957654321"}}},
		"dynamic spring: there is no such pool":           {Tracking: []number.Tracking{{Pool: "spring"}}},
		`dynamic "Spring": expected numbers, or the name`: {Tracking: []number.Tracking{{Pool: "Spring"}}},
		"expected one of static, dynamic and pool":        {Tracking: []number.Tracking{{Static: "74957654321", Pool: "spring"}}},
		"number 74951234567 has dynamic numbers already":  {Tracking: []number.Tracking{{Dynamic: []string{"74957654321"}, When: []string{"gclid"}}, {Dynamic: []string{"74957654322"}}}},
		"74951234567 is a printed number":                 {Tracking: []number.Tracking{{Dynamic: []string{"74951234567"}}}},
		"static 74951234567 is the number":                {Tracking: []number.Tracking{{Static: "+7 495 123-45-67"}}},
	} {
		if wrong.Number == "" {
			wrong.Number = "74951234567"
		}
		h := Settings{Numbers: []number.Number{wrong}}
		require.ErrorContains(t, h.Complete(), expected)
	}
	for _, written := range []string{"84951234567", "+7495 123-45-67", "7 (495) 123-45-67", "(74951234567)", "+44 (20) 7946 0018", "+1-202-555-0123", "1.202.555.0123"} {
		require.NoError(t, (&Settings{Numbers: []number.Number{{Number: written}}}).Complete(), written)
	}
	right := Settings{Numbers: []number.Number{{Number: "+7 (495) 123-45-67", Tracking: []number.Tracking{{Static: "+7.495.765.43.21"}}}}, Prerender: "static"}
	require.NoError(t, right.Complete())
	require.NoError(t, right.Complete(), "it can be asked again")
	require.Equal(t, "74951234567", right.Numbers[0].Number)
	require.Equal(t, "74957654321", right.Numbers[0].Tracking[0].Static)
}
