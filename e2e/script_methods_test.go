package e2e

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/stretchr/testify/require"
)

// identifiedPage opens a page whose ids the service has told.
func identifiedPage(t *testing.T, settings snippet.ScriptSettings) (*scriptService, *tab) {
	t.Helper()
	s, b := newScriptService(t, settings), newTab(t)
	s.page("/", insertion(""), "")
	b.visit(s.URL)
	b.until(identified)
	return s, b
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	for variant, fields := range map[string][]any{
		"A": {"site_key", "key", "uri", "visitor_id", "hit_id", "session_id", "consultant_server_url"},
		"B": {"site_key", "visitor_id", "hit_id", "session_id", "consultant_server_url"},
	} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			s, b := newScriptService(t, snippet.ScriptSettings{Objects: variantA.Objects, Variant: variant}), newTab(t)
			s.page("/some page;v=1", insertion(""), "")
			b.visit(s.URL + "/some%20page;v=1?a=1|2;3&b=c%20d#part one")
			b.until(identified)
			require.Equal(t, fields, value[any](b, "(() => { const names = []; for (const name in Svc.getCredentials()) names.push(name); return names; })()"))

			credentials := value[map[string]any](b, "Svc.getCredentials()")
			require.Equal(t, siteKey, credentials["site_key"])
			require.Equal(t, s.URL+"/frontdesk/", credentials["consultant_server_url"])
			require.EqualValues(t, 1001, credentials["visitor_id"])
			require.EqualValues(t, 3001, credentials["hit_id"])
			require.EqualValues(t, 2001, credentials["session_id"])
			if variant == "A" {
				require.Equal(t, "signed1", credentials["key"])
				require.Equal(t, s.URL+"/some%20page%3Bv=1?a=1%7C2%3B3&b=c%20d", credentials["uri"])
			}
			for name, v := range credentials {
				require.True(t, v != nil && v != "" && v != 0, "%s is true to a script", name)
				if text, ok := v.(string); ok {
					require.False(t, strings.ContainsAny(text, " ;|#"), "%s goes into a cookie as it is: %s", name, text)
				}
			}
			require.EqualValues(t, 1001, value[any](b, "Svc.getVisitorId()"))
			require.EqualValues(t, 2001, value[any](b, "Svc.getSessionId()"))
			b.do(`const own = Svc.getCredentials(); own.site_key = "spoilt"; delete own.hit_id;`)
			require.Equal(t, credentials, value[map[string]any](b, "Svc.getCredentials()"))
			require.Equal(t, variant == "A", value[bool](b, `"reinitTrackView" in Svc`))

			b.do(`Svc.trackEvent("c", "a")`)
			require.Equal(t, "signed1", s.await("event", 1)[0].field("credentials", "key"), "the proof goes back in both variants")
		})
	}
}

func TestRequestResultIsReadInEveryWay(t *testing.T) {
	t.Parallel()
	for _, variant := range []string{"A", "B"} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			s, b := identifiedPage(t, snippet.ScriptSettings{Objects: variantA.Objects, Variant: variant})
			s.set(func() {
				s.intercept = func(a arrival, nth int) *reply {
					if a.route != "lead" {
						return nil
					}
					return map[int]*reply{
						2: {status: 400, body: `{"success":false,"error":"nothing in it","code":"empty"}`},
						3: {status: 200, body: `{"success":false,"result":{"code":"own"}}`},
						4: {status: 403, body: `<h1>Forbidden</h1>`},
						5: {status: 200, body: `<h1>Log in to the hotel's network</h1>`},
					}[nth]
				}
			})
			request := `await new Promise(done => Svc.addOfflineRequest({name: "Anna"}, done))`
			result := value[map[string]any](b, request)
			require.Equal(t, true, result["success"])
			require.Nil(t, result["result"])
			require.EqualValues(t, 200, result["status"])
			require.Equal(t, "OK", result["statusText"])
			require.JSONEq(t, `{"success":true,"result":null}`, result["response"].(string))

			for _, failure := range []struct {
				code   string
				status int
			}{{"empty", 400}, {"own", 0}, {"malformed", 403}, {"malformed", 0}} {
				result := value[map[string]any](b, request)
				require.Equal(t, false, result["success"])
				require.Equal(t, map[string]any{"code": failure.code}, result["result"])
				require.EqualValues(t, failure.status, result["status"], "200 is read as success")
				require.NotEqual(t, "OK", result["statusText"])
				var response map[string]any
				require.NoError(t, json.Unmarshal([]byte(result["response"].(string)), &response))
				require.Equal(t, false, response["success"])
			}
			require.Len(t, s.drained("lead"), 5, "what the service has refused is not sent again")
		})
	}
}

