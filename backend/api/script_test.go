package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// The answer to a hit is what getCredentials needs: truthy fields, with nothing
// in them that ends a cookie's value.
func TestHitGivesCredentials(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := serve(t, d, siteOf(variantA))
		v := s.open(viewOf("https://shop.example/caf\u00e9 bar;a|b?q=1&x=%zz#part"), "")
		require.Equal(t, "shop", v.body["site_key"])
		require.Equal(t, "https://shop.example/caf%C3%A9%20bar%3Ba%7Cb?q=1&x=%zz", v.body["uri"])
		require.Regexp(t, `^[A-Za-z0-9_-]{16,}$`, v.body["key"])
		for _, name := range []string{"visitor_id", "hit_id", "session_id"} {
			require.Positive(t, v.number(name))
			require.Less(t, v.number(name), int64(1)<<53)
		}
		require.Equal(t, strings.Replace(s.url, "http://", "https://", 1), v.body["consultant_server_url"], "as the page's own scheme says")
		require.Equal(t, false, v.body["online"])
		require.Equal(t, object{}, v.body["properties"])
		require.Equal(t, 1, s.counted.views)

		plain := s.open(viewOf("http://shop.example/"), "")
		require.Equal(t, s.url, plain.body["consultant_server_url"])
	})
}

// A page view is answered whatever becomes of its numbers: null leaves those that the page has.
func TestHitTellsNumbers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		require.NotContains(t, serve(t, d, siteOf(variantA)).visit().body, "numbers")
		site := siteOf(variantA)
		var asked []visit.View
		answers := []struct {
			records string
			err     error
		}{{`[{"id":"number=1","text":"<1>"}]`, nil}, {`[]`, nil}, {"", errors.New("no database")}}
		site.Numbers = func(_ context.Context, stored visit.View) (json.RawMessage, error) {
			asked = append(asked, stored)
			a := answers[len(asked)-1]
			return json.RawMessage(a.records), a.err
		}
		s := serve(t, d, site)
		v := s.visit()
		require.Equal(t, []any{object{"id": "number=1", "text": "<1>"}}, v.body["numbers"])
		require.NotContains(t, v.raw, "<")
		require.Equal(t, v.ref(), asked[0].Ref)
		require.Equal(t, "news", asked[0].Came.Source)
		require.Equal(t, []any{}, s.open(viewOf("https://shop.example/"), v.cookie).body["numbers"])
		failed := s.open(viewOf("https://shop.example/"), v.cookie)
		require.Contains(t, failed.raw, `"numbers":null`)
		require.Equal(t, 1, s.logs.FilterMessage("numbers of a visitor could not be chosen").Len())
	})
}

func TestVisitorCookie(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := serve(t, d, siteOf(variantA))
		first := s.visit()
		set := first.header.Get("Set-Cookie")
		require.Regexp(t, `^__Host-svc_v=[0-9]+\.[A-Za-z0-9_-]+; Path=/; Max-Age=34560000; HttpOnly; Secure; SameSite=Lax$`, set)
		plain := s.open(viewOf("http://shop.example/"), "").header.Get("Set-Cookie")
		require.Regexp(t, `^svc_v=[0-9]+\.[A-Za-z0-9_-]+; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax$`, plain)

		again := s.open(viewOf("https://shop.example/about"), first.cookie)
		require.Equal(t, first.body["visitor_id"], again.body["visitor_id"])
		require.Equal(t, first.body["session_id"], again.body["session_id"])
		require.NotEqual(t, first.body["hit_id"], again.body["hit_id"])
		require.Equal(t, first.cookie, again.cookie)

		for _, forged := range []string{first.cookie + "x", "svc_v=" + text(first.body["visitor_id"]), "svc_v=1.a", "svc_v=", "svc_v=\xff", "svc_v"} {
			stranger := s.open(viewOf("https://shop.example/"), forged)
			require.NotEqual(t, first.body["visitor_id"], stranger.body["visitor_id"], forged)
		}
		a := s.script("event", object{"credentials": first.credentials(), "id": id(), "category": "shop", "action": "look"})
		require.Equal(t, 200, a.status, a.raw)
		require.Empty(t, a.header.Get("Set-Cookie"))
	})
}

