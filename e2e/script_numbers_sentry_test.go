package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// partLoaded says whether the page has the part that replaces numbers.
const partLoaded = `!!window[Symbol.for("svc:numbers")]`

// quiet opens a page whose numbers the server has replaced, with the body behind its first element, and waits until the script has looked
// through it.
func quiet(t *testing.T, pushes, body string) (*scriptService, *tab) {
	t.Helper()
	s, b := newScriptService(t, variantA), newTab(t)
	s.page("/", insertion(pushes), `<div id=box></div><p>8 (495) 765-43-21</p><a href="tel:+74957654321">Call</a>`+body+
		blockOf(t, issue(t, moscow), [3]string{"number=74951234567", "8 (495) 123-45-67", "8 (495) 765-43-21"}))
	b.visit(s.URL)
	b.until(`Svc.getReplacedPhones()["number=74951234567"] === "74957654321"`)
	b.do(idle + idle + frames)
	return s, b
}

// A page on which the server has replaced everything does not load the part, whatever it adds, until a printed number may be shown.
func TestPageWhoseNumbersAreReplacedNeedsNoPart(t *testing.T) {
	t.Parallel()
	_, b := quiet(t, "", `<script type="application/ld+json">{"telephone": "8 495 123-45-67"}</script><script>window.number = "84951234567"</script>
		<a href="/goods/1234568">8 495 123-45-68</a><a href="https://wa.me/74951234567">Write</a><iframe src="https://other.test/"></iframe>`)
	require.False(t, value[bool](b, partLoaded))
	require.Equal(t, map[string]any{"74957654321": []any{"number=74951234567"}}, value[any](b, `Svc.getReplacedPhones("static")`))
	require.Equal(t, map[string]any{}, value[any](b, `Svc.getReplacedPhones("dynamic")`))
	b.do(`
		for (let i = 0; i < 30; i++) {
			document.body.append(document.createElement("script"), Object.assign(document.createElement("img"), {alt: "A picture"}), "Words ");
			box.innerHTML = "<p>Price " + i + "</p><a href=/1234567>More</a>";
			await new Promise(requestAnimationFrame);
		}
		document.title = "(1) A message";
		box.attachShadow({mode: "closed"});` + idle + idle + frames)
	require.False(t, value[bool](b, partLoaded))
	b.do(`const line = document.body.appendChild(document.createElement("p")); line.append("8 495 123"); line.append("-45"); line.append("-67")`)
	b.until(`document.body.lastElementChild.textContent === "8 495 765-43-21"`)
	require.Equal(t, map[string]any{"number=74951234567": "74957654321"}, value[any](b, "Svc.getReplacedPhones()"))
}

// Whatever shows a printed number, or may do so, has the part loaded, and is replaced.
func TestPartIsLoadedWhenItIsNeeded(t *testing.T) {
	t.Parallel()
	for name, added := range map[string]struct{ script, shows string }{
		"text":               {`box.textContent = "8 495 123-45-67"`, `box.textContent === "8 495 765-43-21"`},
		"changed text":       {`box.textContent = "8 495 123-45-68"; await new Promise(requestAnimationFrame); box.firstChild.data = "8 495 123-45-67"`, `box.textContent === "8 495 765-43-21"`},
		"pieces of a line":   {`box.innerHTML = "8 495 <b>123</b><i>-45</i>"; await new Promise(requestAnimationFrame); box.append("-67")`, `box.textContent === "8 495 765-43-21"`},
		"what is taken away": {`box.innerHTML = "8 495 123<b>9</b>-45-67"; await new Promise(requestAnimationFrame); box.querySelector("b").remove()`, `box.textContent === "8 495 765-43-21"`},
		"other digits":       {`box.textContent = "８ ４９５ １２３-４５-６７"`, `box.textContent === "８ ４９５ ７６５-４３-２１"`},
		"a link":             {`box.innerHTML = "<a href=tel:84951234567>Call</a>"`, `box.firstChild.getAttribute("href") === "tel:84957654321"`},
		"an escaped link":    {`box.innerHTML = "<a href='tel:8%20495%20123%2045%2067'>Call</a>"`, `box.firstChild.getAttribute("href") === "tel:8%20495%20765%2043%2021"`},
		"a changed link":     {`document.links[0].href = "tel:84951234567"`, `document.links[0].getAttribute("href") === "tel:84957654321"`},
		"a title":            {`box.title = "8 495 123-45-67"`, `box.title === "8 495 765-43-21"`},
		"the page's title":   {`document.title = "8 495 123-45-67"`, `document.title === "8 495 765-43-21"`},
		"a frame":            {`box.innerHTML = "<iframe srcdoc='8 495 123-45-67'></iframe>"`, inFrame("iframe") + ` === "8 495 765-43-21"`},
		"a shadow root":      {`box.attachShadow({mode: "open"}).innerHTML = "8 495 123-45-67"`, `box.shadowRoot.textContent === "8 495 765-43-21"`},
		"much":               {`document.body.insertAdjacentHTML("beforeend", "<p>8 495 123-45-68</p>".repeat(5000) + "<p>8 495 123-45-67</p>")`, `document.body.lastElementChild.textContent === "8 495 765-43-21"`},
		"after much else": {`for (let i = 0; i < 30; i++) { document.body.append(i + " "); await new Promise(done => setTimeout(done, 20)); } box.textContent = "8 495 123-45-67"`,
			`box.textContent === "8 495 765-43-21"`},
		"turned on": {`Svc.push(["setDynamicalReplacement", false]); box.textContent = "8 495 123-45-67"; Svc.push(["setDynamicalReplacement", true])`, `box.textContent === "8 495 765-43-21"`},
		"a view":    {`box.textContent = "8 495 123-45-67"; Svc.reinitTrackView()`, `box.textContent === "8 495 765-43-21"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, b := quiet(t, "", "")
			require.False(t, value[bool](b, partLoaded))
			b.do(added.script)
			b.until(`(() => { try { return ` + added.shows + ` } catch { return false } })()`)
			require.True(t, value[bool](b, partLoaded))
		})
	}
}

// What a page has shown before it was parsed is looked at, and the page's own word is asked for.
func TestPartIsLoadedForWhatIsThere(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"text":          `<p id=place></p><script>place.textContent = "8 495 123-45-67"</script>`,
		"a shadow root": `<my-box id=place><template shadowrootmode=open><p>8 495 123-45-67</p></template></my-box>`,
		"a plain root":  `<div id=place></div><script>place.attachShadow({mode: "open"}).textContent = "8 495 123-45-67"</script>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, b := quiet(t, "", body)
			b.until(`(place.shadowRoot || place).textContent === "8 495 765-43-21"`)
		})
	}
	t.Run("the hook", func(t *testing.T) {
		t.Parallel()
		_, b := quiet(t, `addEventListener("DOMContentLoaded", () => 0); window.__cs_onReplacePhones = () => { window.asked = true }`, "")
		b.until(`window.asked && ` + partLoaded)
	})
}

// A page that does not want more replaced is looked at once.
func TestPageThatIsLookedAtOnceNeedsNoPart(t *testing.T) {
	t.Parallel()
	_, b := quiet(t, once, "")
	b.do(`box.innerHTML = "8 495 123-45-67"; box.attachShadow({mode: "open"});` + idle + idle + frames)
	require.False(t, value[bool](b, partLoaded))
	require.Equal(t, "8 495 123-45-67", strings.TrimSpace(value[string](b, "box.textContent")))
}
