package e2e

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// What the two sides show of a conversation: the visitor's texts and the operators', in order, each as often as it stands there.
const (
	panelTexts   = `Array.from(window.panels ? panels.querySelectorAll(".log .line > .msg:has(time) > p") : [], (p) => p.innerText)`
	consoleTexts = `Array.from(document.querySelectorAll("#said > li:is(.visitor, .operator):not(.waits) > .remark"), (p) => p.innerText)`
)

// runConversations runs the example with panels on its pages.
func runConversations(t *testing.T) *program {
	t.Helper()
	config := example(t)
	const before = "\t\tvariant A\n"
	require.Contains(t, config, before)
	return runProgram(t, strings.Replace(config, before, before+"\t\twidget\n", 1), "")
}

// colleague makes an operator and signs in as one, in a browser of its own.
func (p *program) colleague(admin *tab, login, name string) *tab {
	t := admin.t
	t.Helper()
	require.True(t, value[bool](admin, fmt.Sprintf(`fetch("/operators", {method: "POST", body: new URLSearchParams({login: %q, name: %q, password: %q, role: "operator", all: "true"})}).then((a) => a.ok)`, login, name, consolePassword)))
	b := newTab(t)
	b.size(1280, 800, false)
	b.visit(p.console + "/sign-in")
	b.do(fmt.Sprintf(`document.getElementById("login").value = %q; document.getElementById("password").value = %q; document.querySelector("main form").requestSubmit()`, login, consolePassword))
	b.until(`location.pathname === "/overview" && document.documentElement.dataset.stream === "live"`)
	b.visit(p.console + "/visitors")
	b.until(`location.pathname === "/visitors" && document.documentElement.dataset.stream === "live"`)
	return b
}

// comes opens the shop as a visitor, with the chat open once somebody is there.
func (p *program) comes(t *testing.T) *tab {
	t.Helper()
	b := newTab(t)
	b.before(seePanels)
	b.visit(p.shop + "/contacts.html")
	b.until(`window.Svc && Svc.getOperatorStatus && Svc.getCredentials() && Svc.getOperatorStatus()`)
	b.do(`Svc.openChatWindow()`)
	b.until(`window.panels && panels.querySelector(".writing textarea") && !panels.querySelector(".panel").hidden`)
	return b
}

// asks writes in the panel and sends by the keyboard.
func (b *tab) asks(text string) {
	b.t.Helper()
	b.do(fmt.Sprintf(`const field = panels.querySelector(".writing textarea"); field.focus(); field.value = %q; field.dispatchEvent(new Event("input"));
		field.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true, cancelable: true}));`, text))
}

// answersWith writes in the console's conversation, key by key.
func (b *tab) answersWith(text string) {
	b.t.Helper()
	b.front()
	b.do(`document.getElementById("answer").focus()`)
	b.write(text + "\r")
}

// opensFirst opens the first conversation of the list.
func (b *tab) opensFirst() {
	b.t.Helper()
	b.until(`document.querySelector("#chats a")`)
	b.do(`document.querySelector("#chats a").click()`)
	b.until(`document.querySelector("[data-chat]") && document.documentElement.dataset.stream === "live"`)
}

// hasTexts waits until what the expression gives are these texts.
func (b *tab) hasTexts(expression string, texts ...string) {
	b.t.Helper()
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = fmt.Sprintf("%q", text)
	}
	b.until(`JSON.stringify(` + expression + `) === JSON.stringify([` + strings.Join(quoted, ",") + `])`)
}

// offline cuts the tab off.
func (b *tab) offline(is bool) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: []*network.Conditions{{Offline: is, DownloadThroughput: -1, UploadThroughput: -1}}})
	require.NoError(b.t, err)
}