func TestRequestTakesWholeForms(t *testing.T) {
	t.Parallel()
	s, b := identifiedPage(t, variantA)
	leads := 0
	send := func(argument string) map[string]any {
		t.Helper()
		b.do("Svc.addOfflineRequest(" + argument + ")")
		leads++
		request, _ := s.await("lead", leads)[leads-1].body["request"].(map[string]any)
		return request
	}
	require.Equal(t, map[string]any{
		"name": []any{"Anna"}, "email": nil, "phone": "", "message": "-", "city": "Riga\r\nOld town", "html": "<b>\"'</b>",
		"is_sale": true, "user_fields": map[string]any{"a": "1"}, "count": 3.0,
	}, send(`{name: ["Anna"], email: null, phone: "", message: "-", city: "Riga\r\nOld town", html: "<b>\"'</b>",
		is_sale: true, sale_cost: undefined, user_fields: {a: "1"}, count: 3, go: () => 1}`))
	require.Equal(t, map[string]any{"name": "x", "big": "12345678901234567890"}, send(`(() => {
		const form = {name: "x", big: 12345678901234567890n}; form.self = form; return form; })()`))
	require.Equal(t, map[string]any{"a": []any{"1"}, "b": []any{"1"}}, send(`(() => { const one = ["1"]; return {a: one, b: one}; })()`))
	require.Equal(t, map[string]any{"phone": "55"}, send(`{phone: Object.assign(document.createElement("input"), {value: "55"})}`))
	require.Equal(t, map[string]any{"name": "Борис\u2028"}, send(`{name: "Борис\u2028"}`))

	for _, nothing := range []string{"", "null", "undefined, null", "() => 1", "Symbol()", "{get name() { throw new Error('own') }}"} {
		require.Equal(t, "undefined", value[string](b, "typeof Svc.addOfflineRequest("+nothing+")"))
	}
	for _, nothing := range []string{"null", "undefined", "() => 1", "Symbol()", "{get name() { throw new Error('own') }}"} {
		require.Equal(t, false, value[any](b, "(await new Promise(done => Svc.addOfflineRequest("+nothing+", done))).success"), nothing)
	}
	require.Len(t, s.drained("lead"), leads)
}

func TestVisitorInfo(t *testing.T) {
	t.Parallel()
	s, b := identifiedPage(t, variantA)
	call := func(argument string) any {
		t.Helper()
		return value[any](b, "await new Promise(done => Svc.addVisitorInfo("+argument+", done))")
	}
	for _, nothing := range []string{"null", "undefined", "'Anna'", "{}", "{name: '', email: null, phone: ' '}", "{city: 'Riga'}"} {
		require.Equal(t, map[string]any{"success": false}, call(nothing), nothing)
	}
	require.Equal(t, map[string]any{"success": true}, call(`{name: "Anna", email: ["a@example.com"], phone: 79990001122, city: "Riga"}`))
	got := s.drained("visitor")
	require.Len(t, got, 1)
	delete(got[0].body, "id")
	delete(got[0].body, "credentials")
	require.Equal(t, map[string]any{"name": "Anna", "email": "a@example.com", "phone": "79990001122"}, got[0].body)
}

