package edge

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/attribution"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
	"github.com/seed-3405227d/frontdesk/edge/effect"
)

// nowhere takes a page and keeps nothing of it.
type nowhere struct{ header http.Header }

func (n *nowhere) Header() http.Header         { return n.header }
func (n *nowhere) WriteHeader(int)             {}
func (n *nowhere) Write(p []byte) (int, error) { return len(p), nil }

// BenchmarkPage serves a short page, to measure the cost of a page apart from its bytes.
func BenchmarkPage(b *testing.B) {
	remembered := attribution.Remembered{Source: source.Of("https://shop.example/?utm_source=news", "", source.Own{}), Seen: time.Now()}
	for _, kind := range []struct {
		name, path, cookie string
		settings           effect.Settings
	}{
		{"script alone", "/?utm_source=news", "", effect.Settings{}},
		{"a number, arriving by a campaign", "/?utm_source=news&utm_medium=mail", "", numbered()},
		{"a number, going on", "/lamps", "svc_src=" + remembered.Cookie(), numbered()},
		{"a number, from nowhere", "/lamps", "", numbered()},
	} {
		b.Run(kind.name, func(b *testing.B) {
			f := serve(b, kind.settings).ready()
			f.get(kind.path) // the page is sampled
			r := httptest.NewRequest(http.MethodGet, kind.path, nil)
			r.Header.Set("Sec-Fetch-Dest", "document")
			r.Header.Set("Sec-Fetch-Site", "same-origin")
			if kind.cookie != "" {
				r.Header.Set("Cookie", kind.cookie)
			}
			q := &effect.Request{Key: "shop", URL: r.URL}
			always := func() bool { return true }
			html, body := []string{"text/html; charset=utf-8"}, []byte(shopPage)
			next := func(w http.ResponseWriter, _ *http.Request) error {
				w.Header()["Content-Type"] = html
				_, err := w.Write(body)
				return err
			}
			w := &nowhere{make(http.Header)}
			b.ReportAllocs()
			for b.Loop() {
				clear(w.header)
				if err := f.block.Serve(w, r, q, always, next); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
