// Package onsite knows who is on the sites now, by what open pages report of those in front of them.
package onsite

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit/card"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
)

// Presence is what a page reports of the person in front of it.
type Presence string

const (
	// Here: somebody looks at the page. It reports this once a minute.
	Here Presence = "here"
	// Away: another tab or another program covers the page, which is still open.
	Away Presence = "away"
	// Left: the page is closed, or another has taken its place.
	Left Presence = "left"
)

// lasting is how long somebody counts as being on the site after a page's report.
var lasting = map[Presence]time.Duration{
	Here: 90 * time.Second, // a report may be lost or late
	Away: time.Minute,      // a phone that hides a page often ends it without a further report
	Left: 5 * time.Second,  // enough time for the report of the next page
}

// Known says whether p is one of the three.
func (p Presence) Known() bool { return lasting[p] != 0 }

const (
	// gathering is how long the reports of pages are gathered before they are written together.
	gathering = 2 * time.Second
	// maxGathered bounds how many pages are gathered at once. The reports of further pages are lost; the pages report
	// again within a minute.
	maxGathered = 1 << 16
	// storingFor bounds the time of a write.
	storingFor = 10 * time.Second
)

// Visitors knows who is on the sites. It is safe for concurrent use.
type Visitors struct {
	db    *db.DB
	keys  *key.Keys
	cards *card.Cards
	now   func() time.Time

	watching watching
	gathered gathered
}

// New returns the visitors of the database, which has to be migrated. also is called where pages report that somebody is
// there.
func New(d *db.DB, keys *key.Keys, cards *card.Cards, now func() time.Time, also ...Attend) *Visitors {
	return &Visitors{db: d, keys: keys, cards: cards, now: now, gathered: gathered{also: also}}
}

// See notes the report of a page. It does not wait for the database. A report is lost if the process ends within two
// seconds, but an open page reports again within a minute. A handler that holds a visitor's connection open may call
// See for the page.
func (o *Visitors) See(siteID int64, ref key.Ref, p Presence) {
	r := o.keys.Row(ref)
	o.gathered.note(o, spot{siteID, r.Visit, r.View}, o.now().Add(lasting[p]).UnixMilli())
}

// Seen is a visit in which a page has reported that somebody is there.
type Seen struct {
	Site  int64
	Visit key.ID
	// Until is how long the report counts.
	Until time.Time
}

// Attend writes what depends on visitors being there, in the transaction that stores the reports of pages.
type Attend func(context.Context, db.Tx, []Seen) error

// spot identifies a page of a visit.
type spot struct{ site, visit, view int64 }

// gathered holds the reports of pages, so that one write stores all of them.
type gathered struct {
	storing sync.Mutex // held while reports are written, so that they are stored in their order

	mu    sync.Mutex
	until map[spot]int64 // by page, when its report ends
	also  []Attend
}

func (g *gathered) note(o *Visitors, at spot, until int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.until) == 0 {
		g.until = make(map[spot]int64)
		time.AfterFunc(gathering, func() { aside.Do(o.db.Logger(), "noting who is there", func() { _ = g.store(o) }) })
	}
	if _, known := g.until[at]; known || len(g.until) < maxGathered {
		g.until[at] = until
	}
}

// store writes the gathered reports. If the database is away they are lost, and the pages report again.
func (g *gathered) store(o *Visitors) error {
	g.storing.Lock()
	defer g.storing.Unlock()
	g.mu.Lock()
	reported := g.until
	g.until = nil
	g.mu.Unlock()
	if len(reported) == 0 {
		return nil
	}
	type row struct {
		spot
		until int64
	}
	rows := make([]row, 0, len(reported))
	for at, until := range reported {
		rows = append(rows, row{at, until})
	}
	// Two nodes that write the same rows do so in the same order, so that they cannot wait for each other in a circle.
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(a.visit, b.visit), cmp.Compare(a.view, b.view))
	})
	seen := make([]Seen, len(rows))
	for i, r := range rows {
		seen[i] = Seen{r.site, o.keys.Visits.ID(r.visit), time.UnixMilli(r.until)}
	}
	ctx, cancel := context.WithTimeout(context.Background(), storingFor)
	defer cancel()
	err := o.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		for some := range db.Parts(rows) {
			values, args := db.Values(some, func(r *row) []any { return []any{&r.site, &r.visit, &r.view, &r.until} })
			if _, err := tx.Exec(ctx, `INSERT INTO presences (site_id, visit_id, view_id, until) `+values+`
				ON CONFLICT (site_id, visit_id, view_id) DO UPDATE SET until = EXCLUDED.until`, args...); err != nil {
				return err
			}
		}
		for _, attend := range g.also {
			if err := attend(ctx, tx, seen); err != nil {
				return err
			}
		}
		// The report that a page was left has to stay for as long as the page view counts by itself.
		_, err := tx.Exec(ctx, `DELETE FROM presences WHERE until < $1`, o.now().Add(-2*LiveFor).UnixMilli())
		return err
	})
	if err != nil {
		return fmt.Errorf("storing who is there: %w", err)
	}
	return nil
}
