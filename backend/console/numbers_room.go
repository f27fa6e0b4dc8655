package console

import (
	"html/template"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// numbersSubjects are what the room shows.
type numbersSubjects struct {
	Numbers  *number.Shown
	Leases   *number.Leases
	Previews *number.Previews
	Visits   *visit.Visits
	// Hosts are those at which this server's configuration serves the site of a key. It
	// may be nil.
	Hosts func(key string) []string
	// Pools are those of this server's configuration. It may be nil.
	Pools func() number.ConfiguredPools
}

type numbersRoom struct {
	*Frame
	numbersSubjects
}

// mountNumbers adds the room to the console.
func mountNumbers(f *Frame, subjects numbersSubjects) {
	c := &numbersRoom{Frame: f, numbersSubjects: subjects}
	f.Room(Room{
		Menu: []Entry{{Link: "/numbers", Icon: "phone", Title: "numbers.title", Pages: []string{"numbers", "number", "who", "pools", "pool"}, AdminClass: "not-small"}},
		Functions: func(w *words) template.FuncMap {
			return template.FuncMap{
				"field": func(name string) string { return fieldName(w, name) },
				"how":   func(how string) string { return w.text(howWords[how]) },
			}
		},
	})
	f.SignedIn("GET /numbers", c.showNumbers)
	f.SignedIn("GET /numbers/pools", c.showPools)
	f.Admin("GET /numbers/{site}/new", c.showNewNumber)
	f.SignedIn("GET /numbers/{site}/who", c.showWho)
	f.SignedIn("GET /numbers/{site}/{number}", c.showNumber)
	f.Admin("POST /numbers/{site}", c.changeNumber)
	f.Admin("POST /numbers/{site}/{number}/removal", c.removeNumber)
	f.Admin("GET /pools/{site}/new", c.showNewPool)
	f.SignedIn("GET /pools/{site}/{pool}", c.showPool)
	f.Admin("POST /pools/{site}", c.changePool)
	f.Admin("POST /pools/{site}/{pool}/removal", c.removePool)
}
