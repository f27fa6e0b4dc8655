package figures

import (
	"embed"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
)

//go:embed templates
var templates embed.FS

// Mount adds the templates of figures and their courses to the console.
func Mount(f *frame.Frame) { f.Room(frame.Room{Templates: templates}) }
