package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// A browser that says that its user objects sees the whole shop, and leaves nothing: no cookie, no visit, no request.
func TestGlobalPrivacyControlIsRespected(t *testing.T) {
	t.Parallel()
	config := example(t)
	const directive = "\t\tprerender static\n"
	require.Contains(t, config, directive)
	p := runProgram(t, strings.Replace(config, directive, directive+"\t\trespect gpc\n\t\tcapture /contact\n", 1), "")
	desk := p.signedIn(t)

	objecting := newTab(t)
	_, err := chromedp.Call(objecting.ctx, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	_, err = chromedp.Call(objecting.ctx, network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Sec-GPC": "1"}})
	require.NoError(t, err)
	objecting.visit(p.shop + "/contacts.html?utm_source=news")
	objecting.until(`window.Svc`)
	objecting.do(`Svc.addOfflineRequest({name: "Objector", phone: "+7 495 111-22-33"}, (answer) => { window.answered = answer; })`)
	objecting.until(`window.answered`)
	require.False(t, value[bool](objecting, `answered.success`))
	objecting.do(`document.getElementById("your-name").value = "Objector";
		document.getElementById("phone").value = "+7 (495) 765-43-21";
		document.getElementById("message").value = "Do you keep this?";
		document.querySelector("form[data-contact]").requestSubmit()`)
	objecting.until(`location.pathname === "/contact"`)
	require.Empty(t, value[string](objecting, `document.cookie`))
	cookies, err := chromedp.Call(objecting.ctx, network.GetCookies, network.GetCookiesParams{})
	require.NoError(t, err)
	require.Empty(t, cookies.Cookies)

	other := newTab(t)
	other.visit(p.shop + "/contacts.html?utm_source=news")
	other.until(`window.Svc && Svc.getCredentials().hit_id`)
	other.do(`Svc.addOfflineRequest({name: "Willing", phone: "+7 495 222-33-44"}, (answer) => { window.answered = answer; })`)
	other.until(`window.answered && answered.success`)
	desk.visit(p.console + "/leads")
	desk.until(contains("#leads", "Willing"))
	require.Equal(t, 1, value[int](desk, `document.querySelectorAll("#leads li").length`))
	desk.visit(p.console + "/leads/refused")
	desk.until(`document.querySelector("main h1")`)
	require.NotContains(t, value[string](desk, `document.body.innerText`), "Objector")
	desk.visit(p.console + "/visitors")
	desk.until(contains("#guests", "Willing"))
	require.Equal(t, 1, value[int](desk, `document.querySelectorAll("#guests li").length`))
}
