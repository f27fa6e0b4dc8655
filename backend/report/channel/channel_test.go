package channel

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

func TestOf(t *testing.T) {
	for address, expected := range map[string]Channel{
		"https://shop.example/": Direct,
		"https://shop.example/?utm_source=newsletter&utm_medium=email":            Email,
		"https://shop.example/?utm_source=newsletter":                             Email,
		"https://shop.example/?utm_source=google&utm_medium=cpc":                  PaidSearch,
		"https://shop.example/?gclid=abcdefghijklmnop":                            PaidSearch,
		"https://shop.example/?yclid=1234567890123456789":                         PaidSearch,
		"https://shop.example/?utm_source=vk&utm_medium=cpc":                      PaidSocial,
		"https://shop.example/?utm_source=vk_ads&utm_medium=cpc":                  PaidSocial,
		"https://shop.example/?utm_source=vk&utm_medium=social":                   Social,
		"https://shop.example/?utm_source=instagram":                              Social,
		"https://shop.example/?utm_source=google&utm_medium=display":              Display,
		"https://shop.example/?utm_source=youtube&utm_medium=video":               Video,
		"https://shop.example/?utm_source=flyer&utm_medium=qr":                    Offline,
		"https://shop.example/?utm_source=admitad&utm_medium=cpa":                 Affiliate,
		"https://shop.example/?utm_source=bot&utm_medium=telegram":                Message,
		"https://shop.example/?utm_source=somewhere&utm_medium=cpc":               Advertising,
		"https://shop.example/?utm_source=somewhere&utm_medium=nothing":           Other,
		"https://shop.example/ from https://www.google.com/":                      Search,
		"https://shop.example/ from https://yandex.ru/":                           Search,
		"https://shop.example/ from https://vk.com/feed":                          Social,
		"https://shop.example/ from https://blog.example/post":                    Referral,
		"https://shop.example/?utm_source=googling&utm_medium= from https://x.y/": Other,
	} {
		address, referrer, _ := strings.Cut(address, " from ")
		s := source.Of(address, referrer, source.Own{})
		require.Equal(t, expected, Of(s.Kind, s.Source, s.Medium), "%s from %s: %+v", address, referrer, s)
	}
}

// The table of the documentation has all channels.
func TestDocumented(t *testing.T) {
	content, err := os.ReadFile("../../../docs/reports.md")
	require.NoError(t, err)
	for _, c := range Channels {
		require.Contains(t, string(content), "| `"+string(c)+"` |")
	}
}
