package e2e

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// dynamicShop is the example, in which pages leave with the numbers of their visitors, and its database.
func dynamicShop(t *testing.T, variant string) (*program, *sql.DB) {
	t.Helper()
	config := example(t)
	for _, change := range [][2]string{{"prerender static", "prerender dynamic"}, {"variant A", "variant " + variant}} {
		require.Contains(t, config, change[0])
		config = strings.Replace(config, change[0], change[1], 1)
	}
	return runStored(t, config)
}

// runStored runs the configuration with a database that the test reads.
func runStored(t *testing.T, config string) (*program, *sql.DB) {
	t.Helper()
	file := filepath.Join(memory(t), "frontdesk.db")
	p := runProgram(t, config, "sqlite "+file)
	stored, err := sql.Open("sqlite", "file:"+file+"?mode=ro&_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	t.Cleanup(func() { stored.Close() })
	return p, stored
}

// count is what the query counts.
func count(t *testing.T, stored *sql.DB, query string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, stored.QueryRow(query, args...).Scan(&n))
	return n
}

// servedVisit is the text of the block that tells of the visit.
const servedVisit = `(document.querySelector("script[data-svc-visit]") || {textContent: "{}"}).textContent`

// arrive opens the address until the page has come with its visit, and returns how many pages that took: a page
// does not wait long for the database, and the machine may be busy.
func (b *tab) arrive(url string) (pages int) {
	b.t.Helper()
	return b.arriveWith("numbers", url)
}

// arriveWith is arrive where the page need not bring more of the visit than that.
func (b *tab) arriveWith(name, url string) (pages int) {
	b.t.Helper()
	for end := time.Now().Add(4 * patience); time.Now().Before(end); {
		b.visit(url)
		pages++
		if value[bool](b, `"`+name+`" in JSON.parse(`+servedVisit+`)`) {
			return pages
		}
		time.Sleep(time.Duration(pages) * 20 * time.Millisecond) // for others on the machine
	}
	require.FailNow(b.t, "no page has come with its visit")
	return 0
}

// leases opens the address until the answer to its view has brought a number of the visitor's own: that does not wait long
// for the database, either.
func (b *tab) leases(url string) {
	b.t.Helper()
	for end := time.Now().Add(4 * patience); time.Now().Before(end); {
		b.visit(url)
		b.until(`window.Svc && Svc.getCredentials().hit_id`)
		if value[bool](b, `Svc.getPhones().some(phone => phone.dt)`) {
			return
		}
	}
	require.FailNow(b.t, "no number of the visitor's own")
}

// blockScripts has the browser run no script of a page.
func (b *tab) blockScripts() {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	require.NoError(b.t, err)
}

// Two visitors from an advertisement see two numbers in all writings, in the page as it is sent. Scripts need not run for that, nor
// for a call to be known as the second one's.
func TestEachPageComesWithItsVisitorsNumber(t *testing.T) {
	t.Parallel()
	for name, blocked := range map[string]bool{"scripts run": false, "scripts are blocked": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, stored := dynamicShop(t, "A")
			var seen []string
			var last *tab
			for range 2 {
				b := newTab(t)
				if blocked {
					b.blockScripts()
				} else { // a page that comes without its visit would have the script make one of its own, beside the next
					b.visit(p.shop + "/contacts.html")
					b.until(`window.Svc && Svc.getCredentials().hit_id`)
				}
				b.arrive(p.shop + "/?utm_medium=cpc")
				shown := value[string](b, printedNumbers)
				require.NotContains(t, shown, "4951234567")
				require.Regexp(t, `7495765001\d`, shown)
				require.NotContains(t, seen, shown)
				require.NotContains(t, value[string](b, `document.body.innerText.replace(/[^0-9]/g, "")`), "4951234567")
				seen, last = append(seen, shown), b
				if blocked {
					require.Equal(t, "undefined", value[string](b, `typeof Svc`))
				}
				b.arrive(p.shop + "/lamps/")
				require.Equal(t, shown, value[string](b, printedNumbers), "the same on the next page")
			}
			visitor := value[float64](last, `JSON.parse(`+servedVisit+`).visitor_id`)
			digits := value[string](last, `JSON.parse(`+servedVisit+`).numbers[0].raw`)
			p.rings(t, fmt.Sprintf(`"call_id":"1","event":"start","called":"+%s","caller":"+7 912 345-67-89"`, digits))
			require.Equal(t, 1, count(t, stored, `SELECT COUNT(*) FROM calls WHERE called = $1 AND visitor_id = $2`, digits, int64(visitor)))
			if blocked {
				require.Zero(t, count(t, stored, `SELECT COUNT(*) FROM views WHERE title <> ''`))
			}
		})
	}
}

