// Package numbers is the room of the numbers that sites show: which there are, by which rules visitors see others, and
// who would see what.
package numbers

import (
	"embed"
	"html/template"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/preview"
	"github.com/seed-3405227d/frontdesk/backend/site/foresight"
)

//go:embed templates
var templates embed.FS

// Subjects are what the room shows.
type Subjects struct {
	Foresight *foresight.Foresight
	Previews  *preview.Previews
}

type room struct {
	rows.Numberings
	Subjects
}

// Mount adds the room to the console.
func Mount(f *frame.Frame, numberings rows.Numberings, subjects Subjects) {
	c := &room{numberings, subjects}
	f.Room(frame.Room{
		Templates: templates,
		Menu:      []frame.MenuEntry{{Link: "/numbers", Icon: "phone", Title: "numbers.title", Pages: []string{"numbers", "number", "roster", "who", "pools", "pool"}, AdminClass: "not-small"}},
		Functions: func(w *words.Tongue) template.FuncMap {
			return template.FuncMap{
				"field": func(name string) string { return fieldName(w, name) },
				"how":   func(how string) string { return w.Text(howWords[how]) },
			}
		},
	})
	f.SignedIn("GET /numbers", c.With("numbers", c.showNumbers))
	f.Admin("GET /numbers/{site}/new", c.WithNumbers("number", c.showNewNumber))
	f.Admin("GET /numbers/{site}/roster", c.WithNumbers("roster", c.showRoster))
	f.AdminUpload("POST /numbers/{site}/roster", maxRosterForm, c.WithNumbers("roster", c.takeRoster))
	f.SignedIn("GET /numbers/{site}/who", c.WithNumbers("who", c.showWho))
	f.SignedIn("GET /numbers/{site}/{number}", c.WithNumbers("number", c.showNumber))
	f.Admin("POST /numbers/{site}", c.WithNumbers("number", c.changeNumber))
	f.Admin("POST /numbers/{site}/{number}/removal", c.WithNumbers("number", c.removeNumber))
}
