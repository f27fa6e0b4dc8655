package db_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// However many rows are written and looked for, there are few texts to keep.
func TestManyRowsHaveFewTexts(t *testing.T) {
	type row struct {
		name string
		next int64
	}
	fields := func(r *row) []any { return []any{&r.name, &r.next} }
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		before := 0
		if d.Engine() == db.SQLite { // PostgreSQL's driver keeps them
			require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
				_, err := tx.Exec(ctx, `DELETE FROM duties`)
				return err
			})) // what begins and commits is kept from then on
			before = d.Kept()
		}
		for _, n := range []int{0, 1, 2, 3, 100, 127, 128, 129, 300, 511} {
			var rows []row
			for i := range n {
				rows = append(rows, row{fmt.Sprintf("%03d of %03d", i, n), int64(i)})
			}
			var found []row
			require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) (err error) {
				for some := range db.Parts(rows) {
					values, args := db.Values(some, fields)
					if _, err := tx.Exec(ctx, `INSERT INTO sequences (name, next) `+values, args...); err != nil {
						return err
					}
				}
				if n == 0 {
					return nil
				}
				values, args := db.Values(db.Padded(rows), fields, fmt.Sprintf("001 of %03d", n))
				found, err = db.List(ctx, tx, fields, `SELECT name, next FROM sequences WHERE name <> $1 AND (name, next) IN (`+values+`) ORDER BY name`, args...)
				return err
			}))
			if n > 1 {
				rows = slices.Delete(rows, 1, 2)
			}
			require.Equal(t, rows, found)
		}
		if d.Engine() == db.Postgres {
			return
		}
		require.Equal(t, 8+6, d.Kept()-before, "of 1, 2, 4 … 128 rows written, and of 1, 2, 4, 128, 256 and 512 looked for")
	})
}

// Many texts at once are asked right, whichever of them are kept prepared, and a changed table is seen by those that are.
func TestManyTextsAreAskedAtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ask := func(i int) (int, error) {
			sum, _, err := db.One(t.Context(), d.Read(), db.Only[int], fmt.Sprintf(`SELECT $1 + %d + COUNT(*) FROM sequences WHERE name = $2`, i), 1000, "asked")
			return sum, err
		}
		var several errgroup.Group
		for worker := range 8 {
			several.Go(func() error {
				for n := range 300 {
					i := (n*7 + worker) % 150
					if sum, err := ask(i); err != nil || sum != 1000+i {
						return fmt.Errorf("asked %d: %d, %w", i, sum, err)
					}
				}
				return nil
			})
		}
		require.NoError(t, several.Wait())
		require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			if d.Engine() == db.SQLite { // where a session of PostgreSQL would have to be told
				if err := tx.Send(ctx, `ALTER TABLE sequences ADD COLUMN more BIGINT NOT NULL DEFAULT 0`); err != nil {
					return err
				}
			}
			return tx.Send(ctx, `INSERT INTO sequences (name, next) VALUES ('asked', 1)`)
		}))
		for i := range 150 {
			sum, err := ask(i)
			require.NoError(t, err)
			require.Equal(t, 1001+i, sum)
		}
	})
}

// What is looked for by several columns is found by their index, and not by going through the table.
func TestSeveralColumnsAreFoundByTheirIndex(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	type key struct{ site, id int64 }
	set, args := db.Among([]key{{1, 2}, {3, 4}}, func(k *key) []any { return []any{&k.site, &k.id} })
	plan := dbtest.Plan(t, d, `SELECT at FROM leads WHERE (site_id, id) IN (`+set+`)`, args...)
	require.NotEmpty(t, plan)
	require.Contains(t, plan[0], "SEARCH leads USING INDEX")
	require.Contains(t, plan[0], "(site_id=? AND id=?)")
}
