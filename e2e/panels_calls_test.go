package e2e

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
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
				if a.route == "callback" || a.route == "captcha" {
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
			switch c.code {
			case "timeout":
				s.await("callback", 2)
				s.await("captcha", 1)
				b.do(`clock.pass(3900)`)
			case "network":
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

// A captcha may ask for a proof. The call waits for it, unseen, and goes as it is where the page is left before.
func TestCallsBringTheProofOfTheirCaptcha(t *testing.T) {
	t.Parallel()
	const salt, number, most = "ABCDEFGHIJKLMNOPQRSTUVWXYZ1", 20_000, 1 << 15
	sum := sha256.Sum256(fmt.Append(nil, salt, number))
	wanted := func(sum string, most int) map[string]any {
		return map[string]any{"proof": map[string]any{"salt": salt, "sum": sum, "most": most}}
	}
	const order = `new Promise(done => Svc.Captcha.get_captcha(captcha =>
		SvcWidget.sitePhoneCall({captcha_key: captcha.key, captcha_value: "1234", phone: "55"}, done)))`
	for name, c := range map[string]struct {
		captcha map[string]any
		lost    string
		leaves  bool
		proof   any
	}{
		"found":         {wanted(hex.EncodeToString(sum[:]), most), "", false, strconv.Itoa(number)},
		"there is none": {wanted(strings.Repeat("0", 64), 3000), "", false, "3000"},
		"part is lost":  {wanted(hex.EncodeToString(sum[:]), most), "proof", false, nil},
		"page is left":  {wanted(strings.Repeat("0", 64), 1<<31), "", true, nil},
		"not asked for": {nil, "", false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, b := newScriptService(t, variantA), newTab(t)
			s.captcha, s.lost = c.captcha, c.lost
			s.headers.Set("Content-Security-Policy", "default-src 'none'; script-src 'self' 'unsafe-inline'; connect-src 'self'; require-trusted-types-for 'script'")
			s.page("/", insertion(""), "")
			s.page("/next", "", "")
			b.before(`window.violations = 0; addEventListener("securitypolicyviolation", () => violations++)`)
			b.visit(s.URL)
			b.until(identified)
			if c.leaves {
				b.do(`void ` + order + `; Svc.Captcha.get_captcha(() => window.given = true)`)
				b.until(`window.given`)
				b.visit(s.URL + "/next")
			} else {
				require.Equal(t, map[string]any{"success": true, "result": map[string]any{"status": 0.0, "code": ""}}, value[any](b, order))
				require.Equal(t, 0.0, value[any](b, `violations`))
			}
			call := s.await("callback", 1)[0]
			require.Equal(t, c.proof, call.body["proof"])
			require.NotNil(t, call.body["credentials"])
		})
	}
}

// A network that asks for many captchas has proofs to find. Pages of sites notice nothing of that.
func TestProofsOfTheService(t *testing.T) {
	t.Parallel()
	s := runPanels(t, "", nil)
	s.page("/", "en", "", "")
	address, err := url.Parse(s.shop)
	require.NoError(t, err)
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(address)
		r.Out.Host = r.In.Host
		r.Out.Header.Set("X-Forwarded-For", "203.0.113.7")
	}})
	t.Cleanup(proxy.Close)
	stored, err := sql.Open("sqlite", "file:"+s.stored+"?mode=ro&_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	t.Cleanup(func() { stored.Close() })
	b := newTab(t)
	b.visit(strings.Replace(proxy.URL, "127.0.0.1", "localhost", 1))
	b.until(`window.Svc && Svc.getCredentials().hit_id`)
	for asked := range 5 {
		key := value[string](b, `new Promise(done => Svc.Captcha.get_captcha(captcha => done(captcha.key)))`)
		require.Equal(t, asked >= 3, key[26] != '0', "whether a proof is wanted")
		var digits string
		require.NoError(t, stored.QueryRowContext(t.Context(), `SELECT digits FROM captchas WHERE key = $1`, key).Scan(&digits))
		status, code := sitePhoneCall(t, b, fmt.Sprint("791234567", 10+asked), key, digits, 3600000)
		require.Equal(t, 0, status, "%d: %s", asked, code)
	}
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
