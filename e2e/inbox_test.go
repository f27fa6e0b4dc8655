package e2e

import (
	"os"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// An operator goes through the leads by keys alone, with Latin and with Cyrillic letters on them.
func TestLeadsAreWorkedOnByKeys(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	desk := p.signedIn(t)
	for _, name := range []string{"Third", "Second", "First"} {
		require.True(t, sendRequest(p.credentials(t), map[string]string{"name": name, "phone": "8 (495) 123-45-67", "text": name + " lamps"}))
	}
	desk.visit(p.console + "/leads")
	desk.until(`document.querySelectorAll("#leads > li").length === 3 && document.documentElement.dataset.stream === "live"`)
	on := func(name string) string { return `document.activeElement.innerText.includes("` + name + `")` }
	press := func(key string) { t.Helper(); desk.run(chromedp.KeyEvent(key)) }
	row := func(n, class string) string { // and the answer has come, before which no other key counts
		return `(row => row.classList.contains("` + class + `") && !row.hasAttribute("aria-busy"))(document.querySelector("#leads > li:nth-child(` + n + `)"))`
	}

	press("j")
	desk.until(on("First"))
	press("j")
	desk.until(on("Second"))
	press("t") // taken, and in work by that; the row stays where it is
	desk.until(row("2", "lead-work") + ` && ` + contains("#leads > li:nth-child(2)", "vera"))
	require.True(t, value[bool](desk, on("Second")))
	press("t") // let go
	desk.until(row("2", "lead-new"))
	press("k")
	desk.until(on("First"))
	press("d")
	desk.until(row("1", "lead-done"))
	desk.do(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "о", code: "KeyJ", bubbles: true, cancelable: true}))`)
	desk.until(on("Second"))
	desk.do(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "ы", code: "KeyS", bubbles: true, cancelable: true}))`)
	desk.until(row("2", "lead-spam"))

	// The list of keys, and what is typed into a field is no key.
	press("?")
	desk.until(`document.getElementById("keys").open`)
	press("j")
	desk.run(chromedp.KeyEvent("\u001b"))
	desk.until(`!document.getElementById("keys").open`)
	press("/")
	desk.until(`document.activeElement.id === "q"`)
	desk.do(`document.activeElement.value = ""`) // a key that is sent has its letter typed, too
	press("third dt")
	require.Equal(t, "third dt", value[string](desk, `document.getElementById("q").value`))
	desk.do(`document.getElementById("q").value = "1234567 thir"; document.getElementById("q").form.requestSubmit()`)
	desk.until(`location.search === "?q=1234567+thir" && document.querySelectorAll(".rows > li").length === 1 && document.documentElement.dataset.stream === "live" && ` + contains(".rows", "Third"))
	press("j")
	press("\r")
	desk.until(`/^\/leads\/\d+\/\d+$/.test(location.pathname) && document.documentElement.dataset.stream === "live"`)
	press("n")
	desk.until(`document.activeElement.id === "note"`)
	press("by Friday")
	desk.do(`document.getElementById("note").form.requestSubmit()`)
	desk.until(contains(".story", "by Friday") + ` && document.documentElement.dataset.stream === "live"`)
	press("t")
	desk.until(contains(".working", "vera") + ` && ` + contains(".story", "took it") + ` && document.documentElement.dataset.stream === "live"`)
	press("u")
	desk.until(`location.pathname === "/leads" && document.documentElement.dataset.stream === "live"`)

	// Keys can be switched off.
	press("?")
	desk.until(`document.getElementById("keys").open`)
	desk.do(`document.querySelector("[data-keys-on]").click(); document.getElementById("keys").close(); document.activeElement.blur()`)
	press("j")
	require.True(t, value[bool](desk, `document.activeElement === document.body`))
	require.Empty(t, desk.thrown())
}

// Two leads of one person become one and two again, on a phone.
func TestLeadsAreMergedOnAPhone(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile("testdata/axe-core/axe.min.js")
	require.NoError(t, err)
	p := runExample(t, "")
	desk := p.signedIn(t)
	for _, name := range []string{"Anna", "Anna P."} {
		require.True(t, sendRequest(p.credentials(t), map[string]string{"name": name, "phone": "8 (495) 123-45-67", "text": name + " wants lamps"}))
	}
	desk.size(390, 800, true)
	desk.visit(p.console + "/leads")
	desk.until(`document.querySelectorAll("#leads > li").length === 2`)
	desk.do(`document.querySelector("#leads > li:nth-child(2) a").click()`)
	desk.until(contains(".alike", "Anna P."))
	lead := value[string](desk, `location.pathname`)
	desk.do(`document.querySelector("[data-key=take]").click()`)
	desk.until(contains(".working", "vera"))
	desk.do(`document.querySelector(".alike button").click()`)
	desk.until(contains(".part-of", "Anna P. wants lamps"))
	desk.visit(p.console + "/leads")
	desk.until(`document.querySelectorAll("#leads > li").length === 1 && ` + contains("#leads", "2 leads"))
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{320, 390, 1280} {
			desk.size(width, 800, width < 600)
			desk.prefers("prefers-color-scheme", scheme)
			for _, path := range []string{lead, "/leads?owner=me&q=anna", "/leads?state=finished"} {
				desk.visit(p.console + path)
				desk.run(chromedp.Evaluate[chromedp.Void](string(axe)))
				for _, v := range value[[]violation](desk, `axe.run({runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then((r) => r.violations)`) {
					for _, n := range v.Nodes {
						t.Errorf("%s %s %d: %s: %s\n%s", path, scheme, width, v.ID, n.HTML, n.FailureSummary)
					}
				}
				require.Empty(t, value[[]string](desk, faults), "%s at %d", path, width)
			}
		}
	}
	desk.visit(p.console + lead)
	desk.do(`document.querySelector(".part-of form button").click()`)
	desk.until(contains(".notice", "a separate lead again"))
	desk.visit(p.console + "/leads")
	desk.until(`document.querySelectorAll("#leads > li").length === 2`)
	require.Empty(t, desk.thrown())
}
