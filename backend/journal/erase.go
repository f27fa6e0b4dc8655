package journal

import "github.com/seed-3405227d/frontdesk/backend/trace"

// Traces are the entries about a person: those of a visitor, and of a lead or a call, as whose subject these stand. An
// entry that leads were read has the operator for its subject. What stands in an entry about a lead or a call stands
// there, too, and what in one about accounts and sites is of those.
func Traces() trace.Subject {
	const subjects = `(kind >= 'lead.' AND kind < 'lead/' OR kind >= 'call.' AND kind < 'call/')` // as of the index
	data := []string{"data"}
	return trace.Subject{Tables: []trace.Table{
		{Name: "journal", By: trace.Visitor, Where: `site_id = $1 AND visitor_id = $2 AND NOT ` + subjects, JSON: data,
			Texts: data, Among: `NOT ` + administrative + ` AND NOT ` + subjects, Key: []string{"tx", "seq"}, Of: "visitor_id"},
		{Name: "journal", By: trace.Lead, Where: `site_id = $1 AND subject_id = $2 AND ` + subjects + ` AND kind >= 'lead.' AND kind < 'lead/' AND kind <> 'lead.read'`, JSON: data},
		{Name: "journal", By: trace.Call, Where: `site_id = $1 AND subject_id = $2 AND ` + subjects + ` AND kind >= 'call.' AND kind < 'call/'`, JSON: data},
	}}
}
