package e2e

import (
	"strings"
	"testing"
)

// A visitor is asked how a conversation was when it is closed, answers, and changes the answer.
func TestConversationIsRated(t *testing.T) {
	t.Parallel()
	p := runProgram(t, strings.Replace(example(t), "\t\tvariant A\n", "\t\tvariant A\n\t\twidget {\n\t\t\trating on\n\t\t}\n", 1), "")
	desk := p.signedIn(t)
	visitor := p.comes(t)
	visitor.asks("Do you ship to Oslo?")
	desk.visit(p.console + "/chats")
	desk.opensFirst()
	desk.answersWith("We do.")
	visitor.hasTexts(panelTexts, "Do you ship to Oslo?", "We do.")
	visitor.until(`panels.querySelector(".rating").hidden`)
	desk.until(`document.querySelector("[data-do=close]")`)
	desk.do(`document.querySelector("[data-do=close]").click()`)

	visitor.front()
	visitor.until(`!panels.querySelector(".rating").hidden`)
	visitor.do(`panels.querySelector(".rating p button").click()`)
	desk.until(contains("#working", "Helped"))
	visitor.do(`panels.querySelector(".rating p button + button").click(); panels.querySelector(".rating input").value = "It took <b>long</b>"; panels.querySelector(".rating form button").click()`)
	desk.until(contains("#working", "It took <b>long</b>"))
	desk.until(contains("#chats", "Not helped"))
	visitor.visit(p.shop + "/delivery.html")
	visitor.until(`window.panels && panels.querySelector(".rating p button + button[aria-pressed=true]") && !panels.querySelector(".rating").hidden`)
	visitor.asks("And to Bergen?")
	visitor.until(`panels.querySelector(".rating").hidden`)
}
