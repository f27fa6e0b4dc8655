package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// runVariant starts the example with one of the two variants of the browser interface.
func runVariant(t *testing.T, variant string) *program {
	t.Helper()
	config := example(t)
	require.Contains(t, config, "variant A")
	return runProgram(t, strings.Replace(config, "variant A", "variant "+variant, 1), "")
}

func eachVariant(t *testing.T, test func(t *testing.T, p *program, variant string)) {
	t.Parallel()
	for _, variant := range []string{"A", "B"} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			test(t, runVariant(t, variant), variant)
		})
	}
}

// open visits the page of the shop and waits until the service has told its ids.
func (p *program) open(b *tab, path string) {
	b.t.Helper()
	b.visit(p.shop + path)
	b.until(`window.Svc && Svc.getCredentials().hit_id`)
}

// calledBack calls the method and returns what its callback is given.
func calledBack(b *tab, method, arguments string) map[string]any {
	b.t.Helper()
	return value[map[string]any](b, "new Promise(done => Svc."+method+"("+arguments+", done))")
}

// Every method, with the service that people run behind it.
func TestMethodsOfTheService(t *testing.T) {
	eachVariant(t, func(t *testing.T, p *program, variant string) {
		b := newTab(t)
		p.open(b, "/lamps/?utm_source=news")
		credentials := value[map[string]any](b, "Svc.getCredentials()")
		fields := []string{"site_key", "visitor_id", "hit_id", "session_id", "consultant_server_url"}
		if variant == "A" {
			fields = append(fields, "key", "uri")
			require.Equal(t, p.shop+"/lamps/?utm_source=news", credentials["uri"])
		}
		require.Len(t, credentials, len(fields))
		for _, name := range fields {
			require.NotEmpty(t, credentials[name], name)
		}
		require.Equal(t, "demo-shop", credentials["site_key"])
		require.Equal(t, p.shop+"/frontdesk/", credentials["consultant_server_url"])
		require.True(t, value[bool](b, `["visitor_id", "hit_id", "session_id"].every(name => Number.isSafeInteger(Svc.getCredentials()[name]) && Svc.getCredentials()[name] > 0)`))
		require.Equal(t, credentials["visitor_id"], value[any](b, "Svc.getVisitorId()"))
		require.Equal(t, credentials["session_id"], value[any](b, "Svc.getSessionId()"))
		require.Equal(t, variant == "A", value[bool](b, `"reinitTrackView" in Svc`))
		require.False(t, value[bool](b, "Svc.getOperatorStatus()"), "nobody is at the console yet")

		result := calledBack(b, "addOfflineRequest", `{name: "Anna", email: ["anna@mail.example"], phone: "8 495 123-45-67", message: "Two\n<b>lamps</b>",
			is_sale: true, sale_cost: "1500.50", group_id: 3, form_name: "Basket", user_fields: {colour: "teal"}, delivery_city: "Omsk", empty: null}`)
		require.Equal(t, true, result["success"])
		require.Contains(t, result, "result")
		require.Nil(t, result["result"])
		result = calledBack(b, "addOfflineRequest", `{name: "Nobody", sale_cost: 5}`)
		require.Equal(t, false, result["success"])
		require.Equal(t, map[string]any{"code": "sale_cost_without_sale"}, result["result"])
		require.Equal(t, false, calledBack(b, "addOfflineRequest", `{name: " ", phone: "-"}`)["success"])

		require.Equal(t, map[string]any{"success": true}, calledBack(b, "addVisitorInfo", `{name: "Anna P.", email: "second@mail.example", fax: "1"}`))
		require.Equal(t, map[string]any{"success": false}, calledBack(b, "addVisitorInfo", `{fax: "1"}`))

		b.do(`Svc.setProperty("member"); Svc.setProperty("size", "large"); Svc.setProperty("gone", "soon"); Svc.deleteProperty("gone");
			Svc.push(["trackEvent", "catalogue", "opened", "lamps", "7"])`)
		for range 2 {
			require.Equal(t, map[string]any{"success": true, "result": true}, calledBack(b, "hasProperty", `"member"`))
			require.Equal(t, map[string]any{"success": true, "result": "large"}, calledBack(b, "getProperty", `"size"`))
			require.Equal(t, map[string]any{"success": true, "result": false}, calledBack(b, "getProperty", `"gone"`))
			require.Equal(t, map[string]any{"success": true, "result": false}, calledBack(b, "hasProperty", `"gone"`))
			// The same once more from what the service tells the next page.
			p.open(b, "/contacts.html")
		}
		next := value[map[string]any](b, "Svc.getCredentials()")
		require.Equal(t, credentials["visitor_id"], next["visitor_id"])
		require.Equal(t, credentials["session_id"], next["session_id"])
		require.NotEqual(t, credentials["hit_id"], next["hit_id"])
		if variant == "A" {
			b.do(`Svc.reinitTrackView()`)
			b.until(fmt.Sprintf(`Svc.getCredentials().hit_id !== %.0f`, next["hit_id"]))
		}

		desk := p.signedIn(t)
		desk.visit(p.console + "/leads")
		for _, known := range []string{"Anna", "<b>lamps</b>"} {
			desk.until(contains("#leads", known))
		}
		require.False(t, value[bool](desk, contains("#leads", "Nobody")), "what is refused is not stored")
		desk.do(`document.querySelector("#leads li a").click()`)
		desk.until(`location.pathname.startsWith("/leads/")`)
		for _, known := range []string{"Two\n<b>lamps</b>", "1,500.50", "Basket", "teal", "Omsk", "/lamps", "news"} {
			desk.until(contains("main", known))
		}
		desk.do(`document.querySelector("a[href^='/visitors/']").click()`)
		desk.until(`location.pathname.startsWith("/visitors/")`)
		for _, known := range []string{"Anna P.", "anna@mail.example", "second@mail.example", "+7 495 123-45-67", "member", "size", "large", "catalogue", "opened"} {
			desk.until(contains("main", known))
		}
		b.run(chromedp.Reload())
		b.until(`window.Svc && Svc.getOperatorStatus()`)
	})
}

