package visit

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBots(t *testing.T) {
	b := newBots()
	require.Greater(t, len(b.texts), 1000)
	for userAgent, bot := range map[string]bool{
		"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)": true,
		"Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)":         true,
		"Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)":  true,
		"Wget/1.21":  true,
		"curl/8.5.0": true,
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36":                           true,
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36":                                   false,
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1": false,
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:141.0) Gecko/20100101 Firefox/141.0":                                                        false,
		"": false,
	} {
		require.Equal(t, bot, b.match(userAgent), userAgent)
		require.Equal(t, bot, b.match(userAgent), "remembered: %s", userAgent)
	}
}

func TestUserAgentsAreForgotten(t *testing.T) {
	b := newBots()
	for i := range 2*maxKnownAgents + 5 {
		b.match(fmt.Sprint("agent ", i))
		require.LessOrEqual(t, b.known.Len(), maxKnownAgents)
	}
}

func BenchmarkBot(b *testing.B) {
	bots := newBots()
	const userAgent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
	b.Run("remembered", func(b *testing.B) {
		for b.Loop() {
			bots.match(userAgent)
		}
	})
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			bots.search(userAgent)
		}
	})
}
