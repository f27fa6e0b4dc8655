package agent

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOf(t *testing.T) {
	for header, expected := range map[string]Agent{
		"": {},
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36":                           {"desktop", "Chrome", "Windows"},
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0":             {"desktop", "Edge", "Windows"},
		"Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0":                                                                    {"desktop", "Firefox", "Linux"},
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15":                     {"desktop", "Safari", "macOS"},
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1":   {"phone", "Safari", "iOS"},
		"Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1":            {"tablet", "Safari", "iOS"},
		"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36":                           {"phone", "Chrome", "Android"},
		"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36":       {"phone", "Samsung Browser", "Android"},
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 YaBrowser/25.8.0.0 Safari/537.36":        {"desktop", "Yandex Browser", "Windows"},
		"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)":                                                                  {"bot", "", ""},
		"Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP1A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/141.0 Mobile Safari/537": {"phone", "Chrome", "Android"},
	} {
		require.Equal(t, expected, Of(header), header)
	}
}

func FuzzOf(f *testing.F) {
	f.Add("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36")
	f.Add("A(;;;)(" + strings.Repeat("/1 ", 400))
	f.Fuzz(func(t *testing.T, header string) {
		a := Of(header)
		known := slices.Contains([]string{"", "desktop", "phone", "tablet", "bot"}, a.Device) && (a.System == "" || slices.Contains(systems, a.System))
		if !known || a.Browser != "" && !slices.Contains(slices.Collect(maps.Values(browsers)), a.Browser) {
			t.Fatalf("%+v of %q", a, header)
		}
	})
}
