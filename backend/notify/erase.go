package notify

import "github.com/seed-3405227d/frontdesk/backend/trace"

// Traces is what mail servers have answered, which may name somebody. Else nothing of a person stands in deliveries.
func Traces() trace.Subject {
	return trace.Subject{Tables: []trace.Table{
		{Name: "deliveries", Texts: []string{"detail"}, Key: []string{"site_id", "endpoint_id", "entry"}, Clear: true},
	}}
}
