package retain_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/db/partition"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/retain"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

const day = 24 * time.Hour

// begun is the first day of a partition of the usual length.
var begun = time.UnixMilli(20_020 * 24 * 3600 * 1000).UTC() // 715 times 28 days

// many is how many visits a test stores on a day: more than are worth deleting row by row.
const many = 1500

// past stores visits of the day with a page view, an event and a contact each. The visitor of every tenth has visited on the
// first day, too.
func past(t testing.TB, visits *visittest.Rooms, d *db.DB, site int64, at time.Time, n int) {
	t.Helper()
	first := partition.First(at) + site*1_000_000
	_, err := visits.Keys.Parts.Cover(t.Context(), first, first+int64(n))
	require.NoError(t, err)
	series := fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) `, n)
	id, visitor := fmt.Sprintf(`%d + i`, first), fmt.Sprintf(`CASE WHEN i %% 10 = 0 THEN %d ELSE %d END + i`, partition.First(begun)+site*1_000_000, first)
	ended := fmt.Sprintf(`%d + i`, at.UnixMilli())
	require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
		for _, query := range []string{
			`INSERT INTO visits (site_id, id, visitor_id, started_at, last_at, views, view_id, recent, campaign, bot, user_agent, language, ` + source.Columns + `) ` + series +
				fmt.Sprintf(`SELECT %d, %s, %s, %s, %[4]s, 1, %[2]s, '', '', i %% 50 = 1, '', '', '', '', '', '', '', '', '', '', '', '' FROM n`, site, id, visitor, ended),
			`INSERT INTO views (site_id, visit_id, id, visitor_id, at, kind, url, referrer, title) ` + series +
				fmt.Sprintf(`SELECT %d, %s, %[2]s, %s, %s, 'load', 'https://shop.example/', '', '' FROM n`, site, id, visitor, ended),
			`INSERT INTO user_events (site_id, visit_id, id, visitor_id, view_id, at, call_id, category, action, name, value) ` + series +
				fmt.Sprintf(`SELECT %d, %s, %[2]s, %s, 0, %s, '', '', '', '', '' FROM n`, site, id, visitor, ended),
			`INSERT INTO visitors (site_id, id, arrived, nonce, first_at, visit_id, name) ` + series +
				fmt.Sprintf(`SELECT %d, %s, %s, CAST(%[2]s AS TEXT), 0, %[2]s, '' FROM n WHERE %[2]s = %[4]s`, site, id, ended, visitor),
			`INSERT INTO contacts (site_id, visitor_id, kind, value, written, at) SELECT site_id, id, 'email', 'somebody@example.com', '', 0 FROM visitors WHERE TRUE ON CONFLICT DO NOTHING`,
		} {
			if _, err := tx.Exec(ctx, query); err != nil {
				return err
			}
		}
		return nil
	}))
}

func count(t testing.TB, d *db.DB, what string) int {
	t.Helper()
	n, _, err := db.One(context.Background(), d.Read(), db.Only[int], `SELECT COUNT(*) FROM `+what)
	require.NoError(t, err)
	return n
}

// partitions are the tables that visits are in, by their names, and those that have been taken out.
func partitions(t testing.TB, d *db.DB) string {
	t.Helper()
	if d.Engine() != db.Postgres {
		return ""
	}
	names, err := db.List(context.Background(), d.Read(), db.Only[string], `SELECT relname FROM pg_class WHERE relkind = 'r' AND relname ~ '^(visits|views|user_events)_[0-9]+_' ORDER BY 1`)
	require.NoError(t, err)
	return strings.Join(names, " ")
}

// whole says that nothing is left without what it belongs to.
func whole(t testing.TB, d *db.DB) {
	t.Helper()
	require.Zero(t, count(t, d, `views w WHERE NOT EXISTS (SELECT 1 FROM visits v WHERE v.site_id = w.site_id AND v.id = w.visit_id)`))
	require.Zero(t, count(t, d, `user_events w WHERE NOT EXISTS (SELECT 1 FROM visits v WHERE v.site_id = w.site_id AND v.id = w.visit_id)`))
	require.Zero(t, count(t, d, `visits v WHERE NOT EXISTS (SELECT 1 FROM visitors p WHERE p.site_id = v.site_id AND p.id = v.visitor_id)`))
	require.Zero(t, count(t, d, `visitors p WHERE NOT EXISTS (SELECT 1 FROM visits v WHERE v.site_id = p.site_id AND v.visitor_id = p.id)`))
	require.Zero(t, count(t, d, `contacts c WHERE NOT EXISTS (SELECT 1 FROM visitors p WHERE p.site_id = c.site_id AND p.id = c.visitor_id)`))
	require.Zero(t, count(t, d, `visitors p WHERE arrived > 10000000 AND NOT EXISTS (SELECT 1 FROM contacts c WHERE c.site_id = p.site_id AND c.visitor_id = p.id)`))
}

func open(t testing.TB, d *db.DB, now time.Time) *visittest.Rooms {
	return visittest.Open(t, d, func() time.Time { return now })
}

// Both engines keep the same of visits that are old, wherever these are stored.
func TestDaysThatAreOver(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		visits := open(t, d, begun.Add(100*day))
		past(t, visits, d, 1, begun, many)
		past(t, visits, d, 2, begun, many)
		past(t, visits, d, 1, begun.Add(30*day), many)
		require.NoError(t, d.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
			_, err := tx.Exec(ctx, `UPDATE visits SET last_at = $1 WHERE site_id = 2 AND id % 500 = 7`, begun.Add(29*day).UnixMilli()) // they go on
			return err
		}))
		staying := count(t, d, `visits WHERE site_id = 2 AND id % 500 = 7`)
		require.Positive(t, staying)

		limit := retain.Limit{Before: begun.Add(28*day + 2*time.Hour)}
		passed, err := visits.Retention.Passed(ctx, []retain.Limit{limit})
		require.NoError(t, err)
		require.Len(t, passed, 1)
		pruned, err := visits.Retention.Prune(ctx, limit)
		require.NoError(t, err)
		require.Equal(t, 2*many-staying, pruned)
		require.Equal(t, many+staying, count(t, d, `visits`))
		require.Equal(t, many+staying, count(t, d, `views`))
		require.Equal(t, many+staying, count(t, d, `user_events`))
		require.Equal(t, many/10, count(t, d, `visitors WHERE site_id = 1 AND id < `+fmt.Sprint(partition.First(begun.Add(day)))), "they have come back")
		whole(t, d)
		passed, err = visits.Retention.Passed(ctx, []retain.Limit{limit})
		require.NoError(t, err)
		require.Empty(t, passed)

		limit.Before = begun.Add(29*day + time.Hour)
		pruned, err = visits.Retention.Prune(ctx, limit)
		require.NoError(t, err)
		require.Equal(t, staying, pruned, "as few as these are deleted row by row")
		if d.Engine() == db.Postgres {
			require.Equal(t, "user_events_20048_20076 views_20048_20076 visits_20048_20076", partitions(t, d), "and the last of a partition goes with it")
		}
		whole(t, d)
	})
}

// Sites that keep visits for a shorter time lose them row by row. Those of others stay, and a partition without rows goes.
func TestPartitionsOfSeveralSites(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		visits := open(t, d, begun.Add(100*day))
		past(t, visits, d, 1, begun, 200)
		past(t, visits, d, 2, begun, 200)
		past(t, visits, d, 2, begun.Add(30*day), 200)
		prune := func(site int64, expected int) {
			t.Helper()
			require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
				_, err := tx.Exec(ctx, `UPDATE visits SET bot = FALSE`)
				return err
			}))
			pruned, err := visits.Retention.Prune(t.Context(), retain.Limit{SiteID: site, Before: begun.Add(29 * day)})
			require.NoError(t, err)
			require.Equal(t, expected, pruned)
			whole(t, d)
		}
		before := partitions(t, d)
		prune(1, 200)
		require.Equal(t, 400, count(t, d, `visits WHERE site_id = 2`))
		require.Equal(t, before, partitions(t, d))
		prune(2, 200)
		require.Equal(t, 200, count(t, d, `visits`))
		require.NotContains(t, partitions(t, d), "20020")
	})
}

// Visits wait until the days of their partition are over, unless these are too many, or their number is not of that time.
func TestVisitsWaitForTheirPartition(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		visits := open(t, d, begun.Add(100*day))
		past(t, visits, d, 1, begun, many)
		past(t, visits, d, 1, begun.Add(20*day), many)
		past(t, visits, d, 1, begun.Add(30*day), many)
		require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			_, err := tx.Exec(ctx, `UPDATE visits SET last_at = $1 WHERE id >= $2 AND id % 100 = 5`, begun.UnixMilli(), partition.First(begun.Add(30*day)))
			return err
		}))
		prune := func(before time.Duration, wait time.Duration, left int) {
			t.Helper()
			_, err := visits.Retention.Prune(t.Context(), retain.Limit{Before: begun.Add(before), Wait: wait})
			require.NoError(t, err)
			require.Equal(t, left, count(t, d, `visits`))
			whole(t, d)
		}
		if d.Engine() == db.SQLite {
			prune(10*day, 28*day, 2*many-many/100)
			return
		}
		prune(10*day, 28*day, 3*many-many/100)
		prune(28*day, 28*day, 3*many-many/100)
		prune(10*day, 27*day, 2*many-many/100)
		prune(28*day+2*time.Hour, 28*day, many-many/100)
		require.NotContains(t, partitions(t, d), "20020")
	})
}

// dump is a transaction that reads for long, as pg_dump does.
func dump(t *testing.T, d *db.DB) *sql.Tx {
	t.Helper()
	direct, err := db.Direct(d)
	require.NoError(t, err)
	t.Cleanup(func() { direct.Close() })
	reader, err := direct.BeginTx(t.Context(), &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	require.NoError(t, err)
	t.Cleanup(func() { _ = reader.Rollback() })
	_, err = reader.ExecContext(t.Context(), `SET LOCAL idle_in_transaction_session_timeout = 0`)
	require.NoError(t, err)
	return reader
}

// Somebody reads for long, and visitors come, while partitions are dropped: nobody is refused, and the drop comes to its end.
func TestDroppingBesideReadersAndVisitors(t *testing.T) {
	d := dbtest.Open(t, dbtest.Postgres(t))
	visits := open(t, d, begun.Add(100*day))
	past(t, visits, d, 1, begun, many)
	past(t, visits, d, 1, begun.Add(28*day), many)
	limit := retain.Limit{Before: begun.Add(70 * day)}
	visits.See(t, 0, "https://shop.example/")

	reader := dump(t, d)
	var read int
	require.NoError(t, reader.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM visits`).Scan(&read))
	require.Equal(t, 2*many+1, read)

	ctx, stop := context.WithCancel(t.Context())
	var stored atomic.Int64
	var working sync.WaitGroup
	defer working.Wait()
	defer stop()
	for n := range 4 {
		working.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				_, err := visits.Arrive(context.Background(), 1, 0, visit.Arrival{Nonce: fmt.Sprint(n, " ", i), URL: "https://shop.example/", Kind: "load"})
				assert.NoError(t, err)
				_, err = db.List(context.Background(), d.Read(), db.Only[int64], `SELECT id FROM visits WHERE site_id = 1 AND visitor_id = 5`)
				assert.NoError(t, err)
				stored.Add(1)
			}
		})
	}
	for range 2 {
		pruned, err := visits.Retention.Prune(t.Context(), limit)
		require.NoError(t, err)
		require.Zero(t, pruned, "the reader has the partitions")
	}
	require.NoError(t, reader.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM views`).Scan(&read))
	require.Equal(t, 2*many+1, read, "and reads on as it has begun")
	passed, err := visits.Retention.Passed(t.Context(), []retain.Limit{limit})
	require.NoError(t, err)
	require.Len(t, passed, 1, "it is tried again")
	require.NoError(t, reader.Rollback())
	pruned := 0
	require.Eventually(t, func() bool { // a partition that visitors have just now is tried again
		n, err := visits.Retention.Prune(t.Context(), limit)
		pruned += n
		return err == nil && pruned == 2*many
	}, time.Minute, 10*time.Millisecond)
	stop()
	working.Wait()
	require.EqualValues(t, stored.Load()+1, count(t, d, `visits`))
	require.NotContains(t, partitions(t, d), "20020")
	whole(t, d)
}

// Visits that are to be kept after all, while their partition is being dropped, come back.
func TestDroppingIsGivenUp(t *testing.T) {
	d := dbtest.Open(t, dbtest.Postgres(t))
	visits := open(t, d, begun.Add(100*day))
	past(t, visits, d, 1, begun, many)
	reader := dump(t, d)
	_, err := reader.ExecContext(t.Context(), `SELECT FROM visits LIMIT 1`)
	require.NoError(t, err)
	pruned, err := visits.Retention.Prune(t.Context(), retain.Limit{Before: begun.Add(50 * day)})
	require.NoError(t, err)
	require.Zero(t, pruned)
	require.NoError(t, reader.Rollback())

	none := []retain.Limit{{Before: time.UnixMilli(0)}}
	passed, err := visits.Retention.Passed(t.Context(), none)
	require.NoError(t, err)
	require.Equal(t, none, passed)
	_, err = visits.Retention.Prune(t.Context(), none[0])
	require.NoError(t, err)
	require.Equal(t, many, count(t, d, `visits`))
	require.Equal(t, many, count(t, d, `views`))
	require.NotContains(t, partitions(t, d), "gone")
	whole(t, d)
	passed, err = visits.Retention.Passed(t.Context(), none)
	require.NoError(t, err)
	require.Empty(t, passed)
}

// A node whose clock goes ahead takes nothing for old that is not.
func TestAClockThatIsAhead(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for _, wrong := range []time.Duration{-1000 * day, 0, 1000 * day} {
			at, err := retain.NowBy(t.Context(), d, time.Now().Add(wrong))
			require.NoError(t, err)
			require.WithinDuration(t, time.Now().Add(min(wrong, 0)), at, time.Hour)
		}
	})
}

// Several nodes drop at once, and each ends somewhere on the way: another goes on, and nothing is left of what is old.
func TestDroppingIsGoneOnWith(t *testing.T) {
	settings := dbtest.Postgres(t)
	d := dbtest.Open(t, settings)
	visits := open(t, d, begun.Add(100*day))
	for _, after := range []time.Duration{0, 28 * day, 56 * day} {
		past(t, visits, d, 1, begun.Add(after), many)
	}
	require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE visits SET last_at = $1 WHERE id % 500 = 7`, begun.Add(99*day).UnixMilli())
		return err
	}))
	staying := count(t, d, `visits WHERE id % 500 = 7`)
	var nodes []*visittest.Rooms
	for range 3 {
		nodes = append(nodes, open(t, dbtest.Open(t, settings), begun.Add(100*day)))
	}
	var pruned atomic.Int64
	for round := range 25 {
		var working sync.WaitGroup
		for n, node := range nodes {
			working.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(5+20*round+7*n)*time.Millisecond)
				defer cancel()
				// Its error is of its end, or that a statement of one that has ended still holds a lock.
				n, _ := node.Retention.Prune(ctx, retain.Limit{Before: begun.Add(90 * day)})
				pruned.Add(int64(n))
			})
		}
		working.Wait()
	}
	require.Eventually(t, func() bool { // the server may not have noticed yet that the others have ended
		_, err := visits.Retention.Prune(t.Context(), retain.Limit{Before: begun.Add(90 * day)})
		return err == nil && count(t, d, `visits`) == staying && !strings.Contains(partitions(t, d), "gone")
	}, time.Minute, 10*time.Millisecond)
	require.Equal(t, staying, count(t, d, `views`))
	whole(t, d)
}
