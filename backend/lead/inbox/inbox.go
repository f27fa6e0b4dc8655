// Package inbox is the list of leads that operators work through: what they filter and search it by, and which leads
// each of them has not read. It reads the table of package lead, and owns what has been read.
package inbox

import (
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/trace"
)

// Inbox lists the leads of all sites. It is safe for concurrent use.
type Inbox struct {
	db      *db.DB
	leads   *lead.Leads
	journal *journal.Journal
	now     func() time.Time
}

// New returns the inbox of the leads, which are in the same database.
func New(d *db.DB, leads *lead.Leads, now func() time.Time) *Inbox {
	return &Inbox{db: d, leads: leads, journal: journal.New(d), now: now}
}

// Traces are which leads of a person have been read.
func Traces() trace.Subject {
	return trace.Subject{Tables: []trace.Table{{Name: "lead_opened", By: trace.Lead, Where: `site_id = $1 AND lead_id = $2`}}}
}