func TestEvents(t *testing.T) {
	t.Parallel()
	s, b := identifiedPage(t, variantA)
	b.do(`
		Svc.trackEvent(); Svc.trackEvent("category only"); Svc.trackEvent(null, "a"); Svc.trackEvent(Object.create(null), "a");
		Svc.trackEvent("c", "a"); Svc.trackEvent("c", 5, "label", 0);`)
	got := s.await("event", 2)
	s.Close()
	require.Len(t, s.got("event"), 2)
	bodies := map[any]map[string]any{}
	for _, a := range got {
		require.Regexp(t, "^[A-Za-z0-9_-]{16,64}$", a.body["id"])
		delete(a.body, "id")
		delete(a.body, "credentials")
		bodies[a.body["action"]] = a.body
	}
	require.Equal(t, map[any]map[string]any{
		"a": {"category": "c", "action": "a", "name": "", "value": ""},
		"5": {"category": "c", "action": "5", "name": "label", "value": "0"},
	}, bodies)
}

func TestPropertiesAreAnsweredFromWhatIsKnown(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	s.properties = map[string]any{"client": nil, "city": "Riga", "__proto__": "odd"}
	s.page("/", insertion(`
		__cs.push(["setProperty", "city", "Riga"], ["setProperty", "early", "1"], ["setProperty", "early", "2"], ["deleteProperty", "never"]);`), "")
	b.visit(s.URL)
	b.until(identified)
	for name, want := range map[string][2]any{
		"client": {true, ""}, "city": {true, "Riga"}, "early": {true, "2"}, "never": {false, false},
		"__proto__": {true, "odd"}, "constructor": {false, false},
	} {
		got := value[[]any](b, `await Promise.all(["hasProperty", "getProperty"].map(method => new Promise(done => Svc[method]("`+name+`", done))))`)
		require.Equal(t, []any{map[string]any{"success": true, "result": want[0]}, map[string]any{"success": true, "result": want[1]}}, got, name)
	}
	b.do(`
		for (let second = 0; second < 20; second++) {
			Svc.setProperty("city", "Riga"); Svc.setProperty("client"); Svc.setProperty("client", null); Svc.setProperty("client", "");
			Svc.setProperty("seen", 5); Svc.setProperty("seen", "5"); Svc.deleteProperty("never"); Svc.setProperty(""); Svc.setProperty();
		}
		Svc.deleteProperty("city");`)
	require.Equal(t, []any{false, "5"}, value[any](b, `await Promise.all([new Promise(done => Svc.hasProperty("city", r => done(r.result))),
		new Promise(done => Svc.getProperty("seen", r => done(r.result)))])`), "what the page has done is known at once")
	got := s.await("property", 3)
	s.pastAll(b, "Svc")
	s.Close()
	require.Len(t, s.got("property"), 3, "what has not changed costs no request")
	for i, want := range []map[string]any{
		{"name": "early", "value": "2"}, {"name": "seen", "value": "5"}, {"name": "city", "delete": true},
	} {
		delete(got[i].body, "id")
		delete(got[i].body, "credentials")
		require.Equal(t, want, got[i].body)
	}
}

func TestLastValueOfAPropertyArrivesLast(t *testing.T) {
	t.Parallel()
	s, b := identifiedPage(t, variantA)
	release := make(chan struct{})
	s.set(func() {
		s.intercept = func(a arrival, nth int) *reply {
			if a.route == "property" && nth == 1 {
				return &reply{release: release}
			}
			return nil
		}
	})
	b.do(`for (let n = 1; n <= 9; n++) Svc.setProperty("step", n);`)
	s.await("property", 1)
	s.pastAll(b, "Svc")
	require.Len(t, s.got("property"), 1, "the next one waits for the one under way")
	close(release)
	got := s.await("property", 2)
	require.Equal(t, "1", got[0].body["value"])
	require.Equal(t, "9", got[1].body["value"])
	require.Len(t, s.drained("property"), 2)
}

