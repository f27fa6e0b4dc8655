package e2e

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// other is the number of moscow for visitors of another source.
var other = pair{Digits: "74951234567", Replacement: "74950001122"}

// tell has the answers to page views bring the numbers from now on.
func (s *scriptService) tell(numbers any) { s.set(func() { s.numbers = numbers }) }

// leased says of records that they are a visitor's own, for 150 seconds.
func leased(numbers []issued) []issued {
	for i := range numbers {
		numbers[i].DT, numbers[i].Lasts = true, 150
	}
	return numbers
}

const told = `<div><p>Call <b>8 (495)</b> 123-45-67</p><a href="tel:+74951234567" title="8 495 123 45 67">Call</a><p class=phone>loading</p>` +
	`<picture><source srcset=old.webp><img id=pic src=old.png alt=old></picture></div>`

func toldPlaces(n pair, text, picture string) []issued {
	return []issued{place(".phone", n, text, ""), place("#pic", n, "", picture)}
}

// A page that brings no numbers itself gets them with the answer to its view, in both variants.
func TestNumbersComeWithTheView(t *testing.T) {
	t.Parallel()
	for _, variant := range []string{"A", "B"} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			settings := variantA
			settings.Variant = variant
			s, b := newScriptService(t, settings), newTab(t)
			s.tell(append(issue(t, moscow), toldPlaces(moscow, "+7 495 765-43-21", "/new.svg")...))
			s.page("/", insertion(`window.asked = []; window.__cs_onReplacePhones = phones => { asked.push(phones.map(phone => phone.id)); };`), told)
			b.visit(s.URL)
			b.until(`document.querySelector(".phone").textContent === "+7 495 765-43-21"`)
			require.Equal(t, `<p>Call <b>8 (495)</b> 765-43-21</p><a href="tel:+74957654321" title="8 495 765 43 21">Call</a><p class="phone">+7 495 765-43-21</p>`+
				`<picture><source srcset="/new.svg"><img id="pic" src="/new.svg" alt="+74957654321"></picture>`, value[string](b, inner))
			require.Equal(t, 3, value[int](b, "Svc.getPhones().length"))
			require.Nil(t, value[any](b, "Svc.getDTPhones()"))
			require.Equal(t, []any{[]any{".phone", "#pic"}}, value[any](b, "asked"))
			if variant == "A" {
				require.Equal(t, map[string]any{"number=74951234567": "74957654321"}, value[any](b, "Svc.getReplacedPhones()"))
				require.Equal(t, map[string]any{"74957654321": []any{"number=74951234567"}}, value[any](b, `Svc.getReplacedPhones("static")`))
			}
		})
	}
}

// Numbers that are leased for the visitor are told apart.
func TestLeasedNumbersAreTold(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	s.tell(append(leased(append(issue(t, moscow), toldPlaces(moscow, "+7 495 765-43-21", "/new.svg")...)),
		issue(t, pair{Digits: "78005553535", Replacement: "78000000000"})...))
	s.page("/", insertion(""), told+`<p>8 800 555-35-35</p>`)
	b.visit(s.URL)
	b.until(`document.querySelector(".phone").textContent === "+7 495 765-43-21"`)
	require.Equal(t, []any{".phone", "#pic"}, value[any](b, "Svc.getDTPhones().map(phone => phone.id)"))
	require.Equal(t, map[string]any{"74957654321": []any{"number=74951234567"}}, value[any](b, `Svc.getReplacedPhones("dynamic")`))
	require.Equal(t, map[string]any{"78000000000": []any{"number=78005553535"}}, value[any](b, `Svc.getReplacedPhones("static")`))
}

// A page view without numbers costs no further request.
func TestNoNumbersNoPart(t *testing.T) {
	t.Parallel()
	for name, numbers := range map[string]any{"no tracking": nil, "none for this visitor": []issued{}, "not known now": json.RawMessage("null")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, b := newScriptService(t, variantA), newTab(t)
			s.tell(numbers)
			s.page("/", insertion("window.asked = 0; window.__cs_onReplacePhones = () => asked++ > 0;"), told)
			b.visit(s.URL)
			b.until(identified)
			s.pastAll(b, "Svc")
			require.Equal(t, 0, value[int](b, `performance.getEntriesByType("resource").filter(entry => /numbers-/.test(entry.name)).length + asked + sessionStorage.length`))
		})
	}
}

// A page that says no keeps its numbers.
func TestHookThatRefusesToldNumbers(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	s.tell(append(issue(t, moscow), toldPlaces(moscow, "+7 495 765-43-21", "/new.svg")...))
	s.page("/", insertion(`window.asked = 0; window.__cs_onReplacePhones = () => asked++ < 0;`), told)
	b.visit(s.URL)
	b.until(`window.asked === 1`)
	before := value[string](b, inner)
	b.front()
	b.do(idle + frames)
	require.Equal(t, before, value[string](b, inner))
	require.Contains(t, before, "8 (495)</b> 123-45-67")
	require.Equal(t, map[string]any{}, value[any](b, "Svc.getReplacedPhones()"))
	require.Equal(t, 3, value[int](b, "Svc.getPhones().length"))
}

