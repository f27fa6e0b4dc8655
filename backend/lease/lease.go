// Package lease knows which visitor has which number of a pool, now and before. It owns the leases, lets those of
// visitors who are there go on, and counts how the pools are used. The edge asks it for a number to show, package call
// for who has had the number that was called, and the console for both.
package lease

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Lease says that a visitor has a number of a pool. Nobody else has the number at the same time, unless it is shared.
type Lease struct {
	ID   int64
	Site int64
	// Digits are those of the number, and Replaces those of the printed number that it stands for.
	Digits, Replaces string
	// Visitor and Visit are whose lease it is.
	Visitor, Visit visit.ID
	// Begun and Until are the times between which the lease is valid, to the millisecond. Until moves on while the
	// visitor is there.
	Begun, Until time.Time
	// Shared says that others may have the number too.
	Shared bool
}

// Want is a visitor's need for a number.
type Want struct {
	Site           int64
	Visitor, Visit visit.ID
	// Replaces are the digits of the printed number.
	Replaces string
	Pool     *number.Pool
	// First says that this is the visit's first page view. If the pool is then exhausted, the visit counts as lost.
	First bool
	// Provisional says that only the request for a page has told of the visitor. The lease is then valid for 90 seconds
	// only, unless a need that is not provisional continues it.
	Provisional bool
	// Network is where the visitor asks from. It gets a part of the pool at once; see [Leases.Take]. The zero Prefix has no
	// limit.
	Network netip.Prefix
	// Again says that an earlier page view tells that the visitor is there. A valid lease is then continued, whichever
	// of the visitor's visits has it.
	Again bool
}

// Outcome says what a Want has led to.
type Outcome string

// The outcomes. Shared, Reserved and Original mean that the pool is exhausted.
const (
	Begun    Outcome = "begun"    // a lease begins
	Kept     Outcome = "kept"     // the visitor's lease continues
	Shared   Outcome = "shared"   // the number of another visitor
	Reserved Outcome = "reserve"  // the pool's reserve
	Original Outcome = "original" // no number: the printed one stays
	Withheld Outcome = "withheld" // no number: the visitor's network has as many as it may have
)

// Outcomes are all outcomes.
var Outcomes = []Outcome{Begun, Kept, Shared, Reserved, Original, Withheld}

// Exhausted says whether the pool had no number left.
func (o Outcome) Exhausted() bool { return o == Shared || o == Reserved || o == Original }

// Alone says that the visitor has a number that nobody else has.
func (o Outcome) Alone() bool { return o == Begun || o == Kept }

const (
	// stay is how long a visitor counts as being there after a page view without a further word.
	stay = 90 * time.Second
	// heldWithin is how far back [Leases.Of] looks.
	heldWithin = 24 * time.Hour
)

// Leases lease the numbers of pools to visitors. It is safe for concurrent use, on any
// number of nodes.
type Leases struct {
	db    *db.DB
	now   func() time.Time
	ids   *db.Sequence
	known sync.Map // the pools whose numbers are in the database, by name and list

	hours    *db.Counter[poolHour, hourCounts]
	observer Observer
	lost     func(ctx context.Context, tx db.Tx, siteID int64, of visit.ID) error // see Tell
	alarmed  sync.Map                                                             // by alarm, when it was noted last
	takers   sync.Map                                                             // by digits, the network of the visitor who took the number last on this node
}

// Observer counts outcomes. It must not block.
type Observer interface {
	Leased(Outcome)
}

// Tell has lost called for each visit that finds no number left, in a write of its visitor. It has to be called before
// anything else.
func (l *Leases) Tell(lost func(ctx context.Context, tx db.Tx, siteID int64, of visit.ID) error) {
	l.lost = lost
}

// New returns the leases of the database. The observer may be nil.
func New(d *db.DB, now func() time.Time, observer Observer) *Leases {
	return &Leases{db: d, now: now, ids: d.Sequence("number.leases", 256), hours: newHours(), observer: observer}
}

// Take leases a number to the visitor, who is there now. It is the visitor's earlier number if nobody else has it, or
// else the number that has been free for the longest time. Take returns when the lease is stored. digits is empty if
// the visitor gets none.
//
// The visitors of one network have half of the pool at once, so that nobody empties it by asking as many. Each node goes
// by the numbers that it has leased since it started.
func (l *Leases) Take(ctx context.Context, want Want) (digits string, outcome Outcome, err error) {
	id, err := l.ids.Next(ctx)
	if err != nil {
		return "", "", fmt.Errorf("leasing a number: %w", err)
	}
	known, lost, pool := false, false, key(want.Pool)
	err = l.db.Write(ctx, pool, func(ctx context.Context, tx db.Tx) (err error) {
		t := taking{Want: want, leases: l, tx: tx, pool: pool, id: id, now: l.now().UnixMilli()}
		// Without the lock, nodes that take several numbers each could wait for each other.
		if err := tx.Lock(ctx, pool); err != nil {
			return err
		}
		_, known = l.known.Load(introduced(want.Pool))
		if !known {
			if err := t.introduce(ctx); err != nil {
				return err
			}
		}
		digits, outcome, err = t.take(ctx)
		if err != nil {
			return err
		}
		if outcome.Alone() && want.Network.IsValid() {
			l.takers.Store(digits, want.Network)
		}
		lost = l.count(&t, outcome)
		if outcome.Exhausted() && l.alarms(alarm{want.Site, want.Pool.Name}, t.now) {
			exhausted := incident.Incident{SiteID: want.Site, Kind: incident.Pool, About: want.Pool.Name, Name: number.PoolTitle(want.Pool.Name)}
			return incident.Note(ctx, tx, exhausted, true, time.UnixMilli(t.now))
		}
		return nil
	})
	if err == nil && lost && l.lost != nil {
		// A visit may want numbers of two pools on two nodes: it is locked when no pool is.
		err = l.db.Write(ctx, int64(want.Visitor), func(ctx context.Context, tx db.Tx) error { return l.lost(ctx, tx, want.Site, want.Visit) })
	}
	if err != nil {
		return "", "", fmt.Errorf("leasing a number: %w", err)
	}
	if !known {
		l.known.Store(introduced(want.Pool), true)
	}
	if l.observer != nil && (!want.Again || outcome != Kept) { // a page that stays open counts once
		l.observer.Leased(outcome)
	}
	return digits, outcome, nil
}
