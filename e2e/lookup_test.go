package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// One key opens a search over everything on any page, which is gone through by keys alone.
func TestLookupByKeys(t *testing.T) {
	t.Parallel()
	p := runConversations(t)
	desk := p.signedIn(t)
	visitor := p.comes(t)
	visitor.asks("Is the brass lamp in stock?")
	desk.visit(p.console + "/leads")
	desk.until(contains("#chatting", "1"))
	desk.front()
	desk.run(chromedp.KeyEvent("k", chromedp.KeyModifiers(2))) // Ctrl
	desk.until(`document.getElementById("lookup").open && document.activeElement.id === "look-up"`)
	desk.write("brass")
	// Letters that come slowly are looked for one after the other.
	desk.until(`performance.getEntriesByType("resource").some(({name, responseEnd}) => name.endsWith("/lookup?q=brass") && responseEnd) && ` + contains("#looked-up", "Is the brass lamp in stock?"))
	desk.write(kb.ArrowDown)
	desk.until(`document.activeElement.matches("#looked-up a")`)
	desk.write(kb.ArrowUp)
	desk.until(`document.activeElement.id === "look-up"`)
	desk.write(kb.Escape)
	desk.until(`!document.getElementById("lookup").open`)
	desk.do(`document.querySelector("[data-lookup]").click()`)
	desk.until(contains("#looked-up", "Is the brass lamp in stock?"))
	desk.write("\r")
	desk.until(`location.pathname.startsWith("/chats/") && document.getElementById("said")`)
}
