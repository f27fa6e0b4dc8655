package system

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/preview"
	"github.com/seed-3405227d/frontdesk/caddymodule"
	"github.com/seed-3405227d/frontdesk/caddymodule/servertest"
)

func TestPreview(t *testing.T) {
	s := run(t, `
		{
			frontdesk {
				database sqlite $DIR/frontdesk.db
				pool spring 74957650001 74957650002
			}
		}
		http://localhost:$PORT {
			frontdesk shop {
				number 74951234567 {
					static 74957654321 utm_source=news*
					dynamic spring utm_source=google
				}
			}
			reverse_proxy localhost:$PORT2
		}
		http://localhost:$PORT2 {
			header Content-Type "text/html; charset=utf-8"
			header X-Query "{http.request.uri.query}"
			header X-Cookies "{http.request.header.Cookie}"
			header Cache-Control "public, max-age=600"
			respond "<!doctype html><html><head><title>Lamps</title></head><body>+7 (495) 123-45-67</body></html>"
		}`).Ready()
	s.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	desk, done, err := caddymodule.Use()
	require.NoError(t, err)
	defer done()
	shop, err := desk.Sites.ByKey(t.Context(), "shop")
	require.NoError(t, err)
	begin := func(siteID int64, address, referrer string) string {
		token, err := desk.Previews.Begin(preview.Preview{Site: siteID, Address: address, Referrer: referrer, Language: "ru"})
		require.NoError(t, err)
		return token
	}
	const site = "http://localhost:$PORT"
	token := begin(shop.ID, "https://shop.example/lamps?utm_source=news", "https://mail.example/")

	turned := s.Get(site + "/lamps?utm_source=news&svc_preview=" + token + "&x=%20")
	require.Equal(t, http.StatusSeeOther, turned.StatusCode)
	require.Equal(t, "/lamps?utm_source=news&x=%20", turned.Header.Get("Location"))
	require.Equal(t, "no-referrer", turned.Header.Get("Referrer-Policy"))
	require.Equal(t, "no-store", turned.Header.Get("Cache-Control"))
	require.Contains(t, turned.Header.Get("Set-Cookie"), "HttpOnly; SameSite=Lax")
	cookie := servertest.CookieOf(t, turned.Header.Values("Set-Cookie"))
	require.Equal(t, "/evil.example/", s.Get(site+"//evil.example/?svc_preview="+token).Header.Get("Location"))

	page := s.Get(site+"/chairs?a=1", "Cookie", "theirs=1; "+cookie)
	require.Contains(t, page.Content, "+7 (495) 765-43-21", "on any page, whatever its address")
	require.Contains(t, page.Content, `data-svc-preview>{"until":`)
	require.Contains(t, page.Content, `"referrer":"https://mail.example/","language":"ru","end":"?svc_preview=end","printed":{"74951234567":"+7 495 123-45-67"},"numbers":[{`)
	require.Regexp(t, `<script async src="/frontdesk/assets/preview-[\w-]+\.js"></script>`, page.Content)
	require.Equal(t, "theirs=1", page.Header.Get("X-Cookies"), "the origin does not learn of it")
	require.Contains(t, page.Header.Get("Cache-Control"), "private")
	require.Empty(t, page.Header.Get("Set-Cookie"))

	// A number of a pool is shown, and nobody has it.
	leased := s.Get(site+"/", "Cookie", "svc_preview="+begin(shop.ID, "https://shop.example/?utm_source=google", ""))
	require.Contains(t, leased.Content, "+7 (495) 765-00-01")
	require.Contains(t, leased.Content, `"dt":true`)
	taken, _, err := db.One(t.Context(), desk.DB.Read(), db.Only[int], `SELECT COUNT(*) FROM pool_numbers`)
	require.NoError(t, err)
	require.Zero(t, taken)
	neutral := s.Get(site+"/", "Cookie", "svc_preview="+begin(shop.ID, "https://shop.example/", ""))
	require.Contains(t, neutral.Content, "+7 (495) 123-45-67")
	require.Contains(t, neutral.Content, `"numbers":[]}`)

	// Nothing is counted.
	refused, err := s.Do(http.MethodPost, site+"/frontdesk/v1/hit", `{"site_key":"shop","view":"view-00000000000000000001","url":"`+s.Text(site)+`/","kind":"load"}`,
		"Content-Type", "application/json", "Cookie", cookie)
	require.NoError(t, err)
	require.Equal(t, http.StatusConflict, refused.StatusCode, refused.Content)
	visitors, _, err := db.One(t.Context(), desk.DB.Read(), db.Only[int], `SELECT COUNT(*) FROM visitors`)
	require.NoError(t, err)
	require.Zero(t, visitors)

	ended := s.Get(site+"/lamps?svc_preview=end", "Cookie", cookie)
	require.Equal(t, "/lamps", ended.Header.Get("Location"))
	require.Contains(t, ended.Header.Get("Set-Cookie"), "svc_preview=; Path=/; Max-Age=0")

	// What nobody has signed is the site's own; what was signed for another site, or another hour, is told.
	for _, forged := range []string{"", "x", token + "A", strings.Repeat("a", 5000)} {
		answer := s.Get(site+"/?svc_preview="+forged, "Cookie", "svc_preview="+forged)
		require.Equal(t, http.StatusOK, answer.StatusCode)
		require.Equal(t, "svc_preview="+forged, answer.Header.Get("X-Query"))
		require.Contains(t, answer.Content, "+7 (495) 123-45-67")
		require.NotContains(t, answer.Content, "data-svc-preview")
	}
	other := begin(shop.ID+1, "https://shop.example/?utm_source=news", "")
	over := s.Get(site + "/?svc_preview=" + other)
	require.Equal(t, http.StatusGone, over.StatusCode)
	require.Contains(t, over.Content, "Создайте новый")
	require.Contains(t, s.Get(site+"/", "Cookie", "svc_preview="+other).Content, "+7 (495) 123-45-67")
}
