// Package trace says in which rows a person has left traces. Each subject describes its own
// tables in it, once: by this one description they are counted, exported and erased.
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

// Kind is what a [Mark] is.
type Kind string

// The kinds. The first three are what a person may be looked for by; they lead to the others.
const (
	Phone   Kind = "phone"   // Text: a number in international form, in digits
	Written Kind = "written" // Text: digits, as somebody writes the number without its country
	Email   Kind = "email"   // Text: an address
	Visitor Kind = "visitor" // ID: the visitor's, in public form
	Visit   Kind = "visit"   // ID: the visit's, in public form
	Lead    Kind = "lead"    // ID: the lead's
	Refused Kind = "refused" // ID: the refused submission's
	Call    Kind = "call"    // ID: the call's
	Job     Kind = "job"     // ID: the job's

	Callback     Kind = "callback"     // ID: the callback's
	Conversation Kind = "conversation" // ID: the conversation's
)

// Mark is something by which rows are known to be of a person. Those with a Text are of all sites.
type Mark struct {
	Kind   Kind
	SiteID int64
	ID     int64
	Text   string
	// Named tells that it is somebody else's, perhaps, and names the person in a text. It leads to no other marks but
	// those of its kind.
	Named bool
}

// Subject is what a subject keeps of persons.
type Subject struct {
	// Tables are erased in their order.
	Tables []Table
	// Find returns the marks to which a mark leads in the subject's tables. It is nil where none does. A
	// mark may be returned again.
	Find func(ctx context.Context, from db.Queries, m Mark) ([]Mark, error)
	// Scrub takes what deleted rows have left in the subject's indexes out of these. It is nil where that
	// is nothing.
	Scrub func(ctx context.Context) error
}

// Table says which rows of a table are a person's. A table may be described several times, once for each
// kind of marks that lead to other rows.
type Table struct {
	Name string
	// By is the kind of the marks that lead to the rows, and Where the condition that is true of these:
	// $1 is the mark's site, $2 its id. It is to be found by an index. Both are empty where no marks do, and
	// the rows may name somebody all the same.
	By    Kind
	Where string
	// Set is what takes the person out of a row that stays, such as "visitor_id = 0". Rows of tables
	// without are deleted.
	Set string
	// ID turns the mark's id into what stands in the table; nil where it is the same.
	ID func(int64) int64
	// Public turns what stands in columns into ids as others see them.
	Public map[string]func(int64) int64
	// Hidden are columns that say nothing of the person, and JSON those that hold JSON.
	Hidden, JSON []string

	// Texts are the columns in which somebody has written, and may have named anybody; none where there are none. Of a
	// table that is described several times, a column stands in one description.
	Texts []string
	// Among is the condition of the rows whose texts are looked through; empty for all.
	Among string
	// Key are the columns by which the table is gone through, in the order of an index. They name a row. Of is the one
	// that holds what the mark's id stands for; empty for none.
	Key []string
	Of  string
	// Clear tells that a row which names a person in a text stays, without the texts that do. Other rows go: with all
	// that the mark of the row leads to, where By is the kind of the rows themselves.
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

// Erase erases a part of the mark's rows, of which one call takes a few milliseconds. What is left is to be
// erased by the next call, until it returns 0.
func (t Table) Erase(ctx context.Context, tx db.Tx, m Mark) (rows int64, err error) {
	some := `rowid IN (SELECT rowid FROM ` + t.Name + ` WHERE ` + t.Where + ` LIMIT %d)`
	if tx.Engine() == db.Postgres {
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

// Any reports whether the mark leads to a row.
func (t Table) Any(ctx context.Context, from db.Queries, m Mark) (bool, error) {
	_, found, err := db.One(ctx, from, db.Only[int], `SELECT 1 FROM `+t.Name+` WHERE `+t.Where+` LIMIT 1`, t.args(m)...)
	if err != nil {
		return false, fmt.Errorf("looking into %s: %w", t.Name, err)
	}
	return found, nil
}

// Count is how many rows the mark leads to.
func (t Table) Count(ctx context.Context, from db.Queries, m Mark) (int64, error) {
	n, _, err := db.One(ctx, from, db.Only[int64], `SELECT COUNT(*) FROM `+t.Name+` WHERE `+t.Where, t.args(m)...)
	if err != nil {
		return 0, fmt.Errorf("counting in %s: %w", t.Name, err)
	}
	return n, nil
}

// Each hands the mark's rows to each, as JSON objects with the columns for their names. Times are in UTC
// (RFC 3339).
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

// value is a column's as it is exported: bytes in base64.
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
