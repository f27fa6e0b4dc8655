package forward

import (
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/trace"
)

// Traces describes the items of a person that wait or were refused. Items of others that name the person are deleted
// too. If only the reason of a failure names the person, only that text is removed: the item may be somebody else's
// lead.
func (f *Forwards) Traces() trace.Subject {
	key, payload := []string{"site_id", "id"}, []string{"payload"}
	if f.db.Engine() == db.SQLite { // each engine has its own index
		key = key[1:]
	}
	return trace.Subject{Tables: []trace.Table{
		{Name: "jobs", By: trace.Job, Where: `site_id = $1 AND id = $2`, JSON: payload, Texts: payload, Key: key, Of: "id"},
		{Name: "jobs", By: trace.Visitor, Where: `site_id = $1 AND visitor_id = $2 AND visitor_id <> 0`, JSON: payload,
			Texts: []string{"reason"}, Key: key, Of: "visitor_id", Clear: true},
	}}
}
