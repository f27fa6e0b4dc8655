package e2e

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// seePanels gives the tests the closed shadow root of the panels, which stays closed.
const seePanels = `{
	const attach = Element.prototype.attachShadow;
	Element.prototype.attachShadow = function (options) {
		const root = attach.call(this, options);
		if (options.mode === "closed") Object.defineProperty(window, "panels", {value: root, configurable: true});
		return root;
	};
}`

// Conditions in a page whose panels are seen.
const (
	launched = `window.panels && panels.querySelector(".launcher:not([hidden])")`
	opened   = `window.panels && panels.querySelector(".panel:not([hidden])")`
	// focused is the name of the field with the focus.
	focused = `panels.activeElement && panels.activeElement.name`
)

// panelsSite is the program in front of pages of the test's own.
type panelsSite struct {
	*program
	pages  map[string]string
	stored string // the database's file
}

// runPanels starts the program with the lines in its site's block, in front of pages with the headers.
func runPanels(t *testing.T, lines string, header http.Header) *panelsSite {
	t.Helper()
	s := &panelsSite{pages: map[string]string{}}
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, found := s.pages[r.URL.Path]
		if !found {
			http.NotFound(w, r)
			return
		}
		maps.Copy(w.Header(), header)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, page)
	}))
	t.Cleanup(origin.Close)
	platform := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }))
	t.Cleanup(platform.Close)
	config := example(t)
	for old, new := range map[string]string{
		"{\n\tfrontdesk {\n":           "{\n\tservers {\n\t\ttrusted_proxies static private_ranges\n\t}\n\tfrontdesk {\n",
		"telephony webhook {\n":        "telephony webhook " + platform.URL + " {\n",
		"reverse_proxy localhost:8081": "reverse_proxy " + strings.TrimPrefix(origin.URL, "http://"),
		"\t\tvariant A\n":              "\t\tvariant A\n\t\tcallback {\n\t\t\tphone 74951234567\n\t\t\tcaptcha on\n\t\t}\n" + lines + "\n",
	} {
		require.Contains(t, config, old)
		config = strings.Replace(config, old, new, 1)
	}
	s.stored = filepath.Join(memory(t), "frontdesk.db")
	s.program = runProgram(t, config, "sqlite "+s.stored)
	return s
}

// page is a page in a language with the head and the body.
func (s *panelsSite) page(path, language, head, body string) {
	s.pages[path] = `<!DOCTYPE html><html lang="` + language + `"><head><meta charset=utf-8><meta name=viewport content="width=device-width,initial-scale=1"><title>Lamps</title>` +
		head + `</head><body><main><h1>Lamps of birch</h1><p id=text>We make lamps by hand.</p>` + body + `</main></body></html>`
}

// launches opens the page, and waits for the button that opens the panels.
func (b *tab) launches(address string) {
	b.t.Helper()
	b.before(seePanels)
	b.visit(address)
	b.until(launched)
}

// write puts the text into the field with the focus, key by key.
func (b *tab) write(text string) {
	b.t.Helper()
	b.run(chromedp.KeyEvent(text))
}

// pressIn clicks what the selector finds in the panels.
func (b *tab) pressIn(selector string) {
	b.t.Helper()
	b.until(`panels.querySelector(` + "`" + selector + "`" + `)`)
	b.do(`panels.querySelector(` + "`" + selector + "`" + `).click()`)
}

const panelsSettings = `
		widget {
			color "#0a7d4f"
			field name optional
			field phone optional
			field email optional
			field message required
			field city optional {
				label City
			}
		}`

