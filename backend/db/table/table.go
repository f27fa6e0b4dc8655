// Package table tells which tables of the schema have rows of sites, and reads these in their order. So whoever has to
// do with all that is stored of a site forgets no table.
package table

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// Table is a table of the schema that has rows of sites.
type Table struct {
	Name    string
	Columns []Column // in the order of their names
	Key     []string // the columns of its primary key, in their order
}

// Column is a column of a table.
type Column struct {
	Name string
	// Type is BIGINT, TEXT, BOOLEAN or BYTEA, or what only one of the engines knows.
	Type     string
	Nullable bool
}

// The types of columns that both engines know.
const (
	Number = "BIGINT"
	Text   = "TEXT"
	Truth  = "BOOLEAN"
	Bytes  = "BYTEA"
)

// List returns the tables of the schema that have a column site_id, ordered by name.
func List(ctx context.Context, d *db.DB) (tables []Table, err error) {
	type part struct {
		table, column, kind string
		nullable            bool
		place               int64 // in the primary key, from 1; 0 for none
	}
	query := `SELECT m.name, p.name, p.type, p."notnull" = 0 AND p.pk = 0, p.pk FROM sqlite_schema m JOIN pragma_table_info(m.name) p
		WHERE m.type = 'table' AND EXISTS (SELECT 1 FROM pragma_table_info(m.name) s WHERE s.name = 'site_id') ORDER BY m.name, p.name`
	if d.Engine() == db.Postgres {
		query = `SELECT c.relname::text, a.attname::text, upper(format_type(a.atttypid, NULL)), NOT a.attnotnull, COALESCE(array_position(i.indkey::int2[], a.attnum) + 1, 0)
			FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
			WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname !~ '_[0-9]+_[0-9]+(_gone)?$' AND c.relnamespace = current_schema()::regnamespace
				AND EXISTS (SELECT 1 FROM pg_attribute s WHERE s.attrelid = c.oid AND s.attname = 'site_id') ORDER BY c.relname::text COLLATE "C", a.attname::text COLLATE "C"`
	}
	parts, err := db.List(ctx, d.Read(), func(p *part) []any { return []any{&p.table, &p.column, &p.kind, &p.nullable, &p.place} }, query)
	if err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	places := make(map[string]int64)
	for _, p := range parts {
		if len(tables) == 0 || tables[len(tables)-1].Name != p.table {
			tables = append(tables, Table{Name: p.table})
		}
		t := &tables[len(tables)-1]
		if p.kind == "INTEGER" { // a number that SQLite counts
			p.kind = Number
		}
		t.Columns = append(t.Columns, Column{p.column, p.kind, p.nullable})
		if p.place > 0 {
			t.Key = append(t.Key, p.column)
			places[t.Name+"."+p.column] = p.place
		}
	}
	for _, t := range tables {
		slices.SortFunc(t.Key, func(a, b string) int { return int(places[t.Name+"."+a] - places[t.Name+"."+b]) })
	}
	return tables, nil
}

// OfSite returns a query for the next rows of a site in the order of the key, at most limit of them, and its arguments.
// The rows come behind the values of the key, or first without. what are the expressions to read.
func (t Table) OfSite(what string, siteID int64, behind []any, limit int) (query string, args []any) {
	args = []any{siteID}
	var columns, marks []string
	for i, value := range behind {
		if i == 0 && t.Key[0] == "site_id" { // SQLite goes through all rows of the site where it is compared twice
			continue
		}
		args = append(args, value)
		columns, marks = append(columns, t.Key[i]), append(marks, "$"+strconv.Itoa(len(args)))
	}
	query = "SELECT " + what + " FROM " + t.Name + " WHERE site_id = $1"
	if len(columns) > 0 {
		query += " AND (" + strings.Join(columns, ", ") + ") > (" + strings.Join(marks, ", ") + ")"
	}
	return query + " ORDER BY " + t.InOrder() + " LIMIT " + strconv.Itoa(limit), args
}

// InOrder are the columns of the key, in their order.
func (t Table) InOrder() string { return strings.Join(t.Key, ", ") }
