package site_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/journal/journaltest"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

func TestSiteIsAddedOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSites(d)
		_, err := s.Provision(t.Context(), "ABC-1")
		require.NoError(t, err)
		made, err := s.Add(t.Context(), "Shop.Example", "vera")
		require.NoError(t, err)
		require.Equal(t, "shop.example", made.Key, "as hosts are")
		found, err := s.ByKey(t.Context(), "shop.example")
		require.NoError(t, err)
		require.Equal(t, made, found)
		for _, taken := range []string{"shop.example", "SHOP.example", "abc-1", "ABC-1"} {
			_, err := s.Add(t.Context(), taken, "vera")
			require.ErrorIs(t, err, site.ErrTaken, taken)
		}
		_, err = s.Add(t.Context(), "no key!", "vera")
		require.ErrorContains(t, err, "is not a site key")
		list, err := s.List(t.Context())
		require.NoError(t, err)
		require.Len(t, list, 2, "what is refused adds nothing")
		journaltest.Entries(t, d)
		done, err := journal.New(d).Administration(t.Context(), scope.Of(made.ID), journal.Position{}, 10)
		require.NoError(t, err)
		require.Len(t, done, 1)
		require.JSONEq(t, `{"by":"vera"}`, string(done[0].Data))
	})
}

func TestRetiredSiteIsNotServedOnAnyNode(t *testing.T) {
	eachTwo(t, func(t *testing.T, d *db.DB, here, there *site.Sites) {
		shop, err := here.Provision(t.Context(), "shop.example")
		require.NoError(t, err)
		arrives := func(expected error) {
			t.Helper()
			require.Eventually(t, func() bool {
				_, err := there.ByKey(t.Context(), "shop.example")
				return err == expected
			}, wait, tick)
		}
		arrives(nil)
		retired, err := here.Retire(t.Context(), shop.ID, true, "vera")
		require.NoError(t, err)
		require.False(t, retired.RetiredAt.IsZero())
		_, err = here.ByKey(t.Context(), "shop.example")
		require.ErrorIs(t, err, site.ErrRetired)
		require.ErrorIs(t, err, site.ErrUnknown, "nothing is done for it")
		arrives(site.ErrRetired)
		again, err := here.Retire(t.Context(), shop.ID, true, "vera")
		require.NoError(t, err)
		require.Equal(t, retired, again)

		_, err = there.Provision(t.Context(), "shop.example")
		require.ErrorIs(t, err, site.ErrRetired, "a configuration that names it does not bring it back")
		_, err = site.New(d, time.Now, zap.NewNop()).Provision(t.Context(), "shop.example")
		require.ErrorIs(t, err, site.ErrRetired)
		require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			ids, err := there.ProvisionAll(ctx, tx, []string{"shop.example"})
			require.Equal(t, map[string]int64{"shop.example": shop.ID}, ids)
			return err
		}))
		_, err = there.ByKey(t.Context(), "shop.example")
		require.ErrorIs(t, err, site.ErrRetired)
		_, err = here.Add(t.Context(), "shop.example", "vera")
		require.ErrorIs(t, err, site.ErrTaken)
		list, err := there.List(t.Context())
		require.NoError(t, err)
		require.Equal(t, retired.RetiredAt, list[0].RetiredAt, "it is listed")

		restored, err := there.Retire(t.Context(), shop.ID, false, "vera")
		require.NoError(t, err)
		require.True(t, restored.RetiredAt.IsZero())
		_, err = there.ByKey(t.Context(), "shop.example")
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			_, err := here.ByKey(t.Context(), "shop.example")
			return err == nil
		}, wait, tick)
		_, err = here.Retire(t.Context(), 999, true, "vera")
		require.ErrorIs(t, err, site.ErrUnknown)
		journaltest.Entries(t, d)
		done, err := journal.New(d).Administration(t.Context(), scope.Of(shop.ID), journal.Position{}, 10)
		require.NoError(t, err)
		require.Len(t, done, 3)
		require.Equal(t, []string{site.Restored, site.Retired, site.Added}, []string{done[0].Kind, done[1].Kind, done[2].Kind})
	})
}

func TestPagesAreCountedByAllNodes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
		now := func() time.Time { return at }
		nodes := []*site.Sites{site.New(d, now, zap.NewNop()), site.New(d, now, zap.NewNop())}
		store := func() {
			var all sync.WaitGroup
			for _, node := range nodes {
				all.Go(func() { require.NoError(t, node.StorePages(t.Context())) })
			}
			all.Wait()
		}
		count := func(id int64, outcome string, times int) {
			var all sync.WaitGroup
			for i := range times {
				all.Go(func() { nodes[i%2].Page(id, outcome) })
			}
			all.Wait()
		}
		count(1, "woven", 90)
		count(1, "csp", 3)
		count(2, "not_html", 1)
		store()
		first := at
		at = at.Add(25 * time.Hour)
		count(1, "woven", 10)
		store()
		store() // counts nothing twice
		pages, err := nodes[0].Pages(t.Context(), scope.All(), 7)
		require.NoError(t, err)
		require.Equal(t, map[int64][]site.Pages{
			1: {{Outcome: "woven", Number: 100, LastAt: at.Local()}, {Outcome: "csp", Number: 3, LastAt: first.Local()}},
			2: {{Outcome: "not_html", Number: 1, LastAt: first.Local()}},
		}, pages)
		pages, err = nodes[0].Pages(t.Context(), scope.Of(2), 7)
		require.NoError(t, err)
		require.Len(t, pages, 1)
		pages, err = nodes[0].Pages(t.Context(), scope.All(), 1)
		require.NoError(t, err)
		require.Equal(t, int64(10), pages[1][0].Number, "of today alone")
		at = at.Add(site.PagesKept * 24 * time.Hour)
		require.NoError(t, nodes[0].PrunePages(t.Context()))
		pages, err = nodes[0].Pages(t.Context(), scope.All(), 1000)
		require.NoError(t, err)
		require.Len(t, pages, 1, "what is old is forgotten")
	})
}

// While the database cannot be written, what was counted waits.
func TestPagesWaitForTheDatabase(t *testing.T) {
	settings := dbtest.SQLite(t)
	d := dbtest.Open(t, settings)
	s := newSites(d)
	s.Page(1, "woven")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, s.StorePages(ended))
	require.NoError(t, s.StorePages(t.Context()))
	pages, err := s.Pages(t.Context(), scope.All(), 1)
	require.NoError(t, err)
	require.Equal(t, int64(1), pages[1][0].Number)
}
