package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// countTones counts the tones that a page sounds.
const countTones = `{
	const start = OscillatorNode.prototype.start;
	OscillatorNode.prototype.start = function (...at) {
		window.tones = (window.tones || 0) + 1;
		return start.apply(this, at);
	};
}`

// beside opens another tab of the same browser.
func (b *tab) beside(address string) *tab {
	b.t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	b.t.Cleanup(cancel)
	other := &tab{t: b.t, ctx: ctx}
	other.before(countTones)
	other.before(seePanels)
	other.visit(address)
	return other
}

// All tabs of a visitor say how much is unread, and one of them sounds.
func TestOneOfManyTabsSounds(t *testing.T) {
	t.Parallel()
	p := runConversations(t)
	desk := p.signedIn(t)
	desk.visit(p.console + "/chats")
	here := p.comes(t)
	here.do(countTones)
	here.front()
	here.do(`panels.querySelector(".writing textarea").focus()`)
	here.write("Hello\r")
	here.hasTexts(panelTexts, "Hello")
	here.do(`panels.querySelector(".launcher").click()`)
	here.until(`panels.querySelector(".panel").hidden`)
	there := here.beside(p.shop + "/delivery.html")
	there.until(`window.panels && panels.querySelector(".log .own")`)
	there.write("x") // pages sound after somebody has done something on them
	// One tab waits for seconds longer than the other, so that each sees what the other has done.
	here.do(`Math.random = () => 0`)
	there.do(`Math.random = () => 0.999; const set = setTimeout; window.setTimeout = (run, ms, ...rest) => set(run, ms > 1400 && ms < 1500 ? ms + 3000 : ms, ...rest)`)
	desk.opensFirst()

	const unread = `document.title.startsWith("(1) ") && panels.querySelector(".badge").innerText === "1"`
	tones := func() int { return value[int](here, `window.tones || 0`) + value[int](there, `window.tones || 0`) }
	here.covered(true)
	desk.answersWith("Good day")
	there.front()
	there.until(unread)
	p.await(t, func() bool { return tones() == 2 })
	here.covered(false)
	here.front()
	here.until(unread)
	here.do(`await new Promise((go) => setTimeout(go, 2000))`) // behind its own sound, if there were one
	require.Equal(t, 2, tones())

	// Two messages sound twice at most, whichever tab is the first for each.
	desk.answersWith("We have them")
	desk.answersWith("In brass, too")
	for _, b := range []*tab{here, there} {
		b.until(`document.title.startsWith("(3) ")`)
		b.do(`await new Promise((go) => setTimeout(go, 6000))`)
	}
	require.Contains(t, []int{4, 6}, tones())

	here.do(`panels.querySelector(".launcher").click()`)
	for _, b := range []*tab{here, there} {
		b.until(`!document.title.startsWith("(") && panels.querySelector(".badge").hidden`)
	}
}
