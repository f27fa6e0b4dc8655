package call_test

import (
	"container/heap"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/onsite"
)

var simulated = flag.Int("visits", 2000, "how many visits TestSimulatedVisits has")

// The parameters of the simulated shop.
const (
	visitsAnHour = 600
	staying      = 4 * time.Minute // on average
	returning    = 0.2             // of the visits are by visitors who were here before
	calling      = 0.15            // of the visits lead to a call
	leaving      = 0.25            // of the callers have left their phone on the site before
	poolSize     = 105
)

// simulation is a shop whose clock moves from one event to the next.
type simulation struct {
	*exchange
	random  *rand.Rand
	pool    *number.Pool
	waiting happenings
	// there holds the visits of open pages, by the time within a minute at which they report that somebody is there.
	there    [12]map[visit.ID]bool
	said     int
	visitors []visit.ID
	views    int
	calls    int
	tally    map[call.Reason]*tally

	// soon and late count calls to numbers of the pool: soon by visitors who have the number, late by those who had it.
	soon, late   tally
	wanted, lost int
}

// tally counts the calls that were attributed for a reason, and how many of them to the right visitor.
type tally struct {
	confidence   call.Confidence
	calls, right int
}

// share returns the share of the right ones, in percent.
func (t tally) share() float64 { return 100 * float64(t.right) / float64(t.calls) }

// happening is an event to come.
type happening struct {
	at time.Time
	do func()
}

type happenings []happening

func (h happenings) Len() int           { return len(h) }
func (h happenings) Less(i, j int) bool { return h[i].at.Before(h[j].at) }
func (h happenings) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *happenings) Push(x any)        { *h = append(*h, x.(happening)) }
func (h *happenings) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}

func (s *simulation) in(d time.Duration, do func()) {
	heap.Push(&s.waiting, happening{s.at.Add(d), do})
}

// exponential returns a time with this mean.
func (s *simulation) exponential(mean time.Duration) time.Duration {
	return time.Duration(s.random.ExpFloat64() * float64(mean))
}

// run moves the clock until no event is left.
func (s *simulation) run() {
	for len(s.waiting) > 0 {
		next := heap.Pop(&s.waiting).(happening)
		s.at = next.at
		next.do()
	}
}

// view lets the visitor look at a page, and returns the number that it shows.
func (s *simulation) view(visitor visit.ID) (view visit.View, shown string) {
	s.views++
	view, err := s.visits.Arrive(s.t.Context(), shopSite, visitor, visit.Arrival{
		Nonce: fmt.Sprintf("view%018d", s.views), URL: "https://shop.example/", Kind: "load", UserAgent: "Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0",
	})
	require.NoError(s.t, err)
	digits, outcome, err := s.leases.Take(s.t.Context(), lease.Want{
		Site: shopSite, Visitor: view.Visitor, Visit: view.Visit, Replaces: printed, Pool: s.pool, First: view.NewVisit,
	})
	require.NoError(s.t, err)
	if outcome == lease.Begun || outcome.Exhausted() {
		s.wanted++
	}
	if outcome.Exhausted() {
		s.lost++
		return view, printed
	}
	return view, digits
}

// visit lets a visitor stay from the first page to the last, perhaps with a call.
func (s *simulation) visit() {
	var visitor visit.ID
	if len(s.visitors) > 0 && s.random.Float64() < returning {
		visitor = s.visitors[s.random.IntN(len(s.visitors))]
	}
	view, shown := s.view(visitor)
	s.visitors = append(s.visitors, view.Visitor)
	stays, there := s.exponential(staying), s.there[s.random.IntN(len(s.there))]
	there[view.Visit] = true
	s.in(stays, func() { delete(there, view.Visit) })
	if s.random.Float64() >= calling {
		return
	}
	phone := fmt.Sprintf("7912%07d", uint64(view.Visitor)%10_000_000)
	if s.random.Float64() < leaving {
		require.NoError(s.t, s.visits.AddInfo(s.t.Context(), shopSite, view.Ref, visit.Info{Phone: "+" + phone}))
	}
	var after time.Duration
	late := false
	switch kind := s.random.Float64(); {
	case kind < 0.5: // while the page is open
		after = time.Duration(s.random.Float64() * float64(stays))
	case kind < 0.75: // from a note, shortly after
		after = stays + time.Duration(s.random.Float64()*float64(s.pool.Hold))
	default: // from a note, some time later
		late = true
		after = stays + s.exponential(3*time.Hour)
	}
	s.in(after, func() { s.call(view.Visitor, shown, phone, late) })
}

