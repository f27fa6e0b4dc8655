package number

import (
	"time"

	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Lease is a stand-in.
type Lease struct {
	ID               int64
	Site             int64
	Digits, Replaces string
	Visitor, Session visit.ID
	Begun, Until     time.Time
	Shared           bool
}
