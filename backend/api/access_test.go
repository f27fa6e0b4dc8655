package api_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/api"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// opening is how somebody tries to open something of a visitor.
type opening struct {
	credentials object
	cookie      string
	// variant is that of the site.
	variant string
}

// by makes the call of the script.
func (s *desk) by(o opening, route string, fields object) answer {
	s.t.Helper()
	fields["credentials"], fields["id"] = o.credentials, id()
	return s.script(route, fields, "Cookie", o.cookie)
}

// form are the credentials as a site's server sends them.
func (o opening) form(fields ...string) url.Values {
	whole := object{"consultant_server_url": ""}
	maps.Copy(whole, o.credentials)
	return visitor{answer: answer{body: whole}}.form(o.variant, fields...)
}

// keyed are the routes to something of a visitor, each with a call of it. Tokens in addresses have a test of their own.
var keyed = map[string]func(*desk, opening) answer{
	"v1/event":    func(s *desk, o opening) answer { return s.by(o, "event", object{"category": "shop", "action": "look"}) },
	"v1/property": func(s *desk, o opening) answer { return s.by(o, "property", object{"name": "size", "value": id()}) },
	"v1/crossing": func(s *desk, o opening) answer { return s.by(o, "crossing", object{}) },
	"v1/presence": func(s *desk, o opening) answer {
		return s.by(o, "presence", object{"presence": "here", "numbers": true})
	},
	"v1/callback": func(s *desk, o opening) answer { return s.by(o, "callback", object{"request": object{"phone": "12"}}) },
	"v1/captcha":  func(s *desk, o opening) answer { return s.by(o, "captcha", object{}) },
	"v1/chat":     func(s *desk, o opening) answer { return s.by(o, "chat", object{}) },
	"v1/chat/say": func(s *desk, o opening) answer {
		return s.by(o, "chat/say", object{"request": object{"text": "Hello"}})
	},
	"v1/chat/read":   func(s *desk, o opening) answer { return s.by(o, "chat/read", object{"seq": 1}) },
	"v1/chat/typing": func(s *desk, o opening) answer { return s.by(o, "chat/typing", object{}) },
	"v1/chat/transcript": func(s *desk, o opening) answer {
		return s.by(o, "chat/transcript", object{"email": "eve@mail.example"})
	},
	"v1/chat/rate":            func(s *desk, o opening) answer { return s.by(o, "chat/rate", object{"good": true}) },
	"v1/chat/link":            func(s *desk, o opening) answer { return s.by(o, "chat/link", object{"file": 1}) },
	"v1/lead":                 func(s *desk, o opening) answer { return s.by(o, "lead", object{"request": object{"name": "Ann"}}) },
	"v1/visitor":              func(s *desk, o opening) answer { return s.by(o, "visitor", object{"name": "Ann"}) },
	"api/add_offline_message": func(s *desk, o opening) answer { return s.server("api/add_offline_message/", o.form("name", "Ann")) },
	"vc/s": func(s *desk, o opening) answer {
		form := o.form()
		return s.server("vc/s/", url.Values{
			"sk": form["site_key"], "ci": form["visitor_id"], "hi": form["hit_id"], "k": form["key"], "ur": form["uri"], "vn": {"Ann"},
		})
	},
}

