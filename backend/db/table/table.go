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

// Insert adds rows of the columns. What has the key of a row that is there is left out if twice is true, and is an error
// otherwise.
func (t Table) Insert(ctx context.Context, tx db.Tx, columns []string, rows [][]any, twice bool) error {
	for some := range db.Parts(rows) {
		var query strings.Builder
		query.WriteString("INSERT INTO " + t.Name + " (" + strings.Join(columns, ", ") + ") VALUES ")
		args := make([]any, 0, len(some)*len(columns))
		for i, row := range some {
			if i > 0 {
				query.WriteString(", ")
			}
			for column, value := range row {
				args = append(args, value)
				query.WriteByte("(,"[min(column, 1)])
				query.WriteString("$" + strconv.Itoa(len(args)))
			}
			query.WriteByte(')')
		}
		if twice {
			query.WriteString(" ON CONFLICT DO NOTHING")
		}
		if _, err := tx.Exec(ctx, query.String(), args...); err != nil {
			return fmt.Errorf("adding to %s: %w", t.Name, err)
		}
	}
	return nil
}

// Delete deletes rows of a site, limit at most, and returns how many these were.
func (t Table) Delete(ctx context.Context, tx db.Tx, siteID int64, limit int) (int64, error) {
	key := t.InOrder()
	if len(t.Key) > 1 {
		key = "(" + key + ")"
	}
	deleted, err := tx.Exec(ctx, "DELETE FROM "+t.Name+" WHERE site_id = $1 AND "+key+" IN (SELECT "+t.InOrder()+" FROM "+t.Name+" WHERE site_id = $1 LIMIT "+strconv.Itoa(limit)+")", siteID)
	if err != nil {
		return 0, fmt.Errorf("deleting from %s: %w", t.Name, err)
	}
	return deleted, nil
}

// Given returns for each sequence the first number that it has not given out yet.
func Given(ctx context.Context, from db.Queries) (map[string]int64, error) {
	type sequence struct {
		name string
		next int64
	}
	list, err := db.List(ctx, from, func(s *sequence) []any { return []any{&s.name, &s.next} }, `SELECT name, next FROM sequences`)
	if err != nil {
		return nil, fmt.Errorf("reading sequences: %w", err)
	}
	next := make(map[string]int64, len(list))
	for _, s := range list {
		next[s.name] = s.next
	}
	return next, nil
}
