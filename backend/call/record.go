package call

import (
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// record is a row of the table of calls.
type record struct {
	Call
	started, answered, ended, told int64
}

const columns = `site_id, id, platform, call_id, called, caller, started_at, start_told, answered_at, ended_at, status, talk, wait, recording, price, currency,
	notes, told_at, reason, confidence, replaces, conditions, visitor_id, visit_id, ` + source.Columns

// written are the columns that a call is written to. Lists are filtered by listed_kind, and nobody reads it.
const written = columns + `, listed_kind`

// marks are the placeholders for the values of written.
var marks = func() string {
	marks := make([]string, strings.Count(written, ",")+1)
	for i := range marks {
		marks[i] = "$" + strconv.Itoa(i+1)
	}
	return strings.Join(marks, ", ")
}()

func (r *record) fields() []any {
	return append([]any{
		&r.SiteID, &r.ID, &r.Platform, &r.PlatformID, &r.Called, &r.Caller, &r.started, &r.StartTold, &r.answered, &r.ended, &r.Status, &r.Talk, &r.Wait,
		&r.Recording, &r.Price, &r.Currency, &r.Notes, &r.told, &r.Reason, &r.Confidence, &r.Replaces, &r.Conditions, &r.Visitor, &r.Visit,
	}, r.Source.Fields()...)
}

func (r *record) call() Call {
	call := r.Call
	call.StartedAt, call.AnsweredAt, call.EndedAt, call.ToldAt = db.Time(r.started), db.Time(r.answered), db.Time(r.ended), db.Time(r.told)
	return call
}

// values returns the values of written.
func (c *Call) values() []any {
	return append(append([]any{
		c.SiteID, c.ID, c.Platform, c.PlatformID, c.Called, c.Caller, db.Millis(c.StartedAt), c.StartTold, db.Millis(c.AnsweredAt), db.Millis(c.EndedAt), string(c.Status), c.Talk, c.Wait,
		c.Recording, c.Price, c.Currency, c.Notes, db.Millis(c.ToldAt), string(c.Reason), string(c.Confidence), c.Replaces, c.Conditions, int64(c.Visitor), int64(c.Visit),
	}, c.Source.Values()...), c.SourceOrCampaign().Kind)
}
