package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http/httpguts"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

// proof is JSON of the credentials, with the token of the browser beside them.
func proof(t testing.TB, v visitor) string {
	return dump(t, v.shown()) + `,"browser":` + dump(t, v.body["browser"])
}

// priceOfCall is that of a call over HTTP, with the client and the database in the same process. What it tells of a lead is
// any JSON, with a map for each object.
var priceOfCall = stepstest.Price{Each: stepstest.Cost{Walked: stepstest.Usual.Each.Walked, Allocated: 160}, Besides: stepstest.Cost{Walked: 64 << 10, Allocated: 4 << 20}}

// FuzzCalls holds that whatever is sent gets an answer that is none of a broken
// service, and of the form that send checks. {C}, {F} and {S} in a call stand for
// credentials as JSON, as a form and as vc/s/ takes them, {I} for an id, {T} for the token of a
// conversation's addresses.
func FuzzCalls(f *testing.F) {
	s := serve(f, dbtest.Open(f, dbtest.SQLite(f)), siteOf(variantA))
	v := s.visit()
	credentials, form := proof(f, v), v.form(variantA)
	token := s.script("chat", object{"credentials": v.credentials()}).body["stream"].(string)
	short := url.Values{"sk": {"shop"}, "ci": form["visitor_id"], "hi": form["hit_id"], "ur": form["uri"], "k": form["key"]}
	from := 0
	var longNames strings.Builder
	for i := range 200 {
		fmt.Fprintf(&longNames, `,"%s%d":1`, strings.Repeat("a", 1024), i)
	}

	const asJSON, asForm, chrome = "application/json", "application/x-www-form-urlencoded; charset=UTF-8", "Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0"
	for _, seed := range [][5]string{
		{"v1/hit", asJSON, `{"site_key":"shop","view":"{I}","url":"https://shop.example/?gclid=1&utm_source=a","referrer":"https://ya.ru/","title":"\u041b","kind":"load"}`, chrome, "svc_vid=1; a=b"},
		{"v1/event", asJSON, `{"hit":{"site_key":"shop","view":"{I}","url":"https://shop.example/#a","kind":"history"},"id":"{I}","category":"a","action":"b"}`, "Googlebot/2.1", "svc_vid=\"x"},
		{"v1/event", asJSON, `{"credentials":{C},"id":"{I}","category":"a","action":"b","name":"c","value":"d"}`, chrome, ""},
		{"v1/lead", asJSON, `{"credentials":{C},"id":"{I}","request":{"name":"Ann","phone":"+7 495 123-45-67","is_sale":true,"sale_cost":"1 500,50","user_fields":{"a":"b"}}}`, chrome, ""},
		{"v1/lead", asJSON, `{"credentials":{C},"id":"{I}","request":{"a":[` + strings.Repeat(`{"":0},`, 29_000) + "0]}}", chrome, ""},
		{"v1/lead", asJSON, `{"credentials":{C},"id":"{I}","request":{"name":"x"` + longNames.String() + "}}", chrome, ""},
		{"v1/visitor", asJSON, `{"credentials":{C},"id":"{I}","name":"Ann","email":"a@b.example","phone":"8 495 1234567"}`, chrome, ""},
		{"v1/crossing", asJSON, `{"credentials":{C},"browser":"1.2.3"}`, chrome, ""},
		{"v1/property", asJSON, `{"credentials":{C},"id":"{I}","name":"a","value":"b","delete":false}`, chrome, ""},
		{"v1/property", "application/json; charset=\"", `[[[[{"a":1e999}]]]]`, "", ""},
		{"api/add_offline_message/", asForm, `{F}&name=Ann&text=b&is_sale=1&sale_cost=1.5&user_fields[a]=b`, "PHP", ""},
		{"api/add_offline_message/", "application/x-www-form-urlencoded; charset=windows-1251", `{F}&name=%CE%EB%FF;a`, "", ""},
		{"api/add_offline_message/", "multipart/form-data; boundary=a", "--a\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nAnn\r\n--a--\r\n", "", ""},
		{"vc/s/?{S}&vn=Ann&ve=a%40b.example&vp=%2B74951234567&s=1", "", "", "", ""},
		{"vc/s/?sk=shop", asForm, "{S}&vn=%CE", "", ""},
		{"v1/status?k=shop", "", "", chrome, ""},
		{"v1/chat", asJSON, `{"credentials":{C},"after":1,"before":2,"conversation":0}`, chrome, ""},
		{"v1/chat/say", asJSON, `{"credentials":{C},"id":"{I}","conversation":1,"request":{"text":"\ud800<b>\u0000","invitation":"a","language":"ru\u0000","group_id":1}}`, chrome, ""},
		{"v1/chat/read", asJSON, `{"credentials":{C},"seq":9223372036854775807}`, chrome, ""},
		{"v1/chat/typing", asJSON, `{"credentials":{C}}`, chrome, ""},
		{"v1/chat/transcript", asJSON, `{"credentials":{C},"email":"a@b.example\r\nBcc: c@d"}`, chrome, ""},
		{"v1/chat/link", asJSON, `{"credentials":{C},"file":1}`, chrome, ""},
		{"v1/chat/send?t={T}&id={I}&name=..%2Fa%00%E2%80%AE.png&l=%ff&conversation=-1", "image/png", "\x89PNG\r\n\x1a\n<script>", chrome, ""},
		{"v1/chat/file?t={T}&f=1", "", "", chrome, ""},
		{"v1/%63hat/stream?t={T}", "", "", chrome, ""},
		{"v1/captcha", asJSON, `{"credentials":{C},"language":"ru"}`, chrome, ""},
		{"v1/captcha/AAAAAAAAAAAAAAAAAAAAAAAAAA.wav?l=x", "", "", chrome, ""},
		{"v1/widget?k=shop&l=ru", "", "", chrome, ""},
		{"v1/%68it/../..//?a=%zz;", "text/plain", "\xff\x00", "\xff", "=;,"},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], seed[4])
	}
	f.Fuzz(func(t *testing.T, route, contentType, body, agent, cookie string) {
		s.t = t
		if from%64 == 63 { // who has sent too much by now
			v = s.visit()
			credentials, form = proof(t, v), v.form(variantA)
			token = s.script("chat", object{"credentials": v.credentials()}).body["stream"].(string)
		}
		names := strings.NewReplacer("{T}", token, "{C}", credentials, "{F}", form.Encode(), "{S}", short.Encode(), "{I}", id())
		if address, err := url.Parse(s.url + names.Replace(route)); err != nil || strings.Contains(address.RawQuery, " ") {
			return // no client sends it, and net/http answers by itself
		} else if path := address.Path; body == "" && (strings.Contains(path, "/chat/") || strings.Contains(path, "/captcha/")) {
			return // a stream has no end, and files are no JSON
		}
		for _, value := range []string{contentType, agent, cookie} {
			if !httpguts.ValidHeaderFieldValue(value) {
				return
			}
		}
		method := http.MethodPost
		if body == "" {
			method = http.MethodGet
		}
		from++ // limits are by address
		var a answer
		sent := names.Replace(body)
		priceOfCall.Hold(t, len(route)+len(contentType)+len(sent)+len(agent)+len(cookie), func() {
			a = s.send(method, names.Replace(route), sent, "Content-Type", contentType, "User-Agent", agent, "Cookie", cookie,
				"From-Address", fmt.Sprintf("10.%d.%d.%d:1", from>>16&255, from>>8&255, from&255))
		})
		require.Less(t, a.status, http.StatusInternalServerError, a.raw)
		s.logs.TakeAll()
	})
}
