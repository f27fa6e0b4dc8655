package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Sites go on from inside their callbacks, so these are called whatever becomes of the service and of the panels' part.
func TestCallbacksOfCallsAlwaysCome(t *testing.T) {
	t.Parallel()
	const calls = `window.told = {}; for (const name of ["Svc", "SvcWidget"]) {
		window[name].sitePhoneCall({phone: "55", group_id: null, delayed_call_time: 0, captcha_key: ""}, result => told[name] = result);
		window[name].sitePhoneCall({get phone() { throw new Error("own") }}, result => told[name + " broken"] = result);
	}
	Svc.Captcha.get_captcha(result => told.captcha = result);`
	for name, c := range map[string]struct {
		head, code string
		fault      *reply
	}{
		"no answer":       {insertion(""), "timeout", &reply{release: make(chan struct{})}},
		"broken":          {insertion(""), "network", &reply{cut: true}},
		"not the service": {insertion(""), "malformed", &reply{status: 200, body: "<h1>Log in</h1>"}},
		"no key":          {`<script async src="/frontdesk/svc.js"></script>`, "no_key", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, b := newScriptService(t, variantA), newTab(t)
			s.lost = "panels"
			s.intercept = func(a arrival, _ int) *reply {
				if a.route == "callback" {
					return c.fault
				}
				return nil
			}
			s.setFault(c.fault)
			s.page("/", c.head, "")
			b.before(heldClock)
			b.visit(s.URL)
			b.until(`window.Svc`)
			if name != "no key" {
				b.until(identified)
			}
			b.do(calls)
			if c.code == "timeout" {
				s.await("callback", 2)
				s.await("captcha", 1)
				b.do(`clock.pass(3900)`)
			} else if c.code == "network" {
				b.do(`clock.pass(500); clock.pass(1500); clock.pass(3900)`)
			}
			b.until(`Object.keys(told).length === 5`)
			for _, object := range []string{"Svc", "SvcWidget"} {
				result := value[map[string]any](b, `told.`+object)
				require.Equal(t, false, result["success"])
				require.Equal(t, 3.0, result["result"].(map[string]any)["status"])
				require.Contains(t, []string{c.code, "timeout"}, result["result"].(map[string]any)["code"])
			}
			require.Equal(t, map[string]any{"key": "", "url": ""}, value[any](b, "told.captcha"))
		})
	}
}

// The real service takes what sites give, and says in its statuses what has become of it.
func TestSitePhoneCallOfTheService(t *testing.T) {
	t.Parallel()
	s := runPanels(t, "", nil)
	s.page("/", "en", "", "")
	b := newTab(t)
	b.before(seePanels)
	s.open(b, "/")
	call := func(object, params string) map[string]any {
		t.Helper()
		answer := value[map[string]any](b, `new Promise(done => `+object+`.sitePhoneCall(`+params+`, done))`)
		require.Len(t, answer, 2)
		result := answer["result"].(map[string]any)
		require.Equal(t, answer["success"], result["status"] == 0.0)
		require.IsType(t, "", result["code"])
		return result
	}
	captcha := value[map[string]any](b, `new Promise(done => Svc.Captcha.get_captcha(done))`)
	require.Len(t, captcha, 2)
	require.True(t, strings.HasPrefix(captcha["url"].(string), s.shop+"/frontdesk/"))
	picture, err := http.Get(captcha["url"].(string))
	require.NoError(t, err)
	defer picture.Body.Close()
	require.Equal(t, "image/png", picture.Header.Get("Content-Type"))
	for _, object := range []string{"Svc", "SvcWidget"} {
		require.Equal(t, 1.0, call(object, `{phone: "+7 495 123-45-67", captcha_key: "", captcha_value: ""}`)["status"])
		require.Equal(t, 1.0, call(object, `{phone: "84951234567", captcha_key: "`+captcha["key"].(string)+`", captcha_value: "12345", group_id: "", delayed_call_time: 0}`)["status"])
	}
	for _, nothing := range []string{"null", "undefined", "'8495'", "Symbol()"} {
		require.NotEqual(t, 0.0, call("Svc", nothing)["status"], nothing)
	}

	// Without a callback the visitor is told.
	b.do(`SvcWidget.sitePhoneCall({phone: "+7 495 123-45-67"})`)
	b.until(`window.panels && panels.querySelector(".notice p")`)
	require.Equal(t, "These were not the digits in the picture. Please try again.", value[string](b, `panels.querySelector(".notice p").textContent`))
	require.Equal(t, "status", value[string](b, `panels.querySelector(".notice").parentNode.getAttribute("role")`))
	b.pressIn(".notice button")
	b.until(`!panels.querySelector(".notice")`)
}

// A visitor is invited once, on the pages and from the source that the rule names, while somebody is there.
func TestInvitations(t *testing.T) {
	t.Parallel()
	s := runPanels(t, `
		widget {
			invite {
				address /cart*
				source utm_source=news*
				text "May we help?"
			}
		}`, nil)
	s.page("/", "en", "", "")
	s.page("/cart/1", "en", "", "")
	b, other := newTab(t), newTab(t)
	for _, one := range []*tab{b, other} {
		one.before(seePanels)
	}
	desk := s.signedIn(t)
	desk.visit(s.console + "/leads")
	const invited = `window.panels && panels.querySelector(".invitation")`

	other.visit(s.shop + "/cart/1")
	b.visit(s.shop + "/?utm_source=newsletter")
	b.until(`window.panels && Svc.getOperatorStatus()`)
	require.False(t, value[bool](b, `!!(`+invited+`)`))
	b.visit(s.shop + "/cart/1")
	b.front()
	b.until(invited)
	require.Equal(t, "May we help?", value[string](b, `panels.querySelector(".invitation p").textContent`))
	b.pressIn(".invitation .main")
	b.until(opened)
	b.until(`panels.querySelector(".chat").offsetParent`)
	require.Equal(t, "May we help?", value[string](b, `panels.querySelector(".greeting").innerText`))
	b.asks("Please do")
	b.until(`panels.querySelectorAll(".log .msg:has(time)").length === 2`)
	require.Equal(t, 2, value[int](b, `panels.querySelector(".log").innerText.split("May we help?").length`), "it is said once")
	b.visit(s.shop + "/cart/1")
	b.until(`window.panels && Svc.getOperatorStatus()`)
	b.do(`await new Promise(pass => setTimeout(pass, 1500))`)
	require.False(t, value[bool](b, `!!(`+invited+`)`), "once is enough")
	require.False(t, value[bool](other, `!!(`+invited+`)`), "another source")
}
