package e2e

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// usePanels walks through the panels of a page as a visitor would, and sends a request.
func usePanels(b *tab) {
	b.t.Helper()
	b.until(launched)
	require.Equal(b.t, "fixed rgb(10, 125, 79)", value[string](b, `(s => s.position + " " + s.backgroundColor)(getComputedStyle(panels.querySelector(".launcher")))`))
	require.Equal(b.t, 56.0, value[float64](b, `panels.querySelector(".launcher").getBoundingClientRect().width`))
	b.pressIn(".launcher")
	b.until(opened)
	require.Greater(b.t, value[float64](b, `panels.querySelector(".panel").getBoundingClientRect().height`), 200.0)
	require.Equal(b.t, "rgb(255, 255, 255)", value[string](b, `getComputedStyle(panels.querySelector(".panel")).backgroundColor`))
	b.do(`const set = (name, text) => panels.querySelector("[name=" + name + "]").value = text;
		set("phone", "+7 (495) 123-45-67"); set("message", "Two \u00ablamps\u00bb");
		panels.querySelector(".view:not([hidden]) .send .main").click()`)
	b.until(`panels.querySelector(".told")`)
	require.Equal(b.t, "Thank you. Your message has been sent.", value[string](b, `panels.querySelector(".told").textContent`))
	b.do(`Svc.openSitePhonePanel()`)
	b.until(`panels.querySelector("[name=captcha]")`)
	// The picture is drawn where the policy lets no pictures in.
	b.until(`(canvas => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some(part => part))(panels.querySelector("canvas"))`)
	b.do(`panels.querySelector("[name=tel]").value = "+7 (495) 123-45-67"; panels.querySelector("[name=captcha]").value = "12";
		panels.querySelector(".view:not([hidden]) .send .main").click()`)
	b.until(`panels.activeElement && panels.activeElement.name === "captcha"`)
	require.Equal(b.t, "Enter the four digits.", value[string](b, `panels.getElementById("captcha-error").textContent`))
}

// The strictest policies under which the page's own scripts can run and fetch let the panels work, and have nothing to report.
func TestPanelsUnderStrictPolicies(t *testing.T) {
	t.Parallel()
	for name, policy := range map[string]string{
		"nonce and trusted types": "default-src 'none'; script-src 'nonce-abc123'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'",
		"strict-dynamic":          "default-src 'none'; script-src 'nonce-abc123' 'strict-dynamic'; connect-src 'self'; style-src 'none'; img-src 'none'; base-uri 'none'; form-action 'none'; sandbox allow-scripts allow-same-origin",
		"own host":                "default-src 'none'; script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := runPanels(t, panelsSettings, http.Header{"Content-Security-Policy": {policy}})
			s.page("/", "en", "", "")
			b := newTab(t)
			b.before(seePanels + `window.violations = []; addEventListener("securitypolicyviolation", e => violations.push(e.violatedDirective + " " + e.blockedURI + " " + e.sample));`)
			b.visit(s.shop)
			usePanels(b)
			require.Empty(t, value[[]string](b, "violations"))
		})
	}
}

// Styles of a page that hide and undo everything do not reach the panels, and the panels' do not reach the page.
func TestPanelsBesideHostileStyles(t *testing.T) {
	t.Parallel()
	s := runPanels(t, panelsSettings, nil)
	s.page("/", "en", `<style>
		* { all: unset !important }
		div, html > div, html > :last-child { display: none !important; visibility: hidden !important; opacity: 0 !important; position: static !important;
			width: 1px !important; transform: scale(0) !important; pointer-events: none !important; z-index: -1 !important; filter: invert(1) !important; direction: rtl !important }
		button, input, canvas { display: none !important }
		:root { --accent: red !important; --surface: red !important; --text: red !important }
	</style>`, "")
	b := newTab(t)
	b.launches(s.shop)
	at := value[[]float64](b, `(box => [box.x + box.width / 2, box.y + box.height / 2])(panels.querySelector(".launcher").getBoundingClientRect())`)
	require.True(t, value[bool](b, fmt.Sprintf(`document.elementFromPoint(%f, %f) === panels.host && panels.elementFromPoint(%[1]f, %[2]f).closest(".launcher") !== null`, at[0], at[1])), "it can be pressed")
	usePanels(b)
	require.Equal(t, "inline", value[string](b, `getComputedStyle(document.getElementById("text")).display`), "the page is as its styles have it")
}