// What stands in the documentation is what is mounted, and has a call here.
func TestWhatOpensWhatIsWritten(t *testing.T) {
	content, err := os.ReadFile("../../docs/access.md")
	require.NoError(t, err)
	written := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `((?:v1|api|vc)/[^`]*)` \\| ([a-z ]+) \\|").FindAllStringSubmatch(string(content), -1) {
		written[row[1]] = row[2]
	}
	require.Equal(t, api.Opened(), written)
	for path, opens := range written {
		_, called := keyed[path]
		require.Equal(t, opens == "page view" || opens == "browser", called, path)
	}
}

// The credentials of a page view stand in forms, mails and logs. Alone they add a request and what a visitor has told.
// All else takes the visitor's browser.
func TestWhatOpensWhat(t *testing.T) {
	each(t, func(t *testing.T, s *desk, variant string) {
		elsewhere := siteOf(variant)
		elsewhere.ID++
		v, other, foreign := s.visit(), s.visit(), serve(t, s.db, elsewhere).visit()
		require.Equal(t, 200, s.says(v, "a secret").status)
		require.Equal(t, 200, s.script("property", object{"credentials": v.credentials(), "id": id(), "name": "secret"}).status)
		with := func(credentials object, token any) object {
			credentials["browser"] = token
			return credentials
		}
		const all, ofScript, ofViews, none = "all", "of script", "of views", "none"
		try := func(name, opens string, o opening) {
			t.Helper()
			o.variant = variant
			before := s.rows()
			for path, call := range keyed {
				a := call(s, o)
				if opens == all || opens == ofScript && strings.HasPrefix(path, "v1/") || opens == ofViews && api.Opened()[path] == "page view" {
					require.NotContains(t, []string{"foreign_browser", "forged", "foreign_ids", "expired"}, a.code(), "%s: %s", name, path)
					continue
				}
				require.Contains(t, []string{"foreign_browser", "forged", "foreign_ids", "expired"}, a.code(), "%s: %s", name, path)
				require.NotContains(t, a.raw, "secret")
			}
			if opens == none {
				after := s.rows()
				after["refused_leads"] = before["refused_leads"] // for the owner to see
				after["presences"] = before["presences"]         // earlier reports are written later, and those that have ended removed
				require.Equal(t, before, after, name)
			}
		}
		strangers := func(age, opens string) {
			t.Helper()
			try("nobody "+age, opens, opening{credentials: v.shown()})
			try("another visitor "+age, opens, opening{credentials: v.shown(), cookie: other.cookie})
			try("another token "+age, opens, opening{credentials: with(v.shown(), other.body["browser"])})
			try("another site "+age, opens, opening{credentials: with(v.shown(), foreign.body["browser"]), cookie: foreign.cookie})
			try("the token as a cookie "+age, opens, opening{credentials: v.shown(), cookie: "svc_v=" + text(v.body["browser"])})
			try("a forged token "+age, opens, opening{credentials: with(v.shown(), text(v.body["browser"])+"x")})
		}
		try("cookie", all, opening{credentials: v.shown(), cookie: v.cookie})
		try("token", all, opening{credentials: v.credentials()})
		strangers("now", ofViews)
		try("credentials of another site", none, opening{credentials: foreign.credentials(), cookie: foreign.cookie})
		mixed := v.shown()
		mixed["hit_id"] = other.body["hit_id"]
		try("ids that do not belong together", none, opening{credentials: mixed, cookie: v.cookie})

		// A page view tells a stranger nothing either.
		for _, o := range []opening{{credentials: v.shown()}, {credentials: v.shown(), cookie: other.cookie}} {
			view := viewOf("https://shop.example/")
			maps.Copy(view, o.credentials)
			a := s.script("hit", view, "Cookie", o.cookie)
			require.NotEqual(t, v.body["visitor_id"], a.body["visitor_id"])
			require.Equal(t, object{}, a.body["properties"])
		}

		s.clock.Store(int64(24 * time.Hour))
		strangers("a day later", ofViews)
		try("token of yesterday", all, opening{credentials: v.credentials()})
		s.clock.Store(int64(30*24*time.Hour + time.Minute))
		strangers("a month later", none)
		try("token of a month ago", none, opening{credentials: v.credentials()})
		try("cookie of a month ago", ofScript, opening{credentials: v.shown(), cookie: v.cookie})
	})
}

// A browser without cookies is one visitor on one page, however it moves on. What has the cookie gets no token.
func TestBrowserWithoutCookies(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := serve(t, d, siteOf(variantB))
		first := s.visit()
		require.NotEmpty(t, first.body["browser"])
		again := func(token any, cookie string) visitor {
			view := viewOf("https://shop.example/about")
			view["browser"] = token
			return s.open(view, cookie)
		}
		second := again(first.body["browser"], "")
		require.Equal(t, first.body["visitor_id"], second.body["visitor_id"])
		require.Equal(t, first.body["session_id"], second.body["session_id"])
		require.NotEmpty(t, second.body["browser"])
		require.Equal(t, first.cookie, second.cookie)
		require.NotContains(t, again(nil, first.cookie).body, "browser")

		other := s.visit()
		require.Equal(t, other.body["visitor_id"], again(first.body["browser"], other.cookie).body["visitor_id"], "the cookie counts")
		for _, wrong := range []any{text(first.body["browser"]) + "x", "1.1.AAAAAAAAAAAAAAAAAAAAAA", "", text(first.body["visitor_id"])} {
			require.NotEqual(t, first.body["visitor_id"], again(wrong, "").body["visitor_id"])
		}
	})
}

// The token in an address opens that address: where there is a cookie, with the cookie alone.
func TestTokensInAddresses(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := serve(t, d, siteOf(variantA))
		v, other := s.visit(), s.visit()
		line := func(credentials object, cookie string) string {
			a := s.script("chat", object{"credentials": credentials}, "Cookie", cookie)
			return "t=" + text(a.body["stream"])
		}
		send := func(token, cookie string) answer {
			return s.send(http.MethodPost, "v1/chat/send?"+token+"&name=a.txt&id="+id(), "a file", "Cookie", cookie, "Content-Type", "application/octet-stream")
		}
		opens := func(expected bool, a answer) {
			t.Helper()
			require.Equal(t, expected, a.status == 200, a.raw)
			if !expected {
				require.Equal(t, "forged", a.code())
			}
		}
		bound, free := line(v.shown(), v.cookie), line(v.credentials(), "")
		opens(true, send(bound, v.cookie))
		opens(false, send(bound, ""))
		opens(false, send(bound, other.cookie))
		opens(false, s.send(http.MethodGet, "v1/chat/stream?"+bound, "", "Cookie", other.cookie))
		opens(true, send(free, ""))
		opens(true, send(free, other.cookie))

		a := s.script("chat", object{"credentials": v.credentials()})
		file := text(a.body["messages"].([]any)[0].(object)["file"].(object)["id"])
		link := "t=" + text(s.script("chat/link", object{"credentials": v.credentials(), "file": json.Number(file)}).body["link"])
		fetch := func(token, file string) int {
			response, _ := s.fetch(s.url + "v1/chat/file?" + token + "&f=" + file)
			return response.StatusCode
		}
		require.Equal(t, 200, fetch(link, file))
		require.Equal(t, 403, fetch(link, file+"0"))
		require.Equal(t, 403, fetch(free, file))
		opens(false, send(link, v.cookie))
		opens(false, s.send(http.MethodGet, "v1/chat/stream?"+link, "", "Cookie", v.cookie))
		s.says(other, "Hello")
		strange := "t=" + text(s.script("chat/link", object{"credentials": other.credentials(), "file": json.Number(file)}).body["link"])
		require.Equal(t, 404, fetch(strange, file), "another's file")

		s.clock.Store(int64(3 * time.Minute))
		require.Equal(t, 403, fetch(link, file))
		opens(true, send(bound, v.cookie))
		s.clock.Store(int64(11 * time.Minute))
		opens(false, send(bound, v.cookie))
		opens(false, send(free, ""))
	})
}

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
				return s.hurried("v1/status?k=shop", append(headers, "From-Address", machine)...)
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
				from := addresses[i%len(addresses)]
				if s.hurried("v1/status?k=shop", "From-Address", from) == 200 {
					continue
				}
				if a := s.send(http.MethodGet, "v1/status?k=shop", "", "From-Address", from); a.status != 200 {
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

		v := s.visit()
		for range 450 {
			s.hurried("v1/status?k=shop", "From-Address", "192.0.2.3:1")
		}
		for sent := 0; ; sent++ { // a megabyte counts as 250 calls
			a := s.script("lead", object{"credentials": v.credentials(), "id": id(), "request": object{"message": strings.Repeat("words, ", 145_000)}},
				"From-Address", "192.0.2.3:1")
			if a.status == 429 {
				break
			}
			require.Contains(t, []int{200, 503}, a.status, a.raw) // 503 is for one that took too long to store
			require.Less(t, sent, 50, "not limited")
		}

		exhaust("[2001:db8:1:1::1]:1", "[2001:db8:1:1:ffff::2]:1", "[2001:db8:1:1::1%eth0]:1")
		require.Equal(t, 200, s.send(http.MethodGet, "v1/status?k=shop", "", "From-Address", "[2001:db8:1:2::1]:1").status)
	})
}
