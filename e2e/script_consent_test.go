package e2e

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"regexp"
	"testing"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/stretchr/testify/require"
)

func TestNothingIsSentBeforeConsent(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{
		"cookies tell of changes": "",
		"cookies are looked at":   `Object.defineProperty(window, "cookieStore", {value: undefined});`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings := variantA
			settings.ConsentCookie, settings.ConsentValue = "agreed", "*stats:1*"
			s, b := newScriptService(t, settings), newTab(t)
			s.page("/", insertion(`
				window.results = {};
				__cs.push(["addOfflineRequest", {name: "early"}, r => results.request = r], ["hasProperty", "p", r => results.has = r]);`), "")
			b.before(heldClock + before)
			b.visit(s.URL)
			b.until("window.loaded")
			b.do(`
				document.cookie = "agreed=stats:0"; document.cookie = "other=stats:1";
				history.pushState(null, "", "/second"); Svc.reinitTrackView(); Svc.getOperatorStatus(); Svc.trackEvent("c", "dropped");
				Svc.addVisitorInfo({name: "early"}, r => results.visitor = r);
				clock.pass(3900);`)
			b.until("Object.keys(results).length === 3")
			require.Equal(t, false, value[any](b, "results.request.success || results.has.success || results.visitor.success"))
			b.until(`document.cookie.includes("stats:0")`)
			require.Empty(t, s.got("hit"))
			require.NotContains(t, value[string](b, "document.cookie"), "svc")

			b.do(`document.cookie = "agreed=ads:0,stats:1"; Svc.trackEvent("c", "kept"); clock.pass(1000);`)
			b.until(identified)
			require.Equal(t, [][3]string{{"load", "/second", ""}}, s.reported())
			s.pastAll(b, "Svc")
			var actions []any
			for _, event := range s.drained("event") {
				actions = append(actions, event.body["action"])
			}
			require.ElementsMatch(t, []any{"kept", "mark-1"}, actions)
			require.Empty(t, s.got("lead"))
			require.Empty(t, s.got("visitor"))
			require.Empty(t, s.got("status"))
		})
	}
}

func TestConsentThatIsThereAlready(t *testing.T) {
	t.Parallel()
	settings := snippet.ScriptSettings{Objects: variantA.Objects, Variant: "B", ConsentCookie: "agreed", ConsentValue: "yes (all)"}
	_, err := snippet.NewScript(settings)
	require.Error(t, err, "a cookie holds no blanks")
	settings.ConsentValue = "a.b*"
	s, b := newScriptService(t, settings), newTab(t)
	s.page("/", `<script>document.cookie = "agreed=a.b"</script>`+insertion(""), "")
	b.visit(s.URL)
	b.until(identified)
}

// What agrees is the same for the script as for the server.
func TestConsentIsReadAsTheServerReadsIt(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../snippet/testdata/consent.json")
	require.NoError(t, err)
	var vectors []struct {
		Pattern, Value string
		Agrees         bool
	}
	require.NoError(t, json.Unmarshal(content, &vectors))
	require.NotEmpty(t, vectors)

	b := newTab(t)
	argument := regexp.MustCompile(`"consent":(\{.*?\})\}`)
	for _, v := range vectors {
		settings := variantA
		settings.ConsentCookie, settings.ConsentValue = "agreed", v.Pattern
		script, err := snippet.NewScript(settings)
		require.NoError(t, err)
		w := httptest.NewRecorder()
		script.ServeHTTP(w, httptest.NewRequest("GET", "/svc.js", nil))
		consent := argument.FindSubmatch(w.Body.Bytes())
		require.NotNil(t, consent)
		text, err := json.Marshal(v.Value)
		require.NoError(t, err)
		require.Equal(t, v.Agrees, value[bool](b, "new RegExp(("+string(consent[1])+").value).test("+string(text)+")"), "%q in %q", v.Pattern, v.Value)
	}
}

func TestConsentThatIsWithdrawn(t *testing.T) {
	t.Parallel()
	settings := variantA
	settings.ConsentCookie, settings.ConsentValue = "agreed", "yes"
	s, b := newScriptService(t, settings), newTab(t)
	s.page("/", `<script>document.cookie = "agreed=yes"</script>`+insertion(""), "")
	b.before(heldClock)
	b.visit(s.URL)
	b.until(identified)
	b.do(`
		document.cookie = "agreed=no";
		history.pushState(null, "", "/second"); Svc.reinitTrackView(); Svc.trackEvent("c", "dropped"); Svc.setProperty("p");
		const failed = new Promise(done => Svc.addOfflineRequest({name: "Anna"}, done));
		clock.pass(3900);
		await failed;
		document.cookie = "agreed=yes";
		history.pushState(null, "", "/third");`)
	s.await("hit", 2)
	s.pastAll(b, "Svc")
	s.Close()
	require.Equal(t, [][3]string{{"load", "/", ""}, {"history", "/third", "/"}}, s.reported())
	require.Len(t, s.got("event"), 1)
	require.Empty(t, s.got("lead"))
	require.Empty(t, s.got("property"))
}
