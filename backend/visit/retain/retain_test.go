package retain_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/retain"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

func TestOldVisitsArePruned(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
		visits := visittest.Open(t, d, func() time.Time { return at })
		view := func(visitor visit.ID, nonce, agent string) visit.View {
			h, err := visits.Arrive(ctx, 1, visitor, visit.Arrival{Nonce: nonce, URL: "https://shop.example/?utm_source=" + nonce, Kind: "load", UserAgent: agent})
			require.NoError(t, err)
			return h
		}
		const browser, robot = "Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0", "Mozilla/5.0 (compatible; Googlebot/2.1)"
		gone := view(0, "gone", browser)
		require.NoError(t, visits.AddInfo(ctx, 1, gone.Ref, visit.Info{Name: "Ada", Email: "ada@example.com"}))
		require.NoError(t, visits.SetProperty(ctx, 1, gone.Ref, "x", nil))
		require.NoError(t, visits.TrackEvent(ctx, 1, gone.Ref, "", visit.UserEvent{Category: "a", Action: "b"}))
		view(0, "robot", robot)
		long := view(0, "long", browser) // more page views than a transaction deletes
		require.NoError(t, d.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO views (site_id, visit_id, id, visitor_id, at, kind, url, referrer, title)
				WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
				SELECT site_id, visit_id, 1000000 + i, visitor_id, at, kind, url, referrer, title FROM views, n WHERE url LIKE '%long'`)
			return err
		}))
		for i := range 60 {
			view(0, fmt.Sprint("many", i), browser)
		}
		back := view(0, "back", browser)
		require.NoError(t, visits.AddInfo(ctx, 1, back.Ref, visit.Info{Email: "back@example.com"}))
		days, err := visits.Days.Of(ctx, 1, at.Add(-48*time.Hour), at.Add(48*time.Hour))
		require.NoError(t, err)
		require.NotEmpty(t, days)

		limit := at.Add(time.Hour)
		at = at.Add(2 * time.Hour)
		again := view(back.Visitor, "again", browser)
		require.True(t, again.NewVisit)
		young := view(0, "young", browser)

		everywhere := []retain.Limit{{Before: limit}}
		older, err := visits.Retention.Passed(ctx, everywhere)
		require.NoError(t, err)
		require.Equal(t, everywhere, older)
		stopped, stop := context.WithCancel(ctx)
		stop()
		_, err = visits.Retention.Prune(stopped, retain.Limit{Before: limit})
		require.Error(t, err)
		pruned, err := visits.Retention.Prune(ctx, retain.Limit{Before: limit})
		require.NoError(t, err)
		require.Equal(t, 64, pruned)

		count := func(query string) int {
			n, _, err := db.One(ctx, d.Read(), db.Only[int], `SELECT COUNT(*) FROM `+query)
			require.NoError(t, err)
			return n
		}
		for _, visitor := range []visit.ID{gone.Visitor, long.Visitor} {
			_, err = visits.Card(ctx, 1, visitor)
			require.ErrorIs(t, err, visit.ErrUnknown)
		}
		for table, left := range map[string]int{"visitors": 2, "visits": 2, "views": 2, "user_events": 0, "properties": 0, "contacts": 1} {
			require.Equal(t, left, count(table), table)
		}
		card, err := visits.Card(ctx, 1, back.Visitor)
		require.NoError(t, err)
		require.Len(t, card.Visits, 1, "who is there again stays, without the old visit")
		require.Len(t, card.Emails, 1)
		_, err = visits.Card(ctx, 1, young.Visitor)
		require.NoError(t, err)
		after, err := visits.Days.Of(ctx, 1, at.Add(-48*time.Hour), at.Add(48*time.Hour))
		require.NoError(t, err)
		require.GreaterOrEqual(t, after[0].Views, days[0].Views, "counts stay")

		older, err = visits.Retention.Passed(ctx, everywhere)
		require.NoError(t, err)
		require.Empty(t, older)
		h := view(gone.Visitor, "returns", browser)
		require.True(t, h.NewVisitor, "whoever comes back after that is new")
	})
}

func TestOldVisitsOfOneSite(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx, at := t.Context(), time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
		visits := visittest.Open(t, d, func() time.Time { return at })
		for site := range int64(3) {
			_, err := visits.Arrive(ctx, site+1, 0, visit.Arrival{Nonce: "old", URL: "https://shop.example/", Kind: "load", UserAgent: "Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0"})
			require.NoError(t, err)
		}
		before := at.Add(time.Hour)
		passed, err := visits.Retention.Passed(ctx, []retain.Limit{{SiteID: 1, Before: before}, {SiteID: 2, Before: before}, {SiteID: 3, Before: at.Add(-time.Hour)}})
		require.NoError(t, err)
		require.ElementsMatch(t, []retain.Limit{{SiteID: 1, Before: before}, {SiteID: 2, Before: before}}, passed)
		pruned, err := visits.Retention.Prune(ctx, passed[0])
		require.NoError(t, err)
		require.Equal(t, 1, pruned)
		left, err := db.List(ctx, d.Read(), db.Only[int64], `SELECT site_id FROM visits WHERE site_id <> $1`, passed[0].SiteID)
		require.NoError(t, err)
		require.Len(t, left, 2, "the visits of other sites stay")
	})
}
