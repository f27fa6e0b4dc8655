// Package conversions is the room of a site's destinations: the advertising and analytics platforms that are told what its
// visitors do.
package conversions

import (
	"embed"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/conversion"
	"github.com/seed-3405227d/frontdesk/backend/pace"
)

//go:embed templates
var templates embed.FS

type room struct {
	*frame.Frame
	Conversions *conversion.Conversions
}

// Mount adds the room to the console.
func Mount(f *frame.Frame, conversions *conversion.Conversions) {
	c := &room{f, conversions}
	f.Room(frame.Room{Templates: templates})
	f.Admin("GET /sites/{site}/conversions", c.WithSite("conversions", c.showConversions))
	f.Admin("GET /sites/{site}/conversions/new", c.WithSite("destination", c.showNew))
	f.Admin("POST /sites/{site}/conversions", c.WithSite("destination", c.change))
	f.Admin("GET /sites/{site}/conversions/{destination}", c.WithSite("destination", c.show))
	f.Admin("POST /sites/{site}/conversions/{destination}/password", c.WithSite("destination", c.newPassword))
	f.Admin("GET /sites/{site}/conversions/{destination}/{table}", c.WithSite("destination", c.download))
	f.Files("GET /feeds/{feed}/{table}", &fetching{room: c, failures: pace.NewByNetwork(10, time.Minute)})
}
