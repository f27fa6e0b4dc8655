package api_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/repeat"
)

const added = `{"success":true}`

// A whole form with the credentials in it, as sites send it: every documented
// field, and one of the site's own.
func TestAddOfflineMessage(t *testing.T) {
	each(t, func(t *testing.T, s *desk, variant string) {
		v := s.visit()
		form := v.form(variant, "name", "Ann", "email", "ann@mail.example", "phone", "8 (495) 123-45-67",
			"text", "<b>Two</b> lamps\r\n& more", "is_sale", "1", "sale_cost", "1500.50", "form_name", "Order", "city", "Oslo")
		a := s.server("api/add_offline_message/", form)
		require.Equal(t, 200, a.status)
		require.Equal(t, added, a.raw)
		require.Empty(t, a.header.Get("Set-Cookie"))
		require.Len(t, s.stored(), 1)
		got := s.stored()[0]
		require.Equal(t, v.ref(), got.Ref)
		require.Equal(t, lead.Server, got.Origin)
		require.Equal(t, "Ann", got.Name)
		require.Equal(t, "ann@mail.example", got.Email)
		require.Equal(t, "74951234567", got.PhoneDigits)
		require.Equal(t, "<b>Two</b> lamps\r\n& more", got.Message)
		require.True(t, got.IsSale)
		require.Equal(t, "1500.5", got.SaleCost)
		require.Equal(t, "Order", got.FormName)
		require.Equal(t, map[string]string{"city": "Oslo"}, got.UserFields)
		require.Equal(t, "https://shop.example/lamps?utm_source=news&utm_medium=mail", got.URL)
		require.Equal(t, "news", got.Source.Source)
		require.Equal(t, map[string]int{lead.Server: 1}, s.counted.leads)
	})
}

// What the address, the headers and the values may look like besides.
func TestServerCallsInTheirWritings(t *testing.T) {
	each(t, func(t *testing.T, s *desk, variant string) {
		v := s.visit()
		n := 0
		sent := func(a answer) {
			t.Helper()
			require.Equal(t, added, a.raw)
			n++
			require.Len(t, s.stored(), n)
		}
		for _, route := range []string{"api/add_offline_message/", "api/add_offline_message"} {
			sent(s.server(route, v.form(variant, "name", route)))
		}
		for _, contentType := range []string{
			"application/x-www-form-urlencoded", "application/x-www-form-urlencoded;charset=utf8", "Application/X-WWW-Form-URLencoded; Charset=\"UTF-8\"",
			"application/x-www-form-urlencoded; charset=", "application/x-www-form-urlencoded; charset=klingon", "",
		} {
			sent(s.server("api/add_offline_message/", v.form(variant, "name", "Zo\u00eb", "text", contentType), "Content-Type", contentType))
			require.Equal(t, "Zo\u00eb", s.stored()[0].Name)
		}
		for written, sale := range map[string]bool{"1": true, "true": true, "0": false, "false": false, "": false} {
			sent(s.server("api/add_offline_message/", v.form(variant, "name", "sale "+written, "is_sale", written)))
			require.Equal(t, sale, s.stored()[0].IsSale, written)
		}
		cyrillic := v.form(variant).Encode() + "&name=%CE%EB%FF&%E3%EE%F0%EE%E4=%CF%E5%F0%EC%FC"
		sent(s.send(http.MethodPost, "api/add_offline_message/", cyrillic, "Content-Type", "application/x-www-form-urlencoded; charset=windows-1251"))
		require.Equal(t, "\u041e\u043b\u044f", s.stored()[0].Name)
		require.Equal(t, map[string]string{"\u0433\u043e\u0440\u043e\u0434": "\u041f\u0435\u0440\u043c\u044c"}, s.stored()[0].UserFields)

		sent(s.send(http.MethodPost, "api/add_offline_message/", v.form(variant).Encode()+"&text=one;two", "Content-Type", "application/x-www-form-urlencoded"))
		require.Equal(t, "one;two", s.stored()[0].Message)
	})
}

