package callback

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
)

// Filter narrows a list of callbacks. The zero Filter is all of them.
type Filter struct {
	Sites scope.Sites
	// States are the wanted states; none means all.
	States []State
	// Visitor is the visitor whose callbacks are wanted; 0 for everybody's.
	Visitor visit.ID
	// Digits are digits of the number; a part is enough.
	Digits string
	// Behind is where the list goes on.
	Behind Cursor
}

// Cursor is a position in a list of callbacks, newest first. The zero Cursor is its top.
type Cursor struct {
	At time.Time
	ID int64
}

// Cursor returns the position behind the callback.
func (c Callback) Cursor() Cursor { return Cursor{c.CreatedAt, c.ID} }

// condition returns the filter in SQL, with its arguments.
func (f Filter) condition() (where string, args []any) {
	where = f.Sites.SQL("site_id")
	add := func(condition string, value any) {
		args = append(args, value)
		where += " AND " + strings.ReplaceAll(condition, "?", "$"+strconv.Itoa(len(args)))
	}
	if f.Visitor != 0 {
		add("visitor_id = ?", int64(f.Visitor))
	}
	if digits := contact.Digits(f.Digits); digits != "" {
		add("phone LIKE ?", "%"+digits+"%")
	}
	if len(f.States) > 0 {
		var quoted []string
		for _, s := range f.States {
			if slices.Contains(States, s) { // as they are known: they stand in the query
				quoted = append(quoted, "'"+string(s)+"'")
			}
		}
		where += " AND state IN (" + strings.Join(append(quoted, "''"), ", ") + ")"
	}
	return where, args
}

// List returns callbacks, the latest first, at most limit.
func (c *Callbacks) List(ctx context.Context, f Filter, limit int) ([]Callback, error) {
	query, args := f.query(limit)
	rows, err := db.List(ctx, c.DB.Read(), (*row).fields, query, args...)
	if err != nil {
		return nil, fmt.Errorf("listing callbacks: %w", err)
	}
	list := make([]Callback, len(rows))
	for i := range rows {
		list[i] = rows[i].callback()
	}
	return list, nil
}

func (f Filter) query(limit int) (query string, args []any) {
	where, args := f.condition()
	created, id := int64(math.MaxInt64), int64(math.MaxInt64)
	if f.Behind != (Cursor{}) {
		created, id = f.Behind.At.UnixMilli(), f.Behind.ID
	}
	n := len(args)
	return fmt.Sprintf(`SELECT %s FROM callbacks WHERE %s AND (created_at, id) < ($%d, $%d) ORDER BY created_at DESC, id DESC LIMIT $%d`, columns, where, n+1, n+2, n+3),
		append(args, created, id, limit)
}

// Count counts the callbacks of the filter in each state. It ignores Filter.States and Before.
func (c *Callbacks) Count(ctx context.Context, f Filter) (map[State]int, error) {
	f.States = nil
	where, args := f.condition()
	type counted struct {
		state State
		n     int
	}
	rows, err := db.List(ctx, c.DB.Read(), func(r *counted) []any { return []any{&r.state, &r.n} }, `SELECT state, COUNT(*) FROM callbacks WHERE `+where+` GROUP BY state`, args...)
	if err != nil {
		return nil, fmt.Errorf("counting callbacks: %w", err)
	}
	counts := make(map[State]int, len(rows))
	for _, r := range rows {
		counts[r.state] = r.n
	}
	return counts, nil
}
