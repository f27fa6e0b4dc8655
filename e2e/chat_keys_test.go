package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// Conversations are opened, answered, taken, handed over and closed by keys alone. What is pressed and changes leaves the focus beside it.
func TestConversationsByKeys(t *testing.T) {
	t.Parallel()
	p := runConversations(t)
	vera := p.signedIn(t)
	require.True(t, value[bool](vera, `fetch("/sites/1/replies", {method: "POST", body: new URLSearchParams({word: "delivery", place: 2, text: "We deliver the next day."})}).then((a) => a.ok)`))
	p.colleague(vera, "anna", "Anna Svensson")
	vera.visit(p.console + "/chats")
	vera.until(`document.documentElement.dataset.stream === "live"`)
	for _, text := range []string{"First", "Second"} {
		p.comes(t).asks(text)
		vera.until(contains("#chats > li:first-child", text))
	}
	focused := func(selector string) {
		t.Helper()
		vera.until(`document.activeElement.matches("` + selector + `:focus-visible")`)
	}
	stands := func(text string) {
		t.Helper()
		vera.until(contains("#working .standing", text))
	}
	opened := func(text string) {
		t.Helper()
		vera.until(contains("#said", text) + ` && document.documentElement.dataset.stream === "live"`)
		focused("#answer")
	}
	vera.front()
	vera.write("j")
	focused("#chats > li:nth-child(1) a")
	vera.write("j")
	focused("#chats > li:nth-child(2) a")
	vera.write("\r")
	opened("First")
	vera.run(chromedp.KeyEvent("2", chromedp.KeyModifiers(kb.ModifierAlt)))
	vera.until(`document.getElementById("answer").value === "We deliver the next day."`)
	vera.write("\r")
	vera.hasTexts(consoleTexts, "First", "We deliver the next day.")
	stands("Yours")

	// Off to the other one, which now is the second of the list.
	vera.until(contains("#chats > li:first-child", "We deliver"))
	vera.write(kb.Escape + "j")
	focused("#chats > li:nth-child(2) a")
	vera.write("o")
	opened("Second")
	vera.write(kb.Escape + "c")
	stands("Yours")
	vera.do(`document.querySelector("[data-do=close]").focus()`)
	vera.write("\r")
	stands("Closed")
	focused("#working summary")
	vera.write(kb.Escape + "c")
	stands("Yours")
	focused("#working summary")

	// A choice is none before it is confirmed.
	vera.write("\r\t")
	focused("#hand")
	vera.write(kb.ArrowDown)
	vera.until(`document.getElementById("hand").selectedIndex === 1`)
	vera.write(kb.Escape)
	focused("#working summary")
	vera.until(`!document.querySelector("#working details").open`)
	stands("Yours")
	vera.write("\r\t\t")
	focused("[data-do=hand]")
	vera.write("\r")
	stands("Anna Svensson")
	focused("#working summary")
}
