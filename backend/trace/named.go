package trace

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// readAtOnce is how many rows are read together. Their texts have at most 50 KB each.
const readAtOnce = 200

// Row is a row whose texts are searched.
type Row struct {
	table  *Table
	siteID int64
	of     int64
	key    []any
	texts  []string
	// Naming are the columns whose texts name the person.
	Naming []string
}

// Mark returns the mark of the subject that the row belongs to. It returns false if there is none.
func (r Row) Mark() (m Mark, has bool) {
	if r.table.Of == "" {
		return Mark{}, false
	}
	id := r.of
	if public := r.table.Public[r.table.Of]; public != nil {
		id = public(id)
	}
	return Mark{Kind: r.table.By, SiteID: r.siteID, ID: id}, true
}

// Table returns the name of the row's table.
func (r Row) Table() string { return r.table.Name }

// Whole says whether everything is erased to which the row's mark leads.
func (r Row) Whole() bool { return !r.table.Clear && r.table.Key[len(r.table.Key)-1] == r.table.Of }

// Named searches the texts of the sites' rows for somebody, in parts. It hands the rows of each part that name the
// person to each; there may be none. Each part is a query of its own, so nobody has to wait.
func (t *Table) Named(ctx context.Context, from db.Queries, sites scope.Sites, names func(text string) bool, each func([]Row) error) error {
	if len(t.Texts) == 0 || sites.None() {
		return nil
	}
	if sites.All() || t.Key[0] != "site_id" {
		return t.namedOf(ctx, from, sites, names, each)
	}
	for _, id := range sites.IDs() {
		if err := t.namedOf(ctx, from, scope.Of(id), names, each); err != nil {
			return err
		}
	}
	return nil
}

// Parts are the queries for the rows of the sites, one or all, whose texts are searched: for the first part of them, and
// for the part behind a row. The arguments of that are the last values of the row's key; it says how many.
func (t *Table) Parts(sites scope.Sites) (first, next string, values int) {
	columns := []string{"site_id", "0"}
	if t.Of != "" {
		columns[1] = t.Of
	}
	columns = append(columns, t.Key...)
	for _, column := range t.Texts {
		columns = append(columns, `COALESCE(`+column+`, '')`)
	}
	where, compared := sites.SQL("site_id"), t.Key
	switch {
	case t.Key[0] != "site_id": // SQLite has the rows in this order, and would sort those of an index of the site
		where = sites.SQL("+site_id")
	case !sites.All(): // SQLite would find the site alone, and begin with its first row each time
		compared = t.Key[1:]
	}
	places := make([]string, len(compared))
	for i := range places {
		places[i] = fmt.Sprintf("$%d", i+1)
	}
	first = `SELECT ` + strings.Join(columns, ", ") + ` FROM ` + t.Name + ` WHERE ` + where
	if t.Among != "" {
		first += ` AND ` + t.Among
	}
	key := strings.Join(compared, ", ")
	order := fmt.Sprintf(` ORDER BY %s LIMIT %d`, key, readAtOnce)
	return first + order, first + ` AND (` + key + `) > (` + strings.Join(places, ", ") + `)` + order, len(compared)
}

func (t *Table) namedOf(ctx context.Context, from db.Queries, sites scope.Sites, names func(string) bool, each func([]Row) error) error {
	first, next, values := t.Parts(sites)
	fields := func(r *Row) []any {
		r.table, r.key, r.texts = t, make([]any, len(t.Key)), make([]string, len(t.Texts))
		fields := []any{&r.siteID, &r.of}
		for i := range r.key {
			fields = append(fields, &r.key[i])
		}
		for i := range r.texts {
			fields = append(fields, &r.texts[i])
		}
		return fields
	}
	var last []any
	for query := first; ; query = next {
		rows, err := db.List(ctx, from, fields, query, last...)
		if err != nil {
			return fmt.Errorf("looking through the texts of %s: %w", t.Name, err)
		}
		var found []Row
		for i := range rows {
			r := &rows[i]
			for at, value := range r.key {
				if text, ok := value.([]byte); ok {
					r.key[at] = string(text)
				}
			}
			for at, text := range r.texts {
				if names(text) {
					r.Naming = append(r.Naming, t.Texts[at])
				}
			}
			if r.texts = nil; r.Naming != nil {
				found = append(found, *r)
			}
		}
		if err := each(found); err != nil {
			return err
		}
		if len(rows) < readAtOnce {
			return nil
		}
		last = rows[len(rows)-1].key[len(t.Key)-values:]
	}
}

// Forget deletes the row, or the texts in it that name the person. It returns 0 if that has already happened.
func (r Row) Forget(ctx context.Context, tx db.Tx) (rows int64, err error) {
	change := `DELETE FROM ` + r.table.Name
	if r.table.Clear {
		change = `UPDATE ` + r.table.Name + ` SET ` + strings.Join(r.Naming, ` = '', `) + ` = ''`
	}
	where, args := r.where()
	if rows, err = tx.Exec(ctx, change+` WHERE `+where, args...); err != nil {
		return 0, fmt.Errorf("erasing from %s: %w", r.table.Name, err)
	}
	return rows, nil
}

// Each hands the row to each, in the form of [Table.Each].
func (r Row) Each(ctx context.Context, from db.Reader, each func(json.RawMessage) error) error {
	where, args := r.where()
	return r.table.eachWhere(ctx, from, each, where, args...)
}

// where returns the condition that is true only of the row.
func (r Row) where() (condition string, args []any) {
	var parts []string
	for i, column := range r.table.Key {
		parts = append(parts, fmt.Sprintf("%s = $%d", column, i+1))
	}
	parts = append(parts, fmt.Sprintf("site_id = $%d", len(parts)+1))
	return strings.Join(parts, " AND "), append(slices.Clone(r.key), r.siteID)
}
