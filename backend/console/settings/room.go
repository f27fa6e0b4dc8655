// Package settings is the room of a site's settings: what its owner may set, where each value comes from, and by which rules forms
// are kept.
package settings

import (
	"embed"
	"html/template"

	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

//go:embed templates
var templates embed.FS

// Subjects are what the room shows. Each of them may be nil.
type Subjects struct {
	// Fixed is what this server's configuration says for the site of a key and what only whoever runs the server may
	// change.
	Fixed func(key string) []site.Fixed
	// Platforms are the names of the telephone platforms of this server's configuration.
	Platforms func() []string
}

type room struct {
	*frame.Frame
	Subjects
}

// fixedNames are the names of the words for what only whoever runs the server may change, by the names of directives.
var fixedNames = map[string]string{"prefix": "fixed.prefix", "objects": "fixed.objects", "variant": "fixed.variant", "service": "fixed.service",
	"cookies": "fixed.cookies", "quota": "fixed.quota"}

// whenKept are the names of the words for what becomes of a form that the site answers with an error.
var whenKept = map[string]string{capture.OnContact: "capture.onContact", capture.OnSuccess: "capture.onSuccess", capture.OnAlways: "capture.onAlways"}

// Mount adds the room to the console.
func Mount(f *frame.Frame, subjects Subjects) {
	c := &room{f, subjects}
	f.Room(frame.Room{Templates: templates, Functions: func(*words.Tongue) template.FuncMap {
		return template.FuncMap{
			"fixedName": func(directive string) string { return fixedNames[directive] },
			"whenKept":  func(on string) string { return whenKept[on] },
		}
	}})
	f.Admin("GET /sites/{site}/settings", c.showSettings)
	f.Admin("POST /sites/{site}/settings", c.changeSettings)
	f.Admin("GET /sites/{site}/captures", c.showCaptures)
	f.Admin("GET /sites/{site}/captures/{capture}", c.showCapture)
	f.Admin("POST /sites/{site}/captures", c.keepCapture)
	f.Admin("POST /sites/{site}/captures/{capture}/removal", c.removeCapture)
	f.Admin("POST /sites/{site}/captures/{capture}/up", c.raiseCapture)
}