// The two calls of a site's server, with the credentials of a page in the browser.
func TestServerCallsOfTheService(t *testing.T) {
	eachVariant(t, func(t *testing.T, p *program, variant string) {
		post := func(route string, form url.Values) map[string]any {
			t.Helper()
			response, err := http.PostForm(p.shop+"/frontdesk/"+route, form)
			require.NoError(t, err)
			defer response.Body.Close()
			require.Equal(t, http.StatusOK, response.StatusCode, "PHP hides what comes with another status")
			var answer map[string]any
			require.NoError(t, json.NewDecoder(response.Body).Decode(&answer))
			return answer
		}
		credentials := func(b *tab) url.Values {
			t.Helper()
			form, err := url.ParseQuery(value[string](b, "new URLSearchParams(Svc.getCredentials()).toString()"))
			require.NoError(t, err)
			return form
		}
		with := func(form url.Values, fields ...string) url.Values {
			changed := url.Values{}
			maps.Copy(changed, form)
			for i := 0; i < len(fields); i += 2 {
				changed.Set(fields[i], fields[i+1])
			}
			return changed
		}
		b, stranger := newTab(t), newTab(t)
		p.open(b, "/contacts.html")
		p.open(stranger, "/contacts.html")
		own, foreign := credentials(b), credentials(stranger)

		require.Equal(t, map[string]any{"success": true},
			post("api/add_offline_message/", with(own, "name", "Boris", "text", "Line one\r\nline two", "is_sale", "1", "sale_cost", "99.90", "city", "Tver")))
		for _, name := range []string{"visitor_id", "hit_id", "session_id"} {
			answer := post("api/add_offline_message/", with(own, "name", "Mallory", name, foreign.Get(name)))
			require.Equal(t, false, answer["success"])
			require.Equal(t, map[string]string{"A": "forged", "B": "foreign_ids"}[variant], answer["code"])
		}
		require.Equal(t, "unknown_site", post("api/add_offline_message/", with(own, "name", "Mallory", "site_key", "another"))["code"])
		broken := post("api/add_offline_message/", with(own, "name", "Boris", "text", "not UTF-8: \xff"))
		require.Equal(t, true, broken["success"], "no lead is lost")
		require.NotEmpty(t, broken["notes"])

		tracker := url.Values{"sk": own["site_key"], "k": own["key"], "ur": own["uri"], "ci": own["visitor_id"], "hi": own["hit_id"]}
		require.Equal(t, map[string]any{"success": true}, post("vc/s/", with(tracker, "vp", "8 495 765-43-21", "ve", "boris@mail.example", "s", "1")))
		answer := post("vc/s/", with(tracker, "vn", "Boris B."))
		require.Equal(t, own.Get("hit_id"), fmt.Sprintf("%.0f", answer["hit_id"]))
		require.Equal(t, "foreign_ids", post("vc/s/", with(tracker, "hi", foreign.Get("hit_id"), "vn", "Mallory"))["code"])
		require.Equal(t, false, post("vc/s/", tracker)["success"], "nothing is filled")

		desk := p.signedIn(t)
		desk.visit(p.console + "/leads")
		desk.until(contains("#leads", "Boris"))
		require.False(t, value[bool](desk, contains("#leads", "Mallory")))
		desk.do(`document.querySelector("#leads li a").click()`)
		desk.until(`location.pathname.startsWith("/leads/")`)
		desk.until(contains("main", "/contacts.html"))
		desk.do(`document.querySelector("a[href^='/visitors/']").click()`)
		desk.until(`location.pathname.startsWith("/visitors/")`)
		for _, known := range []string{"Boris B.", "+7 495 765-43-21", "boris@mail.example"} {
			desk.until(contains("main", known))
		}
		for _, personal := range []string{"Boris", "Mallory", "765-43-21", "mail.example"} {
			require.NotContains(t, p.log.String(), personal)
		}
	})
}

