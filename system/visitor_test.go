package system

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/attribution"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// numbered is what a test's visitors come to: pages with a number, behind Caddy.
type numbered struct {
	*server
	seen []http.Header // what the origin was asked
}

const numberedPage = `<!doctype html><html><head><meta charset="utf-8"><title>Lamps</title></head>` +
	`<body><p>+7 (495) 123-45-67</p><img class="phone-img" src="/phone.png" alt="8 495 123-45-67"></body></html>`

// runSite runs a site whose directive has the lines.
func runSite(t testing.TB, lines string) *numbered {
	t.Helper()
	s := new(numbered)
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.seen = append(s.seen, r.Header.Clone())
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "public, max-age=60")
		io.WriteString(w, numberedPage)
	}))
	t.Cleanup(origin.Close)
	s.server = run(t, option+`
		http://localhost:$PORT {
			frontdesk shop {
				`+lines+`
			}
			reverse_proxy `+strings.TrimPrefix(origin.URL, "http://")+`
		}`).Ready()
	return s
}

// byNewsAndGoogle shows …01 to the readers of the newsletter and …02 to those whom
// Google sends.
const byNewsAndGoogle = `
	prerender static
	number 74951234567 {
		static 74957650001 utm_source=news*
		static 74957650002 referrer=*.google.*
	}`

const google = "https://www.google.com/"

// visitor is somebody's browser.
type visitor struct {
	*numbered
	cookie string
	set    string // the last page's Set-Cookie
	http.Header
}

func (s *numbered) visitor() *visitor { return &visitor{numbered: s} }

// open asks for a page and returns the end of the number on it: 01, 02 or 67.
func (v *visitor) open(path, referrer string, headers ...string) string {
	v.T.Helper()
	const site = "http://localhost:$PORT"
	switch referrer {
	case "":
	case "within":
		headers = append(headers, "Referer", v.Text(site+"/before"))
	default:
		headers = append(headers, "Referer", referrer)
	}
	cookie := "theme=dark"
	if v.cookie != "" {
		cookie = "a=b; svc_src=" + v.cookie + "; theme=dark"
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Cookie" {
			cookie += "; " + headers[i+1]
			headers = append(headers[:i:i], headers[i+2:]...)
			break
		}
	}
	got := v.server.Get(site+path, append(headers, "Cookie", cookie)...)
	v.Header = got.Header
	v.set = got.Header.Get("Set-Cookie")
	if v.set != "" {
		v.cookie, _, _ = strings.Cut(strings.TrimPrefix(v.set, "svc_src="), ";")
	}
	require.NotContains(v.T, strings.Join(v.seen[len(v.seen)-1]["Cookie"], ""), "svc_src", "the origin sees the neutral request")
	require.Contains(v.T, strings.Join(v.seen[len(v.seen)-1]["Cookie"], ""), "theme=dark")
	number := regexp.MustCompile(`<p>\+7 \(495\) \d{3}-\d\d-(\d\d)</p>`).FindStringSubmatch(got.Content)
	require.NotNil(v.T, number, got.Content)
	return number[1]
}

// since makes the visitor one who was seen last before a time.
func (v *visitor) since(source source.Source, ago time.Duration) *visitor {
	v.cookie = (&attribution.Remembered{Source: source, Seen: time.Now().Add(-ago)}).Cookie()
	return v
}

var news = source.Source{Kind: source.Campaign, Source: "news", Landing: "/"}

func TestNumberStaysWithTheVisitor(t *testing.T) {
	s := runSite(t, byNewsAndGoogle)
	v := s.visitor()
	require.Equal(t, "67", v.open("/", ""))
	require.Empty(t, v.set)
	require.Contains(t, v.Get("Cache-Control"), "public")
	require.Contains(t, v.Values("Vary"), "Cookie")

	require.Equal(t, "01", v.open("/?utm_source=newsletter", ""))
	require.Regexp(t, `^svc_src=[\w-]+; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax$`, v.set)
	require.Contains(t, v.Get("Cache-Control"), "private")
	require.Equal(t, "01", v.open("/lamps", "within"))
	require.Empty(t, v.set, "nothing is new")
	require.Contains(t, v.Get("Cache-Control"), "private")

	v = s.visitor().since(news, 20*24*time.Hour)
	require.Equal(t, "01", v.open("/", ""), "days later")
	require.Contains(t, v.set, "Max-Age=34560000", "the cookie lives on")
	require.Equal(t, "02", v.open("/", google))
	require.NotEmpty(t, v.set)
	require.Equal(t, "67", v.open("/", "https://blog.example/"))
	require.Contains(t, v.set, "Max-Age=0", "nothing is to be remembered")
	require.Contains(t, v.Get("Cache-Control"), "private")

	v.cookie = "AQE-no-such-thing"
	require.Equal(t, "67", v.open("/", "within"))
	require.Equal(t, "01", v.open("/?utm_source=news", "within"))
}