func TestOperatorsShareConversations(t *testing.T) {
	t.Parallel()
	p := runConversations(t)
	vera := p.signedIn(t)
	require.True(t, value[bool](vera, `fetch("/sites/1/replies", {method: "POST", body: new URLSearchParams({word: "delivery", place: 2, text: "We deliver the next day."})}).then((a) => a.ok)`))
	anna := p.colleague(vera, "anna", "Anna Svensson")
	for _, b := range []*tab{vera, anna} {
		b.visit(p.console + "/chats")
		b.until(`document.documentElement.dataset.stream === "live"`)
		b.do(`window.sameDocument = true`)
	}
	visitor := p.comes(t)
	visitor.asks("Do you ship to Oslo?")
	for _, b := range []*tab{vera, anna} {
		b.until(contains("#chats", "Do you ship to Oslo?") + ` && ` + contains("#chatting", "1") + ` && document.title.startsWith("(1) ")`)
		require.True(t, value[bool](b, `window.sameDocument`), "without a reload")
		b.opensFirst()
		b.hasTexts(consoleTexts, "Do you ship to Oslo?")
		b.until(contains("#now", "Contacts"))
	}

	// Both want it, and one gets it.
	for _, b := range []*tab{vera, anna} {
		b.do(`window.complained = ""; document.addEventListener("complain", ({detail}) => { window.complained = detail.text }); setTimeout(() => document.querySelector("[data-do=claim]")?.click(), 100 - Date.now() % 100)`)
	}
	for _, b := range []*tab{vera, anna} {
		b.until(`!document.querySelector("[data-do=claim]") && document.querySelector("#working .tag")`)
	}
	yours := func(b *tab) bool { return value[bool](b, contains("#working", "Yours")+` === true`) }
	require.NotEqual(t, yours(vera), yours(anna), "it is one operator's")
	owner, other, name := vera, anna, "Anna Svensson"
	if yours(anna) {
		owner, other, name = anna, vera, "vera"
	}

	owner.answersWith("We do.")
	owner.hasTexts(consoleTexts, "Do you ship to Oslo?", "We do.")
	visitor.hasTexts(panelTexts, "Do you ship to Oslo?", "We do.")
	other.hasTexts(consoleTexts, "Do you ship to Oslo?", "We do.")
	visitor.front()
	owner.until(contains("#said", "seen"))
	owner.until(contains("#said li.operator .delivered", "seen"))

	// A note is for operators alone, and so are its traces.
	owner.do(`document.querySelector("[data-note]").click()`)
	owner.front()
	owner.do(`document.getElementById("answer").focus()`)
	owner.write("A secret of the house")
	owner.do(`window.earlier = true; location.reload()`)
	owner.until(`!window.earlier && document.readyState === "complete" && document.documentElement.dataset.stream === "live" && document.getElementById("answer").value.trim() === "A secret of the house" && document.querySelector("[data-note]").getAttribute("aria-pressed") === "true"`)
	owner.answersWith("")
	other.until(contains("#said .note", "A secret of the house"))
	require.False(t, value[bool](owner, `document.querySelector("[data-note]").getAttribute("aria-pressed") === "true"`), "the next one is an answer")

	// A canned reply by its word, and one by its key.
	owner.front()
	owner.do(`document.getElementById("answer").focus()`)
	owner.write("/del")
	owner.until(`!document.getElementById("replies").hidden`)
	owner.write("\r")
	owner.until(`document.getElementById("answer").value.startsWith("We deliver the next day.")`)
	owner.write("\r")
	visitor.hasTexts(panelTexts, "Do you ship to Oslo?", "We do.", "We deliver the next day.")
	require.False(t, value[bool](visitor, `panels.querySelector(".log").innerText.includes("secret")`))

	// Each sees the other type.
	visitor.do(`const field = panels.querySelector(".writing textarea"); field.value = "And"; field.dispatchEvent(new Event("input"))`)
	owner.until(`!document.getElementById("typing").hidden`)

	// The visitor goes to another page: it is known where, and by which way.
	visitor.visit(p.shop + "/delivery.html")
	owner.until(contains("#now", "Delivery") + ` && ` + contains("#path", "Delivery") + ` && ` + contains("#path", "Contacts"))
	visitor.until(`window.panels && panels.querySelector(".writing textarea")`)

	// It is handed over.
	owner.do(`const hand = document.getElementById("hand"); hand.value = [...hand.options].find((o) => o.text.includes(` + fmt.Sprintf("%q", strings.Split(name, " ")[0]) + `)).value; document.querySelector("[data-do=hand]").click()`)
	other.until(contains("#working", "Yours"))
	owner.until(contains("#said", "Handed over to") + ` && ` + contains("#working", strings.Split(name, " ")[0]))

	// To the visitor that is nothing: what was read stays so.
	visitor.visit(p.shop + "/delivery.html")
	visitor.until(`window.panels && panels.querySelector(".log .own .meta span")`)
	require.Equal(t, "Read", value[string](visitor, `panels.querySelector(".log .own .meta span").innerText`))

	// Who has it is gone; the visitor goes on, and it waits for others.
	other.close()
	visitor.asks("And to Bergen?")
	p.await(t, func() bool { return value[bool](owner, `!!(`+contains("#working", "Waiting")+`)`) }) // 16 seconds at best
	owner.until(contains("#said", "Returned to the queue"))
	visitor.hasTexts(panelTexts, "Do you ship to Oslo?", "We do.", "We deliver the next day.", "And to Bergen?")
	owner.do(`document.activeElement.blur(); document.dispatchEvent(new KeyboardEvent("keydown", {key: "c", code: "KeyC", bubbles: true}))`)
	owner.until(contains("#working", "Yours"))
	owner.do(`document.dispatchEvent(new KeyboardEvent("keydown", {key: "e", code: "KeyE", bubbles: true}))`)
	owner.until(contains("#working", "Closed"))
}