// PHP's streams speak HTTP/1.0, without a User-Agent.
func TestHTTP10(t *testing.T) {
	each(t, func(t *testing.T, s *desk, variant string) {
		content := s.visit().form(variant, "name", "Ann").Encode()
		address, err := url.Parse(s.url)
		require.NoError(t, err)
		conn, err := net.Dial("tcp", address.Host)
		require.NoError(t, err)
		defer conn.Close()
		_, err = fmt.Fprintf(conn, "POST /frontdesk/api/add_offline_message/ HTTP/1.0\r\nHost: %s\r\nContent-Type: application/x-www-form-urlencoded; charset=UTF-8\r\nContent-Length: %d\r\n\r\n%s",
			address.Host, len(content), content)
		require.NoError(t, err)
		response, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: http.MethodPost, URL: address})
		require.NoError(t, err)
		defer response.Body.Close()
		require.Equal(t, added, s.read(response).raw)
		require.Len(t, s.stored(), 1)
	})
}

// A chat's transcript arrives hours after the page view, and is as long as the
// chat was.
func TestLateTranscript(t *testing.T) {
	each(t, func(t *testing.T, s *desk, variant string) {
		v := s.visit()
		s.clock.Add(int64(9 * time.Hour))
		transcript := strings.Repeat("<p>Ann: which lamp?<br>\r\n", 20000)
		require.Equal(t, added, s.server("api/add_offline_message/", v.form(variant, "text", transcript)).raw)
		require.Equal(t, transcript, s.stored()[0].Message)
	})
}

// The same content from the same page view is one lead for ten minutes; a key
// makes it one for ever.
func TestRepeatedServerCall(t *testing.T) {
	each(t, func(t *testing.T, s *desk, variant string) {
		v, other := s.visit(), s.visit()
		send := func(form url.Values, headers ...string) {
			t.Helper()
			require.Equal(t, added, s.server("api/add_offline_message/", form, headers...).raw)
		}
		form := v.form(variant, "name", "Ann")
		var wait sync.WaitGroup
		for range 16 {
			wait.Go(func() { s.server("api/add_offline_message/", form) })
		}
		wait.Wait()
		require.Len(t, s.stored(), 1)
		send(v.form(variant, "name", "Bo"))
		require.Len(t, s.stored(), 2, "other content")
		send(other.form(variant, "name", "Ann"))
		require.Len(t, s.stored(), 3, "another page view")
		s.clock.Add(int64(repeat.Window + time.Second))
		send(form)
		send(form)
		require.Len(t, s.stored(), 4, "once more after ten minutes")

		send(form, "Idempotency-Key", "order-17")
		send(v.form(variant, "name", "Ann", "text", "again"), "Idempotency-Key", `"order-17"`)
		s.clock.Add(int64(24 * time.Hour))
		send(form, "Idempotency-Key", "order-17")
		require.Len(t, s.stored(), 5, "one key")
		send(form, "Idempotency-Key", "order-18")
		send(other.form(variant, "name", "Ann"), "Idempotency-Key", "order-17")
		require.Len(t, s.stored(), 7, "another key, another page view")
		require.Equal(t, 7, s.counted.leads[lead.Server])
	})
}

