package visit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
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

// See notes the report of a page. It does not wait for the database. A report is lost if the process ends within two
// seconds, but an open page reports again within a minute. A handler that holds a visitor's connection open may call
// See for the page.
func (v *Visits) See(siteID int64, ref Ref, p Presence) {
	r := v.row(ref)
	v.present.note(v, spot{siteID, r.visit, r.view}, v.now().Add(lasting[p]).UnixMilli())
}

// Seen is a visit in which a page has reported that somebody is there.
type Seen struct {
	Site  int64
	Visit ID
	// Until is how long the report counts.
	Until time.Time
}

// Attend writes what depends on visitors being there, in the transaction that stores the reports of pages.
type Attend func(context.Context, db.Tx, []Seen) error

// spot identifies a page of a visit.
type spot struct{ site, visit, view int64 }

// present gathers the reports of pages, so that one write stores all of them.
type present struct {
	mu       sync.Mutex
	gathered map[spot]int64 // by page, when its report ends
	also     []Attend
}

func (g *present) note(v *Visits, at spot, until int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.gathered) == 0 {
		g.gathered = make(map[spot]int64)
		time.AfterFunc(gathering, func() { aside.Do(v.db.Logger(), "noting who is there", func() { _ = g.store(v) }) })
	}
	if _, known := g.gathered[at]; known || len(g.gathered) < maxGathered {
		g.gathered[at] = until
	}
}

// store writes the gathered reports. If the database is away they are lost, and the pages report again.
func (g *present) store(v *Visits) error {
	g.mu.Lock()
	gathered := g.gathered
	g.gathered = nil
	g.mu.Unlock()
	if len(gathered) == 0 {
		return nil
	}
	type row struct {
		spot
		until int64
	}
	rows := make([]row, 0, len(gathered))
	for at, until := range gathered {
		rows = append(rows, row{at, until})
	}
	// Two nodes that write the same rows do so in the same order, so that they cannot wait for each other in a circle.
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(a.visit, b.visit), cmp.Compare(a.view, b.view))
	})
	seen := make([]Seen, len(rows))
	for i, r := range rows {
		seen[i] = Seen{r.site, v.visits.id(r.visit), time.UnixMilli(r.until)}
	}
	ctx, cancel := context.WithTimeout(context.Background(), storingFor)
	defer cancel()
	err := v.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
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
		_, err := tx.Exec(ctx, `DELETE FROM presences WHERE until < $1`, v.now().Add(-2*LiveFor).UnixMilli())
		return err
	})
	if err != nil {
		return fmt.Errorf("storing who is there: %w", err)
	}
	return nil
}
