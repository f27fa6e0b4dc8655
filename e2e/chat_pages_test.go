package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/db"
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

// Whom nobody has answered in time is asked where to answer. What is given is said, and known of the visitor.
func TestChatAsksWhereToAnswer(t *testing.T) {
	t.Parallel()
	p, ann := runAnswered(t)
	b := newTab(t)
	b.opensChat(p.shop)
	b.says("Do you ship to Oslo?")
	ann.hears(1)
	const form = `chatRoot.querySelector("form.mailing:not([hidden]) input[autocomplete=email]:not([type])")`
	require.False(t, value[bool](b, `!!`+form))
	_, err := ann.chats.Say(t.Context(), ann.site, ann.conversation().ID, chat.Message{Author: chat.Service, Code: chat.UnansweredWhere})
	require.NoError(t, err)
	b.until(form)
	b.until(`chatRoot.querySelector(".log").innerText.includes("Where can we answer you?")`)
	give := func(text, send string) {
		b.do(`const field = ` + form + `; field.value = "` + text + `"; ` + send)
	}
	give("soon", `field.nextSibling.click()`)
	b.until(`chatRoot.querySelector(".panel").innerText.includes("Leave a phone number or an e-mail address.")`)
	b.visit(p.shop)
	b.until(form) // also on the next page
	give("+7 495 123-45-67", `field.form.requestSubmit()`)
	b.until(`chatRoot.querySelector(".panel").innerText.includes("Your message is not lost")`) // it goes after eight seconds
	require.Equal(t, []string{"Do you ship to Oslo?", "+7 495 123-45-67"}, ann.hears(3))
	require.False(t, value[bool](b, `!!`+form))
	require.Eventually(t, func() bool {
		n, _, err := db.One(context.Background(), ann.db.Read(), db.Only[int64], `SELECT COUNT(*) FROM contacts`)
		return err == nil && n == 1
	}, time.Minute, 20*time.Millisecond)
}