// Browsers before Safari 16.4 make no style sheets.
func TestPanelsInOlderBrowsers(t *testing.T) {
	t.Parallel()
	s := runPanels(t, panelsSettings, http.Header{"Content-Security-Policy": {"default-src 'none'; script-src 'nonce-abc123'; style-src 'nonce-abc123'; connect-src 'self'"}})
	s.page("/", "en", "", "")
	b := newTab(t)
	b.before(seePanels + `window.rejections = []; addEventListener("unhandledrejection", e => rejections.push(String(e.reason)));
		window.CSSStyleSheet = function () { throw new TypeError("Illegal constructor") };
		for (const root of [Document, ShadowRoot]) delete root.prototype.adoptedStyleSheets;`)
	b.visit(s.shop)
	usePanels(b)
	require.Empty(t, value[[]string](b, "rejections"))
}

// Frameworks that take a page over take away what they do not know.
func TestPanelsComeBackToThePage(t *testing.T) {
	t.Parallel()
	s := runPanels(t, panelsSettings, nil)
	s.page("/", "en", "", "")
	b := newTab(t)
	b.launches(s.shop)
	b.do(`panels.host.remove()`)
	b.until(`panels.host.isConnected`)
	usePanels(b)
	b.do(`Svc.openSiteRequestPanel()`)
	b.until(opened)
	b.do(`document.documentElement.replaceChildren(document.head, document.createElement("body"))`)
	b.until(`panels.host.isConnected`)
	require.True(t, value[bool](b, `!!(`+opened+`)`), "it is as it was")

	// A page that never stops wins, until the visitor asks.
	b.do(`window.kept = new MutationObserver(() => { if (panels.host.isConnected) panels.host.remove() }); kept.observe(document.documentElement, {childList: true}); panels.host.remove()`)
	require.False(t, value[bool](b, `new Promise(done => setTimeout(() => done(panels.host.isConnected), 100))`))
	b.do(`kept.disconnect(); Svc.openSitePhonePanel()`)
	b.until(`panels.host.isConnected`)
	require.True(t, value[bool](b, `!!(`+opened+`)`))
}

// Pages come with libraries that have changed what the language and the document have built in.
func TestPanelsBesideChangedBuiltIns(t *testing.T) {
	t.Parallel()
	s := runPanels(t, panelsSettings, nil)
	for path, code := range map[string]string{
		"/arrays": `
			for (const name of Object.getOwnPropertyNames(Array.prototype)) {
				if (name !== "constructor" && name !== "push" && typeof Array.prototype[name] === "function") {
					Array.prototype[name] = function () { throw new Error("broken " + name) };
				}
			}
			Array.prototype[Symbol.iterator] = function () { throw new Error("broken iterator") };
			Array.from = Array.of = () => { throw new Error("broken") };`,
		"/old": `
			Array.prototype.toJSON = function () { return "[" + this.join() + "]" };
			String.prototype.toJSON = Date.prototype.toJSON = function () { return '"' + this + '"' };
			Object.prototype.extended = function () {}; Array.prototype.added = function () {}; Function.prototype.more = 1;
			Array.from = list => list ? Array.prototype.slice.call(list.toArray ? list.toArray() : list) : [];
			Array.prototype.reduce = function () { return this.length > 1 ? this : this[0] };`,
		"/json":     `JSON.stringify = JSON.parse = () => { throw new Error("broken") };`,
		"/promises": `window.Promise = function () { throw new Error("broken") }; Promise.resolve = Promise.all = () => { throw new Error("broken") };`,
		"/elements": `
			const broken = name => ({configurable: true, get() { throw new Error("broken " + name) }, set() { throw new Error("broken " + name) }});
			for (const name of ["innerHTML", "outerHTML", "children", "className", "classList", "id", "firstElementChild", "lastElementChild", "shadowRoot",
				"append", "prepend", "remove", "before", "after", "replaceWith", "replaceChildren", "closest", "insertAdjacentHTML", "insertAdjacentElement", "animate"])
				Object.defineProperty(Element.prototype, name, broken(name));
			for (const name of ["innerText", "dataset", "style", "title", "onclick"]) Object.defineProperty(HTMLElement.prototype, name, broken(name));`,
	} {
		s.page(path, "en", `<script>`+code+`</script>`, "")
		t.Run(path[1:], func(t *testing.T) {
			t.Parallel()
			b := newTab(t)
			b.launches(s.shop + path)
			b.do(`Svc.openSiteRequestPanel()`)
			b.until(opened)
			b.front()
			b.until(focused + ` === "name"`)
			b.write("Anna\t4951234567\t\t")
			b.until(focused + ` === "message"`)
			b.write("Two lamps\tRiga\r")
			b.until(`panels.querySelector(".told")`)
			b.do(`Svc.openSitePhonePanel()`)
			b.until(focused + ` === "tel"`)
			b.write("\u001b")
			b.until(`!(` + opened + `)`)
			b.do(`window.told = undefined; Svc.sitePhoneCall({phone: "1"}, result => window.told = result)`)
			b.until(`told`)
		})
	}
}

