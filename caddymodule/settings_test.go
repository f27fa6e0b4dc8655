package caddymodule

import (
	"testing"

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
		"site key":      {SiteKey: "my shop"},
		"prefix":        {Prefix: "frontdesk"},
		"two names":     {Objects: []string{"Svc"}},
		"object name":   {Objects: []string{"window", "SvcWidget"}},
		"variant":       {Variant: "a"},
		"service":       {Service: "remote"},
		"phone mask":    {PhoneMask: "none"},
		"consent":       {Consent: &Consent{Value: "yes"}},
		"a cookie can":  {Consent: &Consent{Cookie: "c", Value: "a b"}},
		"origin":        {Origins: []string{"m.shop.example"}},
		"in lower case": {Origins: []string{"https://M.shop.example"}},
	} {
		require.ErrorContains(t, wrong.check(), expected)
	}
	right := Handler{SiteKey: "shop", Prefix: "/desk", Origins: []string{"http://localhost:3000"}}
	require.NoError(t, right.check())
	require.Equal(t, "/desk/", right.Prefix)
}
