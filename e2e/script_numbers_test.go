package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/stretchr/testify/require"
)

// moscow is the number of most pages here: +7 495 123-45-67, shown as +7 495 765-43-21.
var moscow = pair{Digits: "74951234567", Replacement: "74957654321"}

// place is a record of a target, or of a picture with the address given.
func place(id string, n pair, text, picture string) issued {
	record := issued{ID: id, From: n.Digits, Raw: n.Replacement}
	if picture == "" {
		record.Text = &text
	} else {
		record.Img = &picture
	}
	return record
}

// blockOf is what the server puts at the end of a page on which it has replaced what is listed.
func blockOf(t *testing.T, numbers []issued, replaced ...[3]string) string {
	t.Helper()
	if replaced == nil {
		replaced = [][3]string{}
	}
	content, err := json.Marshal(map[string]any{"numbers": numbers, "replaced": replaced})
	require.NoError(t, err)
	require.NotContains(t, string(content), "<")
	return `<script type="application/json" data-svc-numbers>` + string(content) + `</script>`
}

// shown opens a page with the body and the block behind it, and waits until the script has come to the end of it: the number is in the last
// line there.
func shown(t *testing.T, settings snippet.ScriptSettings, pushes, body string, numbers []issued, replaced ...[3]string) (*scriptService, *tab) {
	t.Helper()
	s, b := newScriptService(t, settings), newTab(t)
	s.page("/", insertion(pushes), body+`<p id=last>8 495 123-45-67</p>`+blockOf(t, numbers, replaced...))
	b.visit(s.URL)
	b.until(`document.getElementById("last").textContent === "8 495 765-43-21"`)
	return s, b
}

const inner = `document.body.firstElementChild.innerHTML`

func TestPhonesAreTold(t *testing.T) {
	t.Parallel()
	for _, variant := range []string{"A", "B"} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			settings := variantA
			settings.Variant = variant
			_, b := shown(t, settings, "", "", append(issue(t, moscow), place(".phone", moscow, "+7 495 765-43-21", ""), place("#pic", moscow, "", "/pic.png")))
			require.Equal(t, []any{
				map[string]any{"id": "number=74951234567", "img": nil, "text": "+74957654321", "raw": "74957654321", "dt": false},
				map[string]any{"id": ".phone", "img": nil, "text": "+7 495 765-43-21", "raw": "74957654321", "dt": false},
				map[string]any{"id": "#pic", "img": "/pic.png", "text": nil, "raw": "74957654321", "dt": false},
			}, value[any](b, "Svc.getPhones()"))
			require.Nil(t, value[any](b, "Svc.getDTPhones()"))
			require.Equal(t, 3, value[int](b, "(Svc.getPhones().pop(), Svc.getPhones()[0].raw = '', Svc.getPhones().filter(phone => phone.raw).length)"),
				"the records are the page's own")
			require.Equal(t, true, value[any](b, "__cs_onReplacePhones(Svc.getPhones())"), "the default hook")
			if variant == "B" {
				require.Equal(t, "undefined", value[string](b, "typeof Svc.getReplacedPhones"))
				return
			}
			require.Equal(t, map[string]any{"number=74951234567": "74957654321"}, value[any](b, "Svc.getReplacedPhones()"))
			require.Equal(t, map[string]any{"number=74951234567": "74957654321"}, value[any](b, "Svc.getReplacedPhones(null)"))
			require.Equal(t, map[string]any{"74957654321": []any{"number=74951234567"}}, value[any](b, `Svc.getReplacedPhones("static")`))
			require.Equal(t, map[string]any{}, value[any](b, `Svc.getReplacedPhones("dynamic")`))
			require.Equal(t, map[string]any{}, value[any](b, `Svc.getReplacedPhones("else")`))
		})
	}
}

func TestPhonesBeforeThePageIsParsed(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	s.page("/", `<script src="/frontdesk/svc.js?k=`+siteKey+`"></script>
		<script>window.early = [Svc.getPhones(), Svc.getDTPhones(), Svc.getReplacedPhones(), Svc.getReplacedPhones("static"), __cs_onReplacePhones([])]</script>`,
		blockOf(t, issue(t, moscow), [3]string{"number=74951234567", "8 495 123-45-67", "8 495 765-43-21"}))
	b.visit(s.URL)
	require.Equal(t, []any{[]any{}, nil, map[string]any{}, map[string]any{}, true}, value[any](b, "early"))
	b.until("Object.keys(Svc.getReplacedPhones()).length")
	require.Equal(t, map[string]any{"number=74951234567": "74957654321"}, value[any](b, "Svc.getReplacedPhones()"), "what the server has replaced")
}