// Cookies of the same name, which other paths and neighbouring hosts set, hide nobody.
func TestTheGenuineCookieCounts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := serve(t, d, siteOf(variantA))
		elsewhere := siteOf(variantA)
		elsewhere.ID = 8
		first, tossed, foreign := s.visit(), s.visit(), serve(t, d, elsewhere).visit()
		_, own, _ := strings.Cut(first.cookie, "=")
		_, other, _ := strings.Cut(tossed.cookie, "=")
		_, strange, _ := strings.Cut(foreign.cookie, "=")
		again := func(cookie string) visitor { return s.open(viewOf("https://shop.example/about"), cookie) }
		for _, cookie := range []string{
			"svc_v=1; svc_v=" + own, "svc_v=" + own + "; svc_v=1", "svc_v=; a=b;svc_v=" + own + ";svc_v", "svc_v=" + strange + "; svc_v=" + own,
			"svc_v=" + own[:len(own)-1] + "; svc_v=" + own, "__Host-svc_v=" + strange + "; svc_v=" + own, "__Host-svc_v=1; __Host-svc_v=" + own,
			"svc_v=" + own + "; svc_v=" + other, "svc_v=" + other + "; __Host-svc_v=" + own, "svc_vv=" + other + "; xsvc_v=" + other + "; svc_v=" + own,
			strings.Repeat("svc_v=1.AAAAAAAAAAAAAAAAAAAAAA; ", 2000) + "svc_v=" + own,
		} {
			require.Equal(t, first.body["visitor_id"], again(cookie).body["visitor_id"], cookie)
		}
		require.Equal(t, "__Host-svc_v="+own, again("svc_v="+own).cookie, "the cookie of earlier days gets the new name")
		plain := s.open(viewOf("http://shop.example/"), "svc_v=1; svc_v="+own)
		require.Equal(t, "svc_v="+own, plain.cookie)
	})
}

// The same view reported twice is one hit.
func TestRepeatedView(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := serve(t, d, siteOf(variantA))
		view := viewOf("https://shop.example/")
		first := s.open(view, "")
		again := s.open(view, first.cookie)
		require.Equal(t, first.shown(), again.shown())
	})
}

// A new visitor's page that is left at once sends its view with every call that
// is under way, and has no cookie yet: that is one visitor all the same.
func TestViewOfAPageThatIsLeft(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := serve(t, d, siteOf(variantA))
		view := viewOf("https://shop.example/")
		var wait sync.WaitGroup
		wait.Go(func() { s.script("hit", view) })
		for range 8 {
			wait.Go(func() { s.script("lead", object{"hit": view, "id": id(), "request": object{"name": "Ann"}}) })
			wait.Go(func() { s.script("event", object{"hit": view, "id": id(), "category": "shop", "action": "look"}) })
		}
		wait.Wait()
		again := s.open(view, "")
		require.Len(t, s.stored(), 8)
		for _, l := range s.stored() {
			require.Equal(t, again.ref(), l.Ref)
		}
		require.Equal(t, int64(1), s.rows()["views"])
		require.Equal(t, int64(1), s.rows()["visitors"])
		require.Equal(t, 1, s.counted.views)

		elsewhere := s.open(viewOf("https://shop.example/"), "")
		require.NotEqual(t, again.body["visitor_id"], elsewhere.body["visitor_id"])
	})
}