// The network fails, the server is killed and started, and the configuration is loaded anew: every message arrives once, in
// order, on both sides.
func TestConversationSurvivesOutages(t *testing.T) {
	t.Parallel()
	p := runConversations(t)
	desk := p.signedIn(t)
	visitor := p.comes(t)
	visitor.asks("One")
	desk.visit(p.console + "/chats")
	desk.opensFirst()
	said := []string{"One"}
	both := func() {
		t.Helper()
		desk.hasTexts(consoleTexts, said...)
		visitor.hasTexts(panelTexts, said...)
	}
	both()
	desk.do(`document.querySelector("#said .day").stays = true`)
	desk.answersWith("Two")
	said = append(said, "Two")
	both()
	require.True(t, value[bool](desk, `document.querySelectorAll("#said .day").length === 1 && document.querySelector("#said .day").stays === true`), "nothing is read out again")
	holds := func(is bool) {
		t.Helper()
		desk.do(fmt.Sprintf(`while ((await navigator.locks.query()).held.some(({name}) => name === "reading " + location.pathname) !== %t) await new Promise((go) => setTimeout(go, 20))`, is))
	}
	holds(true) // the other pages are silent about what is read here
	desk.do(`document.hasFocus = () => false; dispatchEvent(new Event("blur"))`)
	holds(false)
	desk.do(`delete document.hasFocus; dispatchEvent(new Event("focus"))`)

	desk.do(`window.attempts = 0; const asked = fetch; window.fetch = (...call) => (attempts++, asked(...call))`)
	desk.offline(true)
	desk.answersWith("Three, from a tunnel")
	desk.until(`document.querySelectorAll("#said .waits").length === 1`)
	visitor.asks("Four, meanwhile")
	visitor.hasTexts(panelTexts, "One", "Two", "Four, meanwhile")
	desk.until(`attempts > 2`) // in vain
	desk.offline(false)
	said = append(said, "Four, meanwhile", "Three, from a tunnel")
	both()

	p.kill()
	desk.answersWith("Five, while it is down")
	desk.until(`document.querySelectorAll("#said .waits").length === 1`)
	desk.visitsAgain() // what was not sent outlives the page
	p.start(t)
	visitor.do(`dispatchEvent(new Event("online"))`) // or it waits longer and longer
	desk.visit(p.console + "/chats")
	visitor.hasTexts(panelTexts, append(said, "Five, while it is down")...) // the page of the list sends it
	desk.opensFirst()
	said = append(said, "Five, while it is down")
	both()

	written, err := os.ReadFile(p.caddyfile)
	require.NoError(t, err)
	changed := strings.Replace(string(written), "+7 (###) ###-##-##", "+1 ### ###-##-##", 1)
	require.NotEqual(t, string(written), changed)
	require.NoError(t, os.WriteFile(p.caddyfile, []byte(changed), 0o600))
	output, err := p.command(t, "reload", "--config", p.caddyfile, "--adapter", "caddyfile", "--address", strings.TrimPrefix(p.admin, "http://")).CombinedOutput()
	require.NoError(t, err, string(output))
	desk.answersWith("Six")
	said = append(said, "Six")
	both()
	visitor.asks("Seven")
	said = append(said, "Seven")
	both()
	require.Zero(t, value[int](desk, `document.querySelectorAll("#said .waits").length`))
}

