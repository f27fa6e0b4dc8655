package site_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/journal/journaltest"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// What happens on its own is waited for, and looked at this often.
const (
	wait = time.Minute
	tick = 5 * time.Millisecond
)

func newSites(d *db.DB) *site.Sites { return site.New(d, time.Now, zap.NewNop()) }

// follow runs Follow for as long as the test.
func follow(t *testing.T, s *site.Sites) *site.Sites {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Follow(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return s
}

// eachTwo runs the test on two nodes of a new database of each engine: each has a
// handle of its own, as two processes do.
func eachTwo(t *testing.T, test func(t *testing.T, d *db.DB, here, there *site.Sites)) {
	for name, settings := range map[string]func(testing.TB) db.Settings{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := settings(t)
			d := dbtest.Open(t, database)
			test(t, d, follow(t, newSites(d)), follow(t, newSites(dbtest.Open(t, database))))
		})
	}
}

func TestSiteIsProvisionedOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		nodes := []*site.Sites{newSites(d), newSites(d), newSites(d)}
		provisioned := make([]site.Site, 30)
		var wait sync.WaitGroup
		for i := range provisioned {
			wait.Go(func() {
				var err error
				provisioned[i], err = nodes[i%len(nodes)].Provision(context.Background(), fmt.Sprint("shop-", i%2, ".example"))
				assert.NoError(t, err)
			})
		}
		wait.Wait()
		require.NotEqual(t, provisioned[0].ID, provisioned[1].ID)
		for i, s := range provisioned {
			require.Equal(t, provisioned[i%2], s)
			require.Positive(t, s.ID)
			require.Zero(t, s.Version)
		}
		sites, err := newSites(d).List(t.Context())
		require.NoError(t, err)
		require.Equal(t, provisioned[:2], sites)
		entries := journaltest.Entries(t, d)
		require.Len(t, entries, 2)
		require.Equal(t, site.Added, entries[0].Kind)
	})
}

func TestManySitesAreProvisionedTogether(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSites(d)
		first, err := s.Provision(t.Context(), "shop-0007.example")
		require.NoError(t, err)
		var keys []string
		for i := range 1200 {
			keys = append(keys, fmt.Sprintf("shop-%04d.example", i))
		}
		keys = append(keys, keys[3], keys[1100])
		var ids map[string]int64
		provision := func(after error, keys ...string) error {
			return d.Attempt(t.Context(), 0, func(ctx context.Context, tx db.Tx) (err error) {
				ids, err = s.ProvisionAll(ctx, tx, keys)
				return errors.Join(err, after)
			})
		}
		failure := errors.New("something else of the configuration")
		require.ErrorIs(t, provision(failure, keys...), failure)
		require.Error(t, provision(nil, append(keys, "no key")...))
		require.NoError(t, s.Refresh(t.Context()))
		sites, err := s.List(t.Context())
		require.NoError(t, err)
		require.Len(t, sites, 1, "all or nothing")

		require.NoError(t, provision(nil, keys...))
		require.Len(t, ids, 1200)
		require.Equal(t, first.ID, ids[first.Key])
		require.NoError(t, s.Refresh(t.Context()))
		sites, err = s.List(t.Context())
		require.NoError(t, err)
		require.Len(t, sites, 1200)
		known := make(map[int64]bool)
		for _, found := range sites {
			require.Equal(t, ids[found.Key], found.ID)
			known[found.ID] = true
		}
		require.Len(t, known, 1200)
		require.Len(t, journaltest.Entries(t, d), 1200)
		require.NoError(t, provision(nil, keys...), "again")
		require.Len(t, journaltest.Entries(t, d), 1200)
	})
}

func TestSiteOfAnotherNodeIsFound(t *testing.T) {
	eachTwo(t, func(t *testing.T, d *db.DB, here, there *site.Sites) {
		_, err := here.ByKey(t.Context(), "shop.example")
		require.ErrorIs(t, err, site.ErrUnknown)
		added, err := there.Provision(t.Context(), "shop.example")
		require.NoError(t, err)
		found, err := there.ByKey(t.Context(), "shop.example")
		require.NoError(t, err)
		require.Equal(t, added, found, "at once where it was added")
		require.Eventually(t, func() bool {
			found, err := here.ByKey(t.Context(), "shop.example")
			return err == nil && assert.ObjectsAreEqual(added, found)
		}, wait, tick)
		again, err := here.Provision(t.Context(), "shop.example")
		require.NoError(t, err)
		require.Equal(t, added, again)
	})
}

// Whatever keys are asked for, the database is asked once, and what was known
// outlives it.
func TestKeysOfNoSiteCostNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSites(d)
		shop, err := s.Provision(t.Context(), "shop.example")
		require.NoError(t, err)
		require.NoError(t, d.Close())
		for i := range 1000 {
			_, err := s.ByKey(t.Context(), fmt.Sprint("no-site-", i))
			require.ErrorIs(t, err, site.ErrUnknown)
		}
		require.Error(t, s.Refresh(t.Context()))
		found, err := s.ByKey(t.Context(), "shop.example")
		require.NoError(t, err, "known before the database went away")
		require.Equal(t, shop, found)
		_, err = s.ByKey(t.Context(), "other.example")
		require.Error(t, err)
		require.NotErrorIs(t, err, site.ErrUnknown, "it cannot be known")

		_, err = newSites(d).ByKey(t.Context(), "shop.example")
		require.Error(t, err)
		require.NotErrorIs(t, err, site.ErrUnknown)
	})
}

// Frontdesk removes no site. Somebody may, by hand.
func TestSiteThatIsRemovedIsForgotten(t *testing.T) {
	eachTwo(t, func(t *testing.T, d *db.DB, here, there *site.Sites) {
		for _, key := range []string{"shop.example", "other.example"} {
			_, err := here.Provision(t.Context(), key)
			require.NoError(t, err)
		}
		shop, err := here.Change(t.Context(), "shop.example", 0, site.Settings{PhoneMask: new("+7 ###")}, "vera")
		require.NoError(t, err)
		require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			tx.Wake(site.Topic)
			_, err := tx.Exec(ctx, `DELETE FROM sites WHERE id = $1`, shop.ID)
			return err
		}))
		for _, node := range []*site.Sites{here, there} {
			require.Eventually(t, func() bool {
				_, err := node.ByKey(t.Context(), "shop.example")
				return errors.Is(err, site.ErrUnknown)
			}, wait, tick)
			_, err = node.Change(t.Context(), "shop.example", 1, site.Settings{}, "vera")
			require.ErrorIs(t, err, site.ErrUnknown)
		}
		require.Equal(t, "+7 ###", *shop.Settings.PhoneMask, "whoever works with it goes on")
		again, err := there.Provision(t.Context(), "shop.example")
		require.NoError(t, err)
		require.NotEqual(t, shop.ID, again.ID, "another site")
		require.Zero(t, again.Version)
	})
}

func TestValidKey(t *testing.T) {
	for _, key := range []string{"a", "shop.example", "shop.example:8080", "A_b-9", strings.Repeat("k", 64)} {
		require.NoError(t, site.ValidKey(key), key)
	}
	s := newSites(dbtest.Open(t, dbtest.SQLite(t)))
	for _, key := range []string{"", " ", "a b", "a/b", "кот", "a\x00", "a\n", strings.Repeat("k", 65)} {
		require.Error(t, site.ValidKey(key), key)
		_, err := s.Provision(t.Context(), key)
		require.Error(t, err)
		_, err = s.ByKey(t.Context(), key)
		require.ErrorIs(t, err, site.ErrUnknown)
	}
}
