package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// An operator writes to a visitor who is on the site and has not asked. It stands beside the button, nothing opens by
// itself, and the operator says no more before there is an answer.
func TestOperatorWritesFirst(t *testing.T) {
	t.Parallel()
	p := runConversations(t)
	desk := p.signedIn(t)
	visitor := newTab(t)
	visitor.before(seePanels)
	visitor.visit(p.shop + "/contacts.html")
	visitor.until(`window.panels && panels.querySelector(".launcher") && Svc.getCredentials()`)
	desk.visit(p.console + "/visitors")
	desk.until(`document.querySelector("#guests .writes")`)
	desk.do(`document.querySelector("#guests .writes").click()`)
	desk.until(`document.getElementById("unasked")`)
	desk.do(`document.getElementById("unasked").value = "Are you looking for <b>lamps</b>?"; document.querySelector(".unasked button").click()`)
	desk.hasTexts(consoleTexts, "Are you looking for <b>lamps</b>?")
	desk.until(`document.documentElement.dataset.stream === "live"`)
	desk.answersWith("Hello?")
	desk.until(contains("#said", "has not answered yet"))

	visitor.front()
	visitor.until(`panels.querySelector(".invitation") && panels.querySelector(".invitation").innerText.includes("Are you looking for <b>lamps</b>?")`)
	require.True(t, value[bool](visitor, `panels.querySelector(".panel").hidden`))
	visitor.until(`document.title.startsWith("(1)")`)
	visitor.do(`panels.querySelector(".invitation .main").click()`)
	visitor.hasTexts(panelTexts, "Are you looking for <b>lamps</b>?")
	visitor.asks("Yes")
	desk.hasTexts(consoleTexts, "Are you looking for <b>lamps</b>?", "Yes")
}