// Numbers that belong to one visitor are told apart from those of a source, and what counts is the last block of the page.
func TestPhonesOfOneVisitor(t *testing.T) {
	t.Parallel()
	numbers := issue(t, moscow, pair{Digits: "78005553535", Replacement: "74957654321"}, pair{Digits: "442079460018", Replacement: "442079460999"})
	numbers[1].DT, numbers[2].DT = true, true
	tel := place(".tel", pair{Digits: "78005553535", Replacement: "74957654321"}, "+7 495 765-43-21", "")
	tel.DT = true
	numbers = append(numbers, tel, place(".phone", moscow, "+7 495 765-43-21", ""))
	_, b := shown(t, variantA, "", `<p>8 800 555-35-35, 020 7946 0018</p>`+blockOf(t, issue(t, pair{Digits: "12125551234", Replacement: "12125559876"})), numbers)
	require.Equal(t, "8 495 765-43-21, 020 7946 0999", value[string](b, inner))
	require.Equal(t, []any{".tel"}, value[any](b, "Svc.getDTPhones().map(phone => phone.id)"))
	require.Equal(t, 5, value[int](b, "Svc.getPhones().length"))
	require.Equal(t, map[string]any{"number=74951234567": "74957654321", "number=78005553535": "74957654321", "number=442079460018": "442079460999"},
		value[any](b, "Svc.getReplacedPhones()"))
	require.Equal(t, map[string]any{"74957654321": []any{"number=74951234567"}}, value[any](b, `Svc.getReplacedPhones("static")`))
	require.Equal(t, map[string]any{"74957654321": []any{"number=78005553535"}, "442079460999": []any{"number=442079460018"}}, value[any](b, `Svc.getReplacedPhones("dynamic")`))
}

func TestPageWithoutNumbers(t *testing.T) {
	t.Parallel()
	for name, block := range map[string]string{
		"no block": "", "cut off": `<script type="application/json" data-svc-numbers>{"numbers":[{"id":`,
		"empty": `<script type="application/json" data-svc-numbers>{"numbers":[],"replaced":[]}</script>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, b := newScriptService(t, variantA), newTab(t)
			s.page("/", insertion(`__cs.push(["setDynamicalReplacement", true]); __cs_onReplacePhones = () => { window.asked = true }`), `<p>8 495 123-45-67</p>`+block)
			b.visit(s.URL)
			b.until(identified)
			require.Equal(t, []any{[]any{}, nil, map[string]any{}}, value[any](b, "[Svc.getPhones(), Svc.getDTPhones(), Svc.getReplacedPhones()]"))
			require.Equal(t, false, value[any](b, `"asked" in window || performance.getEntriesByType("resource").some(({name}) => name.includes("assets"))`))
		})
	}
}

func TestScriptReplacesWhatTheServerHasLeft(t *testing.T) {
	t.Parallel()
	const page = `<div><h1 title="8 495 123-45-67">Call <b>8 (495)</b> <i>123</i>-45-67</h1>
		<a href="tel:+74951234567" aria-label="Phone: 8-495-123-45-67">Call</a> <a href="https://wa.me/74951234567?text=74951234567">write</a>
		<img alt="+7 495 123 45 67" src="data:,74951234567"><span data-id="84951234567">8 495&nbsp;123&#8209;45&#8209;67</span>
		<div itemscope itemprop="organization">+7 495 123-45-67</div><div contenteditable=false>8 495 123-45-67</div>
		<script type="application/ld+json">{"telephone": "+7 495 123-45-67"}</script><style>/* 8 495 123-45-67 */</style>
		<textarea title="8 495 123-45-67">8 495 123-45-67</textarea><select><option>8 495 123-45-67</option></select><input value="8 495 123-45-67">
		<p contenteditable>8 495 123-45-67</p><p data-svc-noswap title="8 495 123-45-67">8 495 123-45-67 <b>8 495 123-45-67</b></p>
		<span itemprop="telephone">+7 495 123-45-67</span><p>8 (495) </p><p>123-45-67</p><a href="/order?phone=84951234567">№ 84951234567</a></div>`
	want := page
	for _, change := range []string{
		`title="8 495 123-45-67">Call`, `<b>8 (495)</b> <i>123</i>-45-67`, `tel:+74951234567`, `Phone: 8-495-123-45-67`,
		`alt="+7 495 123 45 67"`, `8 495&nbsp;123&#8209;45&#8209;67`, `organization">+7 495 123-45-67`, `contenteditable=false>8 495 123-45-67`,
	} {
		require.Equal(t, 1, strings.Count(want, change), change)
		want = strings.Replace(want, change, strings.NewReplacer("123", "765", "45<", "43<", "45-67", "43-21", "45 67", "43 21", "4567", "4321",
			"45&#8209;67", "43&#8209;21").Replace(change), 1)
	}
	s, b := newScriptService(t, variantA), newTab(t)
	s.page("/", insertion(`__cs.push(["setDynamicalReplacement", true])`)+`<meta name=description content="Call 8 495 123-45-67"><meta property="og:title" content="8 495 123-45-67">`,
		page+`<p id=last>8 495 123-45-67</p>`+blockOf(t, issue(t, moscow)))
	s.page("/want", "", want)
	b.visit(s.URL + "/want")
	expected := value[string](b, inner)
	b.visit(s.URL)
	b.until(`document.getElementById("last").textContent === "8 495 765-43-21"`)
	require.Equal(t, expected, value[string](b, inner))
	require.Equal(t, []any{"Call 8 495 765-43-21", "8 495 123-45-67"}, value[any](b, `[...document.querySelectorAll("meta[content]")].map(meta => meta.content)`))
}

