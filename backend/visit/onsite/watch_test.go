package onsite_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit/onsite"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

// until waits for a scene of the watch that fits.
func until(t *testing.T, w *onsite.Watch, is func(*onsite.Scene) bool) {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		select {
		case <-w.News():
			if is(w.Scene()) {
				return
			}
		case <-deadline:
			require.FailNow(t, "the watch does not see it")
		}
	}
}

func TestWatchesSeeWhatHappens(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, _ *db.DB) {
		first := v.See(t, 0, "https://shop.example/")
		all, here, elsewhere, card := v.Onsite.Watch(scope.All()), v.Onsite.Watch(scope.Of(site)), v.Onsite.Watch(scope.Of(site+1)), v.Onsite.WatchVisitor(site, first.Visitor)
		for w, visits := range map[*onsite.Watch]int{all: 1, here: 1, elsewhere: 0} {
			until(t, w, func(s *onsite.Scene) bool { return len(s.Visits) == visits })
		}
		until(t, card, func(s *onsite.Scene) bool { return s.Views == 1 })
		c.Pass(time.Second)
		v.See(t, 0, "https://shop.example/another")
		v.See(t, first.Visitor, "https://shop.example/lamps")
		until(t, all, func(s *onsite.Scene) bool { return len(s.Visits) == 2 })
		until(t, here, func(s *onsite.Scene) bool { return len(s.Visits) == 2 })
		until(t, card, func(s *onsite.Scene) bool { return s.Views == 2 })
		for _, w := range []*onsite.Watch{all, here, elsewhere, card} {
			w.Close()
		}
		again := v.Onsite.Watch(scope.Of(site)) // the last watch has ended, and the reader starts again
		defer again.Close()
		until(t, again, func(s *onsite.Scene) bool { return len(s.Visits) == 2 })
	})
}

// The visitors of a quiet site are listed, however many a busy one has.
func TestBusySiteDoesNotHideAQuietOne(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, d *db.DB) {
		const busy, number = site + 1, 10_000
		for i := range 5 {
			v.See(t, 0, fmt.Sprintf("https://quiet.example/%d", i))
		}
		c.Pass(time.Second)
		require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			const many = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1) `
			_, err := tx.Exec(ctx, many+`INSERT INTO visitors (site_id, id, arrived, nonce, first_at, visit_id, name)
				SELECT $2, 1000000 + i, 0, CAST(i AS TEXT), $3, 1000000 + i, '' FROM n`, number, busy, c.Now().UnixMilli())
			if err != nil {
				return err
			}
			_, err = tx.Exec(ctx, many+`INSERT INTO visits (site_id, id, visitor_id, started_at, last_at, views, view_id, recent, campaign, bot, user_agent, language, `+source.Columns+`)
				SELECT $2, 1000000 + i, 1000000 + i, $3, $3, 1, 1, '', '', FALSE, '', '', 'direct', '', '', '', '', '', '', '', '', '' FROM n`, number, busy, c.Now().UnixMilli())
			return err
		}))
		live, err := v.Onsite.Live(t.Context(), scope.Of(site))
		require.NoError(t, err)
		require.Len(t, live.Visits, 5)
		require.False(t, live.More)
		live, err = v.Onsite.Live(t.Context(), scope.All())
		require.NoError(t, err)
		require.Len(t, live.Visits, onsite.MaxLive)
		require.True(t, live.More)
		w := v.Onsite.Watch(scope.Of(site))
		defer w.Close()
		until(t, w, func(s *onsite.Scene) bool { return len(s.Visits) == 5 && s.Visits[0].SiteID == site })
	})
}
