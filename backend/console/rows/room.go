// Package rows is what several rooms of the console show: where visitors come from, their cards, and leads, calls and
// callbacks as rows of lists.
package rows

import (
	"embed"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
)

//go:embed templates
var templates embed.FS

// Mount adds the templates of the rows to the console.
func Mount(f *frame.Frame) { f.Room(frame.Room{Templates: templates}) }
