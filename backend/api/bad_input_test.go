package api_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// personal is in every bad request, and must be neither stored nor logged nor
// answered.
const personal = "eve-4951112233"

// Whatever is wrong with a call of the script: a clear error, nothing stored.
func TestBadScriptCalls(t *testing.T) {
	each(t, func(t *testing.T, s *desk, _ string) {
		v, other := s.visit(), s.visit()
		with := func(c object, changes ...any) object {
			changed := object{}
			maps.Copy(changed, c)
			for i := 0; i < len(changes); i += 2 {
				changed[changes[i].(string)] = changes[i+1]
			}
			return changed
		}
		event := object{"credentials": v.credentials(), "id": id(), "category": personal, "action": "a"}
		leadCall := object{"credentials": v.credentials(), "id": id(), "request": object{"name": personal}}
		property := object{"credentials": v.credentials(), "id": id(), "name": personal}
		contact := object{"credentials": v.credentials(), "id": id(), "name": personal}
		view := with(viewOf("https://shop.example/"), "title", personal)
		request := func(changes ...any) object {
			return with(leadCall, "request", with(object{"name": personal}, changes...))
		}

		before := s.rows()
		for name, test := range map[string]struct {
			route, code string
			status      int
			body        any
		}{
			"hit: unknown site key":             {"hit", "unknown_site", 404, with(view, "site_key", "other")},
			"hit: no site key":                  {"hit", "unknown_site", 404, with(view, "site_key", nil)},
			"hit: a site key that is a number":  {"hit", "wrong_type", 400, with(view, "site_key", 7)},
			"hit: no view id":                   {"hit", "wrong_type", 400, with(view, "view", "")},
			"hit: a view id of other letters":   {"hit", "wrong_type", 400, with(view, "view", "0123456789abcdef+/")},
			"hit: a view id without end":        {"hit", "wrong_type", 400, with(view, "view", strings.Repeat("v", 65))},
			"hit: a served id of other letters": {"hit", "wrong_type", 400, with(view, "served", "0123456789abcdef+/")},
			"hit: a view id as array":           {"hit", "wrong_type", 400, with(view, "view", []string{id()})},
			"hit: no address":                   {"hit", "wrong_type", 400, with(view, "url", "")},
			"hit: a script as address":          {"hit", "wrong_type", 400, with(view, "url", "javascript:alert(1)")},
			"hit: an address without host":      {"hit", "wrong_type", 400, with(view, "url", "https:///lamps")},
			"hit: an address as object":         {"hit", "wrong_type", 400, with(view, "url", object{"href": "https://shop.example/"})},
			"hit: NUL in the address":           {"hit", "malformed_text", 400, with(view, "url", "https://shop.example/\x00")},
			"hit: NUL in the title":             {"hit", "malformed_text", 400, with(view, "title", "a\x00")},
			"hit: NUL in the referrer":          {"hit", "malformed_text", 400, with(view, "referrer", "https://\x00")},
			"hit: unknown kind":                 {"hit", "wrong_type", 400, with(view, "kind", "unload")},
			"hit: an array":                     {"hit", "wrong_type", 400, []any{view}},
			"hit: a text":                       {"hit", "wrong_type", 400, "hit"},

			"visitor: nothing, with a view of its own": {"visitor", "empty", 400, object{"hit": view, "id": id()}},
			"visitor: spaces, with a view of its own":  {"visitor", "empty", 400, object{"hit": view, "id": id(), "name": " "}},
			"lead: nothing, with a view of its own":    {"lead", "empty", 400, object{"hit": view, "id": id(), "request": object{}}},

			"no credentials":              {"event", "missing", 400, with(event, "credentials", nil)},
			"credentials as text":         {"event", "wrong_type", 400, with(event, "credentials", "c")},
			"credentials as array":        {"event", "wrong_type", 400, with(event, "credentials", []any{v.credentials()})},
			"credentials of another site": {"event", "unknown_site", 404, with(event, "credentials", with(v.credentials(), "site_key", "other"))},
			"no key":                      {"lead", "forged", 403, with(leadCall, "credentials", with(v.credentials(), "key", ""))},
			"another's key":               {"lead", "forged", 403, with(leadCall, "credentials", with(v.credentials(), "key", other.body["key"]))},
			"another visitor":             {"lead", "forged", 403, with(leadCall, "credentials", with(v.credentials(), "visitor_id", other.body["visitor_id"]))},
			"another session":             {"lead", "forged", 403, with(leadCall, "credentials", with(v.credentials(), "session_id", other.body["session_id"]))},
			"another hit":                 {"lead", "forged", 403, with(leadCall, "credentials", with(v.credentials(), "hit_id", other.body["hit_id"]))},
			"another address":             {"lead", "forged", 403, with(leadCall, "credentials", with(v.credentials(), "uri", "https://shop.example/x"))},
			"no visitor":                  {"lead", "forged", 403, with(leadCall, "credentials", with(v.credentials(), "visitor_id", 0))},
			"a negative hit":              {"lead", "forged", 403, with(leadCall, "credentials", with(v.credentials(), "hit_id", -1))},
			"an id beyond all ids":        {"lead", "forged", 403, with(leadCall, "credentials", with(v.credentials(), "hit_id", 1<<53))},
			"an id that is a text":        {"lead", "wrong_type", 400, with(leadCall, "credentials", with(v.credentials(), "hit_id", "1"))},
			"an id with a fraction":       {"lead", "wrong_type", 400, with(leadCall, "credentials", with(v.credentials(), "hit_id", 1.5))},
			"a view of another site":      {"lead", "unknown_site", 404, with(leadCall, "credentials", nil, "hit", with(view, "site_key", "other"))},
			"no call id":                  {"lead", "wrong_type", 400, with(leadCall, "id", "")},
			"a call id that is a number":  {"lead", "wrong_type", 400, with(leadCall, "id", 5)},
			"a call id with a blank":      {"event", "wrong_type", 400, with(event, "id", "0123456789 0123456789")},

			"event: no category":       {"event", "missing", 400, with(event, "category", "")},
			"event: no action":         {"event", "missing", 400, with(event, "action", nil)},
			"event: a number as value": {"event", "wrong_type", 400, with(event, "value", 5)},
			"event: NUL":               {"event", "malformed_text", 400, with(event, "name", "\x00")},

			"property: no name":              {"property", "missing", 400, with(property, "name", "")},
			"property: an array as value":    {"property", "wrong_type", 400, with(property, "value", []string{"a"})},
			"property: deleting as a text":   {"property", "wrong_type", 400, with(property, "delete", "yes")},
			"visitor: nothing filled":        {"visitor", "empty", 400, with(contact, "name", "")},
			"visitor: a phone as number":     {"visitor", "wrong_type", 400, with(contact, "phone", 74951112233)},
			"visitor: a name without end":    {"visitor", "too_long", 400, with(contact, "name", strings.Repeat("n", 1025))},
			"visitor: NUL":                   {"visitor", "malformed_text", 400, with(contact, "email", "a\x00@b.example")},
			"lead: no request":               {"lead", "missing", 400, with(object{"credentials": v.credentials(), "id": id()})},
			"lead: null":                     {"lead", "wrong_type", 400, with(leadCall, "request", nil)},
			"lead: a text":                   {"lead", "wrong_type", 400, with(leadCall, "request", personal)},
			"lead: an array":                 {"lead", "wrong_type", 400, with(leadCall, "request", []string{personal, personal})},
			"lead: nothing filled":           {"lead", "empty", 400, with(leadCall, "request", object{"name": "", "phone": "-", "email": nil})},
			"lead: a cost without a sale":    {"lead", "sale_cost_without_sale", 400, request("sale_cost", "100")},
			"unknown route":                  {"leads", "unknown_route", 404, leadCall},
			"a script's route with a slash":  {"lead/", "unknown_route", 404, leadCall},
			"a route above its root":         {"../v1/lead/x", "unknown_route", 404, leadCall},
			"body too large":                 {"lead", "too_large", 413, request("message", strings.Repeat("m", 1<<20))},
			"body too large, credentials ok": {"event", "too_large", 413, with(event, "value", strings.Repeat("m", 64<<10))},
		} {
			a := s.script(test.route, test.body, "Cookie", v.cookie)
			require.Equal(t, test.status, a.status, "%s: %s", name, a.raw)
			require.Equal(t, test.code, a.code(), "%s: %s", name, a.raw)
			require.NotContains(t, a.raw, personal, name)
			require.Empty(t, a.header.Get("Set-Cookie"), name)
		}
		for name, content := range map[string]string{
			"malformed_json": `{"site_key":"shop",`,
			"malformed_text": "{\"site_key\":\"shop\",\"title\":\"\xff\xfe\"}",
			"wrong_type":     `[]`,
		} {
			a := s.send(http.MethodPost, "v1/hit", content, "Content-Type", "application/json")
			require.Equal(t, 400, a.status)
			require.Equal(t, name, a.code())
		}
		for _, content := range []string{"", "null", "{}", `{"site_key":"shop"} {}`, strings.Repeat("[", 60000)} {
			a := s.send(http.MethodPost, "v1/hit", content, "Content-Type", "application/json; charset=utf-8")
			require.False(t, a.body["success"].(bool), content)
		}
		for _, contentType := range []string{"", "text/plain", "text/plain;charset=UTF-8", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b", "application/jsonp", "application/json/x"} {
			a := s.script("lead", leadCall, "Content-Type", contentType)
			require.Equal(t, 415, a.status, contentType)
			require.Equal(t, "wrong_content_type", a.code())
		}
		for _, route := range []string{"hit", "event", "lead", "visitor", "property"} {
			for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete, http.MethodPatch, "BREW"} {
				a := s.send(method, "v1/"+route, "")
				require.Equal(t, 405, a.status)
				require.Equal(t, "method_not_allowed", a.code())
				require.Equal(t, "POST, OPTIONS", a.header.Get("Allow"))
			}
		}
		require.Equal(t, before, s.rows(), "nothing is stored")
		for _, entry := range s.logs.All() {
			t.Errorf("logged: %s %v", entry.Message, entry.ContextMap())
		}
	})
}

