package rows

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/db/table"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
)

// checked prepares rows, and stores none.
type checked struct {
	*storing
	t    *testing.T
	rows int64
}

func (c *checked) row(m *moved, of table.Table, r *record) error {
	c.rows++
	left, err := c.prepare(m, r)
	if left || err != nil {
		return err
	}
	require.Len(c.t, r.values, len(of.Columns))
	for i, column := range of.Columns {
		switch value := r.values[i].(type) {
		case int64:
			require.Equal(c.t, table.Number, column.Type, column.Name)
		case string:
			require.Equal(c.t, table.Text, column.Type, column.Name)
			require.NotContains(c.t, value, "\x00")
		case bool:
			require.Equal(c.t, table.Truth, column.Type, column.Name)
		case []byte:
			require.Equal(c.t, table.Bytes, column.Type, column.Name)
		default:
			require.Nil(c.t, value)
			require.True(c.t, column.Nullable, column.Name)
		}
	}
	return nil
}

// example is a file with a row of each table.
func example(all []table.Table) string {
	var b strings.Builder
	n := 0
	line := func(text string) {
		n++
		b.WriteString(text + "\n")
	}
	rows := 0
	for i, t := range all {
		names := make([]string, len(t.Columns))
		values := make([]string, len(t.Columns))
		piece := ""
		for c, column := range t.Columns {
			names[c] = column.Name
			switch {
			case column.Type == table.Number:
				values[c] = "1"
			case column.Type == table.Truth:
				values[c] = "false"
			case column.Type == table.Bytes:
				values[c], piece = "3", "R0lG"
				if t.Name == figures { // two rows, of 0 and 1
					piece = "AgAC"
				}
			case column.Name == "name" && t.Name == figures:
				values[c] = `"visit.views"`
			case len(plan[i].words[column.Name]) > 0:
				values[c] = `"` + plan[i].words[column.Name][0] + `"`
			default:
				values[c] = `""`
			}
		}
		columns, _ := json.Marshal(names)
		line(fmt.Sprintf(`{"table":{"name":"%s","columns":%s}}`, t.Name, columns))
		if i == 0 {
			line(`{"operator":{"number":1,"login":"anna"}}`)
		}
		if t.Name == "chat_files" { // a GIF is longer
			continue
		}
		rows++
		line("[" + strings.Join(values, ",") + "]")
		if piece != "" {
			line(`{"piece":"` + piece + `"}`)
		}
	}
	line(fmt.Sprintf(`{"end":{"lines":%d,"rows":%d}}`, n+1, rows))
	return b.String()
}

// Whatever a file has, it is refused, or its rows have values that the tables take.
func FuzzRead(f *testing.F) {
	d := dbtest.Open(f, dbtest.SQLite(f))
	keys, err := key.Open(f.Context(), d, time.Now)
	require.NoError(f, err)
	all, err := tables(f.Context(), d)
	require.NoError(f, err)
	heads, first := Heads{make(map[string]int64)}, make(map[string]int64)
	for _, s := range sequences {
		heads.Sequences[string(s)], first[string(s)] = 100, 1000
	}
	whole := example(all)
	for _, seed := range []string{
		whole, strings.Replace(whole, "false", "null", 1), strings.ReplaceAll(whole, "[1,", "[101,"), strings.Replace(whole, `"end"`, `"piece"`, 1), strings.Replace(whole, "AgAC", "AgAB", 1),
		strings.Replace(whole, `"visit.views"`, `"visit.*"`, 1), strings.Replace(whole, "R0lG", "R0lGODlh", 1), strings.Replace(whole, `"anna"`, `"anna","number":-1`, 1), "[]\n", "{}\n", "",
		strings.Replace(whole, `"table":`, `"Table":`, 1), strings.Replace(whole, `""`, `"table"`, 1), strings.Replace(whole, `{"table":`, `{"table":{},"table":`, 1),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := bufio.NewScanner(strings.NewReader(text))
		lines.Buffer(nil, 16<<20)
		s := &storing{Store: Store{Keys: keys, SiteID: 7, Taken: Taken{First: first, Stay: 1}, Heads: heads, Accounts: map[string]int64{"anna": 5}}, operators: make(map[int64]int64), days: make(map[string]map[int64]int)}
		c := &checked{storing: s, t: t}
		r := NewReader(lines, 0, nil)
		err := r.read(all, c)
		require.LessOrEqual(t, c.rows, int64(strings.Count(text, "\n")+1))
		if text == whole {
			require.NoError(t, err)
		}
		if err == nil {
			require.Equal(t, len(all), r.tables)
		}
	})
}
