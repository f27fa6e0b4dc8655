package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// faults are what is wrong with the layout of the page: what is wider than its place, what lies over its neighbour, and what is
// shortened that must not be.
const faults = `(() => {
	const found = [], near = 1;
	const say = (what, element) => found.push(what + ": " + element.outerHTML.slice(0, 160));
	const seen = (element) => element.checkVisibility() && element.getBoundingClientRect().width > 1;
	if (document.documentElement.scrollWidth > innerWidth) found.push("the page is " + document.documentElement.scrollWidth + " wide");
	for (const row of document.querySelectorAll(".rows > li, .columns")) {
		const within = row.getBoundingClientRect(), cells = [...row.children].filter(seen);
		for (const [i, cell] of cells.entries()) {
			const a = cell.getBoundingClientRect();
			if (a.left < within.left - near || a.right > within.right + near) say("outside of its row", cell);
			for (const other of cells.slice(i + 1)) {
				const b = other.getBoundingClientRect();
				if (a.left < b.right - near && b.left < a.right - near && a.top < b.bottom - near && b.top < a.bottom - near) say("over its neighbour", other);
			}
		}
	}
	for (const element of document.querySelectorAll("body *")) {
		const style = getComputedStyle(element);
		if (!seen(element) || style.display.startsWith("inline") || element.closest("svg")) continue;
		if (style.overflowX === "visible" && element.clientWidth && element.scrollWidth > element.clientWidth + near) say("too wide", element);
	}
	for (const figure of document.querySelectorAll(".figure, .tag, .trail b, .columns span")) {
		if (seen(figure) && !figure.matches(".trail b") && figure.scrollWidth > figure.clientWidth + near && figure.clientWidth) say("shortened", figure);
	}
	for (const step of document.querySelectorAll(".trail b")) {
		const a = step.getBoundingClientRect(), trail = step.parentElement.getBoundingClientRect();
		if (a.right > trail.right + near || a.left < trail.left - near || a.width < Math.min(step.scrollWidth, trail.width) - near) say("the open page is cut", step);
	}
	for (const number of document.querySelectorAll("a[href^='tel:'], .whole")) { // a telephone number is on one line
		if (seen(number) && !number.querySelector(".icon") && number.innerText.length < 24 && number.getBoundingClientRect().height > 1.5 * parseFloat(getComputedStyle(number).lineHeight)) say("broken", number);
	}
	const ruler = document.createElement("canvas").getContext("2d");
	for (const select of document.querySelectorAll("select:not([name=site], [name=endpoint])")) { // a site's key may be of any length, and a host
		const style = getComputedStyle(select), arrow = 24;
		ruler.font = style.font;
		const room = select.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - arrow;
		if (seen(select)) for (const option of select.options) if (ruler.measureText(option.text).width > room) say("a choice is cut: " + option.text, select);
	}
	for (const head of document.querySelectorAll(".head")) { // what is beside a title is beside it, or in a row of its own
		const title = head.querySelector("h1").getBoundingClientRect();
		for (const other of head.querySelectorAll(":scope > .pulse, :scope > .aside.button")) {
			if (seen(other) && innerWidth >= 390 && title.width < 160 && other.getBoundingClientRect().top >= title.bottom) say("below a short title", other);
		}
	}
	for (const name of document.querySelectorAll(".rows .who > :first-child")) {
		const link = name.querySelector("a, strong") ?? name;
		if (seen(link) && link.scrollWidth > link.clientWidth + near && link.clientWidth < 120) say("too short a name", link);
	}
	return found;
})()`

// callingBack is the configuration in which visitors can be called back, by a platform that does
// not answer.
func callingBack(config string) string {
	config = strings.Replace(config, "telephony webhook {", "telephony webhook http://localhost:9/ {", 1)
	return strings.Replace(config, "\t\tprerender static\n", "\t\tprerender static\n\t\tcallback {\n\t\t\tphone 74951234567\n\t\t}\n", 1)
}

// lastCallback is the address of the latest callback's page in the console.
func (p *program) lastCallback(t *testing.T, desk *tab) string {
	t.Helper()
	desk.visit(p.console + "/callbacks")
	desk.until(`document.querySelector("#callbacks a")`) // it comes by itself
	return value[string](desk, `document.querySelector("#callbacks a").pathname`)
}