// Links that write to a number change only if the site wants it: tracking numbers have no messengers.
func TestScriptLeavesMessengers(t *testing.T) {
	t.Parallel()
	const links = `<div><a href="sms:+74951234567?body=Hi">1</a><a href="https://wa.me/74951234567">2</a><a href="viber://chat?number=%2B74951234567">3</a>` +
		`<a href="tg://resolve?phone=74951234567">4</a><a href="https://t.me/+74951234567">5</a><a href="https://signal.me/#p/+74951234567">6</a>` +
		`<a class=phone href="https://wa.me/74991112233"><i></i></a><a href="callto:+74951234567">7</a></div>`
	for name, messengers := range map[string]bool{"off": false, "on": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			numbers := append(issue(t, moscow), place(".phone", moscow, "+7 495 765-43-21", ""))
			numbers[0].Messengers = messengers
			_, b := shown(t, variantA, "", links, numbers)
			want := strings.ReplaceAll(strings.ReplaceAll(links, "1234567", "7654321"), "74991112233", "74957654321")
			if !messengers {
				want = strings.Replace(links, "callto:+74951234567", "callto:+74957654321", 1)
			}
			require.Equal(t, value[string](b, `new DOMParser().parseFromString("`+strings.ReplaceAll(want, `"`, `\"`)+`", "text/html").body.firstElementChild.innerHTML`), value[string](b, inner))
		})
	}
}

// A number that does not fit is written anew, and one that stands for another is not replaced once more.
func TestScriptWritesNumbersAnew(t *testing.T) {
	t.Parallel()
	numbers := issue(t, moscow, pair{Digits: "78005553535", Replacement: "442079460018"}, pair{Digits: "74957654321", Replacement: "74999999999"})
	_, b := shown(t, variantA, "", `<p>8 <b>(800)</b> 555-35-35<br>+7 495 765-43-21</p>`, numbers)
	require.Equal(t, "+44 20 7946 0018<b></b><br>+7 495 765-43-21", value[string](b, inner))
	require.Equal(t, map[string]any{"number=74951234567": "74957654321", "number=78005553535": "442079460018"}, value[any](b, "Svc.getReplacedPhones()"))
}

// Digits of one line may be the beginning of the next one's number, however the page nests them; texts of scripts and styles are none.
func TestNumbersAmongOtherDigits(t *testing.T) {
	t.Parallel()
	repeated := pair{Digits: "74951234747", Replacement: "74957654321"}
	_, b := shown(t, variantA, "", `<div><p>47</p><section><p>8 495 123<i>-47</i>-47</p>and 8 495 <b>123-47-47</b></section>
		<script type="text/plain">8 495 123-47-47</script><style>/* 8 495 123-47-47 */</style>
		<ul><li>4<li>7<li><u><s>+7</s> 495 <s>123 4</s>7</u>47<li>4747</ul><p>495-123</p><p>-47-47</p></div>`, append(issue(t, repeated), issue(t, moscow)...))
	require.Equal(t, `<p>47</p><section><p>8 495 765<i>-43</i>-21</p>and 8 495 <b>765-43-21</b></section>
		<script type="text/plain">8 495 123-47-47</script><style>/* 8 495 123-47-47 */</style>
		<ul><li>4</li><li>7</li><li><u><s>+7</s> 495 <s>765 4</s>3</u>21</li><li>4747</li></ul><p>495-123</p><p>-47-47</p>`, value[string](b, inner))
}

