package fact_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/report/fact"
)

// A day comes back as it was kept, whether it has few rows, many, or few again.
func TestDaysComeBack(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f := &fact.Visits
		change := func(c fact.Change) {
			t.Helper()
			c.SiteID, c.Day = 1, 20_000
			prepared, err := f.Prepare(t.Context(), d.Read(), c)
			require.NoError(t, err)
			require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error { return prepared.Write(ctx, tx) }))
		}
		held := func() (ids []int64, sources []string) {
			t.Helper()
			blocks, err := fact.Load(t.Context(), d.Read(), 1, f, 19_999, 20_001, []int{fact.ID, fact.VisitViews}, []int{fact.VisitSource})
			require.NoError(t, err)
			require.Len(t, blocks, 1)
			b := blocks[0]
			for i, id := range b.Numbers[fact.ID] {
				require.Equal(t, 2*id, b.Numbers[fact.VisitViews][i])
				sources = append(sources, b.Texts[fact.VisitSource].Values[b.Texts[fact.VisitSource].Rows[i]])
			}
			require.Empty(t, b.Numbers[fact.VisitFlags], "it was not asked for")
			return b.Numbers[fact.ID], sources
		}
		row := func(id int64) fact.Row {
			r := fact.Row{Numbers: make([]int64, len(f.Numbers)), Texts: make([]string, len(f.Texts))}
			r.Numbers[fact.ID], r.Numbers[fact.VisitViews], r.Texts[fact.VisitSource] = id, 2*id, "news"
			return r
		}
		change(fact.Change{Put: []fact.Row{row(1), row(2)}})
		ids, sources := held()
		require.Equal(t, []int64{1, 2}, ids)
		require.Equal(t, []string{"news", "news"}, sources)
		var many, gone []int64
		var put []fact.Row
		for id := int64(1); id <= 300; id++ {
			many, put = append(many, id), append(put, row(id))
			if id > 3 {
				gone = append(gone, id)
			}
		}
		change(fact.Change{Put: put})
		ids, _ = held()
		require.Equal(t, many, ids)
		change(fact.Change{Drop: gone})
		ids, _ = held()
		require.Equal(t, []int64{1, 2, 3}, ids)
	})
}
