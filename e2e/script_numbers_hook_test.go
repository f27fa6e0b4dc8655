package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A hook that was set before the script loads is asked once, with the records, when the page has been parsed.
func TestHookIsAsked(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{"true": "return true", "nothing": "", "throws": "throw new Error('of the page')"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, b := shown(t, variantA, `window.asked = []; window.__cs_onReplacePhones = function own(phones) {
				asked.push([phones, Svc.getPhones().length, !!document.getElementById("last")]); `+answer+` };`, "", append(issue(t, moscow),
				place(".phone", moscow, "+7 495 765-43-21", ""), place("footer a", moscow, "+7 495 765-43-21", ""), place("[name=tel]", moscow, "+7 495 765-43-21", ""),
				place("#pic", moscow, "", "/pic.png")))
			record := func(id string, text, img any) any {
				return map[string]any{"id": id, "img": img, "text": text, "raw": "74957654321", "dt": false}
			}
			require.Equal(t, []any{[]any{
				[]any{record(".phone", "+7 495 765-43-21", nil), record("[name=tel]", "+7 495 765-43-21", nil), record("#pic", nil, "/pic.png")}, 5.0, true,
			}}, value[any](b, "asked"), "ids, classes and names alone")
			require.Equal(t, "own", value[string](b, "__cs_onReplacePhones.name"))
			if name == "throws" {
				b.until("true") // what has been thrown has been reported by then
				require.Len(t, b.thrown(), 1)
			}
		})
	}
}

// A page that says no has its own numbers back, in their very writings.
func TestHookThatRefuses(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	numbers := append(issue(t, moscow, pair{Digits: "78005553535", Replacement: "442079460018"}),
		place(".phone", moscow, "+7 495 765-43-21", ""), place(".empty", moscow, "+7 495 765-43-21", ""), place("#pic", moscow, "", "/new.png"))
	s.page("/", insertion(`window.__cs_onReplacePhones = () => false; __cs.push(["setDynamicalReplacement", true]);`), `<div>`+
		`<p>8 (495) <b>765</b>-43-21</p><p>Not 8 (495) 765-43-2112</p><p>８ 495 765-43-21</p><a href="tel:+74957654321" title="8.495.765.43.21">Call</a>`+
		`<p>+44 20 7946 0018 or +442079460018</p><a href="tel:+442079460018">Call</a>`+
		`<p class=phone>Tel. +7 495 765-43-21</p><p class=empty>+7 495 765-43-21</p><img id=pic src=/new.png srcset=/new.png alt="8 495 765-43-21">`+
		`</div><p id=last>8 495 765-43-21</p>`+blockOf(t, numbers,
		[3]string{"number=74951234567", "8 (495) 123-45-67", "8 (495) 765-43-21"},
		[3]string{"number=78005553535", "8 (800) 555-35-35", "+44 20 7946 0018"},
		[3]string{"number=78005553535", "+78005553535", "+442079460018"},
		[3]string{".phone", "123-45-67", "+7 495 765-43-21"},
		[3]string{".empty", "", "+7 495 765-43-21"},
		[3]string{"#pic", "/old.png", "/new.png"},
	))
	b.visit(s.URL)
	b.until(`document.getElementById("last").textContent === "8 495 123-45-67"`)
	require.Equal(t, `<p>8 (495) <b>123</b>-45-67</p><p>Not 8 (495) 765-43-2112</p><p>８ 495 123-45-67</p><a href="tel:+74951234567" title="8.495.123.45.67">Call</a>`+
		`<p>8 (800) 555-35-35 or +78005553535</p><a href="tel:+78005553535">Call</a>`+
		`<p class="phone">Tel. 123-45-67</p><p class="empty"></p><img id="pic" src="/old.png" srcset="/old.png" alt="8 495 123-45-67">`, value[string](b, inner))
	require.Equal(t, map[string]any{}, value[any](b, "Svc.getReplacedPhones()"))
	require.Equal(t, 5, value[int](b, "Svc.getPhones().length"), "they were issued all the same")

	b.do(`document.body.firstElementChild.innerHTML = "8 495 123-45-67"; await new Promise(requestAnimationFrame); await new Promise(requestAnimationFrame);`)
	require.Equal(t, "8 495 123-45-67", value[string](b, inner))
}

// Some pages say no because they show the new numbers in their own way: what they write while they are asked stays.
func TestHookThatReplacesByItself(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	s.page("/", insertion(`window.__cs_onReplacePhones = () => {
		const [phone] = Svc.getPhones();
		document.getElementById("own").textContent = phone.text;
		document.getElementById("link").href = "tel:" + phone.text;
		document.getElementById("text").firstChild.data = phone.raw;
		document.getElementById("block").innerHTML = "<a href=tel:" + phone.raw + ">+7 495 765-43-21</a>";
		return false;
	};`), `<div><p id=own>8 495 765-43-21</p><a id=link href="tel:84957654321">8 495 765-43-21</a><p id=text>8 495 765-43-21</p><p id=block></p></div>`+
		`<p id=last>8 495 765-43-21</p>`+blockOf(t, issue(t, moscow), [3]string{"number=74951234567", "8 495 123-45-67", "8 495 765-43-21"}))
	b.visit(s.URL)
	b.until(`document.getElementById("last").textContent === "8 495 123-45-67"`)
	require.Equal(t, `<p id="own">+74957654321</p><a id="link" href="tel:+74957654321">8 495 123-45-67</a><p id="text">74957654321</p>`+
		`<p id="block"><a href="tel:74957654321">+7 495 765-43-21</a></p>`, value[string](b, inner))
}

// The hook is asked even when the part of the script that replaces numbers is not to be had.
func TestHookIsAskedWhateverIsMissing(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	s.headers.Set("Content-Security-Policy", "script-src 'unsafe-inline' "+s.URL+"/frontdesk/svc.js")
	s.page("/", insertion(`window.__cs_onReplacePhones = () => { window.asked = Svc.getPhones().length };`), `<p>8 495 123-45-67</p>`+blockOf(t, issue(t, moscow)))
	b.visit(s.URL)
	b.until("window.asked === 1")
	require.Equal(t, "8 495 123-45-67", value[string](b, inner))
	require.Equal(t, map[string]any{}, value[any](b, "Svc.getReplacedPhones()"))
}