func TestScriptFillsTargets(t *testing.T) {
	t.Parallel()
	targets := []issued{
		place(".phone", moscow, "+7 495 765-43-21", ""), place("#callme", moscow, "+7 495 765-43-21", ""),
		place("[name=tel]", moscow, "+7 495 765-43-21", ""), place("footer > a[href^=tel]", moscow, "+7 495 765-43-21", ""),
		place("[no selector", moscow, "+7 495 765-43-21", ""),
	}
	_, b := shown(t, variantA, "", `<main><p class="x phone">123-45-67</p><p class=phone>8 (495) 123-45-67</p><p class=phone>8 (495) 765-43-21</p><p id=callme></p>
		<a class=phone href="tel:84951234567"></a><i name=tel>Call us</i><p class=phone><i>Tel.</i> <u>12 34 56</u>, <s>77 88 99</s></p>
		<p class=phone itemprop=telephone>123-45-67</p><p class=phone data-svc-noswap>123-45-67</p><p class=phones>123-45-67</p></main>
		<footer><a href="tel:+1231">00 <b>11</b> 22</a><a href="tel:001122">00<br>11 22</a></footer>`, append(issue(t, moscow), targets...))
	require.Equal(t, []any{"+7 495 765-43-21", "8 (495) 765-43-21", "8 (495) 765-43-21", "+7 495 765-43-21", "+7 495 765-43-21", "+7 495 765-43-21", "Tel. +7 495 765-43-21, 77 88 99",
		"+7 495 765-43-21", "123-45-67", "123-45-67"}, value[any](b, `[...document.querySelectorAll("main > *")].map(element => element.textContent)`))
	require.Equal(t, "tel:84957654321", value[string](b, `document.querySelector("main > a").getAttribute("href")`))
	require.Equal(t, `<a href="tel:+1231">+7 495 765-43-21<b></b></a><a href="tel:+74957654321">00<br>11 22</a>`, value[string](b, `document.querySelector("footer").innerHTML`))
}

func TestScriptPutsPictures(t *testing.T) {
	t.Parallel()
	_, b := shown(t, variantA, "", `<picture><source srcset="old.webp"><img id=pic src="old.png" srcset="old2.png 2x" alt="Call us"></picture><img class=pic src="old.png">`,
		append(issue(t, moscow), place("#pic", moscow, "", "/frontdesk/phone/new.png"), place(".pic", moscow, "", "/frontdesk/phone/new.png")))
	require.Equal(t, `<source srcset="/frontdesk/phone/new.png"><img id="pic" src="/frontdesk/phone/new.png" srcset="/frontdesk/phone/new.png" alt="+74957654321">`,
		value[string](b, inner))
	require.Equal(t, `<img class="pic" src="/frontdesk/phone/new.png" alt="+74957654321">`, value[string](b, `document.querySelector(".pic").outerHTML`))
}

// Policies let scripts in by the page's nonce.
func TestScriptLoadsItsPartUnderAPolicy(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	s.headers.Set("Content-Security-Policy", "script-src 'nonce-abc'")
	s.page("/", `<script nonce=abc async src="/frontdesk/svc.js?k=`+siteKey+`"></script>`, `<p>8 495 123-45-67</p>`+blockOf(t, issue(t, moscow)))
	b.visit(s.URL)
	b.until(inner + ` === "8 495 765-43-21"`)
}

// Before the visitor has agreed, numbers are told and replaced, without storage and without any request but for the parts of the script.
func TestNumbersNeedNoConsent(t *testing.T) {
	t.Parallel()
	settings := variantA
	settings.ConsentCookie = "agreed"
	s, b := shown(t, settings, "", `<p></p>`, issue(t, moscow))
	require.Equal(t, 1, value[int](b, "Svc.getPhones().length"))
	b.do(`document.body.firstElementChild.textContent = "8 495 123-45-67";` + frames)
	require.Equal(t, "8 495 765-43-21", value[string](b, inner))
	require.Empty(t, value[string](b, `document.cookie + Object.keys(localStorage) + Object.keys(sessionStorage)`))
	s.Close()
	require.Empty(t, s.arrivals)
}
