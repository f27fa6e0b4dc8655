package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// previewed are the panels of the preview, in the page of a site's widget.
const previewed = `document.querySelector("[data-stage] iframe").contentWindow.panels`

// types writes into a field of the page's form as if it were typed.
func (b *tab) types(name, text string) {
	b.t.Helper()
	b.do(fmt.Sprintf(`const field = document.querySelector(`+"`[name=%q]`"+`) ?? document.getElementById(%[1]q);
		field.focus(); field.value = %[2]q; field.dispatchEvent(new Event("input", {bubbles: true}))`, name, text))
}

// pick chooses one of the preview's.
func (b *tab) pick(name, value string) {
	b.t.Helper()
	b.do(`document.querySelector("[name=` + name + `][value=` + value + `]").click()`)
}

// The preview has the panels themselves, and follows what is typed. What is sent there goes nowhere.
func TestPreviewFollowsTheForm(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	desk := p.signedIn(t)
	desk.before(seePanels)
	desk.front()
	desk.visit(p.console + "/sites/1/widget")
	desk.until(previewed + `?.querySelector(".launcher:not([hidden])")`)
	shown := func(selector string) string {
		return previewed + `.querySelector(".panel:not([hidden]) ` + selector + `")`
	}

	desk.pick("view", "request")
	desk.until(shown("[name=message]"))
	desk.types("title.en", "Ask <b>us</b>")
	desk.until(shown("h2") + `?.textContent === "Ask <b>us</b>"`)
	require.Equal(t, "title.en", value[string](desk, `document.activeElement.name`), "nobody is led away while typing")

	desk.types("color", "own")
	desk.types("colorText", "#ffee00")
	desk.until(`getComputedStyle(` + shown(".view:not([hidden]) .main") + `).backgroundColor === "rgb(255, 238, 0)"`)
	require.Equal(t, "rgb(0, 0, 0)", value[string](desk, `getComputedStyle(`+shown(".view:not([hidden]) .main")+`).color`), "what can be read on it")
	desk.until(contains("[data-warnings]", "hard to see on a white page"))
	desk.types("colorText", "#ffee0") // half of another one
	desk.until(`getComputedStyle(` + shown(".view:not([hidden]) .main") + `).backgroundColor === "rgb(31, 111, 235)"`)
	desk.types("colorText", "#0a7d4f")
	desk.until(`getComputedStyle(` + shown(".view:not([hidden]) .main") + `).backgroundColor === "rgb(10, 125, 79)"`)
	desk.until(`!document.querySelector("[data-warnings]").textContent.trim()`)

	desk.pick("scheme", "dark")
	desk.until(`getComputedStyle(` + previewed + `.querySelector(".panel")).backgroundColor === "rgb(29, 32, 37)"`)
	desk.pick("scheme", "light")
	desk.until(`getComputedStyle(` + previewed + `.querySelector(".panel")).backgroundColor === "rgb(255, 255, 255)"`)
	desk.pick("device", "telephone")
	desk.until(previewed + `.querySelector(".panel").clientWidth === 390`)
	desk.pick("device", "desktop")
	desk.until(previewed + `.querySelector(".panel").clientWidth < 390`)
	desk.types("title.ru", "Спросите нас")
	desk.pick("in", "ru")
	desk.until(shown("h2") + `?.textContent === "Спросите нас"`)
	desk.pick("in", "en")
	desk.types("text.request.send.en", "Ask now")
	desk.until(shown(".view:not([hidden]) .main") + `?.textContent === "Ask now"`)

	// Fields, also by the buttons of the rows.
	desk.types("fieldsAre", "own")
	desk.do(`document.querySelector("[name=do][value=unfield-2]").click()`) // the e-mail
	desk.until(`document.querySelectorAll("[data-widget] [name^=field][name$=name]").length === 3`)
	desk.until(previewed + `?.querySelector("[name=message]") && !` + previewed + `.querySelector("[name=email]")`)
	require.Equal(t, "request", value[string](desk, `document.querySelector("[name=view]:checked").value`))
	desk.do(`document.querySelector("[name=do][value=field]").click()`)
	desk.until(`document.querySelector("[name=field3name]")`)
	desk.types("field3name", "city")
	desk.types("field3label.en", "City")
	desk.until(`[...` + previewed + `?.querySelectorAll("label") ?? []].some((label) => label.textContent.includes("City"))`)

	// A request that is sent there is none.
	desk.do(`const form = ` + previewed + `; form.querySelector("[name=phone]").value = "+7 (912) 345-67-89"; form.querySelector(".view:not([hidden]) .main").click()`)
	desk.until(shown(".told"))

	desk.do(`document.querySelector(".saving button").click()`)
	desk.until(contains(".notice", "The panels are saved"))
	require.Equal(t, "Ask <b>us</b>", value[string](desk, `document.querySelector("[name='title.en']").value`))
	desk.visit(p.console + "/leads")
	require.Zero(t, value[int](desk, `document.querySelectorAll("#leads a").length`), "nothing was sent")

	// What is saved is what visitors get.
	visitor := newTab(t)
	visitor.before(seePanels)
	p.open(visitor, "/")
	visitor.until(launched)
	visitor.do(`Svc.openSiteRequestPanel()`)
	visitor.until(opened)
	require.Equal(t, "Ask <b>us</b>", value[string](visitor, `panels.querySelector(".panel h2").textContent`))
	require.Equal(t, "rgb(10, 125, 79)", value[string](visitor, `getComputedStyle(panels.querySelector(".main")).backgroundColor`))
	require.Equal(t, []string{"name", "phone", "message", "city"}, value[[]string](visitor, `[...panels.querySelectorAll(".view:not([hidden]) :is(input, textarea)")].map((field) => field.name)`))
}

