package system

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// parts are the states of the parts of an installation, as the console's check shows them.
func (n *node) parts(client *http.Client, page string) (states []string) {
	n.T.Helper()
	n.Client.Jar = client.Jar
	answer := n.Get("http://localhost:$PORT" + page)
	document, err := goquery.NewDocumentFromReader(strings.NewReader(answer.Content))
	require.NoError(n.T, err)
	document.Find(".checked > li").Each(func(_ int, part *goquery.Selection) {
		states = append(states, strings.TrimPrefix(part.AttrOr("data-state", ""), "check."))
	})
	return states
}

// What one node sees at work, the console of another shows, also after both have started anew.
func TestInstallCheck(t *testing.T) {
	source := dbtest.OwnServer(t).Source()
	option := func(name string) string {
		return `
		{
			frontdesk {
				database postgres "$SOURCE"
				name ` + name + `
				operator anna "` + hash + `"
				telephony webhook {
					secret "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
				}
			}
		}`
	}
	shop := runNode(t, option("shop")+`
		http://localhost:$PORT {
			frontdesk shop {
				prerender static
				number 74951234567 {
					static 74957654321 utm_source=news
				}
				capture /contact
			}
			handle /contact {
				respond "thanks"
			}
			handle /picture {
				header Content-Type image/png
				respond "PNG"
			}
			handle {
				header Content-Type text/html
				respond "<!doctype html><html><head><title>Lamps</title></head><body>+7 495 123-45-67</body></html>"
			}
		}`, "$SOURCE", source)
	desk := runNode(t, option("desk")+`
		http://localhost:$PORT {
			frontdesk_console
		}`, "$SOURCE", source)
	client, signedIn := desk.as("anna")
	require.True(t, signedIn)
	shows := func(want string) {
		t.Helper()
		require.Eventually(t, func() bool { return strings.Join(desk.parts(client, "/sites/1/check"), " ") == want }, wait, tick, want)
	}
	const at = "http://localhost:$PORT"
	shows("missing missing missing missing missing missing missing")
	shop.Get(at + "/picture")
	shop.Get(at+"/", "Accept", "text/html")
	shows("well well missing missing missing missing missing")
	shop.Get(at + "/frontdesk/svc.js")
	shows("well well well missing missing missing missing")
	shop.arrive()
	shows("well well well well missing missing missing")
	shop.Get(at+"/?utm_source=news", "Accept", "text/html")
	shows("well well well well well missing missing")
	sent, err := shop.Client.PostForm(shop.Text(at+"/contact"), url.Values{"name": {"Anna"}, "phone": {"+7 495 000-00-01"}})
	require.NoError(t, err)
	sent.Body.Close()
	shows("well well well well well well missing")
	shop.launchAnew()
	desk.launchAnew()
	client, signedIn = desk.as("anna")
	require.True(t, signedIn)
	shows("well well well well well well missing")
}

// launchAnew ends the node's process and starts another.
func (n *node) launchAnew() {
	n.T.Helper()
	n.kill()
	n.launch()
}
