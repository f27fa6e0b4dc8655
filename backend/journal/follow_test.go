package journal_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// follow reads with the follower until it has n entries, and says which.
func follow(t *testing.T, f *journal.Follower, n int) []string {
	t.Helper()
	var kinds []string
	deadline := time.After(time.Minute)
	for len(kinds) < n {
		select {
		case <-f.News():
		case <-deadline:
			require.FailNow(t, "entries are missing", "%d of %d", len(kinds), n)
		}
		for {
			entries, err := f.Next(t.Context(), 17)
			require.NoError(t, err)
			if len(entries) == 0 {
				break
			}
			for _, e := range entries {
				kinds = append(kinds, e.Kind)
			}
		}
	}
	return kinds
}

// appendMany appends n entries of the site in one statement.
func appendMany(t *testing.T, d *db.DB, siteID int64, name string, n int) {
	t.Helper()
	require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
		tx.Wake(journal.Topic)
		_, err := tx.Exec(ctx, `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < CAST($1 AS BIGINT))
			INSERT INTO journal (site_id, at, kind, subject_id, visitor_id, data) SELECT CAST($2 AS BIGINT), 0, CAST($3 AS TEXT) || CAST(i AS TEXT), 0, 0, '{}' FROM n ORDER BY i`, n, siteID, name)
		return err
	}))
}

func numbered(name string, n int) []string {
	kinds := make([]string, n)
	for i := range kinds {
		kinds[i] = fmt.Sprint(name, i)
	}
	return kinds
}

// Followers that come and go while many write, quick ones and slow ones, see each
// entry once and in one order.
func TestFollowersMissNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const writers, each = 4, 150
		j := journal.New(d)
		var all sync.WaitGroup
		for w := range writers {
			all.Go(func() {
				for i := range each {
					appendEntry(t, d, int64(w), journal.Entry{Kind: fmt.Sprintf("%d/%d", w, i)})
				}
			})
		}
		orders := make([][]string, 8)
		for n := range orders {
			all.Go(func() {
				deadline := time.Now().Add(2 * time.Minute)
				f := j.Follow(journal.Position{}, scope.All())
				defer func() { f.Close() }()
				for len(orders[n]) < writers*each && assert.True(t, time.Now().Before(deadline), "entries are missing") {
					select {
					case <-f.News():
					case <-time.After(time.Second):
					}
					before := f.Position()
					for {
						entries, err := f.Next(t.Context(), 100)
						if !assert.NoError(t, err) {
							return
						}
						for _, e := range entries {
							orders[n] = append(orders[n], e.Kind)
						}
						if len(entries) == 0 {
							break
						}
					}
					if n%2 == 1 && f.Position() != before { // one that comes again at its position
						f.Close()
						f = j.Follow(f.Position(), scope.All())
					}
				}
			})
		}
		all.Wait()
		require.Len(t, orders[0], writers*each)
		for _, order := range orders {
			require.True(t, slices.Equal(orders[0], order), "another order, or another number: %d", len(order))
		}
	})
}

// A follower that does not read keeps nobody waiting, and catches up.
func TestSlowFollowerCatchesUp(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		j := journal.New(d)
		appendMany(t, d, 1, "before ", 1)
		slow, quick := j.Follow(journal.Position{}, scope.All()), j.Follow(journal.Position{}, scope.All())
		defer slow.Close()
		defer quick.Close()
		require.Equal(t, []string{"before 0"}, follow(t, slow, 1))
		appendMany(t, d, 1, "", 5000) // more than the hub holds
		require.True(t, slices.Equal(append([]string{"before 0"}, numbered("", 5000)...), follow(t, quick, 5001)))
		require.True(t, slices.Equal(numbered("", 5000), follow(t, slow, 5000)))
	})
}

// reachesEnd waits until the follower has nothing more to read. What a transaction is open beside is read after its end.
func reachesEnd(t *testing.T, j *journal.Journal, f *journal.Follower) {
	t.Helper()
	require.Eventually(t, func() bool {
		more, err := f.Next(t.Context(), 1)
		end, endErr := j.End(t.Context())
		return err == nil && endErr == nil && assert.Empty(t, more) && f.Position() == end
	}, time.Minute, 10*time.Millisecond)
}

func TestBusySiteDoesNotHideAQuietOne(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const quiet, busy = 1, 2
		j := journal.New(d)
		appendMany(t, d, quiet, "early ", 2)
		appendMany(t, d, busy, "", 5000)
		appendMany(t, d, quiet, "late ", 3)
		appendMany(t, d, busy, "", 5000)
		f := j.Follow(journal.Position{}, scope.Of(quiet))
		defer f.Close()
		require.Equal(t, append(numbered("early ", 2), numbered("late ", 3)...), follow(t, f, 5))
		reachesEnd(t, j, f) // it does not read the busy site's again
		appendMany(t, d, quiet, "new ", 1)
		require.Equal(t, []string{"new 0"}, follow(t, f, 1))
	})
}

// What concerns a reader beside all sites is heard without what concerns others.
func TestFollowerHearsOfItsSubject(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		j := journal.New(d)
		subject := journal.Subject{Kind: "read 0", ID: 0}
		early := func() {
			appendMany(t, d, 0, "read ", 2) // of which the second is of another kind
			appendMany(t, d, 2, "elsewhere ", 1)
			appendMany(t, d, 1, "here ", 1)
		}
		early()
		appendMany(t, d, 2, "", 5000) // more than the hub holds: what came before is read from the database
		early()
		f, others := j.Follow(journal.Position{}, scope.Of(1), subject), j.Follow(journal.Position{}, scope.Of(1), journal.Subject{Kind: "read 0", ID: 7})
		defer f.Close()
		defer others.Close()
		require.Equal(t, []string{"read 0", "here 0", "read 0", "here 0"}, follow(t, f, 4))
		require.Equal(t, []string{"here 0", "here 0"}, follow(t, others, 2))
		reachesEnd(t, j, f)
	})
}
