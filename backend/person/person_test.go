package person_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/person"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const site = 1

// busy has a visitor with so many page views in a visit, who has left an address.
func busy(t *testing.T, d *db.DB, hits int) (*visittest.Rooms, visit.Ref) {
	t.Helper()
	visits := visittest.Open(t, d, time.Now)
	h, err := visits.Arrive(t.Context(), site, 0, visit.Arrival{Nonce: "first", URL: "https://shop.example/", Kind: "load"})
	require.NoError(t, err)
	require.NoError(t, visits.AddInfo(t.Context(), site, h.Ref, visit.Info{Email: "Ada@example.com"}))
	require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO views (site_id, visit_id, id, visitor_id, at, kind, url, referrer, title)
			WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
			SELECT site_id, visit_id, 1000000 + i, visitor_id, at, kind, url, referrer, title FROM views, n`, hits-1)
		return err
	}))
	return visits, h.Ref
}

func open(t *testing.T, d *db.DB, visits *visittest.Rooms) *person.Persons {
	t.Helper()
	persons, err := person.New(t.Context(), d, time.Now, zap.NewNop(), func(context.Context) []string { return nil }, visits.Traces())
	require.NoError(t, err)
	return persons
}

func count(t *testing.T, d *db.DB, table string) int {
	t.Helper()
	n, _, err := db.One(t.Context(), d.Read(), db.Only[int], `SELECT COUNT(*) FROM `+table)
	require.NoError(t, err)
	return n
}

// An erasure that ends in the middle goes on where it was, also on another node.
func TestAnErasureIsResumed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const views = 8000
		visits, ref := busy(t, d, views)
		persons := open(t, d, visits)
		sought := person.Sought{Emails: []string{"ada@EXAMPLE.com"}, Sites: scope.All()}
		known, err := persons.Look(t.Context(), "vera", sought)
		require.NoError(t, err)
		require.EqualValues(t, views+3, known.Total(), "the visitor, the session and the address")
		id, err := persons.Erase(t.Context(), "vera", sought)
		require.NoError(t, err)

		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { _ = persons.EraseAsked(ctx) })
		require.Eventually(t, func() bool {
			begun := count(t, d, "views") < views
			if begun {
				stop()
			}
			return begun
		}, time.Minute, time.Millisecond)
		running.Wait()
		require.NotZero(t, count(t, d, "views"))
		_, err = visits.Card(t.Context(), site, ref.Visitor)
		require.ErrorIs(t, err, visit.ErrUnknown, "the visitor goes first, and what led to the visits with the visitor")
		require.ErrorIs(t, visits.SetProperty(t.Context(), site, visit.Ref{Visitor: ref.Visitor, Visit: ref.Visit, View: 1}, "x", nil), visit.ErrForeign)

		other := open(t, d, visits)
		require.Eventually(t, func() bool {
			require.NoError(t, other.EraseAsked(t.Context()))
			e, err := other.Erasure(t.Context(), id)
			require.NoError(t, err)
			return !e.EndedAt.IsZero() && e.Rows == known.Total()
		}, time.Minute, 10*time.Millisecond)
		for _, table := range []string{"visitors", "visits", "views", "contacts", "erasure_marks", "duties"} {
			require.Zero(t, count(t, d, table), table)
		}
	})
}

// Of several nodes one erases, and somebody who goes on looking at pages meanwhile is somebody new.
func TestErasingBesideTraffic(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		visits, ref := busy(t, d, 1200)
		nodes := []*person.Persons{open(t, d, visits), open(t, d, visits), open(t, d, visits)}
		known, err := nodes[0].Look(t.Context(), "", person.Sought{Emails: []string{"ada@example.com"}, Sites: scope.All()})
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var running, looking sync.WaitGroup
		for _, node := range nodes {
			running.Go(func() { node.Run(ctx) })
		}
		looking.Go(func() {
			for i := range 100 {
				_, err := visits.Arrive(t.Context(), site, ref.Visitor, visit.Arrival{Nonce: fmt.Sprint("later", i), URL: "https://shop.example/later", Kind: "load"})
				if err != nil {
					panic(err)
				}
			}
		})
		id, err := nodes[1].Erase(t.Context(), "", person.Sought{Emails: []string{"ada@example.com"}, Sites: scope.All()})
		require.NoError(t, err)
		looking.Wait()
		var e person.Erasure
		require.Eventually(t, func() bool {
			e, err = nodes[2].Erasure(t.Context(), id)
			require.NoError(t, err)
			return !e.EndedAt.IsZero()
		}, time.Minute, 10*time.Millisecond)
		stop()
		running.Wait()
		require.GreaterOrEqual(t, e.Rows, known.Total())
		orphans, _, err := db.One(t.Context(), d.Read(), db.Only[int], `SELECT COUNT(*) FROM views h WHERE NOT EXISTS (SELECT 1 FROM visits s WHERE s.site_id = h.site_id AND s.id = h.visit_id)
			OR NOT EXISTS (SELECT 1 FROM visitors v WHERE v.site_id = h.site_id AND v.id = h.visitor_id)`)
		require.NoError(t, err)
		require.Zero(t, orphans)
		_, err = visits.Card(t.Context(), site, ref.Visitor)
		require.ErrorIs(t, err, visit.ErrUnknown)
	})
}
