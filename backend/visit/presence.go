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

// Presence is what a page says of the person in front of it.
type Presence string

const (
	// Here: the page is looked at. It says so once a minute.
	Here Presence = "here"
	// Away: another tab or another program covers the page, which is still open.
	Away Presence = "away"
	// Left: the page is closed, or another has taken its place.
	Left Presence = "left"
)

// lasting is for how long somebody counts as being on the site after a page's
// word.
var lasting = map[Presence]time.Duration{
	Here: 90 * time.Second, // a word that is lost or late changes nothing
	Away: time.Minute,      // a phone that puts a page away often ends it without a further word
	Left: 5 * time.Second,  // time enough for the next page to be reported
}

// Known tells whether it is one of the three.
func (p Presence) Known() bool { return lasting[p] != 0 }

const (
	// gathering is for how long the words of pages are gathered before they are
	// written together.
	gathering = 2 * time.Second
	// maxGathered bounds how many pages are gathered at once. The words of further
	// ones are lost until the next minute.
	maxGathered = 1 << 16
	// storingFor bounds the writing of what has been gathered.
	storingFor = 10 * time.Second
)

// See notes what the page of the view has said. It does not wait for the
// database, and what it notes is lost when the process ends within two seconds:
// a page that goes on speaks again within a minute. Whatever holds a visitor's
// connection open may speak for the page in the same way.
func (v *Visits) See(siteID int64, ref Ref, p Presence) {
	r := v.row(ref)
	v.present.note(v, spot{siteID, r.session, r.hit}, v.now().Add(lasting[p]).UnixMilli())
}

// Seen is a session of which a page has told that somebody is there.
type Seen struct {
	Site    int64
	Session ID
	// Until is how long that counts.
	Until time.Time
}

// OnPresence has f write, in the transaction that stores what pages have told, what
// depends on visitors being there. It is called once, before the visits are used.
func (v *Visits) OnPresence(f func(context.Context, db.Tx, []Seen) error) { v.present.also = f }

// spot is a page of a session.
type spot struct{ site, session, hit int64 }

// present gathers the words of pages, so that one write stores those of all.
type present struct {
	mu       sync.Mutex
	gathered map[spot]int64 // until when each counts
	also     func(context.Context, db.Tx, []Seen) error
}

func (g *present) note(v *Visits, at spot, until int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.gathered) == 0 {
		g.gathered = make(map[spot]int64)
		time.AfterFunc(gathering, func() { aside.Do(v.db.Logger(), "noting who is there", func() { g.store(v) }) })
	}
	if _, known := g.gathered[at]; known || len(g.gathered) < maxGathered {
		g.gathered[at] = until
	}
}

// store writes what has been gathered. When the database is away the words are
// lost: those who are there say so again.
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
	// Two nodes that write the same rows wait for each other in one direction.
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(a.session, b.session), cmp.Compare(a.hit, b.hit))
	})
	seen := make([]Seen, len(rows))
	for i, r := range rows {
		seen[i] = Seen{r.site, v.sessions.id(r.session), time.UnixMilli(r.until)}
	}
	ctx, cancel := context.WithTimeout(context.Background(), storingFor)
	defer cancel()
	err := v.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		for some := range db.Parts(rows) {
			values, args := db.Values(some, func(r *row) []any { return []any{&r.site, &r.session, &r.hit, &r.until} })
			if _, err := tx.Exec(ctx, `INSERT INTO presences (site_id, session_id, hit_id, until) `+values+`
				ON CONFLICT (site_id, session_id, hit_id) DO UPDATE SET until = EXCLUDED.until`, args...); err != nil {
				return err
			}
		}
		if g.also != nil {
			if err := g.also(ctx, tx, seen); err != nil {
				return err
			}
		}
		// A page that has said that it was left is to be known as such for as long as its view counts by itself.
		_, err := tx.Exec(ctx, `DELETE FROM presences WHERE until < $1`, v.now().Add(-2*LiveFor).UnixMilli())
		return err
	})
	if err != nil {
		return fmt.Errorf("storing who is there: %w", err)
	}
	return nil
}
