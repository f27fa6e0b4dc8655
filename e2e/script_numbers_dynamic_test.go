package e2e

import (
	"net"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

const (
	// once has the script go through a page once.
	once = `__cs.push(["setDynamicalReplacement", false]);`
	// frames lets the page draw twice: what waits for a frame has been done by then.
	frames = `await new Promise(requestAnimationFrame); await new Promise(requestAnimationFrame);`
	// idle lets the page come to rest: what waits for an idle moment has been done by then.
	idle = `await new Promise(done => requestIdleCallback(done, {timeout: 2000}));`
)

func TestReplacementGoesOnInWhatIsAdded(t *testing.T) {
	t.Parallel()
	_, b := shown(t, variantA, "", `<div><p id=text>old</p></div>`, append(issue(t, moscow), place(".phone", moscow, "+7 495 765-43-21", "")))
	b.do(`
		const box = document.body.firstElementChild;
		text.firstChild.data = "Call 8 495 123-45-67";
		box.insertAdjacentHTML("beforeend", "<ul><li>8 (495) <b>123-45-67</b><li><a href='tel:84951234567'>Call</a></ul><p class=phone>123-45-67</p>");
		const line = box.appendChild(document.createElement("h2"));
		for (const piece of ["+7 495 ", "123", "-45-67"]) line.appendChild(document.createElement("i")).append(piece);
		` + frames)
	require.Equal(t, `<p id="text">Call 8 495 765-43-21</p><ul><li>8 (495) <b>765-43-21</b></li><li><a href="tel:84957654321">Call</a></li></ul>`+
		`<p class="phone">+7 495 765-43-21</p><h2><i>+7 495 </i><i>765</i><i>-43-21</i></h2>`, value[string](b, inner))

	b.do(`document.querySelector("h2").firstElementChild.before("1"); document.querySelector("a").href = "tel:+74951234567";` + frames)
	require.Equal(t, "tel:+74957654321", value[string](b, `document.querySelector("a").getAttribute("href")`))

	// A piece that is added is read with the line that it stands in: these digits belong to a longer row.
	b.do(`
		const line = document.body.firstElementChild.appendChild(document.createElement("h3"));
		line.append("99");` + frames + `line.insertAdjacentHTML("beforeend", "<b>84951234567</b>");` + frames)
	require.Equal(t, "99<b>84951234567</b>", value[string](b, `document.querySelector("h3").innerHTML`))
}

func TestReplacementGoesOnWhenItIsTurnedOn(t *testing.T) {
	t.Parallel()
	_, b := shown(t, variantA, once, `<div></div>`, issue(t, moscow))
	const add = `document.body.firstElementChild.innerHTML = "8 495 123-45-67";`
	b.do(add + frames)
	require.Equal(t, "8 495 123-45-67", value[string](b, inner))
	b.do(`Svc.push(["setDynamicalReplacement", true]);` + frames)
	require.Equal(t, "8 495 765-43-21", value[string](b, inner), "what was added before, too")
	b.do(add + frames)
	require.Equal(t, "8 495 765-43-21", value[string](b, inner))
	b.do(`__cs.push(["setDynamicalReplacement", false]);` + add + frames)
	require.Equal(t, "8 495 123-45-67", value[string](b, inner))
}

// stoppedClock lets a page do whatever it does at once, however busy the machine is.
const stoppedClock = `{ const at = Date.now(); Date.now = () => at; }`

// A page that puts its old text back again and again has its way in the end.
func TestPageThatInsists(t *testing.T) {
	t.Parallel()
	_, b := shown(t, variantA, stoppedClock, `<p>nothing</p>`, issue(t, moscow))
	b.do(`
		window.rounds = 0;
		const text = document.body.firstElementChild.firstChild;
		new MutationObserver(() => {
			if (text.data.includes("765")) { rounds++; text.data = "8 495 123-45-67"; }
		}).observe(text, {characterData: true});
		text.data = "8 495 123-45-67";`)
	b.until(`rounds === 6`)
	b.do(frames + frames)
	require.Equal(t, 6, value[int](b, "rounds"))
	require.Equal(t, "8 495 123-45-67", value[string](b, inner))
}

// However a site's own observer writes the old number back: after a few rounds it is left to.
func TestObserversThatWriteBack(t *testing.T) {
	t.Parallel()
	for name, back := range map[string]string{
		"as the text of the element":  `box.querySelector("p").textContent = "8 495 123-45-67";`,
		"as new markup of a block":    `box.innerHTML = "<p><b>8 495 123-45-67</b></p>";`,
		"as a new element":            `box.replaceChildren(Object.assign(document.createElement("p"), {textContent: "8 495 123-45-67"}));`,
		"as a link":                   `box.innerHTML = "<p><a href='tel:84951234567'>Call</a></p>";`,
		"as an attribute":             `box.firstElementChild.title = "8 495 123-45-67";`,
		"as the words of a place":     `box.querySelector("p").textContent = "loading"; box.querySelector("p").className = "phone";`,
		"a little later, as the text": `setTimeout(() => { box.querySelector("p").textContent = "8 495 123-45-67"; }, 1);`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, b := shown(t, variantA, stoppedClock, `<div><p>nothing</p></div>`, append(issue(t, moscow), place(".phone", moscow, "+7 495 765-43-21", "")))
			b.do(`
				window.rounds = 0;
				const box = document.body.firstElementChild;
				const back = () => { ` + back + ` };
				new MutationObserver(() => {
					if (/765|4321/.test(box.innerHTML)) { rounds++; back(); }
				}).observe(box, {characterData: true, childList: true, subtree: true, attributes: true});
				back();`)
			b.until(`rounds > 3`)
			// Thirty frames and timers, in which a fight would go on once each.
			b.do(`for (let n = 0; n < 30; n++) { await new Promise(requestAnimationFrame); await new Promise(done => setTimeout(done, 2)); }`)
			rounds := value[int](b, "rounds")
			require.LessOrEqual(t, rounds, 8)
			b.do(frames + frames)
			require.Equal(t, rounds, value[int](b, "rounds"), "it has ended")
			// Elsewhere replacement goes on.
			b.do(`document.getElementById("last").textContent = "8 (495) 123-45-67"`)
			b.until(`document.getElementById("last").textContent === "8 (495) 765-43-21"`)
		})
	}
}