// What a visitor has sent first is stored first. A lead that the service could not take at once holds no other up.
func TestLeadsArriveInTheirOrder(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	s.page("/", insertion(""), "")
	b.before(heldClock)
	b.visit(s.URL)
	b.until(identified)
	release := make(chan struct{})
	s.set(func() {
		s.intercept = func(a arrival, nth int) *reply {
			if a.route != "lead" {
				return nil
			}
			return map[int]*reply{1: {release: release}, 3: {status: 503, body: `{"success":false}`}}[nth]
		}
	})
	names := func() (list []any) {
		for _, a := range s.got("lead") {
			list = append(list, a.field("request", "name"))
		}
		return list
	}
	b.do(`for (const name of ["first", "second", "third", "fourth"]) Svc.addOfflineRequest({name});`)
	s.await("lead", 1)
	s.pastAll(b, "Svc")
	require.Equal(t, []any{"first"}, names(), "the next one waits for the one under way")
	close(release)
	s.await("lead", 4)
	s.pastAll(b, "Svc")
	require.Equal(t, []any{"first", "second", "third", "fourth"}, names(), "though the third has not been taken")
	b.until("clock.waiting(500) === 1")
	b.do("clock.pass(500)")
	s.await("lead", 5)
	require.Equal(t, []any{"first", "second", "third", "fourth", "third"}, names())
}

func TestPushDispatchesAnyMethod(t *testing.T) {
	t.Parallel()
	s, b := identifiedPage(t, variantA)
	b.do(`
		Svc.push(["trackEvent", "by", "object"]);
		__cs.push(["trackEvent", "by", "queue"], ["trackEvent", "by", "the same push"]);
		Svc("trackEvent", "by", "call");
		(function () { __cs.push(arguments) })("trackEvent", "by", "arguments");
		Svc.push(["addVisitorInfo", {name: "Anna"}, r => window.visitor = r]);
		Svc.push(); Svc.push(null); Svc.push(["hasOwnProperty", "x"]); Svc.push(["constructor"]); Svc.push(["unknown"]); Svc.push([null]); Svc();`)
	b.until("window.visitor && visitor.success")
	s.await("event", 5)
	require.Len(t, s.drained("event"), 5)
}

func TestMethodsWorkDetachedAndReturnNoPromise(t *testing.T) {
	t.Parallel()
	s, b := identifiedPage(t, variantA)
	b.do(`
		const { trackEvent, getCredentials } = Svc;
		const add = Svc.addOfflineRequest.bind(Svc);
		trackEvent("c", "a");
		window.kinds = [trackEvent("c", "b"), add({name: "x"}), Svc.setProperty("p"), Svc.deleteProperty("p"), Svc.hasProperty("p"),
			Svc.addVisitorInfo({name: "x"}), Svc.push(["trackEvent", "c", "d"])].map(v => typeof v);
		window.id = getCredentials().hit_id;`)
	require.Equal(t, []string{"undefined", "undefined", "undefined", "undefined", "undefined", "undefined", "undefined"}, value[[]string](b, "kinds"))
	require.Equal(t, 3001, value[int](b, "id"))
	s.await("event", 3)
}

func TestCallbackThatThrowsBreaksNothing(t *testing.T) {
	t.Parallel()
	s, b := identifiedPage(t, variantA)
	b.do(`
		Svc.addOfflineRequest({name: "x"}, () => { throw new Error("the site's own") });
		Svc.hasProperty("p", () => { throw new Error("the site's own") });`)
	s.await("lead", 1)
	b.do(`await new Promise(done => Svc.addOfflineRequest({name: "y"}, done))`)
	b.do(`Svc.addOfflineRequest({name: "z"}, "no function")`)
	s.await("lead", 3)
	s.pastAll(b, "Svc")
	thrown := b.thrown()
	require.Len(t, thrown, 2)
	require.Contains(t, thrown[0], "the site's own")
}

