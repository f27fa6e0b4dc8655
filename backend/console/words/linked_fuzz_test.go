package words

import (
	"html/template"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

// FuzzLinked holds that what visitors write becomes no markup but links to the web, which say where they lead.
func FuzzLinked(f *testing.F) {
	for _, text := range []string{
		"see https://shop.example/?a=1&b=<b>.", "http://a@evil.example/ https://x\"onclick=alert(1)", "https://\u202egro.elpmaxe", "HTTPS://x javascript:alert(1)",
		strings.Repeat("http://x ", 120), "https://xn--e1a/\x00", "https://[::1]:80/%zz", "<a href=https://x>", "https://shop.example/?'><script>",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var shown template.HTML
		stepstest.Hold(t, len(text), func() { shown, _ = Linked(text) })
		require.Less(t, len(shown), remarkSize+100)
		tokens := html.NewTokenizer(strings.NewReader(string(shown)))
		for {
			switch tokens.Next() {
			case html.ErrorToken:
				return
			case html.StartTagToken, html.SelfClosingTagToken:
				token := tokens.Token()
				require.Contains(t, []string{"a", "bdi", "span"}, token.Data)
				for _, attribute := range token.Attr {
					require.Contains(t, []string{"href", "target", "rel", "class"}, attribute.Key)
					if attribute.Key == "href" {
						address, err := url.Parse(attribute.Val)
						require.NoError(t, err)
						require.Contains(t, []string{"http", "https"}, address.Scheme)
						require.Nil(t, address.User)
					}
				}
			case html.CommentToken, html.DoctypeToken:
				require.Fail(t, "markup")
			}
		}
	})
}
