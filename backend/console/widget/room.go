// Package widget is the room in which a site's widget is dressed, beside its preview.
package widget

import (
	"embed"
	"html/template"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/snippet"
)

//go:embed templates
var templates embed.FS

type room struct{ *frame.Frame }

// Mount adds the room to the console.
func Mount(f *frame.Frame) {
	c := &room{f}
	f.Room(frame.Room{Templates: templates, Functions: func(*words.Tongue) template.FuncMap {
		return template.FuncMap{
			"phrased": func(p phrase, label string, most int) phrased { return phrased{p, label, most} },
			"panels":  func() string { return "/assets/" + snippet.PanelsAsset() },
		}
	}})
	f.Admin("GET /sites/{site}/widget", c.showWidget)
	f.Admin("POST /sites/{site}/widget", c.changeWidget)
	f.Admin("POST /sites/{site}/widget/look", c.lookWidget)
	f.Admin("GET /sites/{site}/widget/stage", c.showStage)
}
