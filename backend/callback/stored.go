package callback

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// row is a stored callback.
type row struct {
	Callback
	visitor, visit, view, wanted, created, changed, due, deadline, placing, ended, pause int64
}

var columnNames = []string{
	"site_id", "id", "state", "reason", "origin", "visitor_id", "visit_id", "view_id", "url", "phone", "group_id", "wanted_at", "created_at", "changed_at",
	"due_at", "deadline_at", "placing_at", "ended_at", "attempts", "most", "pause", "operator", "caller_id", "platform", "order_id", "placed", "concluded",
	"talk", "delivery", "status", "code", "steps",
}

var columns, marks = strings.Join(columnNames, ", "), marksOf(len(columnNames))

func marksOf(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = "$" + strconv.Itoa(i+1)
	}
	return strings.Join(list, ", ")
}

func (r *row) fields() []any {
	return []any{
		&r.SiteID, &r.ID, &r.State, &r.Reason, &r.Origin, &r.visitor, &r.visit, &r.view, &r.URL, &r.Phone, &r.GroupID, &r.wanted, &r.created, &r.changed,
		&r.due, &r.deadline, &r.placing, &r.ended, &r.Attempts, &r.Most, &r.pause, &r.Operator, &r.CallerID, &r.Platform, &r.order, &r.placed, &r.concluded,
		&r.Talk, &r.delivery, &r.result.Status, &r.result.Code, &r.steps,
	}
}

func (r *row) callback() Callback {
	c := r.Callback
	c.Visitor, c.Visit, c.View = idOf(r.visitor), idOf(r.visit), idOf(r.view)
	c.WantedAt, c.CreatedAt, c.ChangedAt, c.DueAt, c.EndedAt = db.Time(r.wanted), db.Time(r.created), db.Time(r.changed), db.Time(r.due), db.Time(r.ended)
	c.deadlineAt, c.placingAt, c.Pause = db.Time(r.deadline), db.Time(r.placing), time.Duration(r.pause)*time.Millisecond
	return c
}

// values are the values of the columns.
func (c *Callback) values() []any {
	return []any{
		c.SiteID, c.ID, string(c.State), c.Reason, c.Origin, int64(c.Visitor), int64(c.Visit), int64(c.View), c.URL, c.Phone, c.GroupID, db.Millis(c.WantedAt), db.Millis(c.CreatedAt), db.Millis(c.ChangedAt),
		db.Millis(c.DueAt), db.Millis(c.deadlineAt), db.Millis(c.placingAt), db.Millis(c.EndedAt), c.Attempts, c.Most, c.Pause.Milliseconds(), c.Operator, c.CallerID, c.Platform, c.order, c.placed, c.concluded,
		c.Talk, c.delivery, c.result.Status, c.result.Code, c.steps,
	}
}

// locked returns the callback for a change: until the transaction ends, nobody else changes it. The error may be
// [ErrUnknown].
func locked(ctx context.Context, tx db.Tx, siteID, id int64) (Callback, error) {
	r, found, err := db.One(ctx, tx, (*row).fields, `UPDATE callbacks SET steps = steps WHERE site_id = $1 AND id = $2 RETURNING `+columns, siteID, id)
	if err != nil {
		return Callback{}, err
	}
	if !found {
		return Callback{}, ErrUnknown
	}
	return r.callback(), nil
}

// insert stores a new callback.
func (c *Callback) insert(ctx context.Context, tx db.Tx) error {
	_, err := tx.Exec(ctx, `INSERT INTO callbacks (`+columns+`) VALUES (`+marks+`)`, c.values()...)
	return err
}

// store stores the callback after a step, reports the step, and adds a job for its next time.
func (c *Callback) store(ctx context.Context, tx db.Tx) error {
	if _, err := tx.Exec(ctx, `UPDATE callbacks SET (`+columns+`) = (`+marks+`) WHERE site_id = $1 AND id = $2`, c.values()...); err != nil {
		return err
	}
	if next := c.next(); !next.IsZero() {
		return c.lookAt(ctx, tx, next)
	}
	return nil
}

