package transfer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/demo"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// each has f change the rows of a table, by the names of its columns; those of which it returns false stay out.
func each(t testing.TB, content, name string, f func(n int, row map[string]any) bool) string {
	t.Helper()
	lines := strings.SplitAfter(content, "\n")
	var head struct {
		Table struct {
			Name    string
			Columns []string
		}
	}
	var changed []string
	n, rows, left := 0, 0, 0
	for _, line := range lines {
		switch {
		case strings.HasPrefix(line, `{"table"`):
			require.NoError(t, json.Unmarshal([]byte(line), &head))
		case strings.HasPrefix(line, "["):
			rows++
			if head.Table.Name != name {
				break
			}
			d := json.NewDecoder(strings.NewReader(line))
			d.UseNumber()
			var values []any
			require.NoError(t, d.Decode(&values))
			row := make(map[string]any)
			for i, column := range head.Table.Columns {
				row[column] = values[i]
			}
			keep := f(n, row)
			n++
			if !keep {
				left++
				continue
			}
			for i, column := range head.Table.Columns {
				values[i] = row[column]
			}
			text, err := json.Marshal(values)
			require.NoError(t, err)
			line = string(text) + "\n"
		case strings.HasPrefix(line, `{"end"`):
			line = fmt.Sprintf(`{"end":{"lines":%d,"rows":%d}}`+"\n", len(changed)+1, rows-left)
		}
		changed = append(changed, line)
	}
	require.NotZero(t, n, "the table %s has no rows", name)
	return strings.Join(changed, "")
}

// edit changes the n-th row of a table.
func edit(t testing.TB, content, name string, n int, values map[string]any) string {
	t.Helper()
	return each(t, content, name, func(i int, row map[string]any) bool {
		for column, value := range values {
			if require.Contains(t, row, column); i == n {
				row[column] = value
			}
		}
		return true
	})
}

// Leads of a file may be parts of each other. The import ends.
func TestMergesOfAFile(t *testing.T) {
	source := open(t, dbtest.SQLite(t))
	s := shop(t, source, 100, 2)
	for i := range 60 {
		_, _, err := source.Leads.Add(t.Context(), submission.Submission{SiteID: s.ID, Origin: lead.Server, Name: "Vera", Message: fmt.Sprint(i)})
		require.NoError(t, err)
	}
	whole := string(export(t, source, demo.Site))
	var ids []any
	each(t, whole, "leads", func(_ int, row map[string]any) bool {
		ids = append(ids, row["id"])
		return true
	})
	circles := edit(t, edit(t, edit(t, whole, "leads", 0, map[string]any{"merged_into": ids[0]}), "leads", 1, map[string]any{"merged_into": ids[2]}), "leads", 2, map[string]any{"merged_into": ids[1]})
	wide := each(t, whole, "leads", func(n int, row map[string]any) bool {
		if n > 0 {
			row["merged_into"] = ids[0]
		}
		return true
	})
	missing := each(t, edit(t, whole, "leads", 3, map[string]any{"merged_into": ids[4]}), "leads", func(n int, _ map[string]any) bool { return n != 4 })
	for name, settings := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t, settings(t))
			before := stored(t, d.DB)
			_, err := load(t.Context(), d, []byte(wide), "moved")
			require.ErrorContains(t, err, "merged into one that has too many others")
			_, err = load(t.Context(), d, []byte(missing), "moved")
			require.ErrorContains(t, err, "merged into one that is missing")
			require.Equal(t, before, stored(t, d.DB))
			_, err = load(t.Context(), d, []byte(circles), "moved")
			require.NoError(t, err)
			_, left, err := db.One(t.Context(), d.DB.Read(), db.Only[int64], `SELECT id FROM leads WHERE NOT indexed LIMIT 1`)
			require.NoError(t, err)
			require.False(t, left)
		})
	}
}

// Pages say which group a lead is for, and servers which visitor sent it. What they say may be anything.
func TestNumbersThatNobodyHas(t *testing.T) {
	for name, settings := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t, settings(t))
			s := shop(t, d, 100, 2)
			for i, group := range []int64{999, -3, math.MaxInt64} {
				_, _, err := d.Leads.Add(t.Context(), submission.Submission{SiteID: s.ID, Origin: lead.Form, Name: "Vera", Message: fmt.Sprint(i), GroupID: group, Ref: visit.Ref{Visitor: visit.ID(i)*1e12 + 7, Visit: 8, View: 9}})
				require.NoError(t, err)
			}
			require.NoError(t, d.DB.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
				_, err := tx.Exec(ctx, `UPDATE leads SET visitor_id = visit_id WHERE visit_id = 8`)
				return err
			}))
			require.NoError(t, d.Figures.Keep(t.Context()))
			_, err := load(t.Context(), d, export(t, d, demo.Site), "moved")
			require.NoError(t, err)
			groups, err := db.List(t.Context(), d.DB.Read(), db.Only[int64], `SELECT l.group_id FROM leads l JOIN sites s ON s.id = l.site_id WHERE s.key = 'moved' AND l.name = 'Vera'`)
			require.NoError(t, err)
			require.Equal(t, []int64{0, 0, 0}, groups)
		})
	}
}
