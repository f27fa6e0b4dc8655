package view

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

// Whatever address a page has, the credentials carry it as one that any place
// can hold, and that is still an address.
func FuzzCredentialAddress(f *testing.F) {
	for _, seed := range []string{
		"https://shop.example/lamps?utm_source=news#part", "http://shop.example/caf\u00e9 bar;a|b", "https://[::1]:8080/", "HTTPS://SHOP.EXAMPLE",
		"http\u017f://shop.example/", "https://shop.example/%zz%", "https://\x00/", "https://shop.example/\xff", "javascript:alert(1)", "https://", "https://@/", "https://shop.example\\@evil.example/",
		"https://shop.example/" + strings.Repeat("\u044f", 700),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var address string
		stepstest.Hold(t, len(text), func() { address = CredentialAddress(text) })
		require.LessOrEqual(t, len(address), MaxAddress)
		require.NotRegexp(t, `[^!-~]|[;|#"'<>]`, address)
		require.Equal(t, address, CredentialAddress(address), "it is its own address")
		if WebAddress(text) {
			require.True(t, WebAddress(address), "%q", address)
		}
	})
}