// firstBreath notes what the script tells when it shows itself, before any answer of the service has been read.
const firstBreath = `
	const load = fetch;
	window.answered = new Promise(go => window.answerNow = go);
	window.fetch = (address, ...rest) => /v1.hit/.test(address) ? answered.then(() => load(address, ...rest)) : load(address, ...rest);
	let svc;
	Object.defineProperty(window, "Svc", {configurable: true, get: () => svc, set(value) {
		svc = value;
		if (value && value.getCredentials) {
			window.breath = {credentials: value.getCredentials(), visitor: value.getVisitorId(), session: value.getSessionId(), phones: value.getPhones()};
		}
	}});`

// isAnswered waits until the service has heard of the tab's page from its script. Pages before it that were left while they
// came may have told of themselves, too. Theirs are views of before.
func isAnswered(b *tab, stored *sql.DB) {
	b.t.Helper()
	b.until(`performance.getEntriesByType("resource").some(({name, responseEnd}) => name.includes("/v1/hit") && responseEnd)`)
	require.Equal(b.t, 1, count(b.t, stored, `SELECT COUNT(*) FROM views WHERE title <> '' AND id = (SELECT MAX(id) FROM views)`))
}

// All that a site asks of a visit is there when the script has run. The answer tells nothing else, and nothing on the page moves.
func TestVisitIsThereAtOnce(t *testing.T) {
	t.Parallel()
	for _, variant := range []string{"A", "B"} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			p, stored := dynamicShop(t, variant)
			b := newTab(t)
			b.before(firstBreath)
			b.before(`addEventListener("DOMContentLoaded", () => window.atFirst = ` + markup + `)`)
			pages := b.arrive(p.shop + "/?utm_medium=cpc")
			b.until(`window.breath`)
			require.Less(t, count(t, stored, `SELECT COUNT(*) FROM views WHERE title <> ''`), pages, "nothing of this page has been answered")
			fields := []string{"consultant_server_url", "hit_id", "session_id", "site_key", "visitor_id"}
			if variant == "A" {
				fields = []string{"consultant_server_url", "hit_id", "key", "session_id", "site_key", "uri", "visitor_id"}
			}
			require.ElementsMatch(t, fields, value[[]string](b, `Object.keys(breath.credentials)`))
			require.True(t, value[bool](b, `Object.values(breath.credentials).every(Boolean) && breath.visitor === breath.credentials.visitor_id && breath.session === breath.credentials.session_id`))
			require.True(t, value[bool](b, `breath.phones.length > 1 && breath.phones.every(phone => phone.dt && /^7495765001/.test(phone.raw))`))
			require.Equal(t, true, calledBack(b, "addOfflineRequest", `{name: "Anna"}`)["success"], "no call waits for the answer")
			require.Equal(t, 1, count(t, stored, `SELECT COUNT(*) FROM leads WHERE view_id = $1`, int64(value[float64](b, `breath.credentials.hit_id`))))

			b.front()
			b.until(`window[Symbol.for("svc:numbers")]`)
			b.do(`answerNow()`)
			isAnswered(b, stored)
			b.do(idle + frames)
			require.True(t, value[bool](b, `JSON.stringify([Svc.getCredentials(), Svc.getPhones()]) === JSON.stringify([breath.credentials, breath.phones])`))
			require.Equal(t, value[string](b, `atFirst`), value[string](b, markup))
			// A page that the database has kept waiting may be stored after its script has told of it, and be another visitor's.
			require.LessOrEqual(t, count(t, stored, `SELECT COUNT(*) FROM visitors`), pages)
			if pages == 1 {
				require.Equal(t, 1, count(t, stored, `SELECT COUNT(*) FROM views`))
			}
		})
	}
}

// A page that wants its own numbers has them back.
func TestHookThatRefusesTheVisitorsNumber(t *testing.T) {
	t.Parallel()
	p, _ := dynamicShop(t, "A")
	b := newTab(t)
	b.before(`Object.defineProperty(window, "__cs_onReplacePhones", {get: () => () => false, set() {}})`)
	b.arrive(p.shop + "/contacts.html?utm_medium=cpc")
	b.front()
	b.until(printedNumbers + `.includes("74951234567") && !/7495765001/.test(document.body.innerHTML.replace(/<script[^]*?<\/script>/g, ""))`)
	require.NotEmpty(t, value[[]any](b, `Svc.getPhones()`))
}