// Whatever is wrong with a server's call: an answer that PHP can read.
func TestBadServerCalls(t *testing.T) {
	each(t, func(t *testing.T, s *desk, variant string) {
		v := s.visit()
		forgedOr := func(code string) string {
			if variant == variantA {
				return "forged"
			}
			return code
		}
		before := s.rows()
		for name, test := range map[string]struct {
			code   string
			fields []string
		}{
			"unknown site key":         {"unknown_site", []string{"site_key", "other"}},
			"no visitor":               {"missing", []string{"visitor_id", ""}},
			"a visitor that is a text": {"wrong_type", []string{"visitor_id", personal}},
			"a negative hit":           {"wrong_type", []string{"hit_id", "-5"}},
			"no hit at all":            {"wrong_type", []string{"hit_id", "0"}},
			"a session beyond all ids": {"wrong_type", []string{"session_id", "9007199254740992"}},
			"a hit of nobody":          {forgedOr("foreign_ids"), []string{"hit_id", "5"}},
			"nothing filled":           {"empty", []string{"name", "", "phone", "-"}},
			"a cost without a sale":    {"sale_cost_without_sale", []string{"sale_cost", "100", "is_sale", "0"}},
		} {
			form := v.form(variant, append([]string{"name", personal}, test.fields...)...)
			a := s.server("api/add_offline_message/", form)
			require.Equal(t, 200, a.status, "%s: %s", name, a.raw)
			require.Equal(t, test.code, a.code(), "%s: %s", name, a.raw)
			require.NotContains(t, a.raw, personal)
		}
		form := v.form(variant, "name", personal)
		form.Add("visitor_id", text(v.body["visitor_id"]))
		require.Equal(t, "wrong_type", s.server("api/add_offline_message/", form).code())

		a := s.send(http.MethodGet, "vc/s/?vn=%zz", "")
		require.Equal(t, 200, a.status)
		require.Equal(t, "malformed_form", a.code())

		a = s.server("api/add_offline_message/", v.form(variant, "text", strings.Repeat("m", 1<<20)))
		require.Equal(t, 413, a.status)
		require.Equal(t, "too_large", a.code())
		for _, contentType := range []string{"application/json", "text/plain", "multipart/form-data; boundary=b"} {
			a := s.server("api/add_offline_message/", v.form(variant, "name", personal), "Content-Type", contentType)
			require.Equal(t, 415, a.status)
			require.Equal(t, "wrong_content_type", a.code())
		}
		a = s.send(http.MethodGet, "api/add_offline_message/?"+v.form(variant, "name", personal).Encode(), "")
		require.Equal(t, 405, a.status)
		require.Equal(t, "POST, OPTIONS", a.header.Get("Allow"))
		require.Equal(t, "GET, POST, OPTIONS", s.send(http.MethodPut, "vc/s/", "").header.Get("Allow"))
		require.Equal(t, 404, s.server("api/add_offline_messages/", v.form(variant, "name", personal)).status)
		require.Equal(t, 404, s.server("", v.form(variant, "name", personal)).status)

		require.Equal(t, before, s.rows(), "nothing is stored")
		require.Empty(t, s.logs.All())
	})
}

