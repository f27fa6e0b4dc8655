package book

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the drivers by which the database is read
	_ "modernc.org/sqlite"
)

// Stored is what a database has of what was sent.
type Stored struct {
	// At is when it was begun to be read.
	At time.Time
	// Things are the values by the IDs: one for each row that there is.
	Things map[Kind]map[string][]string
	// Setting is the one in effect.
	Setting string
}

// NewStored is a database without anything in it.
func NewStored(at time.Time) *Stored {
	s := &Stored{At: at, Things: make(map[Kind]map[string][]string)}
	for _, kind := range []Kind{Lead, Sale, Form, Message, Answer, Call} {
		s.Things[kind] = make(map[string][]string)
	}
	return s
}

// Put adds a row.
func (s *Stored) Put(kind Kind, id, value string) {
	s.Things[kind][id] = append(s.Things[kind][id], value)
}

// told is the text of a thing: its kind and its ID.
var told = regexp.MustCompile(`\b(lead|sale|form|message|answer) ([0-9a-f]+-[0-9]+)\b`)

// Text is what is sent as the text of a thing.
func Text(kind Kind, id string) string { return string(kind) + " " + id }

// rows are where texts of the kinds are, with what is stored beside them. A conversation that waits becomes a lead with
// the same text, or a part of one that the visitor has sent.
var rows = []struct {
	query string
	kinds []Kind
}{
	{`SELECT message || ' ' || user_fields, sale_cost FROM leads`, []Kind{Lead, Sale, Form}},
	{`SELECT text, '' FROM messages`, []Kind{Message, Answer}},
}

// Read reads all that is stored by the driver ("pgx" or "sqlite").
func Read(ctx context.Context, driver, source string) (*Stored, error) {
	s := NewStored(time.Now())
	d, err := sql.Open(driver, source)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	for _, r := range rows {
		err := each(ctx, d, r.query, func(text, value string) {
			for _, of := range told.FindAllStringSubmatch(text, -1) {
				if slices.Contains(r.kinds, Kind(of[1])) {
					s.Put(Kind(of[1]), of[2], value)
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	if err := each(ctx, d, `SELECT call_id, status FROM calls`, func(id, status string) { s.Put(Call, id, status) }); err != nil {
		return nil, err
	}
	return s, each(ctx, d, `SELECT settings, '' FROM sites`, func(settings, _ string) {
		var of struct {
			Widget struct{ Title map[string]string }
		}
		if json.Unmarshal([]byte(settings), &of) == nil {
			s.Setting = of.Widget.Title["en"]
		}
	})
}

// each goes through the rows of two columns.
func each(ctx context.Context, d *sql.DB, query string, take func(a, b string)) error {
	found, err := d.QueryContext(ctx, query)
	if err != nil {
		return fmt.Errorf("%s: %w", query, err)
	}
	defer found.Close()
	for found.Next() {
		var a, b string
		if err := found.Scan(&a, &b); err != nil {
			return err
		}
		take(a, b)
	}
	return found.Err()
}