// Addresses, referrers and titles may be longer than the service keeps; what the page asks for arrives.
func TestLongAddressesLoseNothing(t *testing.T) {
	t.Parallel()
	p, b := runVariant(t, "A"), newTab(t)
	p.open(b, "/contacts.html")
	for _, letter := range []string{"a", "é", "ф"} {
		before := value[float64](b, "Svc.getCredentials().hit_id")
		b.do(`document.title = "` + letter + `".repeat(100000); history.pushState(null, "", "/contacts.html?q=" + "` + letter + `".repeat(100000))`)
		b.until(fmt.Sprintf(`Svc.getCredentials().hit_id !== %.0f`, before))
		require.Equal(t, true, calledBack(b, "addOfflineRequest", `{name: "Anna"}`)["success"])
		require.LessOrEqual(t, value[int](b, "Svc.getCredentials().uri.length"), 2048)
	}
}

// A page reads back what it has set, on this page and on the next, whatever the service does not take of it.
func TestPropertiesBeyondTheirLimits(t *testing.T) {
	eachVariant(t, func(t *testing.T, p *program, _ string) {
		b := newTab(t)
		b.before(`const load = fetch; window.fetch = (...request) => load(...request).then(answer =>
			(/v1.hit/.test(answer.url) && answer.clone().json().then(told => window.told = told), answer));`)
		p.open(b, "/contacts.html")
		b.until(`window.told`)
		// Of the hundred there is room for three.
		b.do(`await Promise.all(Array.from({length: 97}, (_, n) => fetch("/frontdesk/v1/property", {method: "POST", headers: {"Content-Type": "application/json"},
			body: JSON.stringify({id: ("name" + n).padEnd(22, "x"), name: "name " + n, value: "1", credentials: told})})))`)
		p.open(b, "/contacts.html")
		b.do(`
			Svc.setProperty("\u0444".repeat(100), "a" + "\u00e9".repeat(1500) + "\ud83d\ude00".repeat(1000));
			Svc.setProperty("nul", "a\0b"); Svc.setProperty("fits", "1"); Svc.setProperty("name 1", "2"); Svc.setProperty("too many", "1");`)
		b.until(`performance.getEntriesByType("resource").filter(({name, responseEnd}) => name.includes("/v1/property") && responseEnd).length === 5`)
		const read = `Promise.all(["\u0444".repeat(64), "\u0444".repeat(100), "nul", "fits", "name 1", "name 96", "too many"].map(name =>
			new Promise(done => Svc.getProperty(name, answer => done(answer.result)))))`
		cut := value[string](b, `"a" + "\u00e9".repeat(1023)`)
		want := []any{cut, cut, "ab", "1", "2", "1", false}
		b.until(`(() => window.refused === false)(Svc.getProperty("too many", answer => window.refused = answer.result))`)
		require.Equal(t, want, value[[]any](b, read), "2048 bytes of a value and 128 of a name, cut between characters")
		b.do(`Svc.setProperty("too many", "1")`)
		require.Equal(t, want, value[[]any](b, read), "what is refused stays so")

		p.open(b, "/lamps/")
		require.Equal(t, want, value[[]any](b, read), "the next page reads the same")
	})
}