// Each time that a page is seen is one hit, by whatever way it comes.
func TestEachViewOfAPageIsOneHit(t *testing.T) {
	t.Parallel()
	useWhole(t)
	p, stored := dynamicShop(t, "A")
	b := newTab(t)
	views := 0
	reported := func() {
		t.Helper()
		views++
		b.until(`window.Svc && Svc.getCredentials().hit_id && performance.getEntriesByType("resource").some(({name, responseEnd}) => name.includes("/v1/hit") && responseEnd)`)
		require.Equal(t, views, count(t, stored, `SELECT COUNT(*) FROM views`))
		require.Eventually(t, func() bool { return views == count(t, stored, `SELECT COUNT(*) FROM views WHERE title <> ''`) }, patience, 20*time.Millisecond, "each was joined by its script")
	}
	b.visit(p.shop + "/contacts.html")
	reported()
	b.run(chromedp.Reload())
	reported()
	// The page comes whole from the back-forward cache. It is a view, and shows the number that counts now. On a busy machine the
	// browser may have given the page up: then it is loaded, which is a view as well.
	for attempt := 1; ; attempt++ {
		b.visit(p.shop + "/lamps/?utm_source=news")
		reported()
		left := value[float64](b, `performance.timeOrigin`)
		b.do(`history.back()`)
		b.until(`location.pathname === "/contacts.html"`)
		if value[float64](b, `performance.timeOrigin`) < left {
			break
		}
		reported()
		require.Less(t, attempt, 5, value[string](b, `JSON.stringify(performance.getEntriesByType("navigation")[0].notRestoredReasons)`))
	}
	views++
	require.Eventually(t, func() bool { return views == count(t, stored, `SELECT COUNT(*) FROM views`) }, patience, 20*time.Millisecond)
	b.until(printedNumbers + `.includes("74957654321")`)
	require.Equal(t, 1, count(t, stored, `SELECT COUNT(*) FROM views WHERE kind = 'restore'`))
	require.Equal(t, 1, count(t, stored, `SELECT COUNT(*) FROM visitors`))
}

// The browser takes a page from its cache on the way back, where it has no back-forward cache for it: what it was sent with is old.
func TestPageFromTheBrowsersCacheIsAViewOfItsOwn(t *testing.T) {
	t.Parallel()
	p, stored := dynamicShop(t, "A")
	b := newTab(t)
	b.before(`addEventListener("unload", () => {});` + firstBreath) // which shuts a page out of the back-forward cache
	b.arrive(p.shop + "/")                                          // a page for other cookies is asked for anew
	b.arrive(p.shop + "/lamps/")
	b.until(`window.breath`)
	old := value[map[string]any](b, `breath.credentials`)
	require.NotNil(t, old["hit_id"])
	b.do(`answerNow()`)
	isAnswered(b, stored)
	b.arrive(p.shop + "/?utm_source=news")
	b.until(`window.breath`)
	b.do(`answerNow()`)
	isAnswered(b, stored)
	views := count(t, stored, `SELECT COUNT(*) FROM views`)

	b.do(`history.back()`)
	b.until(`location.pathname === "/lamps/" && window.breath`)
	require.True(t, value[bool](b, `performance.getEntriesByType("navigation")[0].transferSize === 0 && performance.getEntriesByType("navigation")[0].type === "back_forward"`),
		"the page has come from the cache")
	require.Contains(t, value[string](b, servedVisit), fmt.Sprintf(`"hit_id":%.0f`, old["hit_id"]))
	require.False(t, value[bool](b, `"hit_id" in breath.credentials`), "the old view's are not shown")
	require.Contains(t, value[string](b, printedNumbers), "74951234567", "as it was sent")
	b.front()
	b.do(`answerNow()`)
	b.until(`Svc.getCredentials().hit_id`)
	require.NotEqual(t, old["hit_id"], value[any](b, `Svc.getCredentials().hit_id`))
	require.Equal(t, old["visitor_id"], value[any](b, `Svc.getCredentials().visitor_id`))
	b.until(printedNumbers + `.includes("74957654321") && !` + printedNumbers + `.includes("74951234567")`)
	require.Equal(t, views+1, count(t, stored, `SELECT COUNT(*) FROM views`))
}