// A site sets a timer of five seconds before its call. The callback comes first; at once, when no further attempt would be in time.
func TestCallbacksFireWhenTheServiceDoesNotAnswer(t *testing.T) {
	t.Parallel()
	const silence = "silence" // the one that is waited for by the real clock
	retried := []string{"500", "1500"}
	for name, fails := range map[string]struct {
		fault  reply
		pauses []string // in milliseconds, that fit
		code   string
		status int
	}{
		silence:               {reply{release: make(chan struct{})}, nil, "timeout", 0},
		"broken connection":   {reply{cut: true}, retried, "network", 0},
		"overload":            {reply{status: 503, body: `{"success":false,"code":"busy"}`}, retried, "busy", 503},
		"failure with no end": {reply{status: 429, header: map[string]string{"Retry-After": "3600"}, body: `{"success":false,"code":"slow"}`}, nil, "slow", 429},
	} {
		for _, variant := range []string{"A", "B"} {
			t.Run(name+" "+variant, func(t *testing.T) {
				t.Parallel()
				s, b := newScriptService(t, snippet.ScriptSettings{Objects: variantA.Objects, Variant: variant}), newTab(t)
				s.intercept = func(arrival, int) *reply { return &fails.fault }
				// The script is there before the site's own timer begins.
				s.page("/", `<script src="/frontdesk/svc.js"></script>`+insertion(`
					window.results = {};
					setTimeout(() => results.timer = Object.keys(results).length, 5000);
					__cs.push(["addOfflineRequest", {name: "Anna"}, r => results.request = r], ["addVisitorInfo", {name: "Anna"}, r => results.visitor = r],
						["hasProperty", "p", r => results.has = r], ["getProperty", "p", r => results.get = r]);`), "")
				if name != silence {
					b.before(heldClock)
				}
				b.visit(s.URL)
				for _, pause := range fails.pauses {
					b.until("clock.waiting(" + pause + ") === 3") // the page view and two calls
					b.do("clock.pass(" + pause + ")")
				}
				if name == silence {
					b.until("results.timer")
					require.Equal(t, 4, value[int](b, "results.timer"), "all came before the site's own timer")
				} else {
					b.until("Object.keys(results).length === 4") // though the clock stands
				}
				require.Equal(t, fails.code, value[string](b, "results.request.result.code"))
				require.Equal(t, false, value[any](b, "JSON.parse(results.request.response).success || results.request.success"))
				require.Equal(t, fails.status, value[int](b, "results.request.status"))
				require.Equal(t, map[string]any{"success": false}, value[any](b, "results.visitor"))
				require.Equal(t, map[string]any{"success": false, "result": false}, value[any](b, "results.has"))
				require.Equal(t, map[string]any{"success": false, "result": false}, value[any](b, "results.get"))
				// The browser does not end requests that it keeps alive, and the server waits for them.
				s.CloseClientConnections()
			})
		}
	}
}

func TestDeliveryIsTriedAgainUnderTheSameName(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	fault := &reply{cut: true}
	s.intercept = func(arrival, int) *reply { return s.fault() }
	s.setFault(fault)
	s.page("/", insertion(`__cs.push(["addOfflineRequest", {name: "Anna"}]);`), "")
	b.before(heldClock)
	b.visit(s.URL)
	for _, step := range []struct {
		pause string // milliseconds before the next attempt
		then  *reply
	}{
		{"500", &reply{status: 503}},
		{"1500", &reply{status: 429, header: map[string]string{"Retry-After": "7"}}},
		{"7000", &reply{status: 408}},
		{"13500", nil},
	} {
		b.until("clock.waiting(" + step.pause + ") === 2")
		s.setFault(step.then)
		b.do("clock.pass(" + step.pause + ")")
	}
	b.until(identified)
	leads := s.await("lead", 5)
	s.Close()
	require.Len(t, s.views, 1)
	require.Len(t, s.calls, 1)
	for _, lead := range leads {
		require.Equal(t, leads[0].body, lead.body)
	}
	require.Equal(t, s.got("hit")[0].body["view"], leads[0].field("hit", "view"), "a call does not wait for a hit that fails: it brings its view along")
}

