package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	// sendButton is the button of the form that is shown, and formSays what is said beside it.
	sendButton = `panels.querySelector(".view:not([hidden]) .send .main")`
	formSays   = `panels.querySelector(".view:not([hidden]) .send p:not([hidden])")?.textContent`
	// sendable tells that nothing is being sent.
	sendable = `!` + sendButton + `.hasAttribute("aria-disabled")`
	// aRequest fills in the lead form and sends it.
	aRequest = `panels.querySelector("[name=phone]").value = "+7 (495) 123-45-67"; panels.querySelector("[name=message]").value = "A lamp"; ` + sendButton + `.click()`
)

// Where the visitor has not agreed, the forms say so, and the same form goes when he has.
func TestPanelsAskForConsent(t *testing.T) {
	t.Parallel()
	for language, words := range map[string]string{
		"en": "Accept the cookies of this site first, then send again.",
		"ru": "Сначала примите cookie этого сайта, затем отправьте ещё раз.",
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			s := runPanels(t, "\t\tconsent agreed yes\n"+panelsSettings, nil)
			s.page("/", language, "", "")
			b := newTab(t)
			b.before(heldClock + seePanels)
			b.visit(s.shop)
			b.until(`window.Svc && Svc.openSiteRequestPanel`)
			b.do(`Svc.openSiteRequestPanel()`)
			b.until(opened)
			b.do(aRequest)
			require.Equal(t, words, value[string](b, formSays), "at once")
			b.do(`clock.pass(3900)`)
			b.until(sendable)
			require.Equal(t, words, value[string](b, formSays))

			b.do(`Svc.openSitePhonePanel()`)
			b.until(`panels.querySelector("[name=captcha]")`)
			b.do(`clock.pass(3900)`)
			b.until(`panels.getElementById("captcha-error").textContent`)
			require.Equal(t, words, value[string](b, `panels.getElementById("captcha-error").textContent`), "a picture is the visitor's")
			b.do(`panels.querySelector("[name=tel]").value = "+7 (495) 123-45-67"`)

			b.do(`document.cookie = "agreed=yes"`)
			b.until(`Svc.getCredentials().hit_id`)
			b.do(sendButton + `.click()`)
			b.until(`panels.querySelector("canvas").width !== 240`)
			require.Equal(t, "+7 (495) 123-45-67", value[string](b, `panels.querySelector("[name=tel]").value`))
			b.do(`panels.querySelector("[name=captcha]").value = "1234"; ` + sendButton + `.click()`)
			b.until(`panels.getElementById("captcha-error").textContent`) // the service has looked at it
			b.do(`Svc.openSiteRequestPanel()`)
			b.until(sendButton + `.closest(".view").querySelector("[name=message]")`)
			b.do(sendButton + `.click()`)
			b.until(`panels.querySelector(".told")`)
		})
	}
}

// The chat opens when somebody is there, asks for consent too, and sends what was written when it has it.
func TestChatAsksForConsent(t *testing.T) {
	t.Parallel()
	_, settings, database := postgres(t)
	config := example(t)
	const before = "\t\tvariant A\n"
	require.Contains(t, config, before)
	p := runProgram(t, strings.Replace(config, before, before+"\t\twidget\n\t\tconsent agreed yes\n", 1), database)
	ann := p.answers(t, settings)
	b := newTab(t)
	b.before(seeChat)
	b.visit(p.shop)
	b.until(`window.Svc && Svc.openChatWindow`)
	b.do(`Svc.openChatWindow()`)
	b.until(chatOpen)
	b.says("Do you ship to Oslo?")
	b.until(`chatRoot.querySelector(".own .bad")?.textContent === "Accept the cookies of this site first."`)
	b.do(`document.cookie = "agreed=yes"`)
	b.until(`Svc.getCredentials().hit_id`)
	b.do(`chatRoot.querySelector(".own .bad").parentNode.querySelector("button").click()`)
	b.shows("Do you ship to Oslo?")
	require.Equal(t, []string{"Do you ship to Oslo?"}, ann.hears(1))
}

