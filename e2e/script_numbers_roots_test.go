package e2e

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// inRoot is the text in the open shadow root of the element, and inFrame that of the page in the frame.
func inRoot(element string) string {
	return `document.querySelector("` + element + `").shadowRoot.textContent`
}

func inFrame(frame string) string {
	return `document.querySelector("` + frame + `").contentDocument.body.textContent.trim()`
}

// reads waits until the expression is the text.
func (b *tab) reads(expression, text string) {
	b.t.Helper()
	b.until(`(() => { try { return ` + expression + ` === "` + text + `"; } catch { return false; } })()`)
}

const (
	oldNumber = "8 495 123-45-67"
	newNumber = "8 495 765-43-21"
)

// What a page has in open shadow roots and in frames when it is loaded is looked through once, as the rest of it is. Who refuses gets
// all of it back.
func TestRootsOfThePage(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	s := newScriptService(t, variantA)
	foreign := httptest.NewServer(s.Config.Handler)
	t.Cleanup(foreign.Close)
	s.page("/", insertion(once), `<my-card><template shadowrootmode=open><p>8 495 <b>123-45-67</b></p></template></my-card>
		<div id=plain></div><div id=closed></div><div id=opted data-svc-noswap><span id=inside></span></div>
		<outer-box></outer-box>
		<iframe id=written></iframe><iframe id=source srcdoc="<p>8 495 123-45-67"></iframe><iframe id=own src=/frame></iframe>
		<iframe id=opt data-svc-noswap srcdoc="<p>8 495 123-45-67"></iframe><iframe id=editor srcdoc="<script>document.designMode = 'on'</script><p>8 495 123-45-67"></iframe>
		<iframe id=foreign src="`+foreign.URL+`/frame"></iframe><iframe id=sandbox sandbox srcdoc="<p>8 495 123-45-67"></iframe>
		<script>
			const write = (id, mode) => {
				const root = document.getElementById(id).attachShadow({mode});
				root.innerHTML = "8 495 123-45-67 <a href='tel:84951234567'></a><p class=phone>loading</p>";
				return root;
			};
			write("plain", "open");
			window.closedRoot = write("closed", "closed");
			write("inside", "open");
			customElements.define("outer-box", class extends HTMLElement {
				constructor() { super(); this.attachShadow({mode: "open"}).innerHTML = "<inner-box></inner-box>"; }
			});
			customElements.define("inner-box", class extends HTMLElement {
				connectedCallback() { this.attachShadow({mode: "open"}).innerHTML = "8 495 123-45-67<iframe srcdoc='8 495 123-45-67'></iframe>"; }
			});
			written.contentDocument.body.innerHTML = "8 495 123-45-67";
		</script>`+blockOf(t, append(issue(t, moscow), place(".phone", moscow, "+7 495 765-43-21", ""))))
	s.page("/frame", "", `<p>8 495 123-45-67</p>`)
	b.visit(s.URL)
	nested := `document.querySelector("outer-box").shadowRoot.firstChild.shadowRoot.`
	texts := map[string]string{
		inRoot("my-card"): "NUMBER", inFrame("#written"): "NUMBER", inFrame("#source"): "NUMBER", inFrame("#own"): "NUMBER",
		nested + "firstChild.data": "NUMBER", nested + "lastChild.contentDocument.body.textContent": "NUMBER",
		`plain.shadowRoot.firstChild.data.trim()`: "NUMBER", `plain.shadowRoot.querySelector("a").getAttribute("href")`: "tel:DIGITS",
	}
	become := func(number string) {
		t.Helper()
		digits := strings.NewReplacer(" ", "", "-", "").Replace(number)
		for expression, text := range texts {
			b.reads(expression, strings.NewReplacer("NUMBER", number, "DIGITS", digits).Replace(text))
		}
	}
	become(newNumber)
	b.reads(`plain.shadowRoot.querySelector(".phone").textContent`, "+7 495 765-43-21")
	b.do(idle + frames)
	for _, left := range []string{`closedRoot.firstChild.data.trim()`, `inside.shadowRoot.firstChild.data.trim()`, inFrame("#opt"), inFrame("#editor")} {
		require.Equal(t, oldNumber, value[string](b, left), left)
	}
	require.Equal(t, []any{nil, nil}, value[any](b, `[foreign.contentDocument, sandbox.contentDocument]`))

	// What is added later is not looked at if the page does not want it.
	b.do(`plain.shadowRoot.firstChild.data = "8 495 123-45-67";` + idle + frames)
	require.Equal(t, oldNumber, value[string](b, `plain.shadowRoot.firstChild.data`))

	b.do(`window.__cs_onReplacePhones = () => false; Svc.reinitTrackView();`)
	s.tell(issue(t, moscow))
	b.do(`Svc.reinitTrackView();`)
	become(oldNumber)
}

