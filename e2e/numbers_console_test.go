package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fill puts the value into the field of the name, as its user would.
func (b *tab) fill(name, value string) {
	b.t.Helper()
	b.do(`const field = document.querySelector("main [name='` + name + `']"); field.value = ` + "`" + value + "`" + `; field.dispatchEvent(new Event("change", {bubbles: true}))`)
}

// An operator makes a pool and campaigns in the console. The next visitors see their numbers, and nothing is restarted.
func TestNumbersAreMadeInTheConsole(t *testing.T) {
	t.Parallel()
	for _, prerender := range []string{"static", "off"} {
		t.Run(prerender, func(t *testing.T) {
			t.Parallel()
			p := runProgram(t, strings.Replace(example(t), "prerender static", "prerender "+prerender, 1), "")
			desk := p.signedIn(t)

			desk.visit(p.console + "/pools/1/new")
			desk.fill("name", "leaflets")
			desk.fill("numbers", "+7 495 765-10-01\n+7 495 765-10-02")
			desk.do(`document.querySelector("main form.pooled").requestSubmit()`)
			desk.until(`location.pathname === "/pools/1/leaflets" && ` + contains("main", "+7 495 765-10-02"))

			// The number is the configuration's, and becomes the site's own with two campaigns more.
			desk.visit(p.console + "/numbers/1/74951234567")
			desk.do(`document.querySelector("main a[href*='/new?number=']").click()`)
			desk.until(`document.querySelectorAll(".rule").length === 2`)
			for rules, button := range []string{"rule", "rule"} {
				desk.do(`document.querySelector("main form.numbered [name=do][value=` + button + `]").click()`)
				desk.until(`document.querySelectorAll(".rule").length === ` + string(rune('3'+rules)))
			}
			desk.fill("rule2name", "Leaflets")
			desk.fill("rule2c0field", "utm_campaign")
			desk.fill("rule2c0value", "leaflet")
			desk.fill("rule2show", "pool:leaflets")
			desk.fill("rule3name", "Radio")
			desk.fill("rule3c0value", "radio")
			desk.fill("rule3static", "+7 495 765-20-01")
			desk.do(`document.querySelector("main form.numbered [name=do][value=up-3]").click()`)
			desk.until(`document.querySelector("[name=rule2name]").value === "Radio" && document.querySelector("[name=rule3show]").value === "pool:leaflets"`)
			desk.do(`document.querySelector("main form.numbered .links .button.main").click()`)
			desk.until(`location.pathname === "/numbers" && ` + contains("main", "4 campaigns"))

			visitor := newTab(t)
			visitor.leases(p.shop + "/?utm_campaign=leaflet")
			visitor.until(`Object.keys(Svc.getReplacedPhones("dynamic") || {}).length === 1`)
			visitor.until(printedNumbers + `.includes("74957651001") && !` + printedNumbers + `.includes("74951234567")`)
			radio := newTab(t)
			radio.visit(p.shop + "/?utm_source=radio")
			radio.until(printedNumbers + `.includes("74957652001")`)
			answer, err := http.Get(p.shop + "/?utm_source=radio")
			require.NoError(t, err)
			defer answer.Body.Close()
			page, err := io.ReadAll(answer.Body)
			require.NoError(t, err)
			require.Equal(t, prerender == "static", strings.Contains(string(page), "765-20-01"), "on the way, where the page is prerendered")

			// Who has the number stands on the pool's page, and the tester says the same.
			desk.visit(p.console + "/pools/1/leaflets")
			require.True(t, value[bool](desk, `document.querySelector(".leases a[href^='/visitors/1/']") !== null`))
			desk.visit(p.console + "/numbers/1/who?address=" + p.shop + "/?utm_campaign=leaflet")
			require.True(t, value[bool](desk, contains("main", "1 of 2 are free now")))
		})
	}
}
