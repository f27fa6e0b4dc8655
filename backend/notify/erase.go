package notify

import "github.com/seed-3405227d/frontdesk/backend/trace"

// Traces are what mail servers have answered, and the paths of forms that have failed, which may name somebody. Else
// nothing of a person stands in deliveries. What is told of a form whose path is erased is dropped.
func Traces() trace.Subject {
	return trace.Subject{Tables: []trace.Table{
		{Name: "deliveries", Texts: []string{"detail", "data"}, Key: []string{"site_id", "endpoint_id", "entry"}, Clear: true},
	}}
}
