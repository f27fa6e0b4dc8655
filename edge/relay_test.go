package edge

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/edge/effect"
)

// elsewhere is a service elsewhere under /inner/, beside which its host has other things.
type elsewhere struct {
	*httptest.Server
	asked  []*http.Request
	answer http.HandlerFunc
}

func newElsewhere(t testing.TB) *elsewhere {
	e := &elsewhere{answer: func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "inner") }}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.asked = append(e.asked, r)
		e.answer(w, r)
	}))
	t.Cleanup(e.Close)
	return e
}

// before runs an edge in front of the service.
func (e *elsewhere) before(t testing.TB, settings effect.Settings) *front {
	settings.Service = e.URL + "/inner/"
	return serve(t, settings)
}

// raw asks for a target that clients would make clean.
func (f *front) raw(method, target string) *http.Response {
	f.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(f.address, "http://"))
	require.NoError(f.t, err)
	f.t.Cleanup(func() { conn.Close() })
	_, err = io.WriteString(conn, method+" "+target+" HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n")
	require.NoError(f.t, err)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(f.t, err)
	return response
}

// Nothing of the host of the service can be reached but the routes of a service, however a path is written.
func TestRelayReachesTheServiceAlone(t *testing.T) {
	inner := newElsewhere(t)
	f := inner.before(t, effect.Settings{})
	for _, outside := range []string{
		"%2e%2e/admin", "%2E%2E/admin", ".%2e/admin", "v1/..%2f..%2f..%2fsecret", "v1/%2e%2e/%2e%2e/secret", "v1/..%5c..%5csecret", "v1/..;/secret",
		"v1/%252e%252e/secret", "v1/%00", "v1/a%0d%0ab", "v1/%09", "v1/%20", "v1/%ff", "v1/caf%C3%A9", "v1/%5c%5chost/x", "v1/%2f%2fhost/x", "v1/a%3fb", "v1/a%23b",
		"calls/..%2f..%2fsecret", "assets/..%2fsecret", "phone/..%2f..%2fsecret", "v1/hit%2f%2e%2e%2f%2e%2e", "v1/.", "v1/%2e", "v1/hit%2f%2f",
		"", "admin", "api/", "api/v1/leads", "api/add_offline_message/x", "vc/", "vc/s/x", "v1", "svc.js/", "SVC.JS", "metrics", ".env",
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			response := f.raw(method, "/frontdesk/"+outside)
			require.NotEqual(t, http.StatusOK, response.StatusCode, outside)
		}
	}
	require.Empty(t, inner.asked)
	for _, method := range []string{http.MethodPut, http.MethodDelete, http.MethodTrace, "CONNECT", "PROPFIND"} {
		require.Equal(t, http.StatusMethodNotAllowed, f.raw(method, "/frontdesk/v1/hit").StatusCode, method)
	}
	require.Empty(t, inner.asked)

	for target, reached := range map[string]string{
		"svc.js?k=a%20b": "/inner/svc.js?k=a%20b", "assets/chat-abc_d.js": "/inner/assets/chat-abc_d.js", "phone/a-b_c.svg": "/inner/phone/a-b_c.svg",
		"v1/captcha/a.png?l=ru&x=..%2f": "/inner/v1/captcha/a.png?l=ru&x=..%2f", "v1/h%69t": "/inner/v1/hit", "vc/s?vn=a;b": "/inner/vc/s?vn=a;b", "vc/s/": "/inner/vc/s/",
		"calls/webhook": "/inner/calls/webhook", "api/add_offline_message/": "/inner/api/add_offline_message/",
	} {
		inner.asked = nil
		require.Equal(t, http.StatusOK, f.raw(http.MethodGet, "/frontdesk/"+target).StatusCode, target)
		require.Equal(t, reached, inner.asked[0].RequestURI, target)
	}
}

