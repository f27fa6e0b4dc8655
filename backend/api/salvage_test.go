package api_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/refused"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

const visitorsPhone = "+7 495 123-45-67"

// salvaged is what is wrong about a lead whose phone is good, and which field is noted.
var salvaged = map[string]struct {
	name, value any
	field, code string
}{
	"a group with a name":     {"group_id", "sales", "group_id", "wrong_type"},
	"user fields as text":     {"user_fields", "city=Oslo", "user_fields", "wrong_type"},
	"a cost with a currency":  {"sale_cost", "1 500 руб.", "sale_cost", "wrong_sale_cost"},
	"a name without end":      {"name", strings.Repeat("n", 1100), "name", "too_long"},
	"a name with NUL":         {"name", "A\x00nn", "name", "malformed_text"},
	"NUL in a field":          {"city", "Os\x00lo", "user_fields", "malformed_text"},
	"a message of 70 KB":      {"message", strings.Repeat("m", 70<<10), "", ""},
	"a message of whole MB":   {"message", strings.Repeat("m", 1<<20-1500), "", ""},
	"an unclear sale":         {"is_sale", "perhaps", "is_sale", "wrong_type"},
	"a NUL in a field's name": {"to\x00wn", "Oslo", "user_fields", "malformed_text"},
}

// A lead with a usable phone is stored, whatever else is wrong about it.
func TestNoLeadIsLostForASideField(t *testing.T) {
	each(t, func(t *testing.T, s *desk, variant string) {
		for name, test := range salvaged {
			fields := object{"phone": visitorsPhone, "is_sale": true, test.name.(string): test.value}
			for way, send := range map[string]func(visitor) answer{
				"script": func(v visitor) answer {
					return s.script("lead", object{"credentials": v.credentials(), "id": id(), "request": fields})
				},
				"server": func(v visitor) answer {
					return s.server("api/add_offline_message/", v.form(variant, "phone", visitorsPhone, "is_sale", "1", test.name.(string), test.value.(string)))
				},
			} {
				a := send(s.visit())
				require.Equal(t, 200, a.status, "%s %s: %s", way, name, a.raw)
				require.Equal(t, true, a.body["success"], "%s %s: %s", way, name, a.raw)
				result, told := a.body["result"]
				require.Nil(t, result)
				require.Equal(t, way == "script", told)
				if test.field == "" {
					require.NotContains(t, a.body, "notes")
				} else {
					notes := a.body["notes"].([]any)
					require.Len(t, notes, 1, "%s %s: %s", way, name, a.raw)
					note := notes[0].(object)
					require.Equal(t, test.field, note["field"])
					require.Equal(t, test.code, note["code"])
					require.NotContains(t, note["note"], "Os")
				}
				got := s.stored()[0]
				require.Equal(t, visitorsPhone, got.Phone, name)
				require.Equal(t, way, got.Origin)
			}
		}
		require.Len(t, s.stored(), 2*len(salvaged))
	})
}

// What a server did not encode well is taken as it is.
func TestFormsThatAreNotWellFormed(t *testing.T) {
	each(t, func(t *testing.T, s *desk, variant string) {
		v := s.visit()
		for text, expected := range map[string]string{
			"text=100%+sure":         "100%+sure",
			"text=%D0%B0%FF":         "а\ufffd",
			"text=one;two":           "one;two",
			"text=%00nothing":        "nothing",
			"text=a&%zz=b&&=&city=X": "a",
		} {
			a := s.send(http.MethodPost, "api/add_offline_message/", v.form(variant, "phone", visitorsPhone).Encode()+"&"+text,
				"Content-Type", "application/x-www-form-urlencoded")
			require.Equal(t, true, a.body["success"], a.raw)
			require.Equal(t, expected, s.stored()[0].Message)
		}
		form := v.form(variant, "name", "Ann", "phone", visitorsPhone)
		form.Add("name", "Bo")
		require.Equal(t, true, s.server("api/add_offline_message/", form).body["success"])
		require.Equal(t, "Ann", s.stored()[0].Name)
		require.Equal(t, map[string]string{"name": `["Ann","Bo"]`}, s.stored()[0].UserFields)

		// A key that is too long is still one key.
		for range 2 {
			a := s.server("api/add_offline_message/", v.form(variant, "name", personal), "Idempotency-Key", strings.Repeat("k", 300))
			require.Equal(t, added, a.raw)
		}
		a := s.server("api/add_offline_message/", v.form(variant, "name", personal), "Idempotency-Key", strings.Repeat("k", 301))
		require.Equal(t, added, a.raw)
		require.Len(t, s.stored(), 8)
	})
}

