// Package trace says which rows belong to a person. Each subject describes its tables once. Package person counts,
// exports and erases rows by that description.
package trace

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// Kind is the kind of a [Mark].
type Kind string

// The kinds. People search for a person by the first three, which lead to the others.
const (
	Phone   Kind = "phone"   // Text: a number in international form, as digits
	Written Kind = "written" // Text: digits of a number as somebody writes it, without the country code
	Email   Kind = "email"   // Text: an address
	Visitor Kind = "visitor" // ID: the visitor, in public form
	Visit   Kind = "visit"   // ID: the visit, in public form
	Lead    Kind = "lead"    // ID: the lead
	Refused Kind = "refused" // ID: the refused submission
	Call    Kind = "call"    // ID: the call
	Job     Kind = "job"     // ID: the job

	Callback     Kind = "callback"     // ID: the callback
	Conversation Kind = "conversation" // ID: the conversation
)

// Mark identifies rows of a person. Marks with a Text apply to all sites.
type Mark struct {
	Kind   Kind
	SiteID int64
	ID     int64
	Text   string
	// Named says that the mark may belong to somebody else and only names the person in a text. It leads only to marks
	// of its own kind.
	Named bool
}

// Subject describes what a subject stores about persons.
type Subject struct {
	// Tables are erased in this order.
	Tables []Table
	// Find returns the marks to which a mark leads in the subject's tables. It may return a mark again. It is nil if
	// there are none.
	Find func(ctx context.Context, from db.Queries, m Mark) ([]Mark, error)
	// Scrub removes what deleted rows have left in the subject's indexes. It is nil if there is nothing to remove.
	Scrub func(ctx context.Context) error
}

// Table says which rows of a table belong to a person. A table may be described several times, once for each kind of
// mark that leads to other rows.
type Table struct {
	Name string
	// By is the kind of the marks that lead to the rows. Where is the condition on these rows: $1 is the mark's site,
	// and $2 its id. An index must serve it. Both are empty if no mark leads to the rows and their texts may still name
	// somebody.
	By    Kind
	Where string
	// Set removes the person from a row that stays, such as "visitor_id = 0". Without it, the rows are deleted.
	Set string
	// ID turns the mark's id into the table's value. It is nil if they are the same.
	ID func(int64) int64
	// Public turns the values of columns into ids as others see them.
	Public map[string]func(int64) int64
	// Hidden are columns that say nothing about the person. JSON are columns with JSON.
	Hidden, JSON []string

	// Texts are the columns with what people have written, which may name anybody. If a table is described several
	// times, each such column is in one description only.
	Texts []string
	// Among is the condition on the rows whose texts are searched. It is empty for all rows.
	Among string
	// Key are the columns by which the search goes through the table, in the order of an index. They identify a row. Of
	// is the key column that the mark's id stands for, or empty.
	Key []string
	Of  string
	// Clear says that a row stays if its text names a person, without that text. Other rows are deleted, together with
	// all that the row's mark leads to if By is the kind of the rows themselves.
	Clear bool
}

// AtOnce is how many rows one transaction changes.
const AtOnce = 500

func (t Table) args(m Mark) []any {
	id := m.ID
	if t.ID != nil {
		id = t.ID(id)
	}
	return []any{m.SiteID, id}
}

// Erase erases some of the mark's rows. A call takes a few milliseconds. The caller calls it again until it returns 0.
func (t Table) Erase(ctx context.Context, tx db.Tx, m Mark) (rows int64, err error) {
	some := `rowid IN (SELECT rowid FROM ` + t.Name + ` WHERE ` + t.Where + ` LIMIT %d)`
	if tx.Engine() == db.Postgres { // rows of two partitions may have one ctid: the condition says which are meant
		some = `ctid = ANY(ARRAY(SELECT ctid FROM ` + t.Name + ` WHERE ` + t.Where + ` LIMIT %d))`
	}
	change := `DELETE FROM ` + t.Name
	if t.Set != "" {
		change = `UPDATE ` + t.Name + ` SET ` + t.Set
	}
	rows, err = tx.Exec(ctx, change+` WHERE `+t.Where+` AND `+fmt.Sprintf(some, AtOnce), t.args(m)...)
	if err != nil {
		return 0, fmt.Errorf("erasing from %s: %w", t.Name, err)
	}
	return rows, nil
}

// Any says whether the mark leads to a row.
func (t Table) Any(ctx context.Context, from db.Queries, m Mark) (bool, error) {
	_, found, err := db.One(ctx, from, db.Only[int], `SELECT 1 FROM `+t.Name+` WHERE `+t.Where+` LIMIT 1`, t.args(m)...)
	if err != nil {
		return false, fmt.Errorf("looking into %s: %w", t.Name, err)
	}
	return found, nil
}

// Count returns how many rows the mark leads to.
func (t Table) Count(ctx context.Context, from db.Queries, m Mark) (int64, error) {
	n, _, err := db.One(ctx, from, db.Only[int64], `SELECT COUNT(*) FROM `+t.Name+` WHERE `+t.Where, t.args(m)...)
	if err != nil {
		return 0, fmt.Errorf("counting in %s: %w", t.Name, err)
	}
	return n, nil
}

// Each hands the mark's rows to each, as JSON objects by column. Times are in UTC (RFC 3339).
func (t Table) Each(ctx context.Context, from db.Reader, m Mark, each func(json.RawMessage) error) error {
	return t.eachWhere(ctx, from, each, t.Where, t.args(m)...)
}

func (t Table) eachWhere(ctx context.Context, from db.Reader, each func(json.RawMessage) error, where string, args ...any) error {
	rows, err := from.QueryContext(ctx, `SELECT * FROM `+t.Name+` WHERE `+where, args...)
	if err != nil {
		return fmt.Errorf("reading %s: %w", t.Name, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return fmt.Errorf("reading %s: %w", t.Name, err)
	}
	values, fields := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		fields[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(fields...); err != nil {
			return fmt.Errorf("reading %s: %w", t.Name, err)
		}
		object := make(map[string]any, len(columns))
		for i, column := range columns {
			if !slices.Contains(t.Hidden, column) {
				object[column] = t.value(column, values[i])
			}
		}
		row, err := json.Marshal(object)
		if err != nil {
			return fmt.Errorf("reading %s: %w", t.Name, err)
		}
		if err := each(row); err != nil {
			return err
		}
	}
	return rows.Err()
}

// value returns a column's value for an export. Bytes become base64.
func (t Table) value(column string, value any) any {
	switch v := value.(type) {
	case int64:
		if public := t.Public[column]; public != nil {
			return public(v)
		}
		if column == "at" || column == "until" || strings.HasSuffix(column, "_at") {
			if v == 0 {
				return nil
			}
			return time.UnixMilli(v).UTC().Format("2006-01-02T15:04:05.000Z")
		}
	case string:
		if slices.Contains(t.JSON, column) && json.Valid([]byte(v)) {
			return json.RawMessage(v)
		}
	}
	return value
}
