package edge

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit/onsite"
	"github.com/seed-3405227d/frontdesk/edge/effect"
)

// record is what the script learns of a number or a place.
type record struct {
	ID, From, Raw string
	Text, Img     *string
	DT            bool
	Lasts         int
	Forms         json.RawMessage
}

// viewOf is a page view as the script reports it.
func viewOf(name, url, referrer string) map[string]any {
	return map[string]any{"site_key": "shop", "view": strings.Repeat("v", 22-len(name)) + name, "url": url, "referrer": referrer, "kind": "load"}
}

// call calls the service as the script does. It returns the answer, and the visitor's cookie after it.
func (f *front) call(route string, body any, cookies ...string) (answer []byte, cookie string) {
	f.t.Helper()
	sent, err := json.Marshal(body)
	require.NoError(f.t, err)
	r, err := http.NewRequestWithContext(f.t.Context(), http.MethodPost, f.address+"/frontdesk/v1/"+route, bytes.NewReader(sent))
	require.NoError(f.t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
	if len(cookies) > 0 && cookies[0] == "bot" {
		r.Header.Set("User-Agent", "Googlebot/2.1")
	}
	r.Header.Set("Cookie", strings.Join(cookies, "; "))
	response, err := http.DefaultClient.Do(r)
	require.NoError(f.t, err)
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	require.NoError(f.t, err)
	require.Equal(f.t, http.StatusOK, response.StatusCode, string(answer))
	cookie, _, _ = strings.Cut(response.Header.Get("Set-Cookie"), ";")
	return answer, cookie
}

// recordsIn returns the records in an answer. told is false if there are none.
func recordsIn(t testing.TB, raw []byte) (records []record, told bool) {
	t.Helper()
	var answer struct{ Numbers *[]record }
	require.NoError(t, json.Unmarshal(raw, &answer))
	if answer.Numbers == nil {
		return nil, false
	}
	return *answer.Numbers, true
}

// hit reports a page view and returns the records in the answer.
func (f *front) hit(name, url, referrer string, cookies ...string) (records []record, told bool, cookie string) {
	f.t.Helper()
	answer, cookie := f.call("hit", viewOf(name, url, referrer), cookies...)
	records, told = recordsIn(f.t, answer)
	return records, told, cookie
}

// The answer to a page view carries the numbers of its visitor, whether or not pages replace any.
func TestHitTellsTheNumbers(t *testing.T) {
	for _, prerender := range []string{"off", "static"} {
		t.Run(prerender, func(t *testing.T) {
			settings := numbered()
			settings.Prerender = prerender
			f := serve(t, settings).ready()
			records, told, visitor := f.hit("1", f.address+"/", "")
			require.True(t, told)
			require.Empty(t, records)

			records, _, _ = f.hit("2", f.address+"/?utm_source=news", "", visitor)
			require.Len(t, records, 2)
			text := "+7 495 765-00-01"
			require.Equal(t, record{"number=74951234567", "74951234567", "74957650001", &text, nil, false, 0, records[0].Forms}, records[0])
			require.NotEmpty(t, records[0].Forms)
			require.Equal(t, "img", records[1].ID)
			require.Regexp(t, `^/frontdesk/phone/.*\.svg$`, *records[1].Img)
			require.Equal(t, http.StatusOK, f.get(*records[1].Img).StatusCode)

			// The page's block has the same numbers, if there is one.
			shopPage := f.get("/?utm_source=news").body
			if _, block, found := strings.Cut(shopPage, `data-svc-numbers>{"numbers":`); found {
				var inPage []record
				require.NoError(t, json.NewDecoder(strings.NewReader(block)).Decode(&inPage))
				require.Equal(t, inPage, records)
			}
			require.Equal(t, prerender == "static", strings.Contains(shopPage, "data-svc-numbers"))

			records, _, _ = f.hit("3", f.address+"/", f.address+"/?utm_source=news", visitor)
			require.Len(t, records, 2, "the visit goes on")
		})
	}
}

// Who comes from another host of the site is on the site already, in pages and for the script.
func TestOwnHostsReferNobody(t *testing.T) {
	settings := numbered()
	settings.Origins = []string{"https://catalogue.example"}
	settings.Numbers[0].Tracking = append(settings.Numbers[0].Tracking, Tracking{Static: "74957650002", When: []string{"kind=referral"}})
	f := serve(t, settings)
	f.hosts = []string{"m.shop.example", "*.city.example"}
	f.ready()
	views := 0
	view := func() string { views++; return strconv.Itoa(views) }
	for from, own := range map[string]bool{
		"https://catalogue.example/lamps": true, "https://www.catalogue.example/": true, "https://m.shop.example": true, "https://oslo.city.example/": true,
		"https://blog.example/": false, "https://other.shop.example/": false, "https://a.oslo.city.example/": false,
	} {
		require.Equal(t, own, !strings.Contains(f.get("/", "Referer", from).body, "8 (495) 765-00-02"), from)
		records, _, _ := f.hit(view(), f.address+"/", from)
		require.Equal(t, own, len(records) == 0, from)

		page := f.get("/?utm_source=news")
		cookie, _, _ := strings.Cut(page.Header.Get("Set-Cookie"), ";")
		require.Equal(t, own, strings.Contains(f.get("/", "Referer", from, "Cookie", cookie).body, "8 (495) 765-00-01"), from)
		_, _, visitor := f.hit(view(), f.address+"/?utm_source=news", "")
		records, _, _ = f.hit(view(), f.address+"/", from, visitor)
		require.NotEmpty(t, records)
		require.Equal(t, own, *records[0].Text == "+7 495 765-00-01", "what brought the visitor still counts: %s", from)
	}
}

// With "cookies domain", a visitor is the same one at all hosts of the domain, and so are the source and the number.
func TestCookiesOfTheDomain(t *testing.T) {
	for cookies, domain := range map[string]string{"": "", "host": "", "domain": "shop.co.uk"} {
		settings := numbered()
		settings.Cookies = cookies
		f := serve(t, settings).ready()
		page := f.get("/?utm_source=news", "Host", "www.shop.co.uk")
		set, err := http.ParseSetCookie(page.Header.Get("Set-Cookie"))
		require.NoError(t, err)
		require.Equal(t, domain, set.Domain)
		require.Equal(t, "svc_src", set.Name)
		if domain != "" {
			require.Contains(t, f.get("/", "Host", "m.shop.co.uk", "Cookie", set.Name+"="+set.Value).body, "8 (495) 765-00-01")
		}

		first := f.viewed(viewOf("1", "https://www.shop.co.uk/?utm_source=news", ""))
		name := map[bool]string{true: "__Secure-svc_v", false: "__Host-svc_v"}[domain != ""]
		require.Equal(t, name, first.cookie.Name)
		require.Equal(t, domain, first.cookie.Domain)
		require.True(t, first.cookie.Secure && first.cookie.HttpOnly)
		other := f.viewed(viewOf("2", "https://m.shop.co.uk/", "")) // from when cookies were the host's
		mixed := []string{"__Host-svc_v=" + other.cookie.Value, first.cookie.Name + "=" + first.cookie.Value}
		again := f.viewed(viewOf("3", "https://m.shop.co.uk/lamps", "https://www.shop.co.uk/"), mixed...)
		require.Equal(t, domain != "", again.Visitor == first.Visitor, "the domain's cookie counts where it is set")
	}
	for _, host := range []string{"localhost:8080", "127.0.0.1", "[::1]:8080", "co.uk", "github.io"} {
		settings := numbered()
		settings.Cookies = "domain"
		f := serve(t, settings).ready()
		set, err := http.ParseSetCookie(f.get("/?utm_source=news", "Host", host).Header.Get("Set-Cookie"))
		require.NoError(t, err)
		require.Empty(t, set.Domain, host)
		require.Equal(t, "__Host-svc_v", f.viewed(viewOf("1", "https://"+host+"/", "")).cookie.Name, host)
	}
}

// One network gets half of a pool at once, by the script and by pages that are sent with their visits, with cookies or
// without. Others find numbers all the same, and who has one keeps it.
func TestOneNetworkLeavesNumbersToOthers(t *testing.T) {
	for _, engine := range []func(testing.TB) db.Settings{dbtest.SQLite, dbtest.Postgres} {
		settings := numbered()
		settings.Prerender = "dynamic"
		settings.Numbers[0].Tracking = []Tracking{{Dynamic: []string{"74957650011", "74957650012", "74957650013", "74957650014"}}}
		f := serveOn(t, settings, engine(t), origin)
		f.edge.patience = wait
		f.ready()
		views := 0
		comes := func(client string, cookies ...string) (number, cookie string) {
			t.Helper()
			views++
			seen := f.viewed(viewOf(strconv.Itoa(views), "https://shop.example/", ""), append(cookies, "Client "+client)...)
			for _, r := range seen.Numbers {
				if r.DT && r.Text != nil {
					number = *r.Text
				}
			}
			return number, seen.cookie.Name + "=" + seen.cookie.Value
		}
		taken := make(map[string]string) // the cookie of who has it
		var without []string
		for i := range 6 {
			number, cookie := comes(map[bool]string{true: "192.0.2.7", false: "::ffff:192.0.2.7"}[i%2 == 0])
			if number == "" {
				without = append(without, cookie)
			} else {
				taken[number] = cookie
			}
		}
		require.Len(t, taken, 2)
		require.Len(t, without, 4)
		number, _ := comes("192.0.2.7", without[0])
		require.Empty(t, number, "a cookie is soon got")
		page := f.get("/", "Client", "192.0.2.7", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "User-Agent", "Mozilla/5.0 Firefox/140.0")
		require.Contains(t, page.Header.Get("Set-Cookie"), "svc_v=")
		require.Contains(t, page.body, "8 (495) 123-45-67", "the page has the printed number")
		for number, cookie := range taken {
			again, _ := comes("192.0.2.7", cookie)
			require.Equal(t, number, again)
		}
		for _, client := range []string{"192.0.2.8", "2001:db8:0:1::1"} {
			number, _ := comes(client)
			require.NotEmpty(t, number, client)
			require.NotContains(t, taken, number)
		}
	}
}

// viewed reports a page view. It returns the visitor, the numbers, and the cookie that is set. A cookie "Client …" is
// the client's address instead.
func (f *front) viewed(view map[string]any, cookies ...string) (seen struct {
	Visitor int64 `json:"visitor_id"`
	Numbers []record
	cookie  *http.Cookie
}) {
	f.t.Helper()
	sent, err := json.Marshal(view)
	require.NoError(f.t, err)
	r, err := http.NewRequestWithContext(f.t.Context(), http.MethodPost, f.address+"/frontdesk/v1/hit", bytes.NewReader(sent))
	require.NoError(f.t, err)
	address, err := url.Parse(view["url"].(string))
	require.NoError(f.t, err)
	r.Host = address.Host
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
	for _, cookie := range cookies {
		if client, is := strings.CutPrefix(cookie, "Client "); is {
			r.Header.Set("Client", client)
		} else {
			r.Header.Add("Cookie", cookie)
		}
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(f.t, err)
	defer response.Body.Close()
	require.NoError(f.t, json.NewDecoder(response.Body).Decode(&seen))
	seen.cookie, err = http.ParseSetCookie(response.Header.Get("Set-Cookie"))
	require.NoError(f.t, err)
	return seen
}

// If pages replace numbers by the cookie, the script goes by the cookie too, which may know more than the database.
func TestHitFollowsTheCookieOfPages(t *testing.T) {
	for prerender, want := range map[string]int{"static": 2, "off": 0} {
		settings := numbered()
		settings.Prerender = "static"
		f := serve(t, settings).ready()
		cookie, _, _ := strings.Cut(f.get("/?utm_source=news").Header.Get("Set-Cookie"), ";")
		require.NotEmpty(t, cookie)
		settings.Prerender = prerender
		f.configure(settings)
		records, told, _ := f.hit("1", f.address+"/", f.address+"/", cookie)
		require.True(t, told)
		require.Len(t, records, want, prerender)
	}
}

func TestHitWithoutTrackingNumbersTellsNone(t *testing.T) {
	f := serve(t, effect.Settings{Numbers: []Number{{Number: "74951234567"}}}).ready()
	_, told, _ := f.hit("1", f.address+"/", "")
	require.False(t, told)
}

// Each visitor has a number of the pool, with its places and pictures. A program has none.
func TestHitLeasesNumbers(t *testing.T) {
	settings := numbered()
	settings.Numbers[0].Tracking = append(settings.Numbers[0].Tracking, Tracking{Dynamic: []string{"74957650011", "74957650012"}})
	f := serve(t, settings).ready()
	shown := func(records []record) (raw []string) {
		for _, r := range records {
			require.True(t, r.DT || r.Raw == "74957650001")
			raw = append(raw, r.Raw)
		}
		return raw
	}
	none, told, _ := f.hit("0", f.address+"/", "", "bot")
	require.True(t, told)
	require.Empty(t, none)
	first, _, visitor := f.hit("1", f.address+"/", "")
	require.Equal(t, []string{"74957650011", "74957650011"}, shown(first))
	require.Equal(t, http.StatusOK, f.get(*first[1].Img).StatusCode)
	second, _, _ := f.hit("2", f.address+"/", "")
	require.Equal(t, []string{"74957650012", "74957650012"}, shown(second))
	third, told, _ := f.hit("3", f.address+"/", "")
	require.True(t, told)
	require.Empty(t, third, "the pool is exhausted")
	again, _, _ := f.hit("4", f.address+"/b", f.address+"/", visitor)
	require.Equal(t, shown(first), shown(again))
	news, _, _ := f.hit("5", f.address+"/?utm_source=news", "", visitor)
	require.Equal(t, []string{"74957650001", "74957650001"}, shown(news), "the first line that holds")

	// The page that is sent has the number as it is printed.
	require.NotContains(t, f.get("/").body, "7650011")
}

// A page that reports that somebody looks at it keeps its visitor's number.
func TestPresenceKeepsTheNumber(t *testing.T) {
	settings := numbered()
	settings.Prerender = "off"
	settings.Numbers[0].Tracking = []Tracking{{Dynamic: []string{"74957650011"}}}
	f := serve(t, settings).ready()
	f.hit("1", f.address+"/", "")
	desk, done, err := f.edge.Service.Use()
	require.NoError(t, err)
	defer done()
	held := func() lease.Lease {
		leases, err := desk.Leases.Of(t.Context(), desk.DB.Read(), "74957650011", time.Now())
		require.NoError(t, err)
		require.Len(t, leases, 1)
		return leases[0]
	}
	begun := held()
	live, err := desk.Onsite.Live(t.Context(), scope.All())
	require.NoError(t, err)
	require.Len(t, live.Visits, 1)
	desk.Onsite.See(begun.Site, live.Visits[0].Ref, onsite.Here)
	require.Eventually(t, func() bool { return held().Until.After(begun.Until) }, wait, 50*time.Millisecond)
	require.Equal(t, begun.Begun, held().Begun)
}

// change runs a statement on the database.
func (f *front) change(statement string, args ...any) {
	f.t.Helper()
	require.NoError(f.t, f.desk().DB.Write(f.t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, statement, args...)
		return err
	}))
}