// A page that is longer than what is read between two frames is read to its end.
func TestLongPage(t *testing.T) {
	t.Parallel()
	_, b := shown(t, variantA, `addEventListener("DOMContentLoaded", () => {
		document.body.firstElementChild.innerHTML = "<p>8 495 123-45-67 <b>and</b> more</p>".repeat(5000);
	});`, `<div></div>`, issue(t, moscow))
	b.until(`document.querySelectorAll("div p").length === 5000 && [...document.querySelectorAll("div p")].every(p => p.firstChild.data === "8 495 765-43-21 ")`)
}

// A tree of very many elements is searched child by child. A line may stand in several of them.
func TestPageOfManyElements(t *testing.T) {
	t.Parallel()
	_, b := shown(t, variantA, `addEventListener("DOMContentLoaded", () => {
		const box = document.body.firstElementChild;
		box.innerHTML = "<p>goods</p>".repeat(15_001) + "<i>8 495 123</i><i>-45-67</i><p>8 495 <b>123-45-67</b><a href='tel:8%34951234567'>Call</a>";
		box.title = "8 495 123-45-67";
	});`, `<div></div>`, issue(t, moscow))
	b.until(`document.querySelector("i + i").textContent === "-43-21"`)
	require.Equal(t, "8 495 765", value[string](b, `document.querySelector("i").textContent`))
	b.until(`document.querySelector("b").textContent === "765-43-21" && document.querySelector("a").href === "tel:8%34957654321"`)
	b.until(`document.querySelector("div").title === "8 495 765-43-21"`)
}