// axe looks through the panels in both languages, light and dark, on a desk and on a phone.
func TestPanelsAreAccessible(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile("testdata/axe-core/axe.min.js")
	require.NoError(t, err)
	s := runPanels(t, strings.Replace(panelsSettings, "#0a7d4f", "#ffd400", 1)+"", nil) // an accent that is hard to read
	s.page("/en", "en", "", "")
	s.page("/ru", "ru", "", "")
	for _, language := range []string{"en", "ru"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			for _, scheme := range []string{"light", "dark"} {
				for _, window := range []struct {
					width, height int64
					phone         bool
				}{{1280, 800, false}, {390, 844, true}} {
					b := newTab(t)
					b.size(window.width, window.height, window.phone)
					b.prefers("prefers-color-scheme", scheme)
					b.prefers("prefers-reduced-motion", "reduce")
					// axe sees into open roots alone.
					b.before(`const attach = Element.prototype.attachShadow; Element.prototype.attachShadow = function () { return window.panels = attach.call(this, {mode: "open"}) };`)
					b.visit(s.shop + "/" + language)
					b.until(launched)
					b.run(chromedp.Evaluate[chromedp.Void](string(axe)))
					check := func(what string) {
						t.Helper()
						found := value[[]violation](b, `axe.run({runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then(r => r.violations)`)
						var said strings.Builder
						for _, v := range found {
							for _, n := range v.Nodes {
								fmt.Fprintf(&said, "%s: %s\n%s\n", v.ID, n.HTML, n.FailureSummary)
							}
						}
						require.Empty(t, said.String(), "%s %s %d", what, scheme, window.width)
						require.False(t, value[bool](b, `document.documentElement.scrollWidth > innerWidth || panels.querySelector(".view:not([hidden])")?.scrollWidth > innerWidth`), what)
					}
					check("launcher")
					b.do(`Svc.openSiteRequestPanel()`)
					b.until(opened)
					check("lead form")
					b.do(`panels.querySelector(".view:not([hidden]) .send .main").click()`)
					b.until(`panels.querySelector("[aria-invalid]")`)
					check("faults")
					b.do(`panels.querySelector("[name=phone]").value = "+7 (495) 123-45-67"; panels.querySelector("[name=message]").value = "Hello"; panels.querySelector(".view:not([hidden]) .send .main").click()`)
					b.until(`panels.querySelector(".told")`)
					check("sent")
					b.do(`Svc.openSitePhonePanel()`)
					b.until(`panels.querySelector("[name=tel]")`)
					b.do(`panels.querySelector("[value=later]").click(); panels.querySelector(".view:not([hidden]) .send .main").click()`)
					check("sitephone form")
					b.pressIn(`.head .sign`)
					b.do(`Svc.sitePhoneCall({phone: "1"})`)
					b.until(`panels.querySelector(".notice")`)
					check("notice")
					b.close()
				}
			}
		})
	}
}

// The chat works under the strictest policy on a page whose styles undo everything and whose arrays are broken.
func TestChatOnAHostilePage(t *testing.T) {
	t.Parallel()
	const policy = "default-src 'none'; script-src 'nonce-abc123'; style-src 'nonce-abc123'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'"
	s := runPanels(t, panelsSettings, http.Header{"Content-Security-Policy": {policy}})
	s.page("/", "en", `<style nonce=abc123>* { all: unset !important }</style><script nonce=abc123>
		for (const name of Object.getOwnPropertyNames(Array.prototype)) {
			if (name !== "constructor" && name !== "push" && typeof Array.prototype[name] === "function") {
				Array.prototype[name] = function () { throw new Error("broken " + name) };
			}
		}
		Array.prototype[Symbol.iterator] = function () { throw new Error("broken iterator") };
		JSON.stringify = JSON.parse = () => { throw new Error("broken") };
	</script>`, "")
	desk := s.signedIn(t)
	desk.visit(s.console + "/chats")
	b := newTab(t)
	b.before(seePanels + `window.violations = 0; addEventListener("securitypolicyviolation", () => violations++);`)
	b.visit(s.shop)
	b.until(launched)
	b.until(`Svc.getOperatorStatus()`)
	b.pressIn(".launcher")
	b.until(`panels.querySelector(".writing textarea")?.offsetParent`)
	b.asks("Do you ship to Oslo?")
	desk.opensFirst()
	desk.answersWith("We do.")
	b.until(`panels.querySelector(".msg:not(.own):not(.greeting) time") && panels.querySelector(".own time")`)
	require.Equal(t, 0, value[int](b, "violations"))
	require.Equal(t, "rgb(244, 245, 247)", value[string](b, `getComputedStyle(panels.querySelector(".greeting p")).backgroundColor`))
}
