package console

import (
	"html/template"

	"github.com/seed-3405227d/frontdesk/snippet"
)

type widgetRoom struct{ *Frame }

// mountWidget adds the room to the console.
func mountWidget(f *Frame) {
	c := &widgetRoom{f}
	f.Room(Room{Functions: func(*words) template.FuncMap {
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