// The parameters of vc/s/, by GET and POST, with s=1 and without.
func TestAddVisitorInformation(t *testing.T) {
	each(t, func(t *testing.T, s *desk, variant string) {
		v := s.visit()
		_, ci, _ := strings.Cut(v.cookie, "=")
		base := url.Values{"sk": {"shop"}, "hi": {text(v.body["hit_id"])}}
		if variant == variantA {
			base.Set("k", text(v.body["key"]))
			base.Set("ur", text(v.body["uri"]))
		}
		params := func(pairs ...string) url.Values {
			p := url.Values{}
			maps.Copy(p, base)
			for i := 0; i < len(pairs); i += 2 {
				p.Set(pairs[i], pairs[i+1])
			}
			return p
		}
		for _, a := range []answer{
			s.send(http.MethodGet, "vc/s/?"+params("ci", ci, "vn", "Ann", "s", "1").Encode(), ""),
			s.send(http.MethodGet, "vc/s?"+params("ci", text(v.body["visitor_id"]), "ve", "ann@mail.example", "s", "1").Encode(), ""),
			s.server("vc/s/", params("ci", ci, "vp", "8 (495) 123-45-67", "s", "1")),
			s.server("vc/s/?"+params("s", "1").Encode(), url.Values{"ci": {ci}, "ve": {"second@mail.example"}}),
		} {
			require.Equal(t, 200, a.status)
			require.Equal(t, added, a.raw)
		}
		for _, sent := range []string{ci, text(v.body["visitor_id"])} {
			expected := object{"success": true, "site_key": "shop", "ci": sent, "visitor_id": v.body["visitor_id"], "hit_id": v.body["hit_id"]}
			if variant == variantA {
				expected["session_id"] = v.body["session_id"]
			}
			whole := s.send(http.MethodGet, "vc/s/?"+params("ci", sent, "vn", "Anna").Encode(), "")
			require.Equal(t, expected, whole.body)
		}
		card, err := s.visits.Card(t.Context(), siteID, v.ref().Visitor)
		require.NoError(t, err)
		for _, known := range []string{`"Anna"`, "ann@mail.example", "second@mail.example", "74951234567"} {
			require.Contains(t, dump(t, card), known)
		}
		require.NotContains(t, dump(t, card), `"Ann"`)

		other := s.visit()
		before := s.rows()
		for name, wrong := range map[string]url.Values{
			"empty":        params("ci", ci),
			"foreign_ids":  params("ci", text(other.body["visitor_id"]), "vn", "Eve"),
			"missing":      params("vn", "Eve"),
			"wrong_type":   params("ci", ci+"x", "vn", "Eve"),
			"unknown_site": params("ci", ci, "sk", "other", "vn", "Eve"),
			"too_long":     params("ci", ci, "vn", strings.Repeat("n", 2000)),
		} {
			a := s.send(http.MethodGet, "vc/s/?"+wrong.Encode(), "")
			require.Equal(t, 200, a.status)
			require.Equal(t, false, a.body["success"])
			require.Equal(t, name, a.code())
		}
		require.Equal(t, before, s.rows())
	})
}

// The credentials of a page view open that view. Whatever the calls answer, and
// whatever they are called with, they do not open the visitor.
func TestCredentialsDoNotOpenTheVisitor(t *testing.T) {
	each(t, func(t *testing.T, s *desk, variant string) {
		v := s.visit()
		_, secret, _ := strings.Cut(v.cookie, "=")
		call := func(fields object) object {
			fields["credentials"], fields["id"] = v.credentials(), id()
			return fields
		}
		tracker := url.Values{"sk": {"shop"}, "ci": {text(v.body["visitor_id"])}, "hi": {text(v.body["hit_id"])}, "vn": {"Ann"}}
		if variant == variantA {
			tracker.Set("k", text(v.body["key"]))
			tracker.Set("ur", text(v.body["uri"]))
		}
		answers := []answer{
			s.server("vc/s/", tracker),
			s.send(http.MethodGet, "vc/s/?"+tracker.Encode(), ""),
			s.server("api/add_offline_message/", v.form(variant, "name", "Ann")),
			s.script("property", call(object{"name": "diagnosis", "value": "private"})),
			s.script("event", call(object{"category": "shop", "action": "look"})),
			s.script("lead", call(object{"request": object{"name": "Ann"}})),
			s.script("visitor", call(object{"name": "Ann"})),
		}
		known := []string{text(v.body["visitor_id"]), text(v.body["key"])}
		for _, a := range answers {
			require.Equal(t, true, a.body["success"], a.raw)
			require.NotContains(t, a.raw, secret)
			require.Empty(t, a.header.Get("Set-Cookie"))
			for _, value := range a.body {
				switch value := value.(type) {
				case json.Number, string:
					known = append(known, text(value))
				}
			}
		}
		require.Greater(t, len(known), 8)
		for _, value := range known {
			for _, name := range []string{"svc_v", "__Host-svc_v"} {
				stranger := s.open(viewOf("https://shop.example/"), name+"="+value)
				require.NotEqual(t, v.body["visitor_id"], stranger.body["visitor_id"])
				require.Empty(t, stranger.body["properties"])
			}
		}
		require.Equal(t, object{"diagnosis": "private"}, s.open(viewOf("https://shop.example/"), v.cookie).body["properties"])
	})
}