// A visitor finds the launcher, writes a request by the keyboard, and it is in the inbox.
func TestRequestPanel(t *testing.T) {
	t.Parallel()
	s := runPanels(t, panelsSettings, nil)
	s.page("/", "en", "", `<button id=own onclick="Svc.openSiteRequestPanel()">Write</button>`)
	b := newTab(t)
	b.launches(s.shop)
	require.Equal(t, "Contact us", value[string](b, `panels.querySelector(".launcher").getAttribute("aria-label")`))

	b.front()
	b.do(`own.focus()`)
	b.write("\r")
	b.until(opened)
	b.until(focused + ` === "name"`)
	b.write("Anna")
	b.write("\t\t")
	b.until(focused + ` === "email"`)
	b.write("anna")
	b.write("\t")
	b.write("A lamp, please")
	b.pressIn(`.view:not([hidden]) .send .main`)
	b.until(focused + ` === "email"`)
	require.Equal(t, "true", value[string](b, `panels.activeElement.getAttribute("aria-invalid")`))
	require.Contains(t, value[string](b, `panels.getElementById(panels.activeElement.getAttribute("aria-describedby")).textContent`), "name@example.com")
	b.write("@mail.example\t\tRiga")

	// What was written outlives another view and a closed panel.
	b.do(`Svc.openSitePhonePanel()`)
	b.until(focused + ` === "tel"`)
	b.write("\u001b")
	b.until(`!(` + opened + `)`)
	require.Equal(t, "own", value[string](b, `document.activeElement.id`), "the focus is back where it was")
	b.do(`Svc.openChatWindow()`) // nobody is there
	b.until(opened)
	require.Equal(t, "A lamp, please", value[string](b, `panels.querySelector("[name=message]").value`))
	b.write("\r")
	b.until(`panels.querySelector(".told")`)
	require.Equal(t, "told", value[string](b, `panels.activeElement.className`), "a screen reader reads what has come of it")
	b.do(`Svc.openSiteRequestPanel()`)
	b.until(`panels.querySelector("[name=message]")`)
	require.Equal(t, "Anna", value[string](b, `panels.querySelector("[name=name]").value`))
	require.Empty(t, value[string](b, `panels.querySelector("[name=message]").value`))

	desk := s.signedIn(t)
	desk.visit(s.console + "/leads")
	desk.until(contains("#leads", "Anna"))
	desk.do(`document.querySelector("#leads li a").click()`)
	desk.until(`location.pathname.startsWith("/leads/")`)
	for _, known := range []string{"anna@mail.example", "A lamp, please", "Riga", "Write to us"} {
		desk.until(contains("main", known))
	}
}

// Programs that fill forms, such as keepers of passwords, submit them as well. That sends the form and leaves the page alone.
func TestSubmittedFormsStayOnThePage(t *testing.T) {
	t.Parallel()
	s := runPanels(t, panelsSettings, nil)
	s.page("/", "en", "", "")
	b := newTab(t)
	b.launches(s.shop)
	submit := func(panel, field, fields string) {
		t.Helper()
		b.do(`window.stayed = true; Svc.` + panel + `()`)
		b.until(opened + ` && panels.querySelector(".view:not([hidden]) [name=` + field + `]")`)
		b.do(`const set = (name, text) => panels.querySelector(".view:not([hidden]) [name=" + name + "]").value = text;
			` + fields + `; panels.querySelector(".view:not([hidden]) form").requestSubmit()`)
	}
	submit("openSitePhonePanel", "tel", `set("tel", "12")`)
	b.until(`panels.activeElement && panels.activeElement.name === "tel" && panels.activeElement.getAttribute("aria-invalid")`)
	submit("openSiteRequestPanel", "email", `set("email", "anna@mail.example"); set("message", "A lamp, please")`)
	b.until(`panels.querySelector(".told")`)
	require.Equal(t, s.shop+"/", value[string](b, `location.href`))
	require.True(t, value[bool](b, `stayed`))
}

// The keyboard reaches all of the panel and stays in it; the page hears nothing of the keys.
func TestPanelKeepsTheKeyboard(t *testing.T) {
	t.Parallel()
	s := runPanels(t, panelsSettings, nil)
	s.page("/", "en", `<script>window.heard = []; for (const type of ["keydown", "keyup", "input", "focusin"])
		document.addEventListener(type, event => heard.push(type + " " + event.target.id))</script>`, `<input id=own>`)
	b := newTab(t)
	b.launches(s.shop)
	b.front()
	b.do(`Svc.openSiteRequestPanel()`)
	b.until(focused + ` === "name"`)
	b.do(`heard.length = 0`)
	b.write("k")
	seen := map[string]bool{}
	for range 12 {
		b.write("\t")
		seen[value[string](b, `(e => e ? e.name || e.getAttribute("aria-label") || e.textContent : "outside")(panels.activeElement)`)] = true
	}
	require.Equal(t, map[string]bool{"name": true, "phone": true, "email": true, "message": true, "city": true, "Send": true, "Write": true, "Call me back": true, "Close": true}, seen)
	require.Empty(t, value[[]string](b, `heard`))
	b.pressIn(`.head .sign`)
	b.until(`!(` + opened + `)`)
	require.Equal(t, "launcher", value[string](b, `panels.activeElement.className`))
	b.write("\r")
	b.until(opened)
	b.do(`own.focus()`)
	b.write("x")
	require.Equal(t, "x", value[string](b, `own.value`), "the page can be used beside the panel")
}

