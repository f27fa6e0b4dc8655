package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/notify/mailtest"
)

// A visitor has the conversation sent by mail, also on a page that may have no forms: all that both have said, and no note.
func TestConversationByMail(t *testing.T) {
	t.Parallel()
	post := mailtest.Start(t)
	config := example(t)
	for before, with := range map[string]string{
		"\tfrontdesk {\n":  "\tfrontdesk {\n\t\tmail smtp://" + post.Address + " {\n\t\t\tfrom \"Shop <desk@shop.example>\"\n\t\t}\n",
		"\t\tvariant A\n":  "\t\tvariant A\n\t\twidget\n",
		"\treverse_proxy ": "\theader Content-Security-Policy \"sandbox allow-scripts allow-same-origin\"\n\treverse_proxy ",
	} {
		require.Contains(t, config, before)
		config = strings.Replace(config, before, with, 1)
	}
	p := runProgram(t, config, "")
	desk := p.signedIn(t)
	visitor := p.comes(t)
	visitor.asks("Do you ship to Oslo?")
	require.False(t, value[bool](visitor, `[...panels.querySelectorAll(".more")].some((b) => b.textContent.includes("mail") && b.offsetParent)`), "nobody has answered")
	desk.visit(p.console + "/chats")
	desk.opensFirst()
	desk.do(`document.querySelector("[data-note]").click()`)
	desk.answersWith("A secret of the house")
	desk.until(contains("#said .note", "A secret of the house"))
	desk.do(`document.querySelector("[data-note][aria-pressed=true]")?.click()`)
	desk.answersWith("We do <b>indeed</b>.")
	visitor.hasTexts(panelTexts, "Do you ship to Oslo?", "We do <b>indeed</b>.")

	visitor.front()
	visitor.until(`panels.querySelector(".more + .mailing").previousSibling.offsetParent`)
	visitor.do(`panels.querySelector(".more + .mailing").previousSibling.click()`)
	visitor.do(`panels.querySelector(".more + .mailing input").value = "nobody"; panels.querySelector(".more + .mailing button").click()`)
	visitor.until(`panels.querySelector(".panel").innerText.includes("Check the address")`)
	require.False(t, value[bool](visitor, `performance.getEntriesByType("resource").some((r) => r.name.includes("/chat/transcript"))`), "the service is not asked for what cannot be")
	visitor.do(`panels.querySelector(".more + .mailing input").value = "ada@mail.example"; panels.querySelector(".more + .mailing input").focus()`)
	visitor.write("\r")
	select {
	case letter := <-post.Letters:
		require.Contains(t, letter, "To: <ada@mail.example>")
		require.Contains(t, letter, "Do you ship to Oslo?")
		require.Contains(t, letter, "We do")
		require.NotContains(t, letter, "secret")
		require.Contains(t, letter, "&lt;b&gt;indeed", "as text in its HTML")
	case <-time.After(time.Minute):
		require.FailNow(t, "no mail has come")
	}
	visitor.until(`panels.querySelector(".more + .mailing").hidden`)
}