// visitsAgain leaves the page for one that is always there.
func (b *tab) visitsAgain() {
	b.t.Helper()
	b.run(chromedp.Navigate("about:blank"))
}

// On a phone the list and the conversation are two screens.
func TestConversationsOnAPhone(t *testing.T) {
	t.Parallel()
	p := runConversations(t)
	desk := p.signedIn(t)
	visitor := p.comes(t)
	visitor.asks(`<b>Hello</b> "><img src=x onerror=alert(1)> ` + strings.Repeat("verylongword", 30))
	desk.size(390, 844, true)
	desk.visit(p.console + "/chats")
	desk.until(`document.querySelector("#chats a")`)
	require.True(t, value[bool](desk, `!document.querySelector(".conversation").checkVisibility()`))
	desk.opensFirst()
	require.True(t, value[bool](desk, `!document.querySelector(".queue").checkVisibility() && document.querySelector(".back").checkVisibility()`))
	require.True(t, value[bool](desk, `!document.querySelector("#said img, #said b")`), "what visitors write is never markup")
	require.True(t, value[bool](desk, `document.getElementById("answer").getBoundingClientRect().bottom <= innerHeight && document.documentElement.scrollWidth <= innerWidth`))
	desk.do(`const box = document.getElementById("answer"); box.value = "Hello"; document.querySelector(".send").click()`)
	visitor.until(`panels.querySelector(".log").innerText.includes("Hello")`)

	require.True(t, value[bool](desk, `!document.getElementById("who").checkVisibility()`))
	desk.do(`document.querySelector(".conversation-head [data-who]").click()`)
	desk.until(`document.getElementById("who").checkVisibility() && document.activeElement.id === "who" && document.documentElement.scrollWidth <= innerWidth`)
	require.True(t, value[bool](desk, `document.querySelector("#path .steps").checkVisibility() && !!document.querySelector("#who a[href^='/visitors/']")`))
	desk.do(`document.querySelector("#who [data-who]").click()`)
	desk.until(`!document.getElementById("who").checkVisibility() && document.activeElement.matches(".conversation-head [data-who]")`)
	desk.do(`document.querySelector(".conversation-head .state").click()`)
	desk.until(`location.pathname.startsWith("/chats/") && document.querySelector(".conversation-head .state.away")?.checkVisibility()`)
	desk.do(`document.querySelector("[data-back]").click()`)
	desk.until(`location.pathname === "/chats" && document.querySelector(".queue").checkVisibility()`)
}

// writes has the visitor of the page view write in the chat, as the script does.
func (p *program) writes(t *testing.T, credentials url.Values, text string) {
	t.Helper()
	quoted, err := json.Marshal(text)
	require.NoError(t, err)
	body := fmt.Sprintf(`{"site_key":"demo-shop","credentials":{"site_key":"demo-shop","visitor_id":%s,"session_id":%s,"hit_id":%s,"key":%q,"uri":%q},"browser":%q,"id":%q,"request":{"text":%s,"language":"en"}}`,
		credentials.Get("visitor_id"), credentials.Get("session_id"), credentials.Get("hit_id"), credentials.Get("key"), credentials.Get("uri"), credentials.Get("browser"), rand.Text()[:22], quoted)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.shop+"/frontdesk/v1/chat/say", strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Origin", p.shop)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, string(answer))
}
