package e2e

import (
	"testing"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/stretchr/testify/require"
)

// identified is true in a page once the service has told it the ids.
const identified = `typeof Svc.getCredentials().hit_id === "number"`

func TestScriptFindsTheAccountHoweverItIsGiven(t *testing.T) {
	t.Parallel()
	const script = `<script async src="/frontdesk/svc.js"></script>`
	for name, head := range map[string]string{
		"insertion code":       insertion(""),
		"older names":          `<script>var __cs=[];__cs.push(["setHost","old.example"]);__cs.push(["setAccount","` + siteKey + `"]);</script>` + script,
		"host and widgets":     `<script>var __cs=[["setCsHost","h"],["disableWidgets",true],["setCsAccount","` + siteKey + `"]];</script>` + script,
		"unknown commands":     `<script>var __cs=[["noSuchThing",1],null,7,"text",[],[[]],{},["constructor"],["__proto__",1],["setCsAccount","` + siteKey + `"]];</script>` + script,
		"the object as array":  `<script>var Svc=Svc||[];Svc.push(["setAccount","` + siteKey + `"]);</script>` + script,
		"in the address":       `<script async src="/frontdesk/svc.js?k=` + siteKey + `"></script>`,
		"a block of data":      `<script type="application/json" data-svc>{"queue":[["setCsAccount","` + siteKey + `"],["setDynamicalReplacement",true]]}</script>` + script,
		"broken block of data": `<script type="application/json" data-svc>{"queue":</script>` + insertion(""),
		"after the script":     `<script src="/frontdesk/svc.js"></script><script>__cs.push(["setCsAccount","` + siteKey + `"])</script>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, b := newScriptService(t, variantA), newTab(t)
			s.page("/", head, "")
			b.visit(s.URL)
			b.until(identified)
			require.Equal(t, siteKey, s.got("hit")[0].body["site_key"])
			require.Len(t, s.drained("hit"), 1)
		})
	}
}

func TestScriptAtTheEndOfTheBody(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	s.page("/", "", "<p>text</p>"+insertion(""))
	b.visit(s.URL)
	b.until(identified)
}

func TestFirstAccountCounts(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	s.page("/", insertion(`__cs.push(["setCsAccount","left from another service"])`), "")
	b.visit(s.URL)
	b.until(identified)
	require.Equal(t, siteKey, s.got("hit")[0].body["site_key"])
}

func TestScriptWithoutAccountIsInert(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	s.page("/", `<script async src="/frontdesk/svc.js"></script>`, "")
	b.visit(s.URL)
	b.do(`
		window.got = {};
		Svc.trackEvent("c", "a"); Svc.setProperty("p"); Svc.deleteProperty("p"); Svc.reinitTrackView();
		history.pushState(null, "", "/elsewhere");
		Svc.addOfflineRequest({phone: "1"}, r => got.request = r);
		Svc.addVisitorInfo({phone: "1"}, r => got.visitor = r);
		Svc.hasProperty("p", r => got.has = r);
		Svc.getProperty("p", r => got.get = r);`)
	b.until(`Object.keys(got).length === 4`)
	require.Equal(t, map[string]any{"success": false, "result": false}, value[any](b, "got.has"))
	require.Equal(t, map[string]any{"success": false, "result": false}, value[any](b, "got.get"))
	require.Equal(t, map[string]any{"success": false}, value[any](b, "got.visitor"))
	require.Equal(t, "no_key", value[any](b, "got.request.result.code"))
	require.Equal(t, false, value[any](b, "got.request.success || JSON.parse(got.request.response).success || Svc.getOperatorStatus()"))
	require.Nil(t, value[any](b, "Svc.getSessionId() || Svc.getVisitorId() || Svc.getCredentials().hit_id"))
	s.Close()
	require.Empty(t, s.arrivals)
}

func TestObjectIsThereWhenTheScriptHasLoaded(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	release := make(chan struct{})
	s.intercept = func(a arrival, _ int) *reply { return &reply{release: release} }
	s.page("/", `<script>
		function seen() {
			window.seen = { svc: typeof Svc, widget: typeof SvcWidget, methods: Object.keys(Svc).sort(), credentials: Svc.getCredentials(),
				session: Svc.getSessionId(), visitor: Svc.getVisitorId(), status: Svc.getOperatorStatus() };
		}
		var __cs = [["setCsAccount", "`+siteKey+`"]];
		window.__cs_onReplacePhones = function own() {};
	</script><script async src="/frontdesk/svc.js" onload="seen()"></script>`, "")
	b.visit(s.URL)
	b.until("window.seen && seen.svc")
	require.Equal(t, map[string]any{
		"svc": "function", "widget": "object", "session": nil, "visitor": nil, "status": false,
		"methods": []any{"Captcha", "addOfflineRequest", "addVisitorInfo", "deleteProperty", "getCredentials", "getDTPhones", "getOperatorStatus",
			"getPhones", "getProperty", "getReplacedPhones", "getSessionId", "getVisitorId", "hasProperty", "openChatWindow", "openSitePhonePanel",
			"openSiteRequestPanel", "push", "reinitTrackView", "setProperty", "sitePhoneCall", "trackEvent"},
		"credentials": map[string]any{"site_key": siteKey, "consultant_server_url": s.URL + "/frontdesk/"},
	}, value[any](b, "seen"))
	require.Equal(t, "own", value[string](b, "__cs_onReplacePhones.name"), "the site's hook is left alone")
	close(release)
	b.until(identified)
}

func TestObjectsAreNamedAsTheSiteWantsThem(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, snippet.ScriptSettings{Objects: [2]string{"Desk", "DeskWidget"}, Variant: "A"}), newTab(t)
	s.page("/", `<script>var Desk=Desk||[];Desk.push(["setAccount","`+siteKey+`"]);Desk.push(["trackEvent","c","a"])</script>`+
		`<script async src="/frontdesk/svc.js"></script>`, "")
	b.visit(s.URL)
	s.await("event", 1)
	require.Equal(t, "function object undefined undefined",
		value[string](b, "[typeof Desk, typeof DeskWidget, typeof Svc, typeof SvcWidget].join(' ')"))
}

func TestLoadingAgainAfterClearingStartsAnew(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	s.page("/", insertion(""), "")
	b.visit(s.URL)
	b.until(identified)
	b.do(`
		window.first = Svc;
		window.again = () => new Promise(done => {
			document.querySelector("script[src]").remove();
			__cs = Svc = SvcWidget = undefined;
			__cs = [["setCsAccount", "` + siteKey + `"]];
			const script = document.createElement("script");
			script.src = "/frontdesk/svc.js";
			script.onload = done;
			document.head.append(script);
		});
		await again(); await again(); await again();`)
	b.until(identified)
	hits := s.await("hit", 4)
	require.Equal(t, "reinit", hits[3].body["kind"])
	require.True(t, value[bool](b, "Svc !== first && typeof Svc === 'function' && typeof SvcWidget === 'object'"))

	b.do(`history.pushState(null, "", "/second"); __cs.push(["trackEvent", "pushed", "once"]);`)
	s.await("hit", 5)
	s.pastAll(b, "Svc")
	s.pastAll(b, "first")
	require.Len(t, s.got("hit"), 5, "one hook, however often the script has started")
	require.Len(t, s.got("event"), 3)
}

// A single-page site that loads the script again for each of its pages makes one hit of each.
func TestLoadingAgainForTheNextPageIsOneHit(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	b.before(stoppedClock)
	s.page("/", insertion(""), "")
	b.visit(s.URL)
	b.until(identified)
	b.do(`
		history.pushState(null, "", "/second");
		__cs = [["setCsAccount", "` + siteKey + `"]]; Svc = SvcWidget = null;
		const script = document.createElement("script");
		script.src = "/frontdesk/svc.js";
		await new Promise(done => { script.onload = done; document.head.append(script); });`)
	b.until(identified + ` && Svc.getCredentials().uri.endsWith("/second")`)
	s.pastAll(b, "Svc")
	s.Close()
	require.Len(t, s.views, 2)
}

// Some sites fetch the script and evaluate its text, as jQuery.getScript does.
func TestScriptThatIsEvaluated(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	s.page("/deep/page", `<script>
		var __cs = [["setCsAccount", "`+siteKey+`"]];
		fetch("/frontdesk/svc.js").then(answer => answer.text()).then(text => {
			const script = document.createElement("script");
			script.text = text;
			document.head.append(script);
			script.remove();
		});</script>`, "")
	b.visit(s.URL + "/deep/page?k=of+the+page")
	b.until("window.Svc && " + identified)
	require.Equal(t, siteKey, s.got("hit")[0].body["site_key"])
}

func TestLoadingTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	s.page("/", insertion("")+insertion(""), "")
	b.visit(s.URL)
	b.until(identified)
	b.do(`
		window.first = Svc;
		__cs = [["setCsAccount", "` + siteKey + `"], ["trackEvent", "queued", "meanwhile"]];
		const script = document.createElement("script");
		script.src = "/frontdesk/svc.js";
		await new Promise(done => { script.onload = done; document.head.append(script); });
		__cs.push(["trackEvent", "pushed", "later"]);`)
	require.True(t, value[bool](b, "Svc === first"))
	actions := []any{}
	for _, event := range s.await("event", 2) {
		actions = append(actions, event.body["action"])
	}
	require.ElementsMatch(t, []any{"meanwhile", "later"}, actions)
	b.do(`history.pushState(null, "", "/second")`)
	s.await("hit", 2)
	s.pastAll(b, "Svc")
	require.Len(t, s.got("hit"), 2)
	require.Len(t, s.got("event"), 3)
}

func TestStrictPolicyIsKept(t *testing.T) {
	t.Parallel()
	s, b := newScriptService(t, variantA), newTab(t)
	s.headers.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'")
	s.page("/", `<script type="application/json" data-svc>{"queue":[["setCsAccount","`+siteKey+`"]]}</script><script async src="/frontdesk/svc.js"></script>`, "")
	b.before(`window.violations = []; addEventListener("securitypolicyviolation", e => violations.push(e.violatedDirective + " " + e.sample));`)
	b.visit(s.URL)
	b.until(identified)
	b.do(`Svc.addOfflineRequest({name: "Anna"}, r => window.result = r)`)
	b.until("window.result && result.success")
	require.Empty(t, value[[]string](b, "violations"))
}
