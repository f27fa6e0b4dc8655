package edge

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/spool"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/attribution"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// nowhere takes a page and keeps nothing of it.
type nowhere struct{ header http.Header }

func (n *nowhere) Header() http.Header         { return n.header }
func (n *nowhere) WriteHeader(int)             {}
func (n *nowhere) Write(p []byte) (int, error) { return len(p), nil }

// BenchmarkPage serves a short page, to measure the cost of a page apart from its bytes.
func BenchmarkPage(b *testing.B) {
	remembered := attribution.Remembered{Source: visit.SourceOf("https://shop.example/?utm_source=news", ""), Seen: time.Now()}
	for _, kind := range []struct {
		name, path, cookie string
		settings           Settings
	}{
		{"script alone", "/?utm_source=news", "", Settings{}},
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
			q := &Request{Key: "shop", URL: r.URL}
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

// BenchmarkForms stores forms of strangers: as they are posted, 64 at once, and as they are taken from the spool.
func BenchmarkForms(b *testing.B) {
	serving := func(b *testing.B) *Edge {
		e := serve(b, Settings{}).ready().edge
		e.Forms = spool.New(spool.Settings{File: filepath.Join(b.TempDir(), "forms"), Size: spool.MaxSize / 4}, zap.NewNop())
		require.NoError(b, e.Forms.Prepare())
		b.Cleanup(func() { e.Forms.Close() })
		b.Cleanup(func() {
			desk, done, err := e.Service.Use()
			require.NoError(b, err)
			defer done()
			leads, _, err := db.One(context.Background(), desk.DB.Read(), db.Only[int], `SELECT COUNT(*) FROM leads`)
			require.NoError(b, err)
			require.Equal(b, b.N, leads)
		})
		return e
	}
	form := func(e *Edge, i int) *keptForm {
		return &keptForm{
			ID: rand.Text(), At: time.Now(), Sent: time.Now(), Site: "shop", Key: fmt.Sprint(i), Rule: capture.Rule{Path: "/send"}, Status: http.StatusOK, Host: "shop.example", Path: "/send", Client: "192.0.2.1:1",
			Referer: "http://shop.example/lamps", Said: capture.Recognised{Name: "Anna", Email: fmt.Sprint("anna", i, "@example.com"), Message: "Is it there?"},
		}
	}
	b.Run("posted", func(b *testing.B) {
		e := serving(b)
		var next atomic.Int64
		var senders sync.WaitGroup
		for range 64 {
			senders.Go(func() {
				for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
					if _, err := e.storeForm(b.Context(), form(e, int(i))); err != nil {
						b.Error(err)
					}
				}
			})
		}
		senders.Wait()
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "forms/s")
	})
	b.Run("taken", func(b *testing.B) {
		e := serving(b)
		for i := range b.N {
			record, err := json.Marshal(form(e, i))
			require.NoError(b, err)
			require.NoError(b, e.Forms.Append(0, record))
		}
		b.ResetTimer()
		require.Equal(b, b.N, e.takeSome(b.Context()))
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "forms/s")
	})
}
