package e2e

import (
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// views gives kind, address and referrer of the hits, without the site's own address.
func (s *scriptService) reported() [][3]string {
	var views [][3]string
	for _, hit := range s.got("hit") {
		view := [3]string{}
		for i, field := range []string{"kind", "url", "referrer"} {
			view[i], _ = hit.body[field].(string)
			if len(view[i]) > len(s.URL) && view[i][:len(s.URL)] == s.URL {
				view[i] = view[i][len(s.URL):]
			}
		}
		views = append(views, view)
	}
	return views
}

func TestLoadIsReported(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	s.page("/", "", `<a id=next href="/next?utm_source=news">next</a>`)
	s.page("/next", insertion(""), "")
	b.visit(s.URL)
	b.do(`document.getElementById("next").click()`)
	b.until(`window.Svc && ` + identified)
	hit := s.got("hit")[0].body
	require.Regexp(t, "^[A-Za-z0-9_-]{16,64}$", hit["view"])
	delete(hit, "view")
	require.Equal(t, map[string]any{
		"site_key": siteKey, "url": s.URL + "/next?utm_source=news", "referrer": s.URL + "/", "title": "Page /next", "kind": "load",
	}, hit)

	b.run(chromedp.Reload())
	b.until(`window.Svc && Svc.getCredentials().hit_id === 3002`)
	require.Equal(t, "load", s.drained("hit")[1].body["kind"])
}

func TestHistoryIsReported(t *testing.T) {
	t.Parallel()
	s, b := identifiedPage(t, variantA)
	step := func(script string, hits int) {
		t.Helper()
		b.do(script)
		s.await("hit", hits)
		b.until(`Svc.getCredentials().hit_id === 3000 + ` + value[string](b, `String(`+string(rune('0'+hits))+`)`))
	}
	step(`history.pushState(null, "", "/a"); document.title = "A, at last";`, 2)
	b.do(`
		history.pushState(null, "", "/a"); history.replaceState({scroll: 1}, ""); history.replaceState(null, "", "/a#part");
		location.hash = "#other"; location.hash = "";`)
	step(`history.replaceState(null, "", "/b")`, 3)
	step(`location.hash = "#/route"`, 4)
	step(`location.hash = "#!/bang"`, 5)
	step(`history.back()`, 6)
	s.pastAll(b, "Svc")
	require.Equal(t, [][3]string{
		{"load", "/", ""}, {"history", "/a", "/"}, {"history", "/b", "/a"}, {"history", "/b#/route", "/b"},
		{"history", "/b#!/bang", "/b#/route"}, {"history", "/b#/route", "/b#!/bang"},
	}, s.reported())
	require.Equal(t, "A, at last", s.got("hit")[1].body["title"])
}

func TestOldIdsStayUntilTheNewOnesAreKnown(t *testing.T) {
	t.Parallel()
	s, b := identifiedPage(t, variantA)
	release := make(chan struct{})
	s.set(func() { s.intercept = func(arrival, int) *reply { return &reply{release: release} } })
	b.do(`history.pushState(null, "", "/second")`)
	s.await("hit", 2)
	require.Equal(t, 3001, value[int](b, "Svc.getCredentials().hit_id"))
	close(release)
	b.until("Svc.getCredentials().hit_id === 3002")
	require.Equal(t, s.URL+"/second", value[string](b, "Svc.getCredentials().uri"))
}

func TestReinitTrackView(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	s.page("/", insertion(""), "")
	b.before(heldClock)
	b.visit(s.URL)
	b.until(identified)
	b.do(`Svc.reinitTrackView()`)
	s.await("hit", 2)
	b.do(`history.pushState(null, "", "/second"); Svc.reinitTrackView();`)
	s.await("hit", 3)
	b.do(`Svc.reinitTrackView()`)
	s.await("hit", 4)
	b.do(`__cs.push(["reinitTrackView"])`)
	s.await("hit", 5)
	b.do(`history.pushState(null, "", "/third");`)
	s.await("hit", 6)
	b.do(`clock.pass(2000); Svc.reinitTrackView();`)
	s.await("hit", 7)
	s.pastAll(b, "Svc")
	require.Equal(t, [][3]string{
		{"load", "/", ""}, {"reinit", "/", "/"}, {"history", "/second", "/"}, {"reinit", "/second", "/second"}, {"reinit", "/second", "/second"},
		{"history", "/third", "/second"}, {"reinit", "/third", "/third"},
	}, s.reported())
}

func TestPageThatComesBackIsReported(t *testing.T) {
	t.Parallel()
	useWhole(t)
	comesFromTheCache(t, func() bool {
		s, b := newScriptService(t, variantA), newTab(t)
		s.page("/", insertion("window.mark = Math.random();"), "")
		s.page("/next", insertion(""), "")
		b.visit(s.URL)
		b.until(identified)
		mark := value[float64](b, "mark")
		b.do(`Svc.setProperty("p", "1")`)
		s.await("property", 1)
		s.pastAll(b, "Svc")
		s.set(func() { s.properties = map[string]any{"elsewhere": nil} })
		b.visit(s.URL + "/next")
		b.until(identified)
		b.do(`history.back()`)
		b.until(`location.pathname === "/" && Svc.getCredentials().hit_id === 3003`)
		if value[float64](b, "mark") != mark {
			return false
		}
		require.Equal(t, [][3]string{{"load", "/", ""}, {"load", "/next", ""}, {"restore", "/", ""}}, s.reported())
		require.Equal(t, []any{true, false}, value[any](b, `await Promise.all(["elsewhere", "p"].map(p => new Promise(done => Svc.hasProperty(p, r => done(r.result)))))`),
			"what other pages have done meanwhile is known")
		return true
	})
}

func TestPrerenderedPageIsReportedWhenItIsSeen(t *testing.T) {
	t.Parallel()
	s := newScriptService(t, variantA)
	follow := make(chan struct{})
	s.intercept = func(a arrival, _ int) *reply {
		if a.route == "follow" {
			return &reply{release: follow}
		}
		return nil
	}
	const tell = `const tell = (route, body) => fetch("/frontdesk/v1/" + route, {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)});`
	s.page("/", `<script type="speculationrules">{"prerender":[{"urls":["/next"],"eagerness":"immediate"}]}</script>`,
		`<a id=next href="/next">next</a><script>`+tell+`tell("follow", {}).then(() => document.getElementById("next").click())</script>`)
	s.page("/next", insertion(`
		`+tell+`
		__cs.push(["trackEvent", "made", "while prerendering: " + document.prerendering]);
		addEventListener("load", () => setTimeout(() => tell("loaded", {prerendering: document.prerendering, script: typeof Svc})));`), "")
	openAlone(t, s.URL)
	require.Equal(t, map[string]any{"prerendering": true, "script": "function"}, s.await("loaded", 1)[0].body)
	require.Empty(t, s.got("hit"))

	close(follow)
	event := s.await("event", 1)[0]
	require.Equal(t, "while prerendering: true", event.body["action"])
	require.EqualValues(t, 3001, event.field("credentials", "hit_id"))
	require.Equal(t, [][3]string{{"load", "/next", "/"}}, s.reported())
}

// Leaving a page in the middle of a call: the request arrives exactly once, whatever is known of the page by then.
func TestCallsWhileThePageIsLeft(t *testing.T) {
	t.Parallel()
	for name, known := range map[string]bool{"ids known": true, "ids not known": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			useWhole(t)
			s, b := newScriptService(t, variantA), newTab(t)
			never := make(chan struct{})
			if !known {
				s.intercept = func(a arrival, nth int) *reply {
					if a.route == "hit" && nth == 1 {
						return &reply{release: never}
					}
					return nil
				}
			}
			s.page("/", insertion(""), `<form action="/thanks" method="post"><input name="phone" value="55">
				<button id="send" onclick='Svc.addOfflineRequest({phone: this.form.phone.value}); Svc.trackEvent("form", "sent"); Svc.setProperty("client")'>Send</button></form>`)
			s.page("/thanks", insertion(""), "")
			b.visit(s.URL)
			b.until("window.loaded")
			if known {
				b.until(identified)
			}
			b.do(`document.getElementById("send").click()`)
			b.until(`location.pathname === "/thanks" && ` + identified)
			lead, event, property := s.await("lead", 1)[0], s.await("event", 1)[0], s.await("property", 1)[0]
			close(never)
			b.visit("about:blank")
			s.Close()
			require.Len(t, s.got("lead"), 1)
			require.Len(t, s.got("event"), 1)
			require.Len(t, s.got("property"), 1)
			for _, a := range []arrival{lead, event, property} {
				if known {
					require.EqualValues(t, 3001, a.field("credentials", "hit_id"))
					continue
				}
				require.Nil(t, a.body["credentials"])
				require.Equal(t, s.got("hit")[0].body, a.body["hit"])
			}
			require.Equal(t, map[string]any{"phone": "55"}, lead.body["request"])
			require.Len(t, s.got("hit"), 2)
		})
	}
}