// What is added to roots and frames is replaced, and what is added with them, whenever it comes.
func TestRootsThatAreAdded(t *testing.T) {
	t.Parallel()
	s, b := shown(t, variantA, "", `<div id=box></div><late-card></late-card><div id=late></div>`, append(issue(t, moscow), place(".phone", moscow, "+7 495 765-43-21", "")))
	s.page("/frame", "", `<p>8 495 123-45-67</p>`)
	s.page("/second", "", `<h1>8 495 123-45-67</h1>`)
	b.do(`
		customElements.define("my-card", class extends HTMLElement {
			constructor() { super(); this.attachShadow({mode: "open"}); }
			connectedCallback() { this.shadowRoot.innerHTML = "<p>8 495 123-45-67</p>"; }
		});
		box.innerHTML = "<section><my-card></my-card></section>";`)
	b.reads(inRoot("my-card"), newNumber)
	b.do(`document.querySelector("my-card").shadowRoot.firstChild.firstChild.data = "8 495 123-45-67 again"`)
	b.reads(inRoot("my-card"), newNumber+" again")
	b.do(`document.querySelector("my-card").shadowRoot.innerHTML = "<div><my-card id=nested></my-card><p class=phone></p></div>"`)
	b.reads(`document.querySelector("my-card").shadowRoot.querySelector("my-card").shadowRoot.textContent`, newNumber)
	b.reads(`document.querySelector("my-card").shadowRoot.querySelector(".phone").textContent`, "+7 495 765-43-21")

	// An element that stands in the page already is given its root.
	b.do(`customElements.define("late-card", class extends HTMLElement {
		constructor() { super(); this.attachShadow({mode: "open"}).append("8 495 123-45-67"); }
	});`)
	b.reads(inRoot("late-card"), newNumber)
	b.do(`late.attachShadow({mode: "open"}); late.shadowRoot.append("8 495 123-45-67");`)
	b.reads(inRoot("#late"), newNumber)

	// A root that was filled before it is added, and one that is put elsewhere.
	b.do(`
		window.host = document.createElement("div"); host.id = "host"; host.attachShadow({mode: "open"}).append("8 495 123-45-67"); box.append(host);`)
	b.reads(inRoot("#host"), newNumber)
	b.do(`host.remove(); host.shadowRoot.textContent = "8 495 123-45-67!"; late.after(host);`)
	b.reads(inRoot("#host"), newNumber+"!")

	b.do(`
		const frame = box.appendChild(document.createElement("iframe"));
		frame.id = "frame";
		frame.contentDocument.open(); frame.contentDocument.write("<p>8 495 123-45-67</p>"); frame.contentDocument.close();`)
	b.reads(inFrame("#frame"), newNumber)
	b.do(`frame.contentDocument.body.insertAdjacentHTML("beforeend", "<p>, 8 495 123-45-67</p>");`)
	b.reads(inFrame("#frame"), newNumber+", "+newNumber)
	b.do(`frame.contentDocument.body.innerHTML = "<my-card></my-card>"; frame.contentDocument.body.firstChild.attachShadow({mode: "open"}).append("8 495 123-45-67");`)
	b.reads(`frame.contentDocument.body.firstChild.shadowRoot.textContent`, newNumber)
	for _, path := range []string{"/frame", "/second"} {
		b.do(`frame.src = "` + path + `"`)
		b.until(`frame.contentWindow.location.pathname === "` + path + `"`)
		b.reads(inFrame("#frame"), newNumber)
		b.do(`frame.contentDocument.body.firstElementChild.append(" or 8 495 123-45-67")`)
		b.reads(inFrame("#frame"), newNumber+" or "+newNumber)
	}
	b.do(`frame.srcdoc = "<b>8 495 123-45-67</b>"`)
	b.reads(inFrame("#frame"), newNumber)

	// Turned off, nothing more is touched.
	b.do(`Svc.push(["setDynamicalReplacement", false]); host.shadowRoot.textContent = frame.contentDocument.body.textContent = "8 495 123-45-67";` + frames)
	require.Equal(t, oldNumber, value[string](b, inRoot("#host")))
	require.Equal(t, oldNumber, value[string](b, inFrame("#frame")))
	require.Equal(t, "Illegal invocation", value[string](b, `(() => { try { Element.prototype.attachShadow({}); } catch (error) { return error.message.slice(-18); } })()`),
		"what the browser says is passed on")
}

// A site's own code in a root, and in a frame, that writes the old number back has its way after a few rounds.
func TestRootsThatInsist(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"root":  `document.getElementById("box").attachShadow({mode: "open"}).appendChild(document.createElement("p")).appendChild(new Text("")).parentNode`,
		"frame": `document.getElementById("box").appendChild(document.createElement("iframe")).contentDocument.body.appendChild(document.createElement("p"))`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, b := shown(t, variantA, stoppedClock, `<div id=box></div>`, issue(t, moscow))
			b.do(`
				window.rounds = 0;
				window.line = ` + text + `;
				new MutationObserver(() => {
					if (line.textContent.includes("765")) { rounds++; line.textContent = "8 495 123-45-67"; }
				}).observe(line, {characterData: true, childList: true, subtree: true});
				line.textContent = "8 495 123-45-67";`)
			b.until(`rounds > 3`)
			b.do(`for (let n = 0; n < 30; n++) { await new Promise(requestAnimationFrame); await new Promise(done => setTimeout(done, 2)); }`)
			rounds := value[int](b, "rounds")
			require.LessOrEqual(t, rounds, 8)
			b.do(frames + frames)
			require.Equal(t, rounds, value[int](b, "rounds"))
			require.Equal(t, oldNumber, value[string](b, `line.textContent`))
		})
	}
}

// A page whose elements cannot be asked keeps working, and so does one that hydrates in a frame.
func TestRootsOfAFrozenPage(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	s.page("/", insertion(""), `<div id=text></div><iframe id=app src=/app></iframe>`+blockOf(t, issue(t, moscow)))
	s.page("/app", "", `<div id=__next><p>8 495 123-45-67</p></div>`)
	b.before(`Object.freeze(Element.prototype)`)
	_, err := chromedp.Call(b.ctx, page.Navigate, page.NavigateParams{URL: s.URL})
	require.NoError(t, err)
	b.front()
	b.reads(inFrame("#app"), newNumber)
	b.do(`text.textContent = "8 495 123-45-67"`)
	b.reads(`text.textContent`, newNumber)
}