// In variant B two of the ids do not tell the third, which requests need.
func TestSessionIsNotToldToThoseWhoDoNotKnowIt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := serve(t, d, siteOf(variantB))
		v := s.visit()
		a := s.server("vc/s/", url.Values{"sk": {"shop"}, "ci": {text(v.body["visitor_id"])}, "hi": {text(v.body["hit_id"])}, "vn": {"Ann"}})
		require.Equal(t, true, a.body["success"], a.raw)
		require.NotContains(t, a.raw, text(v.body["session_id"]))
	})
}

// In variant A the key proves the address and the ids; site_key may be absent.
func TestKeyIsVerified(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := serve(t, d, siteOf(variantA))
		v, other := s.visit(), s.visit()
		before := s.rows()
		for name, change := range map[string][2]string{
			"no key": {"key", ""}, "no uri": {"uri", ""}, "another address": {"uri", "https://shop.example/other"},
			"another's key": {"key", text(other.body["key"])}, "another visitor": {"visitor_id", text(other.body["visitor_id"])},
			"another hit": {"hit_id", text(other.body["hit_id"])}, "another session": {"session_id", text(other.body["session_id"])},
		} {
			form := v.form(variantA, "name", "Eve", change[0], change[1])
			a := s.server("api/add_offline_message/", form)
			require.Equal(t, 200, a.status, name)
			require.Equal(t, "forged", a.code(), name)
		}
		tracker := url.Values{"ci": {text(v.body["visitor_id"])}, "hi": {text(v.body["hit_id"])}, "vn": {"Eve"}, "k": {text(other.body["key"])}, "ur": {text(v.body["uri"])}}
		require.Equal(t, "forged", s.send(http.MethodGet, "vc/s/?"+tracker.Encode(), "").code())
		require.Equal(t, before, s.rows())

		form := v.form(variantA, "name", "Ann")
		form.Del("site_key")
		require.Equal(t, added, s.server("api/add_offline_message/", form).raw)
		require.Equal(t, text(v.body["uri"]), s.stored()[0].URL)
	})
}

// In variant B the three ids are found to belong together.
func TestIDsBelongTogether(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := serve(t, d, siteOf(variantB))
		elsewhere := siteOf(variantB)
		elsewhere.ID, elsewhere.Key = 8, "other"
		foreign := serve(t, d, elsewhere)
		v, other := s.visit(), s.visit()
		view := viewOf("https://other.example/")
		view["site_key"] = "other"
		stranger := foreign.open(view, "")
		before := s.rows()
		for _, name := range []string{"visitor_id", "hit_id", "session_id"} {
			for _, value := range []string{text(other.body[name]), text(stranger.body[name]), "1", "9007199254740991"} {
				a := s.server("api/add_offline_message/", v.form(variantB, "name", "Eve", name, value))
				require.Equal(t, 200, a.status)
				require.Equal(t, "foreign_ids", a.code())
			}
		}
		a := s.server("api/add_offline_message/", stranger.form(variantB, "name", "Eve", "site_key", "shop"))
		require.Equal(t, "foreign_ids", a.code())
		require.Equal(t, before, s.rows())
	})
}
