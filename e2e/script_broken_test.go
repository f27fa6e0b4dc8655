package e2e

import (
	"testing"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/stretchr/testify/require"
)

// Pages come with libraries that have changed what the language has built in. The script stands beside them.
func TestPageWithBrokenBuiltIns(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{
		"arrays as text": `
			Array.prototype.toJSON = function () { return "[" + this.join() + "]" };
			String.prototype.toJSON = Date.prototype.toJSON = function () { return '"' + this + '"' };`,
		"additions that are enumerated": `
			Object.prototype.extended = function () {}; Array.prototype.added = function () {};
			Function.prototype.more = 1; String.prototype.more = 1;`,
		"arrays of another age": `
			Array.from = list => list ? Array.prototype.slice.call(list.toArray ? list.toArray() : list) : [];
			Array.prototype.reduce = function () { return this.length > 1 ? this : this[0] };
			Array.prototype.entries = Array.prototype.toArray = function () { return this.slice() };`,
		"arrays that throw": `
			for (const name of Object.getOwnPropertyNames(Array.prototype)) {
				if (name !== "constructor" && name !== "push" && typeof Array.prototype[name] === "function") {
					Array.prototype[name] = function () { throw new Error("broken " + name) };
				}
			}
			Array.prototype[Symbol.iterator] = function () { throw new Error("broken iterator") };
			Array.from = Array.of = () => { throw new Error("broken") };`,
		"JSON that throws":    `JSON.stringify = JSON.parse = () => { throw new Error("broken") };`,
		"JSON of another age": `JSON.stringify = value => escape(String(value)); JSON.parse = text => eval(text);`,
		"promises that throw": `
			window.Promise = function () { throw new Error("broken") };
			Promise.resolve = Promise.reject = Promise.all = () => { throw new Error("broken") };`,
		"promises that never settle": `
			window.Promise = function () { return {then() { return this }, catch() { return this }} };
			Promise.resolve = () => new Promise();`,
	} {
		for _, variant := range []string{"A", "B"} {
			t.Run(name+" "+variant, func(t *testing.T) {
				t.Parallel()
				s, b := newScriptService(t, snippet.ScriptSettings{Objects: variantA.Objects, Variant: variant}), newTab(t)
				s.page("/", `<script>`+code+`</script>`+insertion(`
					window.results = {};
					__cs.push(["addOfflineRequest", {name: ["Anna"], message: "Line\n\"two\" \u2028", user_fields: {city: "Riga", list: ["a", "b"]}}, r => results.request = r]);
					__cs.push(["hasProperty", "p", r => results.has = r]);`), "")
				b.visit(s.URL)
				b.until(`window.Svc && ` + identified)
				b.until(`results.request && results.has`)
				require.True(t, value[bool](b, "results.request.success && results.has.success"))
				require.JSONEq(t, `{"success":true,"result":null}`, value[string](b, "results.request.response"))
				require.Equal(t, map[string]any{
					"name": []any{"Anna"}, "message": "Line\n\"two\" \u2028", "user_fields": map[string]any{"city": "Riga", "list": []any{"a", "b"}},
				}, s.await("lead", 1)[0].body["request"])
				b.do(`history.pushState(null, "", "/second")`)
				b.until(`Svc.getCredentials().hit_id === 3002`)
			})
		}
	}
}

// Pushed methods get all their arguments, callbacks too, before the script has loaded and afterwards.
func TestPushPassesCallbacksOn(t *testing.T) {
	t.Parallel()
	for _, variant := range []string{"A", "B"} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			s, b := newScriptService(t, snippet.ScriptSettings{Objects: variantA.Objects, Variant: variant}), newTab(t)
			s.properties = map[string]any{"p": "1"}
			const calls = `(list, into) => {
				const kept = name => result => into[name] = result;
				list.push(["addOfflineRequest", {name: "Anna"}, kept("request")], ["addVisitorInfo", {name: "Anna"}, kept("visitor")]);
				list.push(["hasProperty", "p", kept("has")]);
				list.push(["getProperty", "p", kept("get")]);
				list.push(["sitePhoneCall", {phone: "55"}, kept("call")]);
			}`
			s.page("/", `<script>var Svc = []; window.early = {}; (`+calls+`)(Svc, early);</script>`+insertion(""), "")
			b.visit(s.URL)
			b.until(`Object.keys(early).length === 5`)
			b.do(`window.late = {}; (` + calls + `)(Svc, late);`)
			b.until(`Object.keys(late).length === 5`)
			for _, results := range []string{"early", "late"} {
				require.Equal(t, []any{true, true, true, "1", true},
					value[any](b, `(r => [r.request.success, r.visitor.success, r.has.result, r.get.result, r.call.success])(`+results+`)`))
			}
		})
	}
}

