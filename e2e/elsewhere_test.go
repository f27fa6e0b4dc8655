package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// A shop whose service is on another machine: to the browser all of it is the shop's own, and the central console
// has the visitor, the number, and the lead of the form, which the edge sends on.
func TestAShopWhoseServiceIsElsewhere(t *testing.T) {
	t.Parallel()
	edgeAddress := freeAddress(t)
	_, port, found := strings.Cut(edgeAddress, ":")
	require.True(t, found)
	shop := "http://localhost:" + port
	const directive = "\t\tprerender static\n"
	config := example(t)
	require.Contains(t, config, directive)
	_, shopsServer, found := strings.Cut(config, "# The shop's own server.")
	require.True(t, found)
	central := runProgram(t, strings.Replace(config, directive, "\t\torigins "+shop+"\n", 1), "")
	edge := runProgram(t, `
{
	frontdesk {
	}
}
http://localhost:`+port+` {
	frontdesk demo-shop {
		service `+central.shop+`/frontdesk/
		capture /contact
	}
	reverse_proxy localhost:8081
}
`+shopsServer, "")
	require.NotEmpty(t, edge.admin)

	desk := central.signedIn(t)
	visitor := newTab(t)
	visitor.visit(shop + "/contacts.html?utm_source=news")
	visitor.until(`window.Svc && Svc.getVisitorId() > 0`)
	visitor.until(`document.body.innerText.includes("765-43-21")`)
	require.Equal(t, shop+"/frontdesk/svc.js", value[string](visitor, `document.querySelector('script[src$="svc.js"]').src`))
	first := value[int](visitor, `Svc.getVisitorId()`)
	visitor.visit(shop + "/contacts.html")
	visitor.until(`window.Svc && Svc.getVisitorId() > 0`)
	require.Equal(t, first, value[int](visitor, `Svc.getVisitorId()`))
	require.Contains(t, visitor.cookies(shop), "svc_v")

	central.kill() // the form is sent while nobody is there
	visitor.run(
		chromedp.SendKeys("#your-name", "Anna"), chromedp.SendKeys("#phone", "+7 (495) 765-43-21"),
		chromedp.SendKeys("#message", "When are you open?"), chromedp.Click("form[data-contact] button"),
	)
	visitor.until(`location.pathname === "/contact"`)
	central.start(t)
	desk.visit(central.console + "/leads")
	desk.reloadsUntil(contains("#leads li", "When are you open?"))
	desk.do(`document.querySelector("#leads li a").click()`)
	desk.until(`location.pathname.startsWith("/leads/")`)
	for _, known := range []string{"Anna", "+7 495 765-43-21", "news"} {
		desk.until(contains("main", known))
	}
}