func TestDeliveryIsTriedAgainWhenTheNetworkIsBack(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	s.intercept = func(arrival, int) *reply { return s.fault() }
	s.setFault(&reply{status: 503})
	s.page("/", insertion(""), "")
	b.before(heldClock)
	b.visit(s.URL)
	b.until("clock.waiting(500) === 1")
	s.setFault(nil)
	b.do(`dispatchEvent(new Event("online"))`)
	b.until(identified)
}

func TestDeliveryIsGivenUpInTheEnd(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	s.intercept = func(arrival, int) *reply { return s.fault() }
	s.setFault(&reply{status: 503})
	s.page("/", insertion(`__cs.push(["setProperty", "p", "1"]);`), "")
	b.before(heldClock)
	b.visit(s.URL)
	for _, pause := range []string{"500", "1500", "4500", "13500", "40500"} {
		b.until("clock.waiting(" + pause + ") === 2")
		b.do("clock.pass(" + pause + ")")
	}
	s.await("hit", 6)
	s.await("property", 6)
	b.until("clock.waiting(10000) === 0") // no request is under way
	s.setFault(nil)
	b.do(`history.pushState(null, "", "/second")`)
	b.until(identified)
	s.pastAll(b, "Svc")
	require.Len(t, s.got("hit"), 7)
	require.Len(t, s.got("property"), 6)
	require.Equal(t, false, value[any](b, `await new Promise(done => Svc.hasProperty("p", r => done(r.result)))`))
	b.do(`Svc.setProperty("p", "1")`)
	s.await("property", 7)
}

// A site that the service does not know, say because it has left it, costs one request a page.
func TestRefusedPageSendsNoMore(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	s.intercept = func(arrival, int) *reply {
		return &reply{status: 404, body: `{"success":false,"error":"no such site","code":"unknown_site"}`}
	}
	s.page("/", insertion(`__cs.push(["setProperty", "p"], ["addOfflineRequest", {name: "Anna"}, r => window.result = r],
		["hasProperty", "p", r => window.has = r], ["getProperty", "p", r => window.get = r]);`), "")
	b.before(heldClock)
	b.visit(s.URL)
	b.until("window.result && window.has && window.get") // at once: the clock stands
	require.Equal(t, []any{"unknown_site", 404.0}, value[any](b, "[result.result.code, result.status]"))
	require.Equal(t, []any{false, false}, value[any](b, "[has.success, get.success]"))
	b.do(`Svc.setProperty("p", 1); Svc.trackEvent("c", "a"); await new Promise(done => Svc.addVisitorInfo({name: "x"}, done));
		await new Promise(done => Svc.hasProperty("p", done)); await new Promise(done => Svc.getProperty("p", done));`)
	s.Close()
	require.Len(t, s.arrivals, 1)
}

func TestQueuedCallsGetTheIdsOfTheirPage(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	release := make(chan struct{})
	s.intercept = func(a arrival, _ int) *reply {
		if a.route == "hit" {
			return &reply{release: release}
		}
		return nil
	}
	s.page("/", insertion(`__cs.push(["trackEvent", "queued", "before"]);`), "")
	b.visit(s.URL)
	b.until("window.loaded")
	b.do(`
		Svc.trackEvent("queued", "first page");
		const form = {name: "as it was"};
		Svc.addOfflineRequest(form);
		form.name = "as it became";
		history.pushState(null, "", "/second");
		Svc.trackEvent("queued", "second page");`)
	s.await("hit", 2)
	require.Empty(t, s.got("event"))
	close(release)
	require.Equal(t, "as it was", s.await("lead", 1)[0].field("request", "name"))
	ids := map[any]any{}
	for _, event := range s.await("event", 3) {
		ids[event.body["action"]] = event.field("credentials", "hit_id")
		require.Nil(t, event.body["hit"])
	}
	numbers := map[any]int{}
	for _, hit := range s.got("hit") {
		numbers[hit.body["url"]] = 3000 + s.views[hit.body["view"].(string)]
	}
	require.EqualValues(t, numbers[s.URL+"/"], ids["before"])
	require.EqualValues(t, numbers[s.URL+"/"], ids["first page"])
	require.EqualValues(t, numbers[s.URL+"/second"], ids["second page"])
}

