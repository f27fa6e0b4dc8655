package console

import "github.com/seed-3405227d/frontdesk/backend/notify"

type deliveriesRoom struct {
	*Frame
	Deliveries *notify.Deliveries
}

// mountDeliveries adds the room to the console.
func mountDeliveries(f *Frame, deliveries *notify.Deliveries) {
	c := &deliveriesRoom{f, deliveries}
	f.Room(Room{Unknown: map[error]string{notify.ErrUnknown: "fail.notFound"}})
	f.Admin("GET /sites/{site}/deliveries", c.showDeliveries)
	f.Admin("GET /sites/{site}/endpoints/new", c.showNewEndpoint)
	f.Admin("POST /sites/{site}/endpoints", c.changeEndpoint)
	f.Admin("GET /sites/{site}/endpoints/{endpoint}", c.showEndpoint)
	f.Admin("POST /sites/{site}/endpoints/{endpoint}/test", c.testEndpoint)
	f.Admin("POST /sites/{site}/endpoints/{endpoint}/paused", c.pauseEndpoint)
	f.Admin("POST /sites/{site}/endpoints/{endpoint}/secret", c.rotateSecret)
	f.Admin("POST /sites/{site}/endpoints/{endpoint}/again", c.sendAgain)
	f.Admin("POST /sites/{site}/endpoints/{endpoint}/failed", c.sendFailedAgain)
	f.Admin("POST /sites/{site}/endpoints/{endpoint}/removal", c.removeEndpoint)
}
