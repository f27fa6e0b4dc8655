package site

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/journal"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// clock is the time that a test sets.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func newClock() *clock { return &clock{at: time.UnixMilli(1_700_000_000_000)} }

func TestSiteIsProvisionedOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		nodes := []*Sites{New(d), New(d), New(d)}
		provisioned := make([]Site, 30)
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
		for i, site := range provisioned {
			require.Equal(t, provisioned[i%2], site)
			require.Positive(t, site.ID)
		}
		sites, err := nodes[0].List(t.Context())
		require.NoError(t, err)
		require.Equal(t, provisioned[:2], sites)
		entries, err := journal.New(d).After(t.Context(), journal.Position{}, 10)
		require.NoError(t, err)
		require.Len(t, entries, 2)
		require.Equal(t, Added, entries[0].Kind)
	})
}

func TestSiteOfAnotherNodeIsFoundAWhileLater(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newClock()
		here, there := newSites(d, c.now), newSites(d, c.now)
		_, err := here.ByKey(t.Context(), "shop.example")
		require.ErrorIs(t, err, ErrUnknown)
		added, err := there.Provision(t.Context(), "shop.example")
		require.NoError(t, err)
		found, err := there.ByKey(t.Context(), "shop.example")
		require.NoError(t, err)
		require.Equal(t, added, found)

		_, err = here.ByKey(t.Context(), "shop.example")
		require.ErrorIs(t, err, ErrUnknown, "from memory")
		c.pass(remember)
		found, err = here.ByKey(t.Context(), "shop.example")
		require.NoError(t, err)
		require.Equal(t, added, found)
		again, err := here.Provision(t.Context(), "shop.example")
		require.NoError(t, err)
		require.Equal(t, added, again)
	})
}

// Whatever keys are asked for, the database is asked once, and no more is
// remembered than there are sites.
func TestKeysOfNoSiteCostNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newClock()
		s := newSites(d, c.now)
		site, err := s.Provision(t.Context(), "shop.example")
		require.NoError(t, err)
		require.NoError(t, d.Close())
		for i := range 1000 {
			_, err := s.ByKey(t.Context(), fmt.Sprint("no-site-", i))
			require.ErrorIs(t, err, ErrUnknown)
		}
		require.Len(t, s.known.Load().byKey, 1)

		c.pass(time.Hour)
		found, err := s.ByKey(t.Context(), "shop.example")
		require.NoError(t, err, "known before the database went away")
		require.Equal(t, site, found)
		_, err = s.ByKey(t.Context(), "other.example")
		require.Error(t, err)
		require.NotErrorIs(t, err, ErrUnknown, "it cannot be known")
	})
}

func TestValidKey(t *testing.T) {
	for _, key := range []string{"a", "shop.example", "shop.example:8080", "A_b-9", strings.Repeat("k", 64)} {
		require.NoError(t, ValidKey(key), key)
	}
	s := New(dbtest.Open(t, dbtest.SQLite(t)))
	for _, key := range []string{"", " ", "a b", "a/b", "кот", "a\x00", "a\n", strings.Repeat("k", 65)} {
		require.Error(t, ValidKey(key), key)
		_, err := s.Provision(t.Context(), key)
		require.Error(t, err)
		_, err = s.ByKey(t.Context(), key)
		require.ErrorIs(t, err, ErrUnknown)
	}
}
