package numbers

import (
	"time"

	"github.com/seed-3405227d/frontdesk/backend/number"
)

// Number is a printed number, and what visitors see in its place.
type Number struct {
	Number string `json:"number" doc:"As it was written; digits in international form where it was set here." example:"74951234567"`
	NumberRules
}

func numberOf(n number.Number) Number {
	told := Number{n.Number, NumberRules{Targets: n.Targets, Selectors: n.Selectors, Pictures: n.Pictures, Template: n.Template}}
	for _, t := range n.Tracking {
		told.Tracking = append(told.Tracking, Tracking{Name: t.Name, Static: t.Static, Pool: t.Pool, Dynamic: t.Dynamic, When: t.When})
	}
	return told
}

// Pool is a set of tracking numbers, of which each visitor has another for a while.
type Pool struct {
	Numbers     []string `json:"numbers" nullable:"false" maxItems:"500" doc:"In any writing, with the country code."`
	HoldSeconds int64    `json:"hold_seconds,omitempty" minimum:"0" maximum:"31536000" doc:"For how long a visitor keeps a number after leaving; 0 for the default."`
	Exhausted   string   `json:"exhausted,omitempty" enum:"original,reserve,shared" doc:"What visitors see when all numbers are taken."`
	Reserve     string   `json:"reserve,omitempty" maxLength:"40" doc:"The number for exhausted: reserve."`
}

func poolOf(p number.DeclaredPool) Pool {
	return Pool{append([]string{}, p.Numbers...), int64(p.Hold / time.Second), string(p.Exhausted), p.Reserve}
}

// Printed is a number that stands on the site's pages.
type Printed struct {
	Digits  string    `json:"digits" doc:"In international form."`
	Pages   int       `json:"pages" doc:"On how many pages it stands, at most 100."`
	Example string    `json:"example" doc:"The path of one of them."`
	FirstAt time.Time `json:"first_at"`
	LastAt  time.Time `json:"last_at"`
}

// NumberRules are what is said of a printed number.
type NumberRules struct {
	Targets   []string         `json:"targets,omitempty" nullable:"false" doc:"Further places whose whole content is the number: #id, .class or [name=value]."`
	Selectors []string         `json:"selectors,omitempty" nullable:"false" doc:"The same by any CSS selector."`
	Pictures  []number.Picture `json:"pictures,omitempty" nullable:"false" doc:"Images that show the number."`
	Template  string           `json:"template,omitempty" maxLength:"200" doc:"How people read the numbers in its place; empty for the way of the printed one." example:"+7 ({area}) {rest}"`
	Tracking  []Tracking       `json:"tracking,omitempty" nullable:"false" maxItems:"50" doc:"What visitors see in its place, by their source. The first whose conditions hold is shown."`
}

// Tracking is what visitors of some sources see: a number, or one of a pool.
type Tracking struct {
	Name    string   `json:"name,omitempty" maxLength:"200" doc:"What people call it, such as the name of a campaign."`
	Static  string   `json:"static,omitempty" maxLength:"40" doc:"A tracking number that all of them see."`
	Pool    string   `json:"pool,omitempty" maxLength:"100" doc:"Or the name of a pool."`
	Dynamic []string `json:"dynamic,omitempty" nullable:"false" doc:"The numbers of a pool without a name, which only a configuration has."`
	When    []string `json:"when,omitempty" nullable:"false" doc:"Conditions such as utm_source=news*; none for all visitors."`
}

// number is the number of the digits as settings have it.
func (n NumberRules) number(digits string) number.Number {
	set := number.Number{Number: digits, Targets: n.Targets, Selectors: n.Selectors, Pictures: n.Pictures, Template: n.Template}
	for _, t := range n.Tracking {
		set.Tracking = append(set.Tracking, number.Tracking{Name: t.Name, Static: t.Static, Pool: t.Pool, Dynamic: t.Dynamic, When: t.When})
	}
	return set
}