// A body of unknown length is bounded just the same, and one that breaks off is
// not taken for whole.
func TestBodiesOfUnknownLength(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	s := serve(t, d, siteOf(variantB))
	send := func(body io.Reader) (*http.Response, error) {
		r, err := http.NewRequest(http.MethodPost, s.url+"v1/hit", body)
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		return http.DefaultClient.Do(r)
	}
	response, err := send(io.MultiReader(strings.NewReader(`{"title":"`), bytes.NewReader(bytes.Repeat([]byte("t"), 65<<10)), strings.NewReader(`"}`)))
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, 413, s.read(response).status)

	view := dump(t, viewOf("https://shop.example/"))
	response, err = send(io.MultiReader(strings.NewReader(view[:20]), strings.NewReader(view[20:])))
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, 200, s.read(response).status)

	before := s.rows()
	_, err = send(io.MultiReader(strings.NewReader(view), brokenOff{}))
	require.Error(t, err)
	require.Equal(t, before, s.rows())
}

type brokenOff struct{}

func (brokenOff) Read([]byte) (int, error) { return 0, errors.New("the line is dead") }

// A database that is gone is told as such, without its own words.
func TestDatabaseGone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := serve(t, d, siteOf(variantA))
		v := s.visit()
		require.NoError(t, d.Close())
		for i := range 20 {
			a := s.script("lead", object{"credentials": v.credentials(), "id": id(), "request": object{"name": personal}})
			require.Equal(t, 503, a.status)
			require.Equal(t, "unavailable", a.code())
			require.Equal(t, object{"code": "unavailable"}, a.body["result"])
			require.Equal(t, "2", a.header.Get("Retry-After"))
			for _, internal := range []string{"sql", "closed", "database"} {
				require.NotContains(t, a.raw, internal, fmt.Sprint(i))
			}
		}
		require.Equal(t, 503, s.server("api/add_offline_message/", v.form(variantA, "name", personal)).status)
		require.NotEmpty(t, s.logs.All())
		require.Less(t, s.logs.Len(), 20, "an outage does not flood the log")
		for _, entry := range s.logs.All() {
			require.NotContains(t, fmt.Sprint(entry.ContextMap()), personal)
		}
	})
}