// Where the answer tells other numbers than the page has, these take their places: of what the server has replaced, of what the
// script has, and of what it has written anew.
func TestNumbersThatChange(t *testing.T) {
	t.Parallel()
	for name, fresh := range map[string]struct {
		number pair
		want   string
	}{
		"another": {other, `<p>8 (495) <b>000</b>-11-22</p><p>Tel. +7 495 000-11-22</p><p>8 495 000-11-22</p><img id="pic" src="/other.svg">`},
		"abroad":  {pair{Digits: "74951234567", Replacement: "442079460018"}, `<p>+44 20 7946 0018<b></b></p><p>Tel. +7 495 000-11-22</p><p>+44 20 7946 0018</p><img id="pic" src="/other.svg">`},
		"none":    {pair{}, `<p>8 (495) <b>123</b>-45-67</p><p>Tel. 123-45-67</p><p>8 495 123-45-67</p><img id="pic" src="/old.png">`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, b := newScriptService(t, variantA), newTab(t)
			records := []issued{}
			if fresh.number.Digits != "" {
				records = append(issue(t, fresh.number), toldPlaces(fresh.number, "+7 495 000-11-22", "/other.svg")...)
			}
			held := make(chan struct{})
			s.set(func() {
				s.numbers = records
				s.intercept = func(a arrival, _ int) *reply {
					if a.route == "hit" {
						return &reply{release: held}
					}
					return nil
				}
			})
			s.page("/", insertion(""), `<div><p>8 (495) <b>765</b>-43-21</p><p class=phone>Tel. +7 495 765-43-21</p><p>8 495 123-45-67</p><img id=pic src=/new.svg></div>`+
				blockOf(t, append(issue(t, moscow), toldPlaces(moscow, "+7 495 765-43-21", "/new.svg")...),
					[3]string{"number=74951234567", "8 (495) 123-45-67", "8 (495) 765-43-21"}, [3]string{".phone", "123-45-67", "+7 495 765-43-21"},
					[3]string{"#pic", "/old.png", "/new.svg"}))
			b.visit(s.URL)
			b.until(`document.querySelector("p:nth-child(3)").textContent === "8 495 765-43-21"`)
			close(held)
			b.until(`!document.querySelector("p:nth-child(3)").textContent.includes("765-43-21")`)
			b.do(`document.querySelectorAll("[alt], .phone").forEach(element => { element.removeAttribute("alt"); element.removeAttribute("class"); });`)
			require.Equal(t, fresh.want, value[string](b, inner))
			replaced := map[string]any{}
			if fresh.number.Digits != "" {
				replaced["number=74951234567"] = fresh.number.Replacement
			}
			require.Equal(t, replaced, value[any](b, "Svc.getReplacedPhones()"))
		})
	}
}

// A single-page site's next view brings its numbers, the same ones too: the page is looked through once more, and the hook asked.
func TestNumbersOfTheNextView(t *testing.T) {
	t.Parallel()
	for name, move := range map[string]string{"reinit": `Svc.reinitTrackView();`, "history": `history.pushState(null, "", "/second");`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, b := newScriptService(t, variantA), newTab(t)
			s.tell(issue(t, moscow))
			s.page("/", insertion(once+`window.asked = 0; window.__cs_onReplacePhones = () => ++asked > 0;`), `<div>8 495 123-45-67</div>`)
			b.visit(s.URL)
			b.until(inner + ` === "8 495 765-43-21"`)
			b.do(`document.body.firstElementChild.innerHTML = "<p>8 (495) 123-45-67</p>";` + move)
			b.until(inner + ` === "<p>8 (495) 765-43-21</p>"`)
			require.Equal(t, 2, value[int](b, "asked"))
			require.Equal(t, map[string]any{"number=74951234567": "74957654321"}, value[any](b, "Svc.getReplacedPhones()"))

			s.tell(leased(issue(t, other)))
			b.do(`history.pushState(null, "", "/third");`)
			b.until(inner + ` === "<p>8 (495) 000-11-22</p>"`)
			b.do(`window.__cs_onReplacePhones = () => false; history.pushState(null, "", "/fourth");`)
			b.until(inner + ` === "<p>8 (495) 123-45-67</p>"`)
			require.Equal(t, map[string]any{}, value[any](b, "Svc.getReplacedPhones()"))
			require.Equal(t, "74950001122", value[string](b, "Svc.getPhones()[0].raw"))
		})
	}
}