// The service is told what it needs, and not what the visitor proves to the site.
func TestRelayPassesFieldsByName(t *testing.T) {
	inner := newElsewhere(t)
	inner.answer = func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		for _, cookie := range []string{"svc_v=1; Path=/", "__Host-svc_src=2; Path=/; Secure", "session=3", "svc_preview=4", "svc_vv=5", "=svc_v"} {
			h.Add("Set-Cookie", cookie)
		}
		h.Set("Content-Type", "text/plain")
		h.Set("ETag", `"x"`)
		for _, name := range []string{"Clear-Site-Data", "Strict-Transport-Security", "Service-Worker-Allowed", "Server", "Link", "X-Inner"} {
			h.Set(name, "inner")
		}
		io.WriteString(w, "inner")
	}
	f := inner.before(t, effect.Settings{Consent: &effect.Consent{Cookie: "agreed"}})
	answered := f.get("/frontdesk/v1/status?k=shop",
		"Authorization", "Basic c2hvcDpzZWNyZXQ=", "Proxy-Authorization", "Basic eA==", "X-Api-Key", "secret", "X-Forwarded-For", "192.0.2.1", "Forwarded", "for=192.0.2.1",
		"X-Real-Ip", "192.0.2.1", "X-Csrf-Token", "secret", "Upgrade", "websocket", "Connection", "Upgrade", "Via", "1.1 x",
		"Cookie", "session=secret; svc_v=1; __Host-svc_src=2; svc_preview=3; agreed=yes", "Sec-GPC", "1", "DNT", "1", "Range", "bytes=0-1", "Last-Event-ID", "7",
		"Origin", "http://shop.example", "Referer", "http://shop.example/a", "Accept-Language", "ru", "User-Agent", "browser", "Sec-Fetch-Site", "same-origin",
		"webhook-id", "a", "webhook-timestamp", "b", "webhook-signature", "c", "X-Twilio-Signature", "d", "Idempotency-Key", "e", "Accept-Encoding", "identity")
	require.Equal(t, http.Header{
		"Cookie": {"svc_v=1; __Host-svc_src=2; agreed=yes"}, "Sec-Gpc": {"1"}, "Dnt": {"1"}, "Range": {"bytes=0-1"}, "Last-Event-Id": {"7"},
		"Origin": {"http://shop.example"}, "Referer": {"http://shop.example/a"}, "Accept-Language": {"ru"}, "User-Agent": {"browser"}, "Sec-Fetch-Site": {"same-origin"},
		"Webhook-Id": {"a"}, "Webhook-Timestamp": {"b"}, "Webhook-Signature": {"c"}, "X-Twilio-Signature": {"d"}, "Idempotency-Key": {"e"}, "Accept-Encoding": {"identity"},
		"X-Forwarded-For": {"127.0.0.1"}, "X-Forwarded-Host": {strings.TrimPrefix(f.address, "http://")}, "X-Forwarded-Proto": {"http"},
	}, inner.asked[0].Header)
	answered.Header.Del("Date")
	require.Equal(t, http.Header{
		"Content-Type": {"text/plain"}, "Etag": {`"x"`}, "Content-Length": {"5"}, "Set-Cookie": {"svc_v=1; Path=/", "__Host-svc_src=2; Path=/; Secure"},
	}, answered.Header)
}

// The service sends nobody elsewhere: a redirection is no answer of it.
func TestRelayFollowsNobodyElsewhere(t *testing.T) {
	inner := newElsewhere(t)
	status := http.StatusFound
	inner.answer = func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "http://inner.example/")
		w.WriteHeader(status)
	}
	f := inner.before(t, effect.Settings{})
	for _, status = range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusPermanentRedirect} {
		answered := f.get("/frontdesk/v1/status")
		require.Equal(t, http.StatusServiceUnavailable, answered.StatusCode)
		require.Empty(t, answered.Header.Get("Location"))
	}
	status = http.StatusNotModified
	require.Equal(t, status, f.get("/frontdesk/svc.js", "If-None-Match", `"x"`).StatusCode)
}

// An answer that breaks off is broken off, and is no fault; and a stream ends with the configuration.
func TestRelayedAnswersThatEnd(t *testing.T) {
	inner := newElsewhere(t)
	inner.answer = func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "half")
		http.NewResponseController(w).Flush()
		if strings.HasSuffix(r.URL.Path, "/stream") {
			<-r.Context().Done()
		}
		panic(http.ErrAbortHandler)
	}
	f := inner.before(t, effect.Settings{})
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	begun := func(path string) io.Reader {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.address+path, nil)
		require.NoError(t, err)
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		t.Cleanup(func() { response.Body.Close() })
		half := make([]byte, 4)
		_, err = io.ReadFull(response.Body, half)
		require.NoError(t, err)
		require.Equal(t, "half", string(half))
		return response.Body
	}
	ends := func(body io.Reader) {
		rest, err := io.ReadAll(body)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.Empty(t, rest)
	}
	ends(begun("/frontdesk/v1/status"))
	stream := begun("/frontdesk/v1/chat/stream")
	close(f.ending)
	ends(stream)
	_, _, faults := f.told.all()
	require.Empty(t, faults)
}
