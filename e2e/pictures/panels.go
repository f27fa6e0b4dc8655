package main

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// seePanels gives the scripts the closed root of the panels.
const seePanels = `{
	const attach = Element.prototype.attachShadow;
	Element.prototype.attachShadow = function (options) {
		const root = attach.call(this, options);
		if (options.mode === "closed") window.panels = root;
		return root;
	};
}`

// What a visitor does on a page of the shop, and when the picture may be taken.
const (
	hasPanels = `window.panels && panels.querySelector(".launcher:not([hidden])") && Svc.getOperatorStatus()`
	hasChat   = `panels.querySelector(".writing textarea")?.offsetParent`
	hasAnswer = `panels.querySelectorAll(".msg:has(time):not(.own)").length && panels.querySelector(".own .meta").textContent.match(/ead|чит/)`
	openChat  = `Svc.openChatWindow()`
	openForm  = `Svc.openSiteRequestPanel()`
	openPhone = `Svc.openSitePhonePanel()`
	question  = "Good day! Is there Lantern with a cable of three metres?"
	theAnswer = "There is, and in two colours: linen or teal. Shall I put one aside for you?"
	typed     = `{ const field = panels.querySelector(".writing textarea"); field.value = %q; field.dispatchEvent(new Event("input")); panels.querySelector(".writing .go").click(); }`
	hasPhone  = `panels.querySelector("[name=tel]")?.offsetParent`
)

// visit takes a picture of a page of the shop as a visitor sees it, while the operator has the console open.
func (b *browser) visit(s shot, format string) ([]byte, error) {
	if err := b.see("/chats", "", `document.documentElement.dataset.stream === "live"`); err != nil {
		return nil, err
	}
	tab, closeTab := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	defer closeTab()
	visitor := &browser{ctx: tab, console: b.shop}
	if err := visitor.size(s); err != nil {
		return nil, err
	}
	if _, err := chromedp.Call(tab, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: seePanels}); err != nil {
		return nil, err
	}
	if err := visitor.see(s.path, "", hasPanels); err != nil {
		return nil, err
	}
	if err := visitor.then(s.prepare, s.until); err != nil {
		return nil, err
	}
	if s.prepare == openChat {
		if err := visitor.then(fmt.Sprintf(typed, question), `panels.querySelector(".own .meta")`); err != nil {
			return nil, err
		}
		if err := b.answer(theAnswer); err != nil {
			return nil, err
		}
		if err := front(tab); err != nil {
			return nil, err
		}
		if err := visitor.then("", hasAnswer); err != nil {
			return nil, err
		}
	}
	time.Sleep(500 * time.Millisecond) // what moves has come to rest
	return visitor.capture(format)
}

// answer has the operator answer the conversation in which something was said last.
func (b *browser) answer(text string) error {
	const conversation = `document.querySelector("[data-chat]") && document.documentElement.dataset.stream === "live"`
	const asked = `Array.from(document.querySelectorAll("#chats li")).find((one) => one.innerText.includes("three metres"))?.querySelector("a")`
	if err := b.see("/chats", "", asked); err != nil {
		return err
	}
	if err := b.then(asked+`.click()`, conversation); err != nil {
		return err
	}
	if err := front(b.ctx); err != nil {
		return err
	}
	if err := b.then(`document.getElementById("answer").focus()`, `document.activeElement.id === "answer"`); err != nil {
		return err
	}
	return chromedp.Do(b.ctx, chromedp.KeyEvent(text+"\r"))
}

func front(ctx context.Context) error {
	_, err := chromedp.Call(ctx, page.BringToFront, cdp.Empty{})
	return err
}