// A browser keeps at most 64 KiB of a page's requests alive, and refuses what is beyond: that goes without, at the first attempt.
func TestLargeCallsGoTogether(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	release := make(chan struct{})
	s.intercept = func(a arrival, _ int) *reply {
		if a.route == "event" {
			return &reply{release: release}
		}
		return nil
	}
	s.page("/", insertion(""), "")
	b.before(heldClock)
	b.visit(s.URL)
	b.until(identified)
	b.do(`for (let n = 0; n < 5; n++) Svc.trackEvent("large", String(n), "\u0436".repeat(15000));`)
	s.await("event", 5)
	close(release)
	require.Len(t, s.drained("event"), 5)
}

// A page that makes calls without end, while none can be sent, does not fill the visitor's memory.
func TestWaitingCallsAreBounded(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	release := make(chan struct{})
	s.intercept = func(a arrival, _ int) *reply { return &reply{release: release} }
	s.page("/", insertion(""), "")
	b.visit(s.URL)
	b.until("window.loaded")
	b.do(`
		for (let n = 0; n < 600; n++) Svc.trackEvent("c", "a" + n);
		window.result = await new Promise(done => Svc.addOfflineRequest({name: "Anna"}, done));`)
	require.Equal(t, "too_many", value[string](b, "result.result.code"))
	close(release)
	s.await("event", 500)
	b.until(identified)
	// What is refused is answered at once: without a pause the page would do nothing else.
	b.do(`do {
			await new Promise(pass => setTimeout(pass, 20));
			result = await new Promise(done => Svc.addOfflineRequest({name: "Anna"}, done));
		} while (!result.success)`)
	require.Len(t, s.drained("event"), 500)
	require.Len(t, s.got("lead"), 1)
}

func TestOperatorStatus(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	s.online = true
	s.page("/", insertion(""), "")
	b.before(heldClock)
	b.visit(s.URL)
	b.until(identified)
	require.False(t, value[bool](b, "clock.waiting(30000) > 0"), "a page that does not ask costs no request")
	require.Equal(t, true, value[any](b, "Svc.getOperatorStatus()"))
	for _, online := range []bool{false, true} {
		s.set(func() { s.online = online })
		b.do("clock.pass(30000)")
		b.until(`Svc.getOperatorStatus() === ` + strconv.FormatBool(online))
	}
	require.Len(t, s.got("status"), 2)
	require.Equal(t, siteKey, s.got("status")[0].body["k"])
	for range 12 {
		b.do("clock.pass(30000)")
		b.until("clock.waiting(3900) === 0") // no request is under way
	}
	require.Equal(t, 0, value[int](b, "clock.waiting(30000)"), "a page that has not asked for five minutes costs none any more")
	s.set(func() { s.online = false })
	b.until(`Svc.getOperatorStatus() === false`)
}

func TestScriptFromAnotherHost(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	other, err := url.Parse(s.URL)
	require.NoError(t, err)
	other.Host = "localhost:" + other.Port()
	s.page("/", `<script async src="`+other.String()+`/frontdesk/svc.js?k=`+siteKey+`"></script>`, "")
	b.visit(s.URL)
	b.until(`typeof Svc === "function"`)
	require.Equal(t, other.String()+"/frontdesk/", value[string](b, "Svc.getCredentials().consultant_server_url"), "the service is where the script is from")
}
