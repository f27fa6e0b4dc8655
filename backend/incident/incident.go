// Package incident knows what is wrong with sites now: a pool has run out, an endpoint is away, a form fails. Whoever
// notices it notes it, in a transaction of their own. The journal is told once, and again when it is over; the console
// and package notify tell people.
package incident

import (
	"encoding/json"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/trace"
)

// Begun and Over are the kinds of the journal's entries about incidents. Their data is a [News].
const (
	Begun = "incident.begun"
	Over  = "incident.over"
)

// News is what an entry of the journal says of an incident.
type News struct {
	Kind   Kind      `json:"kind"`
	About  string    `json:"about"`
	Name   string    `json:"name"`
	Status int       `json:"status"`
	Since  time.Time `json:"since"`
}

// Kind is the kind of an incident.
type Kind string

// The kinds.
const (
	Pool     Kind = "pool"     // visitors find no number in it
	Endpoint Kind = "endpoint" // nothing arrives there
	Form     Kind = "form"     // the site answers it with errors
	Limit    Kind = "limit"    // the site has used up what it may
)

// Kinds are all kinds.
var Kinds = []Kind{Pool, Endpoint, Form, Limit}

// Incident is something that is wrong with a site.
type Incident struct {
	SiteID int64
	Kind   Kind
	// About is the name of the pool, the id of the endpoint, the path of the form, or the name of the limit. A site has one incident of each at
	// a time.
	About string
	// Name is what people know it by: the name of the pool, the host or the address of the endpoint, the path of the form,
	// or the name of the limit.
	Name string
	// Status is that of the site's last answer to a form, and otherwise 0.
	Status int
	// BegunAt is since when it lasts, and LastAt when it was noted last. MendedAt is since when it seems to be over, or
	// zero.
	BegunAt, LastAt, MendedAt time.Time
}

const (
	// Grace is how long something has to last until it is told, if a single note does not prove it.
	Grace = 3 * time.Minute
	// TellEvery is the least time between two tellings that the same has begun.
	TellEvery = time.Hour
	// Calm is how long nothing has to be wrong for a form or an endpoint that works again.
	Calm = 5 * time.Minute
	// PoolOver is how long no visitor has to miss a number for a pool to suffice again, and nothing has to be refused for a
	// limit to be over.
	PoolOver = 30 * time.Minute
	// Stale is how long an incident lasts that is not noted again. Then it ends without a word: nobody sends the form any
	// more, or nothing goes to the endpoint.
	Stale = 7 * 24 * time.Hour
	// MaxOfSite bounds the incidents that are kept of a site. Further ones are not.
	MaxOfSite = 300
)

// row is an incident as it is stored.
type row struct {
	site                int64
	kind                Kind
	about, name         string
	status              int
	begun, last, mended int64
	told                bool
}

const columns = `site_id, kind, about, name, status, begun_at, last_at, mended_at, told`

func (r *row) fields() []any {
	return []any{&r.site, &r.kind, &r.about, &r.name, &r.status, &r.begun, &r.last, &r.mended, &r.told}
}

func (r row) incident() Incident {
	return Incident{
		SiteID: r.site, Kind: r.kind, About: r.about, Name: r.name, Status: r.status,
		BegunAt: time.UnixMilli(r.begun), LastAt: time.UnixMilli(r.last), MendedAt: db.Time(r.mended),
	}
}

// entries are those of the kind about the incidents.
func entries(kind string, rows []row, now time.Time) ([]journal.Entry, error) {
	told := make([]journal.Entry, len(rows))
	for i, r := range rows {
		data, err := json.Marshal(News{Kind: r.kind, About: r.about, Name: r.name, Status: r.status, Since: time.UnixMilli(r.begun).UTC()})
		if err != nil {
			return nil, err
		}
		told[i] = journal.Entry{SiteID: r.site, At: now, Kind: kind, Data: data}
	}
	return told, nil
}

// Traces are the paths of forms and the addresses of endpoints, which may name somebody.
func Traces() trace.Subject {
	return trace.Subject{Tables: []trace.Table{
		{Name: "incidents", Texts: []string{"about", "name"}, Key: []string{"site_id", "kind", "about"}},
	}}
}