// A page that comes back asks whose number it shows. The lease begins again. If somebody else has the number in the
// meantime, another lease begins.
func TestPageThatComesBackAsksForItsNumbers(t *testing.T) {
	settings := numbered()
	settings.Prerender = "off"
	settings.Numbers[0].Tracking = []Tracking{{Dynamic: []string{"74957650011", "74957650012"}}}
	f := serve(t, settings).ready()
	answer, _ := f.call("hit", viewOf("1", f.address+"/", ""))
	var credentials map[string]any
	require.NoError(t, json.Unmarshal(answer, &credentials))
	back := func(presence string, cookies ...string) []string {
		t.Helper()
		answer, _ := f.call("presence", map[string]any{"credentials": credentials, "browser": credentials["browser"], "presence": presence, "numbers": true}, cookies...)
		records, told := recordsIn(t, answer)
		if !told {
			return []string{"untold"}
		}
		var raw []string
		for _, r := range records {
			require.True(t, r.DT)
			require.Equal(t, 390, r.Lasts)
			raw = append(raw, r.Raw)
		}
		return raw
	}
	first, second := []string{"74957650011", "74957650011"}, []string{"74957650012", "74957650012"}
	require.Equal(t, first, back("here"))
	f.change(`UPDATE pool_numbers SET until = 1`)
	require.Equal(t, []string{"untold"}, back("away"))
	require.Empty(t, back("here", "bot"))
	require.Equal(t, first, back("here"), "nobody has had it since")

	f.change(`UPDATE pool_numbers SET until = CASE WHEN digits = '74957650011' THEN 1 ELSE 2 END`)
	another, _, _ := f.hit("2", f.address+"/", "")
	require.Equal(t, "74957650011", another[0].Raw)
	require.Equal(t, second, back("here"))
	require.Equal(t, second, back("here"))

	f.change(`UPDATE pool_numbers SET until = 1`)
	f.hit("3", f.address+"/", "")
	f.hit("4", f.address+"/", "")
	require.Empty(t, back("here"), "the pool is exhausted")

	// The visitor has been erased, so nothing is stored of him any more.
	f.change(`DELETE FROM views`)
	sent, err := json.Marshal(map[string]any{"credentials": credentials, "browser": credentials["browser"], "presence": "here", "numbers": true})
	require.NoError(t, err)
	response, err := http.Post(f.address+"/frontdesk/v1/presence", "application/json", bytes.NewReader(sent))
	require.NoError(t, err)
	response.Body.Close()
	require.Equal(t, http.StatusForbidden, response.StatusCode)
}

// If the database cannot answer now, the answer to the page says so.
func TestPageThatComesBackWhileTheDatabaseIsAway(t *testing.T) {
	settings := numbered()
	settings.Prerender = "off"
	settings.Numbers[0].Tracking = []Tracking{{Dynamic: []string{"74957650011"}}}
	f := serve(t, settings).ready()
	answer, _ := f.call("hit", viewOf("1", f.address+"/", ""))
	var credentials map[string]any
	require.NoError(t, json.Unmarshal(answer, &credentials))
	f.change(`ALTER TABLE pool_numbers RENAME TO away`)
	answer, _ = f.call("presence", map[string]any{"credentials": credentials, "browser": credentials["browser"], "presence": "here", "numbers": true})
	require.JSONEq(t, `{"success": true, "numbers": null}`, string(answer))
	f.change(`ALTER TABLE away RENAME TO pool_numbers`)
	settings.Numbers[0].Tracking = nil
	f.configure(settings)
	answer, _ = f.call("presence", map[string]any{"credentials": credentials, "browser": credentials["browser"], "presence": "here", "numbers": true})
	require.JSONEq(t, `{"success": true, "numbers": []}`, string(answer))
}