// What the Caddyfile says is what visitors get, in their language and as text.
func TestWidgetReachesThePage(t *testing.T) {
	t.Parallel()
	s := runPanels(t, `
		widget {
			side left
			color "#a0f"
			avatar /gone.png
			title "</h2><script>document.title = 'broken'</script>"
			greeting ru "Спросите о лампах"
			text request.send "Ask"
			text request.send ru "Спросить"
			invite {
				after 1s
				address /cart*
				source utm_source=news*
				text "May we help?"
			}
		}`, nil)
	s.page("/", "ru", "", "")
	s.page("/cart", "en", "", "")
	s.signedIn(t) // somebody is there
	b := newTab(t)
	b.launches(s.shop)
	require.Less(t, value[float64](b, `panels.querySelector(".launcher").getBoundingClientRect().left`), 100.0)
	require.Equal(t, "rgb(170, 0, 255)", value[string](b, `getComputedStyle(panels.querySelector(".launcher")).backgroundColor`))
	b.do(`Svc.openSiteRequestPanel()`)
	b.until(opened)
	require.Equal(t, "</h2><script>document.title = 'broken'</script>", value[string](b, `panels.querySelector(".panel h2").textContent`))
	require.Equal(t, "Lamps", value[string](b, `document.title`))
	require.Equal(t, "Спросить", value[string](b, `panels.querySelector(".view:not([hidden]) .main").textContent`))
	b.do(`Svc.openChatWindow()`)
	b.until(`panels.querySelector(".greeting")?.textContent === "Спросите о лампах"`)

	b.visit(s.shop + "/cart")
	b.until(launched)
	other := newTab(t) // whom the newsletter has brought, to another page first
	other.before(seePanels)
	other.visit(s.shop + "/?utm_source=news-may")
	other.until(launched)
	other.visit(s.shop + "/cart")
	other.front()
	other.until(`window.panels && panels.querySelector(".invitation")?.textContent.includes("May we help?")`)
	require.False(t, value[bool](b, `!!panels.querySelector(".invitation")`), "it is not for whom nothing has brought")
	other.visit(s.shop + "/cart")
	other.until(launched)
	other.do(`await new Promise((done) => setTimeout(done, 2000))`)
	require.False(t, value[bool](other, `!!panels.querySelector(".invitation")`), "once for each visitor")
}

// Without scripts, and on a small screen, the form is whole.
func TestWidgetsFormOnAPhone(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	desk := p.signedIn(t)
	desk.size(390, 844, true)
	desk.visit(p.console + "/sites/1/widget")
	desk.until(`document.querySelector(".saving button").getBoundingClientRect().bottom <= document.querySelector(".side nav").getBoundingClientRect().top`)
	require.LessOrEqual(t, value[float64](desk, `document.documentElement.scrollWidth`), 390.0)
}
