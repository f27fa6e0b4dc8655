package fact_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/report/fact"
)

// A day comes back as it was kept, whether it has few rows, many, very many, or few again.
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
		for id := int64(301); id <= 70_000; id++ {
			many, put, gone = append(many, id), append(put, row(id)), append(gone, id)
		}
		other := row(65_000)
		other.Texts[fact.VisitSource] = "other"
		change(fact.Change{Put: put[1:]})
		change(fact.Change{Put: []fact.Row{other, row(1)}, Mended: []int64{65_000, 3}, Mend: func(r *fact.Row) { r.Texts[fact.VisitSource] += "?" },
			Keep: func(was fact.Row, put *fact.Row) { put.Texts[fact.VisitSource] += "+" + was.Texts[fact.VisitSource] }})
		ids, sources = held()
		require.Equal(t, many, ids)
		require.Equal(t, []string{"news+news", "news", "news?", "news"}, sources[:4])
		require.Equal(t, []string{"news", "other+news", "news"}, sources[64_998:65_001])
		inOnePiece(t, d, f)
		change(fact.Change{Put: []fact.Row{row(1)}})
		ids, sources = held()
		require.Equal(t, many, ids, "another installation may have made larger pieces")
		require.Equal(t, []string{"news", "news", "news?", "news"}, sources[:4])
		change(fact.Change{Drop: gone})
		ids, _ = held()
		require.Equal(t, []int64{1, 2, 3}, ids)
	})
}

// inOnePiece keeps the only day of the family in one piece.
func inOnePiece(t *testing.T, d *db.DB, f *fact.Family) {
	t.Helper()
	type stored struct {
		name    string
		content []byte
	}
	columns, err := db.List(t.Context(), d.Read(), func(s *stored) []any { return []any{&s.name, &s.content} }, `SELECT name, content FROM report_columns WHERE name <> $1`, f.Name+".*")
	require.NoError(t, err)
	var piece []byte
	for _, c := range columns {
		name := strings.TrimPrefix(c.name, f.Name+".")
		piece = append(binary.AppendUvarint(piece, uint64(len(name))), name...)
		piece = append(binary.AppendUvarint(piece, uint64(len(c.content))), c.content...)
	}
	require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM report_columns WHERE name <> $1`, f.Name+".*"); err != nil {
			return err
		}
		changed, err := tx.Exec(ctx, `UPDATE report_columns SET content = $1 WHERE name = $2`, piece, f.Name+".*")
		require.EqualValues(t, 1, changed)
		return err
	}))
}

// BenchmarkOneMoreVisit puts a visit into a day that has so many, as happens up to every two seconds.
func BenchmarkOneMoreVisit(b *testing.B) {
	for _, n := range []int64{200, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d := dbtest.Open(b, dbtest.SQLite(b))
			f := &fact.Visits
			change := func(put []fact.Row) {
				prepared, err := f.Prepare(b.Context(), d.Read(), fact.Change{SiteID: 1, Day: 20_000, Put: put})
				require.NoError(b, err)
				require.NoError(b, d.Write(b.Context(), 0, func(ctx context.Context, tx db.Tx) error { return prepared.Write(ctx, tx) }))
			}
			row := func(id int64) fact.Row {
				r := fact.Row{Numbers: []int64{id, id % 1440, id * 3 / 4, id % 7, 0}, Texts: make([]string, len(f.Texts))}
				for c := range r.Texts {
					r.Texts[c] = fmt.Sprint(c, " ", id*31%[]int64{5, 40, 400, 3000}[c%4])
				}
				return r
			}
			func() { // the rows are not kept
				rows := make([]fact.Row, n)
				for i := range rows {
					rows[i] = row(int64(i) + 1)
				}
				change(rows)
			}()
			b.ReportAllocs()
			for b.Loop() {
				change([]fact.Row{row(n + 1)})
			}
		})
	}
}
