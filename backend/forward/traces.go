package forward

import (
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/trace"
)

// Traces are what waits, or was refused, of a person's, also among the jobs of others: those that name the person go. Of a
// job whose failure alone names the person, that text goes: what waits may be somebody else's lead.
func (f *Forwards) Traces() trace.Subject {
	key, payload := []string{"site_id", "id"}, []string{"payload"}
	if f.db.Engine() == db.SQLite { // each engine has an index of its own
		key = key[1:]
	}
	return trace.Subject{Tables: []trace.Table{
		{Name: "jobs", By: trace.Job, Where: `site_id = $1 AND id = $2`, JSON: payload, Texts: payload, Key: key, Of: "id"},
		{Name: "jobs", By: trace.Visitor, Where: `site_id = $1 AND visitor_id = $2 AND visitor_id <> 0`, JSON: payload,
			Texts: []string{"reason"}, Key: key, Of: "visitor_id", Clear: true},
	}}
}
