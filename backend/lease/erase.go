package lease

import "github.com/seed-3405227d/frontdesk/backend/trace"

// Traces says which rows belong to a person: leases. The row of a number of a pool stays, without its visitor.
func Traces() trace.Subject {
	return trace.Subject{Tables: []trace.Table{
		{Name: "leases", By: trace.Visitor, Where: `site_id = $1 AND visitor_id = $2`},
		{Name: "pool_numbers", By: trace.Visitor, Where: `site_id = $1 AND visitor_id = $2 AND visitor_id <> 0`, Set: `visitor_id = 0, visit_id = 0`},
	}}
}