// next returns when something is due for the callback, if nobody does anything before; zero for never.
func (c *Callback) next() time.Time {
	switch {
	case c.State == Waiting:
		return c.DueAt
	case c.State == CallingOperator && !c.placed:
		return c.placingAt
	case c.State.Calling():
		return c.deadlineAt
	}
	return time.Time{}
}

// maxSteps limits the steps that are kept of a callback.
const maxSteps = 500

// maxDetail is the size in bytes of a step's detail.
const maxDetail = 300

// note adds a step and reports it in the journal. A step of the platform that the attempt already has is not added
// again.
func (c *Callback) note(ctx context.Context, tx db.Tx, s Step) error {
	if c.steps >= maxSteps {
		return nil
	}
	c.steps++
	detail := strings.ToValidUTF8(s.Detail[:min(len(s.Detail), maxDetail)], "")
	if _, err := tx.Exec(ctx, `INSERT INTO callback_steps (site_id, callback_id, n, at, attempt, kind, detail, made_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		c.SiteID, c.ID, c.steps, db.Millis(s.At), s.Attempt, s.Kind, detail, s.By); err != nil {
		return err
	}
	c.ChangedAt = s.At
	data, err := json.Marshal(News{c.State, c.Reason, s.Kind, s.Attempt})
	if err != nil {
		return err
	}
	return journal.Append(ctx, tx, journal.Entry{SiteID: c.SiteID, At: s.At, Kind: Changed, SubjectID: c.ID, VisitorID: int64(c.Visitor), Data: data})
}

// told reports whether the attempt already has the step.
func (c *Callback) told(ctx context.Context, tx db.Tx, attempt int, kind string) (bool, error) {
	_, found, err := db.One(ctx, tx, db.Only[int], `SELECT 1 FROM callback_steps WHERE site_id = $1 AND callback_id = $2 AND attempt = $3 AND kind = $4`,
		c.SiteID, c.ID, attempt, kind)
	return found, err
}

// Get returns a callback. The error may be [ErrUnknown].
func (c *Callbacks) Get(ctx context.Context, siteID, id int64) (Callback, error) {
	r, found, err := db.One(ctx, c.DB.Read(), (*row).fields, `SELECT `+columns+` FROM callbacks WHERE site_id = $1 AND id = $2`, siteID, id)
	if err != nil {
		return Callback{}, fmt.Errorf("reading a callback: %w", err)
	}
	if !found {
		return Callback{}, ErrUnknown
	}
	return r.callback(), nil
}

// Named returns the callbacks of the site with the ids, in no order. Those that are gone are missing.
func (c *Callbacks) Named(ctx context.Context, siteID int64, ids ...int64) ([]Callback, error) {
	values, args := db.Values(db.Padded(ids), db.Only[int64], siteID)
	rows, err := db.List(ctx, c.DB.Read(), (*row).fields, `SELECT `+columns+` FROM callbacks WHERE site_id = $1 AND id IN (`+values+`)`, args...)
	if err != nil {
		return nil, fmt.Errorf("reading callbacks: %w", err)
	}
	list := make([]Callback, len(rows))
	for i := range rows {
		list[i] = rows[i].callback()
	}
	return list, nil
}

// Steps returns the steps of a callback, in order.
func (c *Callbacks) Steps(ctx context.Context, siteID, id int64) ([]Step, error) {
	type stepRow struct {
		Step
		at int64
	}
	rows, err := db.List(ctx, c.DB.Read(), func(r *stepRow) []any { return []any{&r.N, &r.at, &r.Attempt, &r.Kind, &r.Detail, &r.By} },
		`SELECT n, at, attempt, kind, detail, made_by FROM callback_steps WHERE site_id = $1 AND callback_id = $2 ORDER BY n`, siteID, id)
	if err != nil {
		return nil, fmt.Errorf("reading the steps of a callback: %w", err)
	}
	steps := make([]Step, len(rows))
	for i, r := range rows {
		steps[i] = r.Step
		steps[i].At = db.Time(r.at)
	}
	return steps, nil
}

func idOf(id int64) visit.ID { return visit.ID(id) }