// The server goes while a request is being sent: the visitor is told, and when it is back, the request is there once.
func TestRequestOutlivesTheServer(t *testing.T) {
	t.Parallel()
	s := runPanels(t, panelsSettings, nil)
	s.page("/", "en", "", "")
	b := newTab(t)
	b.launches(s.shop)
	b.pressIn(".launcher")
	b.until(opened)
	s.kill()
	b.do(aRequest)
	b.until(formSays + ` === "This is taking longer than usual. We keep trying."`)
	b.do(sendButton + `.click()`) // is of no use
	s.start(t)
	b.do(`dispatchEvent(new Event("online"))`) // which ends its pauses
	b.until(`panels.querySelector(".told")`)
	desk := s.signedIn(t)
	desk.visit(s.console + "/leads")
	desk.until(contains("#leads", "A lamp"))
	require.Equal(t, 1, value[int](desk, `document.querySelectorAll("#leads li").length`))
}

// What the service or something on the way refuses is said in words that help; what it refuses for the moment goes after all.
func TestRefusalsOfTheRequestForm(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reply reply
		words string
	}{
		"too large":      {reply{status: 413, body: `{"success":false,"code":"too_large"}`}, "This is too long. Please shorten it."},
		"asked not to":   {reply{status: 403, body: `{"success":false,"code":"consent_missing"}`}, "Your browser asks sites not to track you, so this cannot be sent from here."},
		"another prefix": {reply{status: 404, body: "<h1>Not here</h1>"}, "This could not be sent. Reload the page, then try again."},
		"refused":        {reply{status: 400, body: `{"success":false,"code":"no_contact"}`}, "This could not be sent. Please try again."},
		"too many":       {reply{status: 429, body: `{"success":false,"code":"too_many_requests"}`, header: map[string]string{"Retry-After": "1"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, b := newScriptService(t, variantA), newTab(t)
			s.page("/", insertion(""), "")
			s.intercept = func(a arrival, nth int) *reply {
				if a.route == "lead" && (nth == 1 || c.words != "") {
					return &c.reply
				}
				return nil
			}
			b.before(seePanels)
			b.visit(s.URL)
			b.until(identified)
			b.do(`Svc.openSiteRequestPanel()`)
			b.until(opened)
			b.do(aRequest)
			if c.words == "" {
				b.until(`panels.querySelector(".told")`)
				s.await("lead", 2)
				return
			}
			b.until(formSays)
			require.Equal(t, c.words, value[string](b, formSays))
			require.True(t, value[bool](b, sendable))
			require.Equal(t, "A lamp", value[string](b, `panels.querySelector("[name=message]").value`))
		})
	}
}

// The panels' settings cannot be had for a moment: the launcher and what the page opens appear all the same.
func TestPanelsAppearWhenTheServiceAnswersAgain(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	s.page("/", insertion(""), "")
	s.setFault(&reply{status: http.StatusTooManyRequests, body: `{"success":false}`})
	b.before(heldClock + seePanels)
	b.visit(s.URL)
	b.until(identified)
	b.do(`Svc.openSiteRequestPanel()`)
	b.until(`clock.waiting(700) === 1`) // it has been refused
	s.setFault(nil)
	b.do(`clock.pass(700)`)
	b.until(opened)
	require.Greater(t, len(s.got("widget")), 1)
}

// Without a platform, with the form or the chat off, a panel opens all the same, and offers only what there is.
func TestPanelsOfferWhatThereIs(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string]string{
		"no platform": "\t\tcallback\n\t\twidget\n",
		"both off":    "\t\tcallback\n\t\twidget {\n\t\t\tchat off\n\t\t\tsitephone off\n\t\t}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := example(t)
			const before = "\t\tvariant A\n"
			require.Contains(t, config, before)
			p := runProgram(t, strings.Replace(config, before, before+lines, 1), "")
			desk := p.signedIn(t)
			desk.visit(p.console + "/leads")
			for _, method := range []string{"openSitePhonePanel", "openSiteRequestPanel", "openChatWindow"} {
				b := newTab(t)
				b.launches(p.shop)
				b.until(`Svc.getOperatorStatus()`)
				b.do(`Svc.` + method + `()`)
				b.until(opened)
				field := "[name=message]"
				if method == "openChatWindow" && name == "no platform" {
					field = ".writing textarea"
				}
				b.until(fmt.Sprintf("panels.querySelector(%q)?.offsetParent", field))
				require.True(t, value[bool](b, `panels.querySelector(".ways").hidden`), "there is one way alone")
				require.NotContains(t, value[string](b, `panels.querySelector(".panel").innerText`), "Nobody is here")
				b.close()
			}
		})
	}
}

