package e2e

import (
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/demo"
)

// weighed counts the bytes of the answers that the tab gets from now on, heads and all, in a browser that has kept nothing. A stream
// does not end, and does not count.
func (b *tab) weighed() *atomic.Int64 {
	b.t.Helper()
	weight := new(atomic.Int64)
	require.NoError(b.t, chromedp.Listen(b.ctx, func(event any) {
		if e, is := event.(*network.EventLoadingFinished); is {
			weight.Add(int64(e.EncodedDataLength))
		}
	}))
	_, err := chromedp.Call(b.ctx, network.Enable, network.EnableParams{})
	require.NoError(b.t, err)
	_, err = chromedp.Call(b.ctx, network.ClearBrowserCache, cdp.Empty{})
	require.NoError(b.t, err)
	return weight
}

// The overview is light: over a slow connection it is there in a second or two.
func TestTheOverviewIsLight(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "year.db")
	database, err := db.Open(t.Context(), db.Settings{Engine: db.SQLite, Source: file}, zap.NewNop())
	require.NoError(t, err)
	require.NoError(t, database.Migrate(t.Context()))
	plan := demo.Year(time.Now())
	plan.Days, plan.Visits = 60, 10_000 // as many a day as in the year
	require.NoError(t, demo.Fill(t.Context(), database, plan, func(time.Time, int64) {}))
	require.NoError(t, database.Close())
	p := runExample(t, "sqlite "+file)
	desk := p.signedIn(t)
	weight := desk.weighed()
	for _, visit := range []struct {
		name string
		most int64
	}{{"the first", 120 << 10}, {"the second", 20 << 10}} {
		weight.Store(0)
		desk.visit(p.console + "/overview")
		desk.until(`document.querySelector(".course-chart canvas") && document.documentElement.dataset.stream === "live"`)
		require.LessOrEqual(t, weight.Load(), visit.most, "%s visit", visit.name)
		require.Greater(t, weight.Load(), visit.most/10, "%s visit was not weighed", visit.name)
	}
}
