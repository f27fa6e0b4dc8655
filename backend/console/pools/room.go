// Package pools is the room of pools of numbers: who has which number now and had it before, and how a pool is used.
package pools

import (
	"embed"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

//go:embed templates
var templates embed.FS

type room struct {
	rows.Numberings
	Leases *lease.Leases
	Visits *visit.Visits
}

// Mount adds the room to the console.
func Mount(f *frame.Frame, numberings rows.Numberings, leases *lease.Leases, visits *visit.Visits) {
	c := &room{numberings, leases, visits}
	f.Room(frame.Room{Templates: templates})
	f.SignedIn("GET /numbers/pools", c.With("pools", c.showPools))
	f.Admin("GET /pools/{site}/new", c.WithNumbers("pool", c.showNewPool))
	f.SignedIn("GET /pools/{site}/{pool}", c.WithNumbers("pool", c.showPool))
	f.Admin("POST /pools/{site}", c.WithNumbers("pool", c.changePool))
	f.Admin("POST /pools/{site}/{pool}/release", c.WithNumbers("pool", c.release))
	f.Admin("POST /pools/{site}/{pool}/removal", c.WithNumbers("pool", c.removePool))
}