func TestNothingOverflowsAtAnyWidth(t *testing.T) {
	t.Parallel()
	p := runProgram(t, callingBack(example(t)), "")
	desk := p.signedIn(t)
	desk.visit(p.console + "/sites") // a second site, by which lists can be narrowed
	desk.do(`document.getElementById("key").value = "a-shop-of-lamps-and-lanterns.in-the-longest-of-domains.example"; document.querySelector("main form").requestSubmit()`)
	desk.until(contains(".notice", "The site is added"))

	desk.visit(p.console + "/sites/1/endpoints/new?as=webhook")
	desk.do(`document.getElementById("address").value = "https://the-customer-relations-of-a-shop-of-lamps-and-lanterns.example/hooks/of/the/shop"; document.querySelector("main form").requestSubmit()`)
	desk.until(contains(".notice", "The receiver is added"))
	desk.do(`document.querySelector("form[action$='/test'] button").click()`)
	desk.until(contains(".notice", "The test is on its way"))
	fields := url.Values{"your-name": {"Anna"}, "phone": {"+74957654321"}, "message": {"Hello"}}
	for i := range 40 {
		fields.Set(fmt.Sprintf("form_fields[the-longest-name-of-a-field-%c]", 'a'+i%26), "1")
	}
	response, err := http.PostForm(p.shop+"/contact", fields)
	require.NoError(t, err)
	response.Body.Close()
	desk.visit(p.console + "/leads/forms")
	desk.reloadsUntil(contains("main", "/contact"))

	// The longest that there may be: names without a blank, amounts, campaigns, paths.
	visitor := newTab(t)
	p.open(visitor, "/contacts.html?utm_source=Лидогенерация-и-продвижение&utm_medium=электронная-почта&utm_campaign=осенняя-распродажа-светильников")
	for _, path := range []string{"/lamps/", "/the-longest-page-of-the-shop/with-all-of-its-lamps/and-lanterns/of-the-autumn-of-this-year.html", "/order.html"} {
		before := value[float64](visitor, `Svc.getCredentials().hit_id`)
		visitor.do(`history.pushState(null, "", "` + path + `"); document.title = "Достопримечательности и светильники: " + location.pathname`)
		visitor.until(`Svc.getCredentials().hit_id !== ` + fmt.Sprintf("%.0f", before))
	}
	named := func(fields map[string]string) string {
		t.Helper()
		require.True(t, sendRequest(p.credentials(t), fields))
		desk.visit(p.console + "/leads")
		return value[string](desk, `document.querySelector("#leads a").pathname`)
	}
	named(map[string]string{"name": "Бюропереводовконстантинопольскихдостопримечательностей", "text": "Достопримечательностьдостопримечательностей", "is_sale": "1", "sale_cost": "999999999999.99"})
	named(map[string]string{"name": "Burschenschaftsangelegenheiten Müller", "phone": "8 (495) 123-45-67", "text": "Two lamps", "is_sale": "1", "sale_cost": "148500.50"})
	lead := named(map[string]string{"email": "a-very-long-name-of-a-mailbox@a-very-long-name-of-a-host.example", "phone": "8 (495) 123-45-67",
		"text": "Is it in stock?", "is_sale": "1", "a_field_of_the_site_with_a_long_name": "https://shop.example/" + "long/long/long/long/long/long/long/long/"})
	desk.visit(p.console + lead)
	card := value[string](desk, `document.querySelector("a[href^='/visitors/']").pathname`)
	p.await(t, func() bool {
		desk.visit(p.console + "/numbers")
		return value[bool](desk, `document.querySelectorAll(".rows > li").length > 0`)
	})

	p.writes(t, p.credentials(t), "Достопримечательностьдостопримечательностей https://shop.example/"+strings.Repeat("long/", 60))
	desk.visit(p.console + "/chats")
	chat := value[string](desk, `document.querySelector("#chats a").pathname`)
	require.True(t, value[bool](desk, `fetch("/sites/1/replies", {method: "POST", body: new URLSearchParams({word: "достопримечательности-и-светильник", place: 1, text: "Достопримечательность ".repeat(40)})}).then((a) => a.status < 500)`))

	visitor.do(`Svc.sitePhoneCall({phone: "8 912 345-67-89", delayed_call_time: Date.now() + 86400000})`)
	callback := p.lastCallback(t, desk)

	for _, language := range []string{"en", "ru"} {
		desk.visit(p.console + "/account")
		desk.do(`window.earlier = true; document.querySelector("[name=language][value=` + language + `]").click()`)
		desk.until(`!window.earlier && document.documentElement.lang === "` + language + `" && document.readyState === "complete"`)
		for _, path := range []string{"/visitors", "/leads", "/leads?q=Бюро&owner=nobody&since=2020-01-01&from=0", "/leads/refused", "/leads/forms", lead, card, "/calls", "/callbacks", "/callbacks?state=closed", callback, "/callbacks/new?site=0", "/callbacks/new?site=1", "/visitors?site=0", "/chats", chat, "/sites/1/replies", "/numbers", "/numbers/1/new", "/numbers/1/74951234567", "/numbers/1/who?address=https%3A%2F%2Fshop.example%2F%3Futm_source%3Dnews", "/overview", "/inquiries", "/costs/1", "/reports/saved", "/reports/links", "/reports/mail", "/reports/paths", "/reports", "/reports?by=campaign&and=kind", "/reports?by=hour&and=weekday&span=today", "/reports?span=own&from=x", "/reports/rows?figure=visits", "/numbers/pools", "/pools/1/new", "/operators", "/operators/1", "/history", "/person", "/sites", "/sites/1", "/sites/2", "/sites/1/settings", "/sites/1/captures", "/sites/1/captures/new", "/sites/1/widget", "/sites/1/groups", "/sites/1/groups/new", "/sites/1/deliveries", "/sites/1/endpoints/1", "/sites/1/endpoints/new?as=webhook", "/sites/1/endpoints/new?as=mail", "/sites/1/endpoints/new?as=telegram", "/sites/1/conversions", "/sites/1/conversions/new?as=meta", "/sites/1/conversions/new?as=google_ads", "/account", "/help", "/help/caddyfile", "/nowhere"} {
			desk.size(1280, 800, false)
			desk.visit(p.console + path)
			for _, width := range []int64{320, 390, 721, 768, 900, 1000, 1280, 1920} {
				desk.size(width, 800, width < 600)
				desk.until(fmt.Sprint("innerWidth === ", width))
				assert.Empty(t, value[[]string](desk, faults), "%s in %s at %d", path, language, width)
			}
		}
	}
}