// Methods of panels and callbacks stand in the site's own handlers. Without the part of the script that shows panels nothing throws, and callbacks are called.
func TestMethodsOfPartsThatAreNotThere(t *testing.T) {
	t.Parallel()
	for _, variant := range []string{"A", "B"} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			s, b := newScriptService(t, snippet.ScriptSettings{Objects: variantA.Objects, Variant: variant}), newTab(t)
			s.online, s.lost = true, "panels"
			s.page("/", insertion(""), `<button id=chat onclick="Svc.openChatWindow(); window.chat = true">Chat</button>
				<button id=call onclick="SvcWidget.openSitePhonePanel(); Svc.openSitePhonePanel(); Svc.openSiteRequestPanel(); window.call = true">Call</button>`)
			b.visit(s.URL)
			b.until(identified)
			b.do(`for (const button of document.querySelectorAll("button")) button.click();
				SvcWidget.sitePhoneCall({phone: "55"}); Svc.sitePhoneCall(); Svc.Captcha.get_captcha(); const {sitePhoneCall} = SvcWidget; sitePhoneCall({});`)
			require.True(t, value[bool](b, "chat && call"))
			for _, object := range []string{"Svc", "SvcWidget"} {
				require.Equal(t, map[string]any{"success": true, "result": map[string]any{"status": 0.0, "code": ""}},
					value[any](b, `await new Promise(done => `+object+`.sitePhoneCall({phone: "55"}, done))`), object)
				require.Equal(t, true, value[any](b, object+`.getOperatorStatus()`), object)
			}
			require.Equal(t, map[string]any{"key": "k", "url": s.URL + "/frontdesk/v1/captcha/k.png"}, value[any](b, `await new Promise(done => Svc.Captcha.get_captcha(done))`))
		})
	}
}

// Sites poll with isNaN, for which null is a number, and give up after a second and a half.
func TestIdsAreAbsentUntilTheyAreKnown(t *testing.T) {
	t.Parallel()
	for variant, absent := range map[string]string{"A": "key uri visitor_id hit_id session_id", "B": "visitor_id hit_id session_id"} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			s, b := newScriptService(t, snippet.ScriptSettings{Objects: variantA.Objects, Variant: variant}), newTab(t)
			release := make(chan struct{})
			s.intercept = func(a arrival, _ int) *reply { return &reply{release: release} }
			s.page("/", insertion(""), `<script>
				window.polls = [];
				const timer = setInterval(() => {
					if (!window.Svc) return;
					const known = !isNaN(Svc.getCredentials().hit_id);
					polls.push(known);
					if (known) clearInterval(timer);
				}, 10);</script>`)
			b.visit(s.URL)
			b.until("polls.length > 3")
			require.Equal(t, []any{"site_key", "consultant_server_url"}, value[any](b, "Object.keys(Svc.getCredentials())"))
			require.True(t, value[bool](b, `"`+absent+`".split(" ").every(name => Svc.getCredentials()[name] === undefined)`))
			require.True(t, value[bool](b, "Object.values(Svc.getCredentials()).every(Boolean)"))
			require.False(t, value[bool](b, "polls.includes(true)"))
			close(release)
			b.until("polls.includes(true)")
			require.EqualValues(t, 3001, value[any](b, "Svc.getCredentials().hit_id"))
		})
	}
}