func TestAttribution(t *testing.T) {
	s := runSite(t, "attribution last"+byNewsAndGoogle)
	v := s.visitor().since(news, 29*time.Minute)
	require.Equal(t, "01", v.open("/", ""), "the visit goes on")
	require.NotEmpty(t, v.set)
	require.Equal(t, "67", s.visitor().since(news, 31*time.Minute).open("/", ""), "a direct visit")

	s = runSite(t, "attribution first"+byNewsAndGoogle)
	v = s.visitor().since(news, 24*time.Hour-time.Minute)
	require.Equal(t, "01", v.open("/", google))
	require.Empty(t, v.set)
	v = s.visitor()
	require.Equal(t, "67", v.open("/", ""))
	require.NotEmpty(t, v.set, "who came first is kept")
	require.Contains(t, v.Get("Cache-Control"), "private")
	require.Equal(t, "67", v.open("/?utm_source=news", ""))
}

func TestNothingIsKeptBeforeConsent(t *testing.T) {
	s := runSite(t, "consent agreed yes*"+byNewsAndGoogle)
	v := s.visitor()
	require.Equal(t, "01", v.open("/?utm_source=news", ""))
	require.Empty(t, v.set)
	require.Equal(t, "67", v.open("/", "within"))
	require.Equal(t, "67", v.since(news, time.Hour).open("/", "within"), "what is there is not read")
	require.Equal(t, "67", v.open("/", "within", "Cookie", "agreed=no"))
	require.Equal(t, "01", v.open("/", "within", "Cookie", "agreed=yes,all"))
	require.Equal(t, "02", v.open("/", google, "Cookie", "agreed=yes"))
	require.NotEmpty(t, v.set)
}

// What scripts and frames fetch follows the page that they belong to, and what is
// fetched in advance is no visit yet.
func TestRequestsThatAreNoVisits(t *testing.T) {
	s := runSite(t, byNewsAndGoogle)
	for _, headers := range [][]string{
		{"Sec-Fetch-Dest", "empty"}, {"Sec-Fetch-Dest", "iframe"}, {"RSC", "1"}, {"X-Nextjs-Data", "1"}, {"X-Requested-With", "XMLHttpRequest"}, {"Hx-Request", "true"},
		{"Accept", "application/json"}, {"Accept", "text/x-component"},
	} {
		v := s.visitor()
		require.Equal(t, "67", v.open("/?utm_source=news", google, headers...), headers)
		require.Empty(t, v.set, headers)
		v.since(news, 48*time.Hour).open("/", google, headers...)
		require.Empty(t, v.set, headers)
	}
	v := s.visitor()
	require.Equal(t, "67", v.open("/_next/data/build/index.json?utm_source=news", ""))
	require.Empty(t, v.set)
	for _, headers := range [][]string{{"Sec-Purpose", "prefetch"}, {"Sec-Purpose", "prefetch;prerender"}, {"Purpose", "prefetch"}} {
		v := s.visitor()
		require.Equal(t, "01", v.open("/?utm_source=news", "", headers...))
		require.Empty(t, v.set)
	}
	for _, headers := range [][]string{{"Accept", "*/*"}, {"Accept", "text/html,*/*;q=0.8"}, {"Sec-Fetch-Dest", "document", "Accept", "text/html"}} {
		v := s.visitor()
		require.Equal(t, "01", v.open("/?utm_source=news", "", headers...))
		require.NotEmpty(t, v.set)
	}
}

