package e2e

import (
	"io"
	"mime/quotedprintable"
	"regexp"
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

// A visitor leaves. The answer comes by mail, and its link leads another browser back into the conversation, with the
// panel open. One more click, and there are no more letters.
func TestAnswerByMail(t *testing.T) {
	t.Parallel()
	post := mailtest.Start(t)
	config := example(t)
	for before, with := range map[string]string{
		"\tfrontdesk {\n": "\tfrontdesk {\n\t\tmail smtp://" + post.Address + " {\n\t\t\tfrom \"Shop <desk@shop.example>\"\n\t\t}\n",
		"\t\tvariant A\n": "\t\tvariant A\n\t\twidget {\n\t\t\tmail_answers 10s\n\t\t}\n",
	} {
		require.Contains(t, config, before)
		config = strings.Replace(config, before, with, 1)
	}
	p, stored := runStored(t, config)
	desk := p.signedIn(t)
	visitor := p.comes(t)
	visitor.do(`Svc.addVisitorInfo({email: "ada@mail.example"})`)
	visitor.asks("Do you ship to Oslo?")
	desk.visit(p.console + "/chats")
	desk.opensFirst()
	desk.hasTexts(consoleTexts, "Do you ship to Oslo?")
	visitor.visit("about:blank")
	desk.until(contains("#now", "Not on the site"))
	desk.answersWith("We do, within a week.")

	var letter string
	select {
	case letter = <-post.Letters:
	case <-time.After(time.Minute):
		require.FailNow(t, "no mail has come")
	}
	require.Contains(t, letter, "To: <ada@mail.example>")
	require.Contains(t, letter, "Auto-Submitted: auto-generated")
	require.Regexp(t, `List-Unsubscribe:\s+<http://localhost:`, letter)
	read, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(letter)))
	require.NoError(t, err)
	links := regexp.MustCompile(`(?m)^http://\S+`).FindAllString(string(read), -1)
	require.Len(t, links, 2, string(read))
	desk.until(contains("#said", "ada@mail.example"))

	phone := newTab(t)
	phone.before(seePanels)
	phone.size(390, 844, true)
	phone.visit(links[0])
	phone.until(`location.pathname === "/contacts.html" && window.panels && panels.querySelector(".panel") && !panels.querySelector(".panel").hidden`)
	phone.hasTexts(panelTexts, "Do you ship to Oslo?", "We do, within a week.")
	phone.asks("And to Bergen?")
	desk.hasTexts(consoleTexts, "Do you ship to Oslo?", "We do, within a week.", "And to Bergen?")
	desk.answersWith("To Bergen too.")
	phone.hasTexts(panelTexts, "Do you ship to Oslo?", "We do, within a week.", "And to Bergen?", "To Bergen too.")
	require.Eventually(t, func() bool { return count(t, stored, `SELECT COUNT(*) FROM chat_letters WHERE due`) == 0 }, patience, 50*time.Millisecond)

	phone.visit(links[1])
	phone.do(`document.querySelector("button").click()`)
	phone.until(`!document.querySelector("form") && document.body.innerText.includes("no more answers")`)
	require.Empty(t, post.Letters, "what was read is not mailed")
}
