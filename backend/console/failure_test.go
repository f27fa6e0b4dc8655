package console_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/console"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

func TestFailuresStandInTheConsole(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b, stranger := d.signedIn("vera"), d.browser()
		d.lead(d.hit(visit.Arrival{}), map[string]any{"name": "Anna"})
		missing := b.get("/nowhere")
		require.Equal(t, http.StatusNotFound, missing.status)
		for _, text := range []string{"There is no such page", "The address may be mistyped", `href="/leads"`, "vera", `data-count="1"`, `hx-sse:connect="/stream/other`} {
			require.Contains(t, missing.body, text)
		}
		nothing := stranger.get("/nowhere").body
		require.NotContains(t, nothing, `href="/leads"`)
		require.Contains(t, nothing, "Go to sign-in")

		require.NoError(t, d.DB.Close())
		for _, path := range []string{"/visitors", "/nowhere", "/leads/1/2"} {
			away := b.get(path)
			require.Equal(t, http.StatusServiceUnavailable, away.status, path)
			require.Equal(t, "5", away.header.Get("Retry-After"))
			for _, text := range []string{"The data cannot be read at the moment", "tries again every", `href="/leads"`, `href="` + path + `" data-again`} {
				require.Contains(t, away.body, text, path)
			}
			require.NotContains(t, away.body, "/account/away", "who it is cannot be known")
		}
		require.NotContains(t, stranger.get("/visitors").body, `href="/leads"`)
	})
}

func TestConsoleWithoutADatabase(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(console.ServeAway))
	t.Cleanup(server.Close)
	d := &desk{t: t, server: server}
	r := d.browser().request(http.MethodGet, "/leads?site=2")
	r.AddCookie(&http.Cookie{Name: "frontdesk", Value: "a session"})
	r.Header.Set("Accept-Language", "ru")
	away := d.browser().do(r)
	require.Equal(t, http.StatusServiceUnavailable, away.status)
	require.Equal(t, "no-store", away.header.Get("Cache-Control"))
	for _, text := range []string{"Данные сейчас недоступны", `href="/overview"`, `href="/leads?site=2" data-again`} {
		require.Contains(t, away.body, text)
	}
	require.Equal(t, http.StatusServiceUnavailable, d.browser().post("/sign-in", "login", "vera").status)
}

// A form that has not come whole changes nothing, whatever the protocol says of its end.
func TestFormsThatDoNotComeWhole(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		vera, err := d.Operators.Holder(t.Context(), "vera")
		require.NoError(t, err)
		require.NoError(t, d.Operators.SetAway(t.Context(), vera.ID, true))
		for name, form := range map[string]struct {
			sent   io.Reader
			kind   string
			length int64
			status int
		}{
			"over HTTP/1.1":   {iotest.ErrReader(io.ErrUnexpectedEOF), "application/x-www-form-urlencoded", -1, http.StatusBadRequest},
			"over HTTP/2":     {iotest.ErrReader(errors.New("client disconnected")), "application/x-www-form-urlencoded", -1, http.StatusBadRequest},
			"stalled":         {iotest.ErrReader(os.ErrDeadlineExceeded), "application/x-www-form-urlencoded", -1, http.StatusBadRequest},
			"in parts":        {iotest.ErrReader(errors.New("client disconnected")), "multipart/form-data; boundary=b", -1, http.StatusBadRequest},
			"large":           {strings.NewReader("&x=" + strings.Repeat("x", frame.MaxForm)), "application/x-www-form-urlencoded", -1, http.StatusRequestEntityTooLarge},
			"announced large": {strings.NewReader("&x=" + strings.Repeat("x", frame.MaxForm)), "application/x-www-form-urlencoded", frame.MaxForm + 3, http.StatusRequestEntityTooLarge},
			"large, in parts": {strings.NewReader("--b\r\nContent-Disposition: form-data; name=x\r\n\r\n" + strings.Repeat("x", frame.MaxForm)), "multipart/form-data; boundary=b", -1, http.StatusRequestEntityTooLarge},
		} {
			r := b.request(http.MethodPost, "/account/away")
			r.Header.Set("Content-Type", form.kind)
			r.Body, r.ContentLength = io.NopCloser(form.sent), form.length
			for _, cookie := range b.Jar.Cookies(r.URL) {
				r.AddCookie(cookie)
			}
			told := httptest.NewRecorder()
			d.server.Config.Handler.ServeHTTP(told, r)
			require.Equal(t, form.status, told.Code, name)
			require.Contains(t, told.Body.String(), `href="/leads"`, "in the console")
			vera, err = d.Operators.Holder(t.Context(), "vera")
			require.NoError(t, err)
			require.True(t, vera.Away, name)
		}
	})
}

// What the page's script sends is answered without leaving the page.
func TestFormsInThePage(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		send := func(path string, fields ...string) answer {
			t.Helper()
			r := b.request(http.MethodPost, path, fields...)
			r.Header.Set("Console-Form", "in the page")
			return b.do(r)
		}
		away := send("/account/away", "away", "true", "back", "/leads")
		require.Equal(t, http.StatusOK, away.status)
		require.NotEmpty(t, away.header.Get("Console-Part"))
		require.Contains(t, away.body, `value="false"`)
		require.Contains(t, away.body, "Away")
		require.NotContains(t, away.body, "<html")
		require.Equal(t, "/leads", b.post("/account/away", "away", "false", "back", "/leads").header.Get("Location"), "without a script as well")

		added := send("/sites", "key", "books.example")
		require.Equal(t, http.StatusOK, added.status)
		require.Equal(t, "/sites/2", added.header.Get("Console-Location"))
		require.Empty(t, added.header.Get("Location"))
		refused := send("/sites", "key", "not a key")
		require.Equal(t, http.StatusUnprocessableEntity, refused.status)
		require.Contains(t, refused.body, `value="not a key"`)
	})
}

func TestDisabledOperatorIsNotPresent(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		boris, err := d.Operators.Create(t.Context(), operator.Server(), operator.Account{Sites: scope.All(), Login: "boris", Password: password, Role: operator.Agent})
		require.NoError(t, err)
		present := func() bool {
			list, err := d.Operators.List(t.Context(), scope.All())
			require.NoError(t, err)
			return list[0].Present
		}
		_, err = d.Presence.Arrive(t.Context(), boris.ID) // on a node that knows nothing of it yet
		require.NoError(t, err)
		require.True(t, present())
		require.NoError(t, d.Operators.SetDisabled(t.Context(), operator.Server(), boris.ID, true))
		require.False(t, present())
		online, err := d.Presence.Online(t.Context(), d.shop.ID)
		require.NoError(t, err)
		require.False(t, online)
	})
}
