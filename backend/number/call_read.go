package number

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// ErrUnknownCall is returned for a call that does not exist.
var ErrUnknownCall = errors.New("unknown call")

// CallCursor is a position in the list of calls, newest first. The zero CallCursor is its top.
type CallCursor struct {
	At time.Time
	ID int64
}

// Cursor returns the position behind the call.
func (c Call) Cursor() CallCursor { return CallCursor{c.StartedAt, c.ID} }

// List returns at most limit calls of the filter behind the cursor, newest first.
func (c *Calls) List(ctx context.Context, filter CallFilter, behind CallCursor, limit int) ([]Call, error) {
	at, id := int64(math.MaxInt64), int64(math.MaxInt64)
	if behind != (CallCursor{}) {
		at, id = behind.At.UnixMilli(), behind.ID
	}
	which, args := filter.where([]any{at, id})
	return c.read(ctx, `(c.started_at, c.id) < ($1, $2) AND `+which, limit, args...)
}

// OfVisitor returns at most limit calls of the visitor, newest first.
func (c *Calls) OfVisitor(ctx context.Context, siteID int64, visitor visit.ID, limit int) ([]Call, error) {
	return c.read(ctx, `c.site_id = $1 AND c.visitor_id = $2 AND c.visitor_id <> 0`, limit, siteID, int64(visitor))
}

// Get returns a call. The error is ErrUnknownCall if there is none.
func (c *Calls) Get(ctx context.Context, siteID, id int64) (Call, error) {
	found, err := c.read(ctx, `c.site_id = $1 AND c.id = $2`, 1, siteID, id)
	if err != nil {
		return Call{}, err
	}
	if len(found) == 0 {
		return Call{}, ErrUnknownCall
	}
	return found[0], nil
}

// read reads the calls of the table c for which the condition which holds.
func (c *Calls) read(ctx context.Context, which string, limit int, args ...any) ([]Call, error) {
	type row struct {
		callRow
		first bool
	}
	rows, err := db.List(ctx, c.db.Read(), func(r *row) []any { return append(r.callRow.fields(), &r.first) },
		`SELECT `+callColumns+`, caller <> '' AND NOT EXISTS
			(SELECT 1 FROM calls e WHERE e.site_id = c.site_id AND e.caller = c.caller AND e.caller <> '' AND e.started_at < c.started_at) FROM calls c WHERE `+
			which+` ORDER BY c.started_at DESC, c.id DESC LIMIT `+strconv.Itoa(limit), args...)
	if err != nil {
		return nil, fmt.Errorf("reading calls: %w", err)
	}
	calls := make([]Call, len(rows))
	for i := range rows {
		calls[i] = rows[i].call()
		calls[i].First = rows[i].first
	}
	return calls, nil
}

// Destination returns the printed number that a tracking number stands for now, or "".
func (c *Calls) Destination(ctx context.Context, digits string) (string, error) {
	now := c.now()
	leases, err := c.holders.Of(ctx, c.db.Read(), digits, now)
	if err != nil {
		return "", err
	}
	for _, l := range leases {
		if l.Replaces != "" {
			return l.Replaces, nil
		}
	}
	numbers, err := standings(ctx, c.db.Read(), digits)
	if err != nil {
		return "", err
	}
	for _, s := range numbers {
		if s.replaces != digits {
			return s.replaces, nil
		}
	}
	return "", nil
}

// callRow is a row of the table of calls.
type callRow struct {
	Call
	started, answered, ended, told int64
}

const callColumns = `site_id, id, platform, call_id, called, caller, started_at, start_told, answered_at, ended_at, status, talk, wait, recording, price, currency,
	notes, told_at, reason, confidence, replaces, conditions, visitor_id, session_id, ` + visit.SourceColumns

// callMarks are the placeholders for the values of callColumns.
var callMarks = func() string {
	marks := make([]string, strings.Count(callColumns, ",")+1)
	for i := range marks {
		marks[i] = "$" + strconv.Itoa(i+1)
	}
	return strings.Join(marks, ", ")
}()

func (r *callRow) fields() []any {
	return append([]any{
		&r.SiteID, &r.ID, &r.Platform, &r.PlatformID, &r.Called, &r.Caller, &r.started, &r.StartTold, &r.answered, &r.ended, &r.Status, &r.Talk, &r.Wait,
		&r.Recording, &r.Price, &r.Currency, &r.Notes, &r.told, &r.Reason, &r.Confidence, &r.Replaces, &r.Conditions, &r.Visitor, &r.Session,
	}, r.Source.Fields()...)
}

func (r *callRow) call() Call {
	call := r.Call
	call.StartedAt, call.AnsweredAt, call.EndedAt, call.ToldAt = fromMillis(r.started), fromMillis(r.answered), fromMillis(r.ended), fromMillis(r.told)
	return call
}

// values returns the values of callColumns.
func (c *Call) values() []any {
	return append([]any{
		c.SiteID, c.ID, c.Platform, c.PlatformID, c.Called, c.Caller, millis(c.StartedAt), c.StartTold, millis(c.AnsweredAt), millis(c.EndedAt), string(c.Status), c.Talk, c.Wait,
		c.Recording, c.Price, c.Currency, c.Notes, millis(c.ToldAt), string(c.Reason), string(c.Confidence), c.Replaces, c.Conditions, int64(c.Visitor), int64(c.Session),
	}, c.Source.Values()...)
}