// The page is gone before its request could even begin, since other requests hold all connections to the site.
func TestCallOutlivesItsPage(t *testing.T) {
	t.Parallel()
	s, b := identifiedPage(t, variantA)
	never := make(chan struct{})
	defer close(never)
	s.set(func() {
		s.intercept = func(a arrival, _ int) *reply {
			if a.route == "hold" {
				return &reply{release: never}
			}
			return nil
		}
	})
	const connections = 6 // that Chromium opens to a host over HTTP/1.1
	b.do(`for (let n = 0; n < ` + strconv.Itoa(connections) + `; n++)
		fetch("/frontdesk/v1/hold", {method: "POST", headers: {"Content-Type": "application/json"}, body: "{}"}).catch(() => {})`)
	s.await("hold", connections)
	b.do(`Svc.addOfflineRequest({phone: "55"})`)
	b.close()
	s.await("lead", 1)
	require.Len(t, s.drained("lead"), 1)
}

// A transition that the visitor leaves at once is reported all the same, and so is what was done in it.
func TestTransitionThatIsLeftAtOnce(t *testing.T) {
	t.Parallel()
	s, b := identifiedPage(t, variantA)
	never := make(chan struct{})
	s.set(func() {
		s.intercept = func(a arrival, _ int) *reply {
			if a.route == "hit" {
				return &reply{release: never}
			}
			return nil
		}
	})
	s.page("/next", "", "")
	b.do(`history.pushState(null, "", "/second"); Svc.trackEvent("c", "a"); location.href = "/next";`)
	hits, events := s.await("hit", 2), s.await("event", 1)
	close(never)
	require.Equal(t, s.URL+"/second", hits[1].body["url"])
	require.Equal(t, hits[1].body, events[0].body["hit"])
}
