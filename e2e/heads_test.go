package e2e

import "testing"

// The heads of a list's columns stay in sight while its rows are scrolled.
func TestHeadsOfListsStandStill(t *testing.T) {
	t.Parallel()
	p := runConversations(t)
	desk := p.signedIn(t)
	desk.size(1280, 800, false)
	desk.visit(p.console + "/sites")
	desk.do(`const list = document.querySelector(".rows.sites"), row = list.firstElementChild; for (let i = 0; i < 80; i++) list.append(row.cloneNode(true)); scrollTo(0, 1500)`)
	desk.until(`scrollY > 1000 && Math.abs(document.querySelector(".columns.sites").getBoundingClientRect().top) < 1 &&
		document.elementFromPoint(400, 12).closest(".columns") !== null`)
}
