package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

const crossingAnswered = `performance.getEntriesByType("resource").some(({name, responseEnd}) => name.includes("/v1/crossing") && responseEnd)`

// follows moves the pointer to the link, and clicks it when the service has said whom it brings along.
func (b *tab) follows(id string) {
	b.t.Helper()
	b.front()
	at := value[[]float64](b, `(box => [box.x + box.width / 2, box.y + box.height / 2])(`+id+`.getBoundingClientRect())`)
	_, err := chromedp.Call(b.ctx, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: "mouseMoved", X: at[0], Y: at[1]})
	require.NoError(b.t, err)
	b.until(crossingAnswered)
	b.run(chromedp.Click("#" + id))
}

// seen opens the address and waits for the ids of its view.
func (b *tab) seen(address string) (visitor float64) {
	b.t.Helper()
	b.visit(address)
	b.until(`window.Svc && ` + identified)
	return value[float64](b, `Svc.getVisitorId()`)
}

// crosses opens the address and follows the link to the host, until the visitor of the first page is that of the second, each
// time in a new browser: a page does not wait long for the database, and the machine may be busy.
func crosses(t *testing.T, address, id, host string) (b *tab, visitor float64) {
	t.Helper()
	for range 10 {
		b = newTab(t)
		visitor = b.seen(address)
		b.follows(id)
		b.until(`location.hostname === "` + host + `" && window.Svc && ` + identified)
		if value[float64](b, `Svc.getVisitorId()`) == visitor {
			return b, visitor
		}
	}
	require.FailNow(t, "no link has brought its visitor along")
	return nil, 0
}

// The two domains of a site are behind the program. A link from one to the other brings the visitor along, with the source
// and the number. Neither the page nor its server see that in the address.
func TestVisitorGoesToAnotherDomain(t *testing.T) {
	t.Parallel()
	for _, prerender := range []string{"static", "dynamic"} {
		t.Run(prerender, func(t *testing.T) {
			t.Parallel()
			p := runProgram(t, `
{
	frontdesk
}

http://localhost:8080, http://127.0.0.1:8080 {
	frontdesk shop {
		prerender `+prerender+`
		number 74951234567 {
			static 74957654321 utm_source=news
		}
	}
	header Content-Type "text/html; charset=utf-8"
	respond "<!doctype html><html><head><title>Lamps</title><script>window.seen = location.href</script></head><body>
		<p id=number>+7 495 123-45-67</p><p id=asked>{http.request.uri}</p>
		<a id=there href=\"http://127.0.0.1:8080/birch?size=2#oslo\">There</a> <a id=back href=\"//localhost:8080/\">Back</a>
		<a id=window target=other href=\"http://127.0.0.1:8080/\">Window</a> <a id=stranger href=\"http://stranger.test/\">Stranger</a></body></html>"
}
`, "")
			there := strings.Replace(p.shop, "localhost", "127.0.0.1", 1)
			b, visitor := crosses(t, p.shop+"/?utm_source=news", "there", "127.0.0.1")
			require.Equal(t, there+"/birch?size=2#oslo", value[string](b, `location.href`))
			require.Equal(t, there+"/birch?size=2#oslo", value[string](b, `seen`), "the page's own code sees nothing of it")
			require.Equal(t, "/birch?size=2", value[string](b, `asked.textContent`), "nor does its server")
			require.Equal(t, p.shop+"/", value[string](b, `document.referrer`))
			b.until(contains("#number", "+7 495 765-43-21"))
			require.Equal(t, visitor, b.seen(there+"/"), "the next page")
			b.follows("back")
			b.until(`location.hostname === "localhost" && window.Svc && ` + identified)
			require.Equal(t, visitor, value[float64](b, `Svc.getVisitorId()`))
			require.Equal(t, p.shop+"/", value[string](b, `location.href`))

			// Links have the page's own addresses, before they are followed and after that. Others are left alone.
			b.do(`window.followed = []; addEventListener("click", event => {followed.push(event.target.href); event.preventDefault()})`)
			b.do(`document.body.dispatchEvent(new PointerEvent("pointerover", {bubbles: true, pointerType: "touch"}))`) // a finger anywhere
			b.until(crossingAnswered)
			b.do(`for (const link of [window.document.getElementById("window"), stranger, there]) link.click(); await new Promise(setTimeout)`)
			followed := value[[]string](b, `followed`)
			require.Equal(t, []string{there + "/", "http://stranger.test/"}, followed[:2])
			require.Regexp(t, `^`+there+`/birch\?size=2&svc_crossing=[\w.-]+#oslo$`, followed[2])
			require.Equal(t, there+"/birch?size=2#oslo", value[string](b, `there.getAttribute("href")`))

			// Somebody else who gets this very link is somebody else.
			other := newTab(t)
			require.NotEqual(t, visitor, other.seen(followed[2]))
			require.Equal(t, there+"/birch?size=2#oslo", value[string](other, `location.href`))
			// Who is known there already stays who he is.
			known := value[float64](other, `Svc.getVisitorId()`)
			require.NotEqual(t, known, other.seen(p.shop+"/"))
			other.follows("there")
			other.until(`location.hostname === "127.0.0.1" && window.Svc && ` + identified)
			require.Equal(t, known, value[float64](other, `Svc.getVisitorId()`))
		})
	}
}

// A page of another domain that is not behind the program carries the script's tag. The script takes the visitor over, and
// takes him out of the address.
func TestVisitorGoesToAnOriginElsewhere(t *testing.T) {
	t.Parallel()
	var page string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, page)
	}))
	t.Cleanup(elsewhere.Close)
	lamps := strings.Replace(elsewhere.URL, "127.0.0.1", "lamps.test", 1)
	p := runProgram(t, `
{
	frontdesk
}

http://shop.test:8080, http://localhost:8080 {
	frontdesk shop {
		origins `+lamps+`
	}
	header Content-Type "text/html; charset=utf-8"
	respond "<!doctype html><html><head><title>Lamps</title></head><body><a id=there href=\"`+lamps+`/#oslo\">There</a></body></html>"
}
`, "")
	shop := strings.Replace(p.shop, "localhost", "shop.test", 1)
	page = `<!doctype html><html><head><title>Birch</title></head><body><script src="` + shop + `/frontdesk/svc.js?k=shop"></script>
		<script>window.seen = location.href</script><a id=back href="` + shop + `/">Back</a></body></html>`
	b, _ := crosses(t, shop+"/", "there", "lamps.test")
	require.Equal(t, lamps+"/#oslo", value[string](b, `location.href`))
	require.Equal(t, lamps+"/#oslo", value[string](b, `seen`), "code after the script sees nothing of it")

	// A visitor of that page is brought to the shop.
	b, visitor := crosses(t, lamps+"/", "back", "shop.test")
	require.Equal(t, shop+"/", value[string](b, `location.href`))
	require.Equal(t, visitor, b.seen(shop+"/"), "by his cookie from now on")
}
