package journal

import (
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/trace"
)

// Traces describes the entries about a person: those of a visitor, and those whose subject is a lead or a call. The
// subject of an entry that leads were read is the operator. Texts in entries about leads and calls are also in the
// leads and calls themselves. Texts in entries about accounts and sites are about these.
func (j *Journal) Traces() trace.Subject {
	const subjects = `(kind >= 'lead.' AND kind < 'lead/' OR kind >= 'call.' AND kind < 'call/')` // as of the index
	data, key := []string{"data"}, []string{"site_id", "tx", "seq"}
	if j.db.Engine() == db.SQLite {
		key = key[2:] // by which the rows lie
	}
	return trace.Subject{Tables: []trace.Table{
		{Name: "journal", By: trace.Visitor, Where: `site_id = $1 AND visitor_id = $2 AND NOT ` + subjects, JSON: data,
			Texts: data, Among: `NOT ` + administrative + ` AND NOT ` + subjects, Key: key, Of: "visitor_id"},
		{Name: "journal", By: trace.Lead, Where: `site_id = $1 AND subject_id = $2 AND ` + subjects + ` AND kind >= 'lead.' AND kind < 'lead/' AND kind <> 'lead.read'`, JSON: data},
		{Name: "journal", By: trace.Call, Where: `site_id = $1 AND subject_id = $2 AND ` + subjects + ` AND kind >= 'call.' AND kind < 'call/'`, JSON: data},
	}}
}
