package api_test

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// Pages of the site itself and of its other origins may call, others may not.
func TestOrigins(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := serve(t, d, siteOf(variantB))
		own := s.url[:len(s.url)-len("/frontdesk/")]
		for _, origin := range []string{own, "https://" + own[len("http://"):], "https://www.shop.example", "HTTPS://WWW.shop.example"} {
			a := s.script("hit", viewOf("https://shop.example/"), "Origin", origin)
			require.Equal(t, 200, a.status, origin)
			require.Equal(t, origin, a.header.Get("Access-Control-Allow-Origin"))
			require.Equal(t, "true", a.header.Get("Access-Control-Allow-Credentials"))
			require.Contains(t, a.header.Values("Vary"), "Origin")

			a = s.send(http.MethodOptions, "v1/lead", "", "Origin", origin, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type")
			require.Equal(t, 204, a.status)
			require.Equal(t, origin, a.header.Get("Access-Control-Allow-Origin"))
			require.Equal(t, "true", a.header.Get("Access-Control-Allow-Credentials"))
			require.Equal(t, "POST", a.header.Get("Access-Control-Allow-Methods"))
			require.Contains(t, a.header.Get("Access-Control-Allow-Headers"), "Content-Type")
		}
		a := s.script("hit", viewOf("https://shop.example/"))
		require.Contains(t, a.header.Values("Vary"), "Origin")
		require.Empty(t, a.header.Get("Access-Control-Allow-Origin"))

		v := s.visit()
		before := s.rows()
		for _, origin := range []string{
			"null", "https://evil.example", "https://www.shop.example.evil.example", "https://www.shop.example:8443", "http://www.shop.example",
			"shop.example", "://", own + ".evil.example", own + "0",
		} {
			for _, a := range []answer{
				s.script("hit", viewOf("https://shop.example/"), "Origin", origin),
				s.server("api/add_offline_message/", v.form(variantB, "name", "Eve"), "Origin", origin),
				s.send(http.MethodOptions, "v1/hit", "", "Origin", origin, "Access-Control-Request-Method", "POST"),
				s.send(http.MethodGet, "v1/status?k=shop", "", "Origin", origin),
			} {
				require.Equal(t, 403, a.status, origin)
				require.Equal(t, "foreign_origin", a.code())
				require.Empty(t, a.header.Get("Access-Control-Allow-Origin"))
				require.Empty(t, a.header.Get("Set-Cookie"))
				require.Contains(t, a.header.Values("Vary"), "Origin")
			}
		}
		require.Equal(t, before, s.rows())
	})
}

func TestOptionsWithoutOrigin(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	a := serve(t, d, siteOf(variantA)).send(http.MethodOptions, "vc/s/", "")
	require.Equal(t, 204, a.status)
	require.Equal(t, "GET, POST, OPTIONS", a.header.Get("Allow"))
}

// A proxy on the machine itself stands for all its visitors: they are one client,
// whatever it, or they, say of their addresses. The site's own programs are not
// limited.
func TestRateLimitOfTheMachineItself(t *testing.T) {
	for _, machine := range []string{"127.0.0.1:1000", "[::1]:1000", "[::ffff:127.0.0.1]:1000"} {
		for _, field := range []string{"X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"} {
			s := serve(t, dbtest.Open(t, dbtest.SQLite(t)), siteOf(variantB))
			status := func(headers ...string) int {
				t.Helper()
				return s.send(http.MethodGet, "v1/status?k=shop", "", append(headers, "From-Address", machine)...).status
			}
			refused := false
			for i := 0; i < 5000 && !refused; i++ {
				refused = status(field, "192.0.2."+strconv.Itoa(i)) == 429
			}
			require.True(t, refused, "%s, %s", machine, field)
			require.Equal(t, 200, status())
		}
	}
}

// Calls are limited by the address of the client, an IPv6 network counting as
// one; those of servers have limits of their own.
func TestRateLimits(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := serve(t, d, siteOf(variantB))
		exhaust := func(addresses ...string) answer {
			for i := range 5000 {
				a := s.send(http.MethodGet, "v1/status?k=shop", "", "From-Address", addresses[i%len(addresses)])
				if a.status != 200 {
					return a
				}
			}
			t.Fatal("not limited")
			return answer{}
		}
		a := exhaust("192.0.2.1:1000", "192.0.2.1:2000", "[::ffff:192.0.2.1]:3000", "192.0.2.1")
		require.Equal(t, 429, a.status)
		require.Equal(t, "too_many_requests", a.code())
		seconds, err := strconv.Atoi(a.header.Get("Retry-After"))
		require.NoError(t, err)
		require.Positive(t, seconds)

		require.Equal(t, 200, s.script("hit", viewOf("https://shop.example/"), "From-Address", "192.0.2.2:1000").status)
		require.Equal(t, 200, s.send(http.MethodGet, "vc/s/", "", "From-Address", "192.0.2.1:1000").status, "servers have their own limits")

		exhaust("[2001:db8:1:1::1]:1", "[2001:db8:1:1:ffff::2]:1", "[2001:db8:1:1::1%eth0]:1")
		require.Equal(t, 200, s.send(http.MethodGet, "v1/status?k=shop", "", "From-Address", "[2001:db8:1:2::1]:1").status)
	})
}