// Each call works with the credentials of the page, and also with the view in
// their place, when the page is left before its hit was answered.
func TestCalls(t *testing.T) {
	each(t, func(t *testing.T, s *desk, _ string) {
		for _, early := range []bool{false, true} {
			view := viewOf("https://shop.example/lamps")
			v := s.open(view, "")
			call := func(route string, body object) {
				t.Helper()
				body["id"] = id()
				if early {
					body["hit"] = view
				} else {
					body["credentials"] = v.credentials()
				}
				a := s.script(route, body, "Cookie", v.cookie)
				require.Equal(t, 200, a.status, a.raw)
				require.Equal(t, true, a.body["success"])
			}
			call("event", object{"category": "shop", "action": "look", "name": nil, "value": "3"})
			call("property", object{"name": "size", "value": "L"})
			call("property", object{"name": "member"})
			call("property", object{"name": "gone", "value": "x"})
			call("property", object{"name": "gone", "delete": true})
			call("visitor", object{"name": "Ann", "email": "ann@mail.example", "phone": "8 (495) 123-45-67"})
			call("lead", object{"request": object{"name": "Ann", "phone": "8 (495) 765-43-21", "city": "Oslo"}})

			again := s.open(viewOf("https://shop.example/lamps"), v.cookie)
			require.Equal(t, object{"size": "L", "member": nil}, again.body["properties"])
			require.Equal(t, v.body["visitor_id"], again.body["visitor_id"])

			stored := s.stored()[0]
			require.Equal(t, v.ref(), stored.Ref)
			require.Equal(t, int64(siteID), stored.SiteID)
			require.Equal(t, lead.Script, stored.Origin)
			require.Equal(t, "Ann", stored.Name)
			require.Equal(t, "8 (495) 765-43-21", stored.Phone)
			require.Equal(t, "74957654321", stored.PhoneDigits)
			require.Equal(t, map[string]string{"city": "Oslo"}, stored.UserFields)
			require.Equal(t, "https://shop.example/lamps", stored.URL)
		}
		require.Equal(t, map[string]int{lead.Script: 2}, s.counted.leads)
	})
}

// The answer of a lead is the documented result object.
func TestLeadAnswers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := serve(t, d, siteOf(variantB))
		v := s.visit()
		a := s.script("lead", object{"credentials": v.credentials(), "id": id(), "request": object{"message": "A lamp"}})
		require.JSONEq(t, `{"success":true,"result":null}`, a.raw)
		a = s.script("lead", object{"credentials": v.credentials(), "id": id(), "request": object{"name": "-"}})
		require.Equal(t, 400, a.status)
		require.Equal(t, object{"code": "empty"}, a.body["result"])
		require.Equal(t, "empty", a.code())
		require.Len(t, s.stored(), 1)
		require.Equal(t, "news", s.stored()[0].Source.Source)
	})
}

// A call that is delivered again is one lead, however the deliveries race.
func TestRepeatedLead(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := serve(t, d, siteOf(variantA))
		v := s.visit()
		body := object{"credentials": v.credentials(), "id": id(), "request": object{"name": "Ann"}}
		var wait sync.WaitGroup
		for range 24 {
			wait.Go(func() {
				if a := s.script("lead", body); a.status != 200 || a.raw != `{"success":true,"result":null}` {
					t.Errorf("%d %s", a.status, a.raw)
				}
			})
		}
		wait.Wait()
		require.Len(t, s.stored(), 1)
		require.Equal(t, map[string]int{lead.Script: 1}, s.counted.leads)

		body["id"] = id()
		require.Equal(t, 200, s.script("lead", body).status)
		require.Len(t, s.stored(), 2, "another call is another lead")
	})
}

// An id names a call among those of its visitor: whoever else sends the same id takes nothing away.
func TestCallIDIsTheVisitorsOwn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := serve(t, d, siteOf(variantA))
		returning := s.visit()
		shared := viewOf("https://shop.example/lamps")
		visitors := []visitor{s.open(shared, returning.cookie), s.open(shared, s.visit().cookie), s.visit()}
		require.NotEqual(t, visitors[0].body["hit_id"], visitors[1].body["hit_id"], "the id of a view, too")
		call := id()
		for range 2 {
			for _, v := range visitors {
				for route, body := range map[string]object{
					"lead":     {"request": object{"name": "Ann"}},
					"event":    {"category": "shop", "action": "look"},
					"property": {"name": "size", "value": "L"},
					"visitor":  {"name": "Ann"},
				} {
					body["credentials"], body["id"] = v.credentials(), call
					a := s.script(route, body, "Cookie", v.cookie)
					require.Equal(t, 200, a.status, a.raw)
				}
			}
		}
		require.Len(t, s.stored(), len(visitors))
		for _, v := range visitors {
			card, err := s.visits.Card(t.Context(), siteID, v.ref().Visitor)
			require.NoError(t, err)
			require.Equal(t, "Ann", card.Name)
			require.Len(t, card.Properties, 1)
			require.Len(t, card.Visits[0].Events, 1)
			leads, err := s.leads.OfVisitor(t.Context(), siteID, v.ref().Visitor, 10)
			require.NoError(t, err)
			require.Len(t, leads, 1)
		}
	})
}

