package call

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// ErrUnknown is returned for a call that does not exist.
var ErrUnknown = errors.New("unknown call")

// Cursor is a position in the list of calls, newest first. The zero Cursor is its top.
type Cursor struct {
	At time.Time
	ID int64
}

// Cursor returns the position behind the call.
func (c Call) Cursor() Cursor { return Cursor{c.StartedAt, c.ID} }

// List returns at most limit calls of the filter behind the cursor, newest first.
func (c *Calls) List(ctx context.Context, filter Filter, behind Cursor, limit int) ([]Call, error) {
	at, id := int64(math.MaxInt64), int64(math.MaxInt64)
	if behind != (Cursor{}) {
		at, id = behind.At.UnixMilli(), behind.ID
	}
	which, args := filter.where([]any{at, id})
	return c.read(ctx, db.From(c.db, filter.Lagging), `(c.started_at, c.id) < ($1, $2) AND `+which, limit, args...)
}

// OfVisitor returns at most limit calls of the visitor, newest first.
func (c *Calls) OfVisitor(ctx context.Context, siteID int64, visitor visit.ID, limit int) ([]Call, error) {
	return c.read(ctx, c.db.Read(), `c.site_id = $1 AND c.visitor_id = $2 AND c.visitor_id <> 0`, limit, siteID, int64(visitor))
}

// maxOfLeads bounds the calls of leads that are returned.
const maxOfLeads = 50

// OfLeads returns the latest calls that have become the leads of the site, newest first.
func (c *Calls) OfLeads(ctx context.Context, siteID int64, leads ...int64) ([]Call, error) {
	ids := make([]string, len(leads))
	for i, id := range leads {
		ids[i] = strconv.FormatInt(id, 10)
	}
	return c.read(ctx, c.db.Read(), `c.site_id = $1 AND c.lead_id <> 0 AND c.lead_id IN (`+strings.Join(ids, ", ")+`)`, maxOfLeads, siteID)
}

// Named returns the calls of the site with the ids, newest first. Those that are gone are missing.
func (c *Calls) Named(ctx context.Context, siteID int64, ids ...int64) (calls []Call, err error) {
	for some := range slices.Chunk(ids, namedAtOnce) {
		values, args := db.Values(db.Padded(some), db.Only[int64], siteID)
		found, err := c.read(ctx, c.db.Read(), `c.site_id = $1 AND c.id IN (`+values+`)`, len(some), args...)
		if err != nil {
			return nil, err
		}
		calls = append(calls, found...)
	}
	return calls, nil
}

// namedAtOnce is how many calls one query reads by their ids.
const namedAtOnce = 128

// Get returns a call. The error is ErrUnknown if there is none.
func (c *Calls) Get(ctx context.Context, siteID, id int64) (Call, error) {
	found, err := c.read(ctx, c.db.Read(), `c.site_id = $1 AND c.id = $2`, 1, siteID, id)
	if err != nil {
		return Call{}, err
	}
	if len(found) == 0 {
		return Call{}, ErrUnknown
	}
	return found[0], nil
}

// read reads the calls of the table c for which the condition which holds.
func (c *Calls) read(ctx context.Context, from db.Queries, which string, limit int, args ...any) ([]Call, error) {
	type row struct {
		record
		lead  int64
		first bool
	}
	rows, err := db.List(ctx, from, func(r *row) []any { return append(r.record.fields(), &r.lead, &r.first) },
		`SELECT `+columns+`, lead_id, caller <> '' AND NOT EXISTS
			(SELECT 1 FROM calls e WHERE e.site_id = c.site_id AND e.caller = c.caller AND e.caller <> '' AND e.started_at < c.started_at) FROM calls c WHERE `+
			which+` ORDER BY c.started_at DESC, c.id DESC LIMIT `+strconv.Itoa(limit), args...)
	if err != nil {
		return nil, fmt.Errorf("reading calls: %w", err)
	}
	calls := make([]Call, len(rows))
	for i := range rows {
		calls[i] = rows[i].call()
		calls[i].LeadID, calls[i].First = rows[i].lead, rows[i].first
	}
	return calls, nil
}

// Destination returns the printed number that a tracking number stands for now, or "".
func (c *Calls) Destination(ctx context.Context, digits string) (string, error) {
	now := c.now()
	leases, err := c.leases.Of(ctx, c.db.Read(), digits, now)
	if err != nil {
		return "", err
	}
	for _, l := range leases {
		if l.Replaces != "" {
			return l.Replaces, nil
		}
	}
	numbers, err := inventory.Standings(ctx, c.db.Read(), digits)
	if err != nil {
		return "", err
	}
	for _, s := range numbers {
		if s.Replaces != digits {
			return s.Replaces, nil
		}
	}
	return "", nil
}
