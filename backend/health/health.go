// Package health says what is wrong with an installation: what keeps it from storing what comes, and what is only worse
// than it should be. It names no site and no person.
package health

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// Code names a reason.
type Code string

// The reasons for which nothing can be stored. A load balancer takes such a node away.
const (
	Starting    Code = "starting"    // the database is being opened, or its schema brought up to date
	Unreachable Code = "database"    // the database does not answer, or refuses
	ReadOnly    Code = "read_only"   // it takes no writes
	DiskFull    Code = "disk_full"   // its disk is full
	FileLost    Code = "file_lost"   // its file is not at its place
	Malformed   Code = "malformed"   // its file is broken
	NotRunning  Code = "not_running" // Frontdesk is not part of the configuration
)

// The reasons for which something is worse, and the node goes on.
const (
	Slow         Code = "slow"         // the database takes long to answer
	DiskLow      Code = "disk_low"     // little room is left where the data are
	FormsWait    Code = "forms_wait"   // forms wait for the database on the disk
	FormsUnsafe  Code = "forms_unsafe" // forms may be lost when the database is away
	Replica      Code = "replica"      // a replica of the database is lost, or behind
	Behind       Code = "behind"       // something has not kept up with the journal
	Deliveries   Code = "deliveries"   // receivers of news take nothing
	Telephony    Code = "telephony"    // a telephone trunk is not registered
	Certificates Code = "certificates" // certificates end soon, and were not renewed
	Clock        Code = "clock"        // this node's clock and the database's differ
)

// Codes are all codes.
var Codes = []Code{Starting, Unreachable, ReadOnly, DiskFull, FileLost, Malformed, NotRunning, Slow, DiskLow, FormsWait, FormsUnsafe, Replica, Behind, Deliveries, Telephony, Certificates, Clock}

// IsUnhealthy says whether a node with such a reason can store nothing.
func (c Code) IsUnhealthy() bool {
	switch c {
	case Starting, Unreachable, ReadOnly, DiskFull, FileLost, Malformed, NotRunning:
		return true
	}
	return false
}

// Reason is something that is wrong.
type Reason struct {
	Code Code `json:"code"`
	// Unhealthy says that the node can store nothing. Otherwise it is degraded.
	Unhealthy bool `json:"unhealthy"`
	// Text is for people, in English.
	Text string `json:"text"`
	// Since is when it began, as far as that is known.
	Since *time.Time `json:"since,omitempty"`
	// Count is of how many things it is true, where there may be several.
	Count int `json:"count,omitempty"`
}

// New returns a reason.
func New(code Code, text string, args ...any) Reason {
	return Reason{Code: code, Unhealthy: code.IsUnhealthy(), Text: fmt.Sprintf(text, args...)}
}

// Of is the reason with the time and the count; zeros for none.
func (r Reason) Of(since time.Time, count int) Reason {
	if !since.IsZero() {
		since = since.UTC().Truncate(time.Second)
		r.Since = &since
	}
	r.Count = count
	return r
}

// OfDatabase is the reason for the error of a check of the database.
func OfDatabase(err error) Reason {
	code := Unreachable
	for is, of := range map[error]Code{db.ErrFull: DiskFull, db.ErrReadOnly: ReadOnly, db.ErrLost: FileLost, db.ErrMalformed: Malformed} {
		if errors.Is(err, is) {
			code = of
		}
	}
	r := New(code, "%s", err)
	if trouble, ok := errors.AsType[*db.Trouble](err); ok {
		r = r.Of(trouble.Since, 0)
	}
	return r
}

const (
	// slowAfter is how long an answer of the database takes that is slow.
	slowAfter = 500 * time.Millisecond
	// behindAfter is for how long an entry of the journal may wait for a reader.
	behindAfter = time.Minute
	// clocksApart is by how much the clocks of a node and of the database may differ.
	clocksApart = 5 * time.Second
)

// Subjects are asked what is wrong.
type Subjects struct {
	DB        *db.DB
	Journal   *journal.Journal
	Incidents *incident.Incidents
}

// Degraded asks the database for what is worse than it should be. What cannot be asked within the context is left out.
func (s Subjects) Degraded(ctx context.Context, now func() time.Time) (reasons []Reason) {
	began := now()
	clock, _, err := db.One(ctx, s.DB.Read(), db.Only[int64], "SELECT "+db.Clock(s.DB.Engine()))
	if took := now().Sub(began); took > slowAfter || err != nil && ctx.Err() != nil {
		reasons = append(reasons, New(Slow, "the database took %v to answer a question: look at its disk, its processors and its other clients", took.Round(time.Millisecond)))
	} else if apart := began.Sub(time.UnixMilli(clock)).Abs(); err == nil && apart > clocksApart {
		reasons = append(reasons, New(Clock, "the clocks of this machine and of the database differ by %v: let both follow a time server", apart.Round(time.Second)))
	}
	if lost := s.DB.Replicas(); len(lost) > 0 {
		reasons = append(reasons, New(Replica, "replicas of the database are not asked, and the primary is in their place: %s: %v", lost[0].Name, lost[0].Err).Of(lost[0].Since, len(lost)))
	}
	if late, err := s.Journal.Late(ctx, behindAfter); err == nil {
		for _, of := range late {
			reasons = append(reasons, New(Behind, "the reader %q has not come further in the journal: the log says why", of.Name).Of(of.Since, 0))
		}
	}
	if wrong, err := s.Incidents.Now(ctx, scope.All()); err == nil {
		var since time.Time
		count := 0
		for _, i := range wrong {
			if i.Kind == incident.Endpoint {
				if count++; since.IsZero() || i.BegunAt.Before(since) {
					since = i.BegunAt
				}
			}
		}
		if count > 0 {
			reasons = append(reasons, New(Deliveries, "receivers of news take nothing: the console lists them under Problems").Of(since, count))
		}
	}
	return reasons
}