// A lead makes its sender's contacts known.
func TestLeadAddsContacts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := serve(t, d, siteOf(variantA))
		v := s.visit()
		a := s.script("lead", object{"credentials": v.credentials(), "id": id(), "request": object{"name": "Ann", "email": "ann@mail.example", "phone": "8 (495) 123-45-67"}})
		require.Equal(t, 200, a.status, a.raw)
		card, err := s.visits.Card(t.Context(), siteID, v.ref().Visitor)
		require.NoError(t, err)
		require.Contains(t, dump(t, card), "ann@mail.example")
		require.Contains(t, dump(t, card), "74951234567")
	})
}

func TestStatus(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := serve(t, d, siteOf(variantA))
		require.JSONEq(t, `{"success":true,"online":false}`, s.send(http.MethodGet, "v1/status?k=shop", "").raw)
		account, err := s.operators.Create(t.Context(), operator.Server(), operator.Account{Sites: scope.All(), Login: "olga", Password: "a long enough secret", Role: operator.Agent})
		require.NoError(t, err)
		lease, err := s.presence.Arrive(t.Context(), account.ID)
		require.NoError(t, err)
		s.clock.Add(int64(2 * time.Second)) // answers may be a second old
		require.JSONEq(t, `{"success":true,"online":true}`, s.send(http.MethodGet, "v1/status?k=shop", "").raw)
		require.Equal(t, true, s.visit().body["online"])
		require.NoError(t, lease.End(t.Context()))
		s.clock.Add(int64(2 * time.Second))
		require.JSONEq(t, `{"success":true,"online":false}`, s.send(http.MethodGet, "v1/status?k=shop", "").raw)

		for _, route := range []string{"v1/status", "v1/status?k=", "v1/status?k=other"} {
			a := s.send(http.MethodGet, route, "")
			require.Equal(t, 404, a.status)
			require.Equal(t, "unknown_site", a.code())
		}
	})
}

// Nothing is set or stored before the visitor has agreed.
func TestConsent(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		site := siteOf(variantB)
		site.Consent.Cookie, site.Consent.Value = "agreed", regexp.MustCompile("^(yes|all)$")
		s := serve(t, d, site)
		before := s.rows()
		for _, cookie := range []string{"", "agreed=no", "agreed=yes!", "disagreed=yes"} {
			for _, route := range []string{"hit", "event", "lead", "visitor", "property"} {
				a := s.script(route, viewOf("https://shop.example/"), "Cookie", cookie)
				require.Equal(t, 403, a.status)
				require.Equal(t, "consent_missing", a.code())
				require.Empty(t, a.header.Get("Set-Cookie"))
			}
		}
		require.Equal(t, before, s.rows())
		require.Equal(t, 200, s.send(http.MethodGet, "v1/status?k=shop", "").status)

		v := s.open(viewOf("https://shop.example/"), "agreed=yes")
		require.NotEmpty(t, v.cookie)
		// The site's server carries no cookies.
		require.Equal(t, true, s.server("api/add_offline_message/", v.form(variantB, "name", "Ann")).body["success"])
	})
}

func TestConsentOfAnyValue(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	site := siteOf(variantB)
	site.Consent.Cookie = "agreed"
	s := serve(t, d, site)
	require.Equal(t, 200, s.script("hit", viewOf("https://shop.example/"), "Cookie", "agreed=").status)
	require.Equal(t, 403, s.script("hit", viewOf("https://shop.example/")).status)
}

// Values are compared as they are written, whatever consent managers write.
func TestConsentAsWritten(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	site := siteOf(variantB)
	site.Consent.Cookie, site.Consent.Value = "cm", regexp.MustCompile(`"statistics":true`)
	s := serve(t, d, site)
	for cookie, status := range map[string]int{
		`a=b; cm={"needed":true,"statistics":true}; c=d`:  200,
		`a=b; cm={"needed":true,"statistics":false}; c=d`: 403,
		`cmp={"statistics":true}`:                         403,
	} {
		require.Equal(t, status, s.script("hit", viewOf("https://shop.example/"), "Cookie", cookie).status, cookie)
	}
}
