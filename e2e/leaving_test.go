package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever is pressed while the server is down, the console stays, says so there, and goes on when the server is back.
func TestConsoleStaysWhenTheServerIsDown(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	desk := p.signedIn(t)
	desk.visit(p.console + "/sites")
	desk.do(`document.getElementById("key").value = "other.example"; document.querySelector("main form").requestSubmit()`)
	desk.until(contains(".notice", "The site is added"))
	desk.visit(p.console + "/visitors")
	desk.until(`document.documentElement.dataset.stream === "live"`)
	desk.do(`window.sameDocument = true`)

	// Stepping away and back leaves the page alone.
	desk.do(`document.querySelector(".state").click()`)
	desk.until(contains(".state", "Away") + ` && document.querySelector(".state.away")`)
	desk.do(`document.querySelector(".state").click()`)
	desk.until(contains(".state", "Online") + ` && !document.querySelector(".state.away")`)
	require.True(t, value[bool](desk, `window.sameDocument === true`))

	outside := newTab(t)
	outside.visit(p.console + "/sign-in")
	p.kill()
	desk.until(`document.getElementById("lost").checkVisibility()`)
	said := func(b *tab, text string) {
		t.Helper()
		b.until(contains(".failed", text))
		require.True(t, value[bool](b, `(() => { const r = document.querySelector(".failed").getBoundingClientRect(); return r.left >= 0 && r.right <= innerWidth && r.top >= 0 && r.bottom <= innerHeight })()`))
	}
	desk.do(`document.querySelector("nav a[href='/leads']").click()`)
	said(desk, "does not answer. This page stays")
	desk.do(`document.querySelector(".state").click()`)
	said(desk, "Most likely nothing was changed")
	desk.do(`document.getElementById("site").value = "2"; document.getElementById("site").dispatchEvent(new Event("change", { bubbles: true }))`)
	said(desk, "does not answer. This page stays")
	require.Equal(t, "0", value[string](desk, `document.getElementById("site").value`), "the choice is what the page shows")
	require.True(t, value[bool](desk, `window.sameDocument === true && location.pathname === "/visitors"`))
	require.True(t, value[bool](desk, contains(".state", "Online")))

	outside.do(`document.getElementById("login").value = "vera"; document.getElementById("password").value = "` + consolePassword + `";
		document.querySelector("main form").requestSubmit()`)
	said(outside, "does not answer")
	require.Equal(t, "vera", value[string](outside, `document.getElementById("login").value`), "what was typed stays")

	p.start(t)
	outside.do(`document.querySelector("main form").requestSubmit()`)
	outside.until(`location.pathname === "/overview"`)
	desk.until(`document.documentElement.dataset.stream === "live"`)
	desk.do(`document.querySelector("nav a[href='/leads']").click()`)
	desk.until(`location.pathname === "/leads"`)

	// A wrong form says so in its place.
	desk.visit(p.console + "/sites")
	desk.do(`window.sameDocument = true; document.getElementById("key").value = "not a key"; document.querySelector("main form").requestSubmit()`)
	desk.until(contains(".problem", "A key has") + ` && document.getElementById("key").value === "not a key"`)
	require.True(t, value[bool](desk, `window.sameDocument === true`))
	desk.do(`document.getElementById("key").value = "books.example"; document.querySelector("main form").requestSubmit()`)
	desk.until(contains(".notice", "The site is added"))
}