// Of a page of very many elements, what is seen comes first.
func TestWhatIsSeenComesFirst(t *testing.T) {
	t.Parallel()
	_, b := shown(t, variantA, `addEventListener("DOMContentLoaded", () => {
		window.order = [];
		for (const id of ["first", "second", "third"]) {
			const box = document.getElementById(id);
			box.innerHTML = "<p>goods</p>".repeat(6_000) + "<b>8 495 123-45-67</b>";
			new MutationObserver(() => order.push(id)).observe(box.lastChild, {characterData: true, subtree: true});
		}
		second.scrollIntoView();
	});`, `<div id=first></div><div id=second></div><div id=third></div>`, issue(t, moscow))
	b.until(`order.length === 3`)
	require.Equal(t, []any{"second", "first", "third"}, value[any](b, `order`))
}

// Frameworks compare the page with their own data: nothing is changed before they have.
func TestHydratingPageIsLeftAloneUntilItHasLoaded(t *testing.T) {
	t.Parallel()
	for root, afterLoad := range map[string]bool{`<div id=__next>`: true, `<div data-server-rendered=true>`: true, `<div id=else>`: false} {
		t.Run(root, func(t *testing.T) {
			t.Parallel()
			// The page has not loaded before its picture has, which nobody sends.
			silent, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			defer silent.Close()
			s, b := newScriptService(t, variantA), newTab(t)
			s.page("/", insertion(""), root+`<p>8 495 123-45-67</p></div><img src="http://`+silent.Addr().String()+`/">`+blockOf(t, issue(t, moscow))+`<script>
				addEventListener("load", () => window.pageLoaded = true);
				new MutationObserver(() => window.seen = {afterLoad: "pageLoaded" in window}).observe(document.querySelector("div"), {subtree: true, characterData: true});
			</script>`)
			_, err = chromedp.Call(b.ctx, page.Navigate, page.NavigateParams{URL: s.URL})
			require.NoError(t, err)
			b.holds(`window[Symbol.for("svc:numbers")]`)
			if !afterLoad {
				b.holds(`window.seen`)
			}
			silent.Close()
			b.until(`window.pageLoaded && window.seen`)
			require.Equal(t, afterLoad, value[bool](b, "seen.afterLoad"))
			require.Equal(t, "<p>8 495 765-43-21</p>", value[string](b, inner))
		})
	}
}

// Loading the script again begins anew: the hook is asked again, and the first run does nothing more.
func TestNumbersAfterLoadingAgain(t *testing.T) {
	t.Parallel()
	_, b := shown(t, variantA, `window.asked = 0; window.__cs_onReplacePhones = () => ++asked > 0;`, `<div></div>`, issue(t, moscow))
	b.do(`
		document.querySelector("script[src]").remove();
		__cs = [["setCsAccount", "` + siteKey + `"], ["setDynamicalReplacement", false]]; Svc = SvcWidget = undefined;
		const script = document.createElement("script");
		script.src = "/frontdesk/svc.js";
		await new Promise(done => { script.onload = done; document.head.append(script); });
		document.getElementById("last").textContent = "8 (495) 123-45-67";`)
	// The first run has ended: it is the second one that reads the page.
	b.until(`document.getElementById("last").textContent === "8 (495) 765-43-21"`)
	require.Equal(t, 2, value[int](b, "asked"))
	require.Equal(t, 1, value[int](b, "Svc.getPhones().length"))
	b.do(`document.body.firstElementChild.innerHTML = "8 495 123-45-67";` + frames)
	require.Equal(t, "8 495 123-45-67", value[string](b, inner), "the second run was told not to go on, and the first one has ended")
	b.do(`Svc.push(["setDynamicalReplacement", true]);`)
	b.until(inner + ` === "8 495 765-43-21"`)
}