func (s *simulation) call(visitor visit.ID, called, caller string, late bool) {
	s.calls++
	c := s.ring(fmt.Sprint("call", s.calls), called, caller)
	t := s.tally[c.Reason]
	if t == nil {
		t = &tally{confidence: c.Confidence}
		s.tally[c.Reason] = t
	}
	t.calls++
	at := &s.soon
	if late {
		at = &s.late
	}
	if called != printed {
		at.calls++
	}
	if c.Visitor == visitor {
		t.right++
		if called != printed {
			at.right++
		}
	}
}

// say lets some of the open pages report that somebody is there. Each page does so once a minute.
func (s *simulation) say() {
	var seen []onsite.Seen
	for visitID := range s.there[s.said%len(s.there)] {
		seen = append(seen, onsite.Seen{Site: shopSite, Visit: visitID, Until: s.at.Add(90 * time.Second)})
	}
	require.NoError(s.t, s.db.Write(s.t.Context(), 0, func(ctx context.Context, tx db.Tx) error { return s.leases.Prolong(ctx, tx, seen) }))
	s.said++
	if len(s.waiting) > 0 {
		s.in(time.Minute/time.Duration(len(s.there)), s.say)
	}
}

// TestSimulatedVisits measures how often a call is attributed to the right visitor. It also compares how often a pool
// is exhausted with Erlang's formula B.
func TestSimulatedVisits(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	x := newExchange(t, d)
	x.declare(map[int64][]number.Declared{shopSite: {{Digits: printed}}})
	s := &simulation{
		exchange: x, random: rand.New(rand.NewPCG(1, 2)), pool: &number.Pool{Name: "spring"},
		tally: make(map[call.Reason]*tally),
	}
	for i := range poolSize {
		s.pool.Digits = append(s.pool.Digits, fmt.Sprint(74957650000+i))
	}
	require.NoError(t, s.pool.Complete())
	for i := range s.there {
		s.there[i] = make(map[visit.ID]bool)
	}
	var arrives time.Duration
	for range *simulated {
		arrives += s.exponential(time.Hour / visitsAnHour)
		s.in(arrives, s.visit)
	}
	s.say()
	s.run()

	total, right, told := 0, 0, 0
	for _, reason := range call.Reasons {
		if c := s.tally[reason]; c != nil {
			t.Logf("%-13s %-6s %5d calls, %5.1f %% of the right visitor", reason, c.confidence, c.calls, c.share())
			total, right = total+c.calls, right+c.right
			if reason != call.Printed && reason != call.Pooled {
				told += c.calls
			}
		}
	}
	require.Equal(t, s.calls, total)
	t.Logf("all                  %5d calls, %5.1f %% of the right visitor; %.1f %% of those that are taken for somebody's", total, 100*float64(right)/float64(total), 100*float64(right)/float64(told))
	for when, c := range map[string]tally{"soon": s.soon, "late": s.late} {
		t.Logf("%-20s %5d calls, %5.1f %% of the right visitor", when, c.calls, c.share())
	}
	require.Greater(t, s.soon.share(), 99.0, "who has a number is known by it")

	mean, _, err := db.One(t.Context(), d.Read(), db.Only[float64], `SELECT AVG(ended_at - begun_at) FROM leases WHERE NOT shared`)
	require.NoError(t, err)
	lost := float64(s.lost) / float64(s.wanted)
	traffic := float64(s.wanted) / arrives.Hours() * mean / 3_600_000
	t.Logf("lost                 %5.2f %% of %d; by the formula %.2f %% of %.1f erlangs", 100*lost, s.wanted, 100*lease.Lost(traffic, poolSize), traffic)
	require.InDelta(t, lease.Lost(traffic, poolSize), lost, 0.03)
}
