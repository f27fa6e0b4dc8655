// Package deliveries is the room of a site's endpoints, and of what was delivered there.
package deliveries

import (
	"embed"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/notify"
)

//go:embed templates
var templates embed.FS

type room struct {
	*frame.Frame
	Deliveries *notify.Deliveries
}

// Mount adds the room to the console.
func Mount(f *frame.Frame, deliveries *notify.Deliveries) {
	c := &room{f, deliveries}
	f.Room(frame.Room{Templates: templates, Unknown: map[error]string{notify.ErrUnknown: "fail.notFound"}})
	f.Admin("GET /sites/{site}/deliveries", c.WithSite("deliveries", c.showDeliveries))
	f.Admin("GET /sites/{site}/endpoints/new", c.WithSite("endpoint", c.showNewEndpoint))
	f.Admin("POST /sites/{site}/endpoints", c.WithSite("endpoint", c.changeEndpoint))
	f.Admin("GET /sites/{site}/endpoints/{endpoint}", c.showEndpoint)
	f.Admin("POST /sites/{site}/endpoints/{endpoint}/test", c.testEndpoint)
	f.Admin("POST /sites/{site}/endpoints/{endpoint}/paused", c.pauseEndpoint)
	f.Admin("POST /sites/{site}/endpoints/{endpoint}/secret", c.rotateSecret)
	f.Admin("POST /sites/{site}/endpoints/{endpoint}/again", c.sendAgain)
	f.Admin("POST /sites/{site}/endpoints/{endpoint}/failed", c.sendFailedAgain)
	f.Admin("POST /sites/{site}/endpoints/{endpoint}/removal", c.removeEndpoint)
}
