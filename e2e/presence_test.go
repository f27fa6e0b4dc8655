package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// words are what the page has said, in order, each with the number of its view.
func (s *scriptService) words() (words []string) {
	for _, a := range s.got("presence") {
		words = append(words, fmt.Sprint(a.body["presence"], " ", a.field("credentials", "hit_id")))
	}
	return words
}

// saying waits until the page has said that, and gives all that it has said.
func (s *scriptService) saying(word string) []string {
	s.t.Helper()
	for n := 1; ; n++ {
		s.await("presence", n)
		if words := s.words(); words[n-1] == word {
			return words
		}
	}
}

// covered has the page believe that another tab lies over it, or not.
func (b *tab) covered(is bool) {
	b.t.Helper()
	if is {
		b.do(`Object.defineProperty(document, "hidden", {value: true, configurable: true}); document.dispatchEvent(new Event("visibilitychange"))`)
	} else {
		b.do(`delete document.hidden; document.dispatchEvent(new Event("visibilitychange"))`)
	}
}

func TestPageSaysWhetherSomebodyIsThere(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	s.page("/", insertion(""), "")
	s.page("/next", "", "")
	b.before(heldClock)
	b.visit(s.URL)
	b.until(identified)
	require.Equal(t, 1, value[int](b, "clock.waiting(60000)"))
	require.Empty(t, s.words(), "its view says so for the first minute")
	said := func(step string, words ...string) {
		t.Helper()
		before := len(s.words())
		b.do(step)
		s.await("presence", before+len(words))
		s.pastAll(b, "Svc")
		require.ElementsMatch(t, words, s.words()[before:])
	}
	said(`clock.pass(60000)`, "here 3001")
	said(`clock.pass(60000)`, "here 3001")
	b.covered(true)
	s.await("presence", 3)
	said(`clock.pass(60000)`) // nobody looks
	b.covered(false)
	s.await("presence", 4)
	require.Equal(t, []string{"here 3001", "here 3001", "away 3001", "here 3001"}, s.words())

	// Within a single-page site the last word is for the page that is open, and for the one that it spoke for last.
	b.do(`history.pushState(null, "", "/#!/a")`)
	b.until(`Svc.getCredentials().hit_id === 3002`)
	b.visit(s.URL + "/next")
	s.await("presence", 6)
	words := s.words()
	require.ElementsMatch(t, []string{"left 3001", "left 3002"}, words[4:], "and no word behind it that says less")

	// From the back-forward cache the page is a view of its own again, which is left anew.
	b.do(`history.back()`)
	b.until(`window.Svc && Svc.getCredentials().hit_id === 3003`)
	b.visit(s.URL + "/next")
	s.saying("left 3003")
}

// Before consent, and without a key, nothing is said.
func TestPageThatMustNotSpeakIsSilent(t *testing.T) {
	t.Parallel()
	settings := variantA
	settings.ConsentCookie, settings.ConsentValue = "agreed", "yes"
	s, b := newScriptService(t, settings), newTab(t)
	s.page("/", insertion(""), "")
	b.before(heldClock)
	b.visit(s.URL)
	b.until(`window.loaded`)
	b.do(`clock.pass(60000)`)
	b.covered(true)
	b.covered(false)
	b.do(`document.cookie = "agreed=yes"`)
	s.await("hit", 1)
	b.until(identified)
	require.Empty(t, s.words())
	b.do(`clock.pass(60000)`)
	s.await("presence", 1)
	require.Equal(t, []string{"here 3001"}, s.words())
}

// On the running program: who closes the page is gone from the list within seconds, who leaves the site too, and who comes
// back by the back button is there again.
func TestVisitorsWhoLeaveAreGone(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	desk := p.signedIn(t)
	rows := func(count int) {
		t.Helper()
		desk.until(fmt.Sprintf(`document.querySelectorAll("#guests li:not(.gone)").length === %d`, count))
	}
	stays, b := newTab(t), newTab(t)
	p.open(stays, "/lamps/birch.html")
	p.open(b, "/contacts.html")
	rows(2)
	card := newTab(t)
	p.signIn(card)
	card.visit(p.console + value[string](desk, `[...document.querySelectorAll("#guests li")].find((row) => row.innerText.includes("/contacts.html")).querySelector("a").pathname`))
	card.until(`document.querySelector("#here .pulse")`)

	b.visit("about:blank")
	rows(1)
	card.until(`!document.querySelector("#here .pulse")`)
	b.do(`history.back()`)
	rows(2)
	card.until(`document.querySelector("#here .pulse")`)
	b.visit(p.shop + "/lamps/")
	rows(2)
	b.close()
	rows(1)
	require.Contains(t, value[string](desk, `document.querySelector("#guests li:not(.gone)").innerText`), "/lamps/birch.html")

	// A tab that the system puts to sleep, and wakes.
	for _, state := range []page.SetWebLifecycleStateState{page.SetWebLifecycleStateStateFrozen, page.SetWebLifecycleStateStateActive} {
		_, err := chromedp.Call(stays.ctx, page.SetWebLifecycleState, page.SetWebLifecycleStateParams{State: state})
		require.NoError(t, err)
	}
	stays.covered(true)
	stays.covered(false)
	rows(1)
}
