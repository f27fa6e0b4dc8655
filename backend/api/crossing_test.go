package api_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// crossing is a token for a link of the visitor's page.
func (s *desk) crossing(v visitor) string {
	s.t.Helper()
	a := s.script("crossing", object{"credentials": v.credentials()}, "Cookie", v.cookie)
	require.Equal(s.t, true, a.body["success"], a.raw)
	return text(a.body["crossing"])
}

// arrives opens a page of another domain of the site in the way that a link has led to it.
func (s *desk) arrives(token, referrer string, headers ...string) (visitor, object) {
	s.t.Helper()
	view := viewOf("https://lamps.example/birch")
	view["browser"], view["referrer"] = token, referrer
	a := s.script("hit", view, headers...)
	require.Equal(s.t, 200, a.status, a.raw)
	return visitor{answer: a}, view
}

// A link between two domains of a site brings the visitor along: once, within a minute, in the same browser, and from a
// page of the site.
func TestLinkBringsTheVisitorToAnotherDomain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		site := siteOf(variantA)
		site.Own = source.OwnOf([]string{"https://lamps.example"}, []string{"shop.example"})
		s := serve(t, d, site)
		const shop = "https://shop.example/"
		v := s.visit()
		first := s.crossing(v)
		require.Regexp(t, `^[0-9a-z.]+\.[A-Za-z0-9_-]{22}$`, first)

		another := func(why, token, referrer string, headers ...string) {
			t.Helper()
			there, _ := s.arrives(token, referrer, headers...)
			require.NotEqual(t, v.number("visitor_id"), there.number("visitor_id"), why)
		}
		another("a shared link", first, "")
		another("a stranger's page", first, "https://evil.example/")
		another("a page whose name only begins so", first, "https://shop.example.evil.example/")
		another("another browser", first, shop, "User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
		another("a forged token", first+"x", shop)
		another("the token of a page", text(s.visit().credentials()["browser"]), shop)

		there, view := s.arrives(first, shop)
		require.Equal(t, v.number("visitor_id"), there.number("visitor_id"))
		require.Equal(t, v.number("session_id"), there.number("session_id"), "the visit goes on")
		again := s.script("hit", view)
		require.Equal(t, there.body["hit_id"], again.body["hit_id"], "a view that is reported again")
		another("the link was used", first, shop)

		s.clock.Add(int64(2 * time.Second))
		second := s.crossing(v)
		known := s.visit()
		stays := viewOf("https://lamps.example/birch")
		stays["browser"], stays["referrer"] = second, shop
		require.Equal(t, known.number("visitor_id"), s.open(stays, known.cookie).number("visitor_id"), "who is known stays who he is")
		s.clock.Add(int64(61 * time.Second))
		another("the minute is over", second, shop)
		third := s.crossing(v)
		there, _ = s.arrives(third, shop)
		require.Equal(t, v.number("visitor_id"), there.number("visitor_id"))
	})
}
