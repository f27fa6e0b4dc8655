package form

import "github.com/seed-3405227d/frontdesk/backend/trace"

// Traces describes forms and pages whose paths, fields or markup name a person. Somebody may request an address that
// contains a name, and a page may show its visitor's own number. Such a row is deleted until the form or the page comes
// again.
func Traces() trace.Subject {
	return trace.Subject{Tables: []trace.Table{
		{Name: "forms", Texts: []string{"path", "fields"}, Key: []string{"site_id", "path"}},
		{Name: "form_answers", Texts: []string{"path"}, Key: []string{"site_id", "path", "day", "status"}},
		{Name: "page_markups", Texts: []string{"path", "markup"}, Key: []string{"site_id", "path"}},
	}}
}