// What is refused is kept with its reason, whoever sent it, and nothing of it is told
// to anybody who calls.
func TestRefusedLeadsAreKept(t *testing.T) {
	each(t, func(t *testing.T, s *desk, variant string) {
		v, other := s.visit(), s.visit()
		kept := func() []refused.Refusal {
			require.NoError(t, s.refusals.Write(t.Context()))
			list, err := s.refusals.List(t.Context(), scope.Of(siteID), lead.Cursor{}, 100)
			require.NoError(t, err)
			return list
		}
		before := s.rows()
		a := s.server("api/add_offline_message/", v.form(variant, "phone", visitorsPhone, "sale_cost", "500", "city", "Oslo"))
		require.Equal(t, "sale_cost_without_sale", a.code())
		require.Equal(t, before, s.rows(), "a refused call does not write")
		list := kept()
		require.Len(t, list, 1)
		require.Equal(t, v.ref(), list[0].Ref, "the sender has proved it")
		require.Equal(t, lead.Server, list[0].Origin)
		require.Equal(t, "sale_cost_without_sale", list[0].Code)
		require.Equal(t, a.body["error"], list[0].Reason)
		require.Equal(t, "RU", list[0].Region)
		require.NotEmpty(t, list[0].URL)
		require.Equal(t, "127.0.0.0/24", list[0].Address, "no more of it is needed")
		var sent url.Values
		require.NoError(t, json.Unmarshal(list[0].Sent, &sent))
		require.Equal(t, "Oslo", sent.Get("city"))

		s.server("api/add_offline_message/", v.form(variant, "phone", visitorsPhone, "hit_id", text(other.body["hit_id"])))
		list = kept()
		require.Len(t, list, 2)
		require.Contains(t, []string{"forged", "foreign_ids"}, list[0].Code)
		require.Zero(t, list[0].Ref, "nobody has proved it")

		s.send(http.MethodPost, "api/add_offline_message/", `{"phone":"+7 495 765-43-21"}`, "Content-Type", "application/json")
		list = kept()
		require.Len(t, list, 3)
		require.Equal(t, "wrong_content_type", list[0].Code)
		require.JSONEq(t, `{"phone":"+7 495 765-43-21"}`, string(list[0].Sent))
		s.send(http.MethodPost, "api/add_offline_message/", "--b\r\nphone", "Content-Type", "multipart/form-data; boundary=b")
		require.JSONEq(t, `{"body":"--b\r\nphone"}`, string(kept()[0].Sent))

		s.script("lead", object{"credentials": v.credentials(), "id": id(), "request": object{"sale_cost": 5, "phone": visitorsPhone}})
		list = kept()
		require.Len(t, list, 5)
		require.Equal(t, lead.Script, list[0].Origin)
		require.Regexp(t, "^visitor [0-9a-z]+$", list[0].Address, "a visitor's address is not stored")
		require.Equal(t, v.ref(), list[0].Ref)

		// Who has not agreed, calls too often or from elsewhere, leaves nothing behind.
		s.script("lead", object{"credentials": v.credentials(), "id": id(), "request": object{}}, "Origin", "https://evil.example")
		s.send(http.MethodGet, "api/add_offline_message/?phone=1", "")
		s.server("vc/s/", url.Values{"vp": {visitorsPhone}})
		require.Len(t, kept(), 5)

		for _, r := range list {
			l, err := s.refusals.TakeOver(t.Context(), siteID, r.ID)
			if r.Code == "wrong_content_type" && strings.Contains(string(r.Sent), "body") {
				require.NoError(t, err)
				require.Equal(t, map[string]string{"body": "--b\r\nphone"}, l.UserFields)
				continue
			}
			require.NoError(t, err)
			require.NotEmpty(t, l.PhoneDigits)
			require.Equal(t, r.Ref, l.Ref)
		}
		require.Len(t, s.stored(), 4, "what the visitor's script and server have sent with one phone is one request")
	})
}

// Consent is asked for before anything is kept.
func TestRefusedForConsentIsNotKept(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		site := siteOf(variantA)
		site.Consent.Cookie = "agreed"
		s := serve(t, d, site)
		s.script("lead", object{"id": id(), "request": object{"phone": visitorsPhone}})
		form := url.Values{"phone": {visitorsPhone}, "visitor_id": {"1"}, "hit_id": {"2"}, "session_id": {"3"}}
		s.server("api/add_offline_message/", form)
		require.NoError(t, s.refusals.Write(t.Context()))
		require.Equal(t, map[string]int{gate.UnkeptCall: 1, gate.UnkeptRefused: 1}, s.counted.unkept)
		list, err := s.refusals.List(t.Context(), scope.Of(siteID), lead.Cursor{}, 100)
		require.NoError(t, err)
		require.Empty(t, list)
	})
}