// The two objects have the same methods, in both of which sites look for them.
func TestPanelsOpenByBothObjects(t *testing.T) {
	t.Parallel()
	s := runPanels(t, "", nil)
	s.page("/", "en", "", "")
	for _, object := range []string{"Svc", "SvcWidget"} {
		for method, view := range map[string]string{"openChatWindow": "message", "openSiteRequestPanel": "message", "openSitePhonePanel": "tel"} {
			b := newTab(t)
			b.before(seePanels)
			b.visit(s.shop)
			b.until(`window.Svc && Svc.getCredentials().hit_id`)
			require.False(t, value[bool](b, `!!window.panels`), "a site that says nothing shows nothing by itself")
			require.Nil(t, value[any](b, `(() => { const {`+method+`} = `+object+`; return `+method+`() })()`))
			b.until(opened)
			b.until(`panels.querySelector("[name=` + view + `]").offsetParent`)
			require.False(t, value[bool](b, object+`.getOperatorStatus()`))
			b.close()
		}
	}
}

// Panels are the page's one foreign element, and the page is otherwise as it was.
func TestPageIsAsItWasBesideThePanels(t *testing.T) {
	t.Parallel()
	s := runPanels(t, panelsSettings, nil)
	s.page("/", "en", `<style>html { font-size: 40px } * { letter-spacing: 3px; color: red }</style>`, "")
	b := newTab(t)
	b.before(seePanels + `window.names = Object.getOwnPropertyNames(window).length; document.addEventListener("DOMContentLoaded", () => window.markup = document.documentElement.innerHTML);`)
	b.visit(s.shop)
	b.until(launched)
	b.do(`window.globals = Object.getOwnPropertyNames(window).sort().join()`)
	b.do(`Svc.openSiteRequestPanel()`)
	b.until(opened)
	b.do(`Svc.openSitePhonePanel()`)
	b.until(`panels.querySelector("[name=tel]")`)
	b.do(`Svc.sitePhoneCall({phone: "1"})`)
	b.until(`panels.querySelector(".notice")`)
	require.Equal(t, value[string](b, `markup`)+"<div></div>", value[string](b, `document.documentElement.innerHTML`))
	require.Equal(t, value[string](b, `globals + ",globals"`), value[string](b, `Object.getOwnPropertyNames(window).filter(n => n !== "globals").sort().join() + ",globals"`))
	require.False(t, value[bool](b, `document.documentElement.scrollWidth > innerWidth`))
	require.Nil(t, value[any](b, `document.documentElement.lastElementChild.shadowRoot`), "the root is closed")
	style := value[[]string](b, `(s => [s.letterSpacing, s.color, s.fontSize])(getComputedStyle(panels.querySelector("h2")))`)
	require.Equal(t, []string{"normal", "rgb(27, 31, 36)", "17px"}, style)
}

// Single-page sites clear the objects and load the script anew: there is one launcher all the same.
func TestPanelsAreNotDoubled(t *testing.T) {
	t.Parallel()
	s := runPanels(t, panelsSettings, nil)
	s.page("/", "en", "", "")
	b := newTab(t)
	b.launches(s.shop)
	for range 3 {
		b.do(`
			window.before = panels;
			const old = document.querySelector("script[src*='svc.js']"), script = document.createElement("script");
			__cs = [["setCsAccount", Svc.getCredentials().site_key]]; Svc = SvcWidget = undefined;
			script.src = old.src;
			old.remove();
			await new Promise(done => { script.onload = done; document.head.append(script); });`)
		b.until(`panels !== before && ` + launched)
		require.Equal(t, 1, value[int](b, `document.querySelectorAll("html > div").length`))
	}
	b.do(`__cs = [["setCsAccount", Svc.getCredentials().site_key]]; const script = document.createElement("script");
		script.src = document.querySelector("script[src*='svc.js']").src;
		await new Promise(done => { script.onload = done; document.head.append(script); });
		Svc.openSiteRequestPanel()`)
	b.until(opened)
	require.Equal(t, 1, value[int](b, `document.querySelectorAll("html > div").length`))
}

// disableWidgets takes away what is shown by itself, and nothing that the site opens.
func TestDisabledWidgets(t *testing.T) {
	t.Parallel()
	s := runPanels(t, panelsSettings, nil)
	s.page("/", "en", `<script>var __cs = __cs || []; __cs.push(["disableWidgets", true]);</script>`, "")
	s.page("/on", "en", `<script>var __cs = __cs || []; __cs.push(["disableWidgets", false]);</script>`, "")
	b := newTab(t)
	b.launches(s.shop + "/on")
	b.visit(s.shop)
	b.until(`window.Svc && Svc.getCredentials().hit_id`)
	require.False(t, value[bool](b, `!!window.panels`))
	b.do(`Svc.openSitePhonePanel()`)
	b.until(opened)
	require.True(t, value[bool](b, `panels.querySelector(".launcher").hidden`))
	b.write("\u001b")
	b.until(`!(` + opened + `)`)
}
