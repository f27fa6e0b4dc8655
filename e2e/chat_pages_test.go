package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// What is written, and that the chat is open, is kept to the next page. There it does not take the focus.
func TestChatGoesOnOnTheNextPage(t *testing.T) {
	t.Parallel()
	p, ann := runAnswered(t)
	b := newTab(t)
	b.opensChat(p.shop)
	b.says("Hello")
	ann.hears(1)
	const field = `chatRoot.querySelector(".writing textarea")`
	b.do(`const field = ` + field + `; field.value = "And do you ship"; field.dispatchEvent(new Event("input"));`)
	b.visit(p.shop + "/delivery.html")
	b.until(chatOpen)
	b.shows("Hello")
	require.Equal(t, "And do you ship", value[string](b, field+`.value`))
	require.True(t, value[bool](b, `!chatRoot.activeElement`))
	b.closesChat()
	b.visit(p.shop)
	b.until(`window.chatRoot && chatRoot.querySelector(".launcher") && !chatRoot.querySelector(".launcher").hidden && chatRoot.querySelector(".chat .writing")`)
	require.True(t, value[bool](b, `chatRoot.querySelector(".panel").hidden`), "the visitor has closed it")
	require.Equal(t, "And do you ship", value[string](b, field+`.value`))

	// On a phone the chat would hide the page: it comes back with the same page alone.
	b.run(chromedp.EmulateViewport(390, 844))
	b.do(`Svc.openChatWindow()`)
	b.until(chatOpen)
	b.visit(p.shop)
	b.until(chatOpen)
	b.visit(p.shop + "/delivery.html")
	b.until(`window.chatRoot && chatRoot.querySelector(".chat .writing")`)
	require.True(t, value[bool](b, `chatRoot.querySelector(".panel").hidden`))
	b.says("And do you ship to Oslo?")
	ann.hears(2)
	require.Equal(t, "null", value[string](b, `String(sessionStorage.getItem("cs:demo-shop:draft"))`))
}

// A modal dialogue of the page covers neither the chat nor its button, and leaves them usable.
func TestChatOverDialogues(t *testing.T) {
	t.Parallel()
	p, ann := runAnswered(t)
	b := newTab(t)
	b.opensChat(p.shop)
	b.do(`const dialogue = document.createElement("dialog");
		dialogue.id = "sizes";
		dialogue.style.cssText = "width: 90vw; height: 90vh; transform: scale(0.9); overflow: hidden";
		dialogue.onclick = () => dialogue.close();
		document.body.appendChild(dialogue).showModal();`)
	const host = `chatRoot.host`
	const field = `chatRoot.querySelector(".writing textarea")`
	b.until(host + `.parentNode.id === "sizes"`)
	onTop := func() {
		t.Helper()
		require.True(t, value[bool](b, `(() => { const at = `+field+`.getBoundingClientRect();
			return document.elementFromPoint(at.left + 20, at.top + 20) === `+host+` && chatRoot.elementFromPoint(at.left + 20, at.top + 20) === `+field+`; })()`))
	}
	onTop()
	b.do(field + `.click(); ` + field + `.focus()`)
	require.True(t, value[bool](b, `chatRoot.activeElement === `+field+` && document.getElementById("sizes").open`))
	b.says("Hello")
	ann.hears(1)
	b.do(`document.getElementById("sizes").close()`)
	b.until(host + `.parentNode === document.documentElement`)
	onTop()
	b.do(`document.getElementById("sizes").showModal()`)
	b.until(host + `.parentNode.id === "sizes"`)
	b.do(`document.getElementById("sizes").remove()`)
	b.until(host + `.parentNode === document.documentElement`)
	onTop()
	b.shows("Hello")
}
