// Package visittest opens visits for tests, with all rooms that belong to them, and lets visitors see pages.
package visittest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/card"
	"github.com/seed-3405227d/frontdesk/backend/visit/days"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
	"github.com/seed-3405227d/frontdesk/backend/visit/onsite"
	"github.com/seed-3405227d/frontdesk/backend/visit/quota"
	"github.com/seed-3405227d/frontdesk/backend/visit/retain"
)

// Site is the site of [Rooms.See], and Chrome its browser.
const (
	Site   = 7
	Chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
)

// Clock is a clock that a test sets. The zero clock stands in 2023.
type Clock struct {
	mu     sync.Mutex
	passed time.Duration
}

// Now is the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.UnixMilli(1_700_000_000_000).Add(c.passed)
}

// Pass moves the clock on.
func (c *Clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.passed += d
}

// Rooms are visits, and all that belongs to them.
type Rooms struct {
	*visit.Visits
	*card.Cards
	Onsite    *onsite.Visitors
	Keys      *key.Keys
	Texts     *quota.Texts
	Days      *days.Days
	Retention *retain.Retention
}

// Open opens visits over the database, which has to be migrated. also is called where pages report that somebody is there.
func Open(t testing.TB, d *db.DB, now func() time.Time, also ...onsite.Attend) *Rooms {
	t.Helper()
	r, err := Make(t.Context(), d, now, also...)
	require.NoError(t, err)
	return r
}

// Make is [Open] for programs that are no tests.
func Make(ctx context.Context, d *db.DB, now func() time.Time, also ...onsite.Attend) (*Rooms, error) {
	keys, err := key.Open(ctx, d, now)
	if err != nil {
		return nil, err
	}
	r := &Rooms{Keys: keys, Texts: quota.New(d, keys, now), Days: days.New(d), Cards: card.New(d, keys), Retention: retain.New(d, keys.Parts)}
	r.Onsite = onsite.New(d, keys, r.Cards, now, also...)
	r.Visits, err = visit.Open(ctx, visit.Subjects{DB: d, Keys: keys, Texts: r.Texts, Days: r.Days}, now)
	return r, err
}

// Each runs the test on each engine.
func Each(t *testing.T, test func(t *testing.T, v *Rooms, c *Clock, d *db.DB)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := new(Clock)
		test(t, Open(t, d, c.Now), c, d)
	})
}

var seen atomic.Int64

// See stores a page view of the visitor. Each call stores another view.
func (r *Rooms) See(t testing.TB, visitor visit.ID, url string) visit.View {
	t.Helper()
	return r.Report(t, visitor, visit.Arrival{Nonce: fmt.Sprint("view ", seen.Add(1)), URL: url, Title: "A page", Kind: "load", UserAgent: Chrome})
}

// Report stores a page view of the visitor.
func (r *Rooms) Report(t testing.TB, visitor visit.ID, arrival visit.Arrival) visit.View {
	t.Helper()
	view, err := r.Arrive(context.Background(), Site, visitor, arrival)
	require.NoError(t, err)
	return view
}