// A page that comes back from the back-forward cache asks for its numbers again.
func TestNumbersOfAPageThatComesBack(t *testing.T) {
	t.Parallel()
	useWhole(t)
	comesFromTheCache(t, func() bool {
		s, b := newScriptService(t, variantA), newTab(t)
		s.tell(issue(t, moscow))
		s.page("/", insertion("window.mark = Math.random();"), `<p>8 495 123-45-67</p>`)
		s.page("/next", insertion(""), "")
		b.visit(s.URL)
		b.until(inner + ` === "8 495 765-43-21"`)
		mark := value[float64](b, "mark")
		b.visit(s.URL + "/next")
		b.until(identified)
		s.tell(issue(t, other))
		b.do(`history.back()`)
		b.until(`location.pathname === "/" && ` + inner + ` === "8 495 000-11-22"`)
		return value[float64](b, "mark") == mark
	})
}

// What the session's last page showed is shown at once, before the service has answered, and set right by the answer.
func TestNumbersOfTheLastPageAreShownAtOnce(t *testing.T) {
	t.Parallel()
	for name, then := range map[string]struct {
		numbers any
		shown   string
	}{
		"the same": {issue(t, moscow), "8 495 765-43-21"}, "another": {issue(t, other), "8 495 000-11-22"},
		"none": {[]issued{}, "8 495 123-45-67"}, "no tracking any more": {nil, "8 495 123-45-67"},
		"not known now": {json.RawMessage("null"), "8 495 765-43-21"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, b := newScriptService(t, variantA), newTab(t)
			s.tell(issue(t, moscow))
			s.page("/", insertion(""), `<p>8 495 123-45-67</p>`)
			s.page("/next", insertion(`window.asked = 0; window.__cs_onReplacePhones = () => ++asked > 0;`), `<p>8 495 123-45-67</p>`)
			b.visit(s.URL)
			b.until(inner + ` === "8 495 765-43-21"`)
			held := make(chan struct{})
			s.set(func() {
				s.numbers = then.numbers
				s.intercept = func(a arrival, _ int) *reply {
					if a.route == "hit" {
						return &reply{release: held}
					}
					return nil
				}
			})
			b.visit(s.URL + "/next")
			b.until(inner + ` === "8 495 765-43-21"`)
			require.Equal(t, 1, value[int](b, "Svc.getPhones().length"))
			require.Equal(t, 1, value[int](b, "asked"))
			close(held)
			b.until(identified + ` && ` + inner + ` === "` + then.shown + `"`)
			if name == "the same" {
				require.Equal(t, 1, value[int](b, "asked"))
			}
		})
	}
}

// Numbers of half an hour ago are not shown before the service has said so, nor are those of another site's key.
func TestNumbersOfAnEarlierVisitAreNotShown(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	s.tell(issue(t, moscow))
	s.page("/", insertion(""), `<p>8 495 123-45-67</p>`)
	b.visit(s.URL)
	b.until(inner + ` === "8 495 765-43-21" && sessionStorage.length`)
	b.do(`for (const name of Object.keys(sessionStorage)) {
		sessionStorage["other" + name] = sessionStorage[name];
		sessionStorage[name] = sessionStorage[name].replace(/\d{13}/, at => at - 1800001);
	}`)
	s.tell(json.RawMessage("null"))
	b.visit(s.URL)
	b.until(identified)
	s.pastAll(b, "Svc")
	require.Equal(t, "8 495 123-45-67", value[string](b, inner))
	require.Equal(t, 0, value[int](b, "Svc.getPhones().length"))
}

// Nothing is kept or shown before the visitor has agreed; then the numbers come with the view.
func TestToldNumbersWaitForConsent(t *testing.T) {
	t.Parallel()
	settings := variantA
	settings.ConsentCookie = "agreed"
	s, b := newScriptService(t, settings), newTab(t)
	s.tell(issue(t, moscow))
	s.page("/", insertion(""), `<p>8 495 123-45-67</p>`)
	b.visit(s.URL)
	b.until("window.loaded")
	b.do(frames)
	require.Equal(t, 0, value[int](b, "sessionStorage.length + Svc.getPhones().length"))
	b.do(`document.cookie = "agreed=1"`)
	b.until(inner + ` === "8 495 765-43-21" && sessionStorage.length`)

	// Withdrawn, what is kept is not used.
	b.do(`document.cookie = "agreed=; max-age=0"`)
	b.visit(s.URL)
	b.until("window.loaded")
	b.do(frames)
	require.Equal(t, 0, value[int](b, "Svc.getPhones().length"))
	require.Equal(t, "8 495 123-45-67", value[string](b, inner))
}

// A page that may store nothing shows its numbers all the same.
func TestToldNumbersWithoutStorage(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	s.tell(issue(t, moscow))
	s.page("/", insertion(""), `<p>8 495 123-45-67</p>`)
	b.before(`Object.defineProperty(window, "sessionStorage", {get() { throw new Error("forbidden"); }})`)
	b.visit(s.URL)
	b.until(inner + ` === "8 495 765-43-21"`)
}
