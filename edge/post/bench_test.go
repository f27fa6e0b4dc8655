package post

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/spool"
	"github.com/seed-3405227d/frontdesk/edge/effect"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// BenchmarkForms stores forms of strangers: as they are posted, 64 at once, and as they are taken from the spool.
func BenchmarkForms(b *testing.B) {
	serving := func(b *testing.B) *Posts {
		service := backend.New(dbtest.SQLite(b), zap.NewNop(), nil)
		b.Cleanup(func() { require.NoError(b, service.Close()) })
		service.Start(backend.Configuration{Sites: []string{"shop"}})
		require.Eventually(b, service.Ready, time.Minute, 10*time.Millisecond)
		kept := spool.New(spool.Settings{File: filepath.Join(b.TempDir(), "forms"), Size: spool.MaxSize / 4}, zap.NewNop())
		require.NoError(b, kept.Prepare())
		b.Cleanup(func() { kept.Close() })
		e := New(&effect.Shared{Service: service, Logger: zap.NewNop()}, nil, kept, nil, nil)
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
	form := func(i int) *keptForm {
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
					if _, err := e.storeForm(b.Context(), form(int(i))); err != nil {
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
			record, err := json.Marshal(form(i))
			require.NoError(b, err)
			require.NoError(b, e.spool.Append(0, record))
		}
		b.ResetTimer()
		require.Equal(b, b.N, e.takeSome(b.Context()))
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "forms/s")
	})
}
