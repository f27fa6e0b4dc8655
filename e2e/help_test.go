package e2e

import "testing"

// Help leads to what the documentation says of the page, and nothing in it is taken for a part of the console.
func TestHelpIsAtHand(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	desk := p.signedIn(t)
	desk.size(1280, 800, false)
	desk.visit(p.console + "/numbers/1/new")
	desk.do(`document.querySelector(".guide").click()`)
	desk.until(`location.pathname === "/help/console-sites" && Math.abs(document.querySelector(location.hash).getBoundingClientRect().top - 48) < 8 &&
		document.querySelector(location.hash).textContent === "Tracking a number" && document.documentElement.dataset.stream === "live"`)
}