// A notice hides nothing of an open panel, and on a low screen the panel has the launcher's place.
func TestPanelsOnALowScreen(t *testing.T) {
	t.Parallel()
	s := runPanels(t, panelsSettings, nil)
	s.page("/", "en", "", "")
	b := newTab(t)
	b.size(640, 400, false) // a desk's screen at twice its size
	b.launches(s.shop)
	b.pressIn(".launcher")
	b.until(opened)
	require.False(t, value[bool](b, `!!panels.querySelector(".launcher").getClientRects().length`))
	b.do(`Svc.sitePhoneCall({phone: "1"})`)
	b.until(`panels.querySelector(".panel .notice")`)
	require.True(t, value[bool](b, `(() => {
		const box = selector => panels.querySelector(selector).getBoundingClientRect();
		return box(".head").bottom <= box(".notice").top && box(".notice").bottom <= box(".view:not([hidden])").top &&
			box(".view:not([hidden])").bottom <= box(".ways").top && box(".ways").bottom <= 400 && box(".view:not([hidden])").height > 60;
	})()`))
	b.pressIn(".panel .notice button")
	b.pressIn(".head .sign")
	b.until(`panels.querySelector(".launcher").getClientRects().length`)
	require.Equal(t, "launcher", value[string](b, `panels.activeElement.className`))
}

// The service is on another machine: the panels of the edge's pages have its chat, and its lead form takes requests while the
// service is away.
func TestPanelsOfAServiceElsewhere(t *testing.T) {
	t.Parallel()
	edgeAddress := freeAddress(t)
	_, port, _ := strings.Cut(edgeAddress, ":")
	shop := "http://localhost:" + port
	const directive = "\t\tprerender static\n"
	config := example(t)
	require.Contains(t, config, directive)
	_, shopsServer, found := strings.Cut(config, "# The shop's own server.")
	require.True(t, found)
	central := runProgram(t, strings.Replace(config, directive, "\t\torigins "+shop+"\n\t\twidget\n", 1), "")
	runProgram(t, "\n{\n\tfrontdesk {\n\t}\n}\nhttp://localhost:"+port+" {\n\tfrontdesk demo-shop {\n\t\tservice "+central.shop+
		"/frontdesk/\n\t}\n\treverse_proxy localhost:8081\n}\n"+shopsServer, "")
	desk := central.signedIn(t)
	desk.visit(central.console + "/chats")

	b := newTab(t)
	b.launches(shop)
	b.until(`Svc.getOperatorStatus()`)
	b.pressIn(".launcher")
	b.until(`panels.querySelector(".writing textarea")?.offsetParent`)
	b.asks("Do you ship to Oslo?")
	desk.opensFirst()
	desk.answersWith("We do.")
	b.until(`Array.from(panels.querySelectorAll(".msg:has(time):not(.own) p")).some((p) => p.innerText === "We do.")`)

	central.kill()
	b.do(`Svc.openSiteRequestPanel()`)
	b.until(sendButton + `?.closest(".view").querySelector("[name=message]")`)
	b.do(aRequest)
	b.until(`panels.querySelector(".told")`)
	central.start(t)
	desk.visit(central.console + "/leads")
	desk.until(contains("#leads", "A lamp"))
}

// A page with an open chat comes back from the back-forward cache: the chat goes on, and there is one of each.
func TestChatFromTheBackForwardCache(t *testing.T) {
	t.Parallel()
	p, ann := runAnswered(t)
	b := newTab(t)
	b.opensChat(p.shop)
	b.says("One")
	b.shows("One")
	ann.hears(1)
	b.visit(p.shop + "/contacts.html")
	ann.says("Two")
	b.do(`history.back()`)
	b.until(`location.pathname === "/" && window.Svc && Svc.getCredentials().hit_id`)
	b.until(`window.chatRoot && chatRoot.querySelector(".launcher:not([hidden])") && Svc.getOperatorStatus()`)
	b.do(`Svc.openChatWindow()`)
	b.until(chatOpen)
	b.shows("One", "Two")
	b.says("Three")
	b.shows("One", "Two", "Three")
	require.Equal(t, []string{"One", "Three"}, ann.hears(3))
	require.Equal(t, 1, value[int](b, `document.querySelectorAll("html > div").length`))
}