// Whoever comes from a page of the site does not arrive there.
func TestNumbersOfDirectVisits(t *testing.T) {
	s := runSite(t, `
		prerender static
		number 74951234567 {
			static 74957650001 landing=/lamps*
		}`)
	require.Equal(t, "01", s.visitor().open("/lamps/birch?page=2", ""))
	require.Equal(t, "01", s.visitor().open("/lamps", google))
	require.Equal(t, "67", s.visitor().open("/lamps", "within"))
	require.Equal(t, "67", s.visitor().open("/lamps", "", "Sec-Fetch-Site", "same-origin"))
	v := s.visitor()
	require.Equal(t, "67", v.open("/", ""))
	require.NotEmpty(t, v.set)
	require.Equal(t, "67", v.open("/lamps", ""))
}

func TestWithoutConditionsPagesAreTheSameForAll(t *testing.T) {
	s := runSite(t, `
		prerender static
		number 74951234567 {
			static 74957650001
		}`)
	v := s.visitor()
	require.Equal(t, "01", v.open("/?utm_source=news", google))
	require.Empty(t, v.set)
	require.Equal(t, "public, max-age=60", v.Get("Cache-Control"))
	require.NotContains(t, v.Values("Vary"), "Cookie")
}

func TestPrerenderOff(t *testing.T) {
	s := runSite(t, strings.Replace(byNewsAndGoogle, "prerender static", "prerender off", 1))
	v := s.visitor()
	require.Equal(t, "67", v.open("/?utm_source=news", ""))
	require.Empty(t, v.set)
}

func TestPicturesOfTrackingNumbers(t *testing.T) {
	s := runSite(t, `
		prerender static
		number 74951234567 {
			picture .phone-img {
				size 24
			}
			static 74957650001 utm_source=news
		}`)
	image := regexp.MustCompile(`<img [^>]*src="(/frontdesk/phone/[^"]+)"[^>]*>`).FindStringSubmatch(s.Get("http://localhost:$PORT/?utm_source=news").Content)
	require.NotNil(t, image)
	require.Contains(t, image[0], `alt="+7 495 765-00-01"`)
	drawn := s.Get("http://localhost:$PORT" + image[1])
	require.Equal(t, http.StatusOK, drawn.StatusCode)
	require.Equal(t, "image/svg+xml", drawn.Header.Get("Content-Type"))
	require.Contains(t, s.Get("http://localhost:$PORT/").Content, `src="/phone.png"`)
}

func TestNumbersByJSON(t *testing.T) {
	s := runSite(t, byNewsAndGoogle)
	load := func(change func(handler map[string]any)) error {
		var config any
		require.NoError(t, json.Unmarshal([]byte(s.Get("http://"+s.Admin+"/config/").Content), &config))
		handler := find(config, "frontdesk")
		require.NotNil(t, handler)
		change(handler)
		encoded, err := json.Marshal(config)
		require.NoError(t, err)
		return caddy.Load(encoded, true)
	}
	require.NoError(t, load(func(h map[string]any) {
		h["numbers"] = []any{map[string]any{"number": "+7 (495) 123-45-67", "tracking": []any{map[string]any{"static": "+7 495 765-00-03", "when": []string{"gclid"}}}}}
	}))
	// The sockets of the old configuration are closed beside the first requests to the new one.
	require.Eventually(t, func() bool {
		got, err := s.Do(http.MethodGet, "http://localhost:$PORT/?gclid=x", "")
		return err == nil && strings.Contains(got.Content, "765-00-03")
	}, wait, tick)
	require.Equal(t, "03", s.visitor().open("/?gclid=x", ""))
	require.ErrorContains(t, load(func(h map[string]any) {
		h["numbers"] = []any{map[string]any{"number": "7495123456"}}
	}), "7495123456")
	require.Equal(t, "03", s.visitor().open("/?gclid=x", ""))
}

// find is the first handler of the name in a configuration.
func find(config any, name string) map[string]any {
	switch config := config.(type) {
	case map[string]any:
		if config["handler"] == name {
			return config
		}
		for _, value := range config {
			if found := find(value, name); found != nil {
				return found
			}
		}
	case []any:
		for _, value := range config {
			if found := find(value, name); found != nil {
				return found
			}
		}
	}
	return nil
}
