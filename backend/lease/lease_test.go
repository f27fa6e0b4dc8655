package lease_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/onsite"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const printed = "74951234567"

// lessor leases the numbers of one pool.
type lessor struct {
	t      *testing.T
	db     *db.DB
	leases *lease.Leases
	pool   *number.Pool
	now    time.Time
	counts [5]atomic.Int64 // by outcome
}

func (l *lessor) Leased(o lease.Outcome) { l.counts[slices.Index(lease.Outcomes, o)].Add(1) }

func newLessor(t *testing.T, d *db.DB, exhausted number.Exhausted, digits ...string) *lessor {
	l := &lessor{t: t, db: d, pool: &number.Pool{Name: "spring", Digits: digits, Exhausted: exhausted}, now: time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)}
	if exhausted == number.ShowReserve {
		l.pool.Reserve = "74950000000"
	}
	require.NoError(t, l.pool.Complete())
	l.leases = lease.New(d, func() time.Time { return l.now }, l)
	return l
}

func (l *lessor) later(d time.Duration) *lessor { l.now = l.now.Add(d); return l }

// take returns the number that a visitor gets, in the visit with the visitor's number or the given one.
func (l *lessor) take(visitor visit.ID, visitID ...visit.ID) string {
	l.t.Helper()
	want := lease.Want{Site: 1, Visitor: visitor, Visit: visitor, Replaces: printed, Pool: l.pool, First: true}
	if len(visitID) > 0 {
		want.Visit = visitID[0]
	}
	digits, outcome, err := l.leases.Take(l.t.Context(), want)
	require.NoError(l.t, err)
	return fmt.Sprint(outcome, " ", digits)
}

// there reports that the visitors look at a page.
func (l *lessor) there(ids ...visit.ID) {
	l.t.Helper()
	var seen []onsite.Seen
	for _, visitID := range ids {
		seen = append(seen, onsite.Seen{Site: 1, Visit: visitID, Until: l.now.Add(90 * time.Second)})
	}
	require.NoError(l.t, l.db.Write(l.t.Context(), 0, func(ctx context.Context, tx db.Tx) error { return l.leases.Prolong(ctx, tx, seen) }))
}

// holders returns the visitors of the number's leases, the newest first.
func (l *lessor) holders(digits string) (visitors []visit.ID) {
	l.t.Helper()
	leases, err := l.leases.Of(l.t.Context(), l.db.Read(), digits, l.now)
	require.NoError(l.t, err)
	for _, lease := range leases {
		visitors = append(visitors, lease.Visitor)
	}
	return visitors
}

func TestEachVisitorHasANumber(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		l := newLessor(t, d, number.ShowOriginal, "74950000001", "74950000002")
		require.Equal(t, "begun 74950000001", l.take(1))
		require.Equal(t, "begun 74950000002", l.later(time.Minute).take(2))
		require.Equal(t, "kept 74950000001", l.take(1))
		require.Equal(t, "original ", l.take(3), "there is none for a third")

		// A visitor who has gone keeps the number for the hold.
		for range 6 {
			l.later(time.Minute).there(2)
		}
		require.Equal(t, "original ", l.take(3))
		require.Equal(t, "begun 74950000001", l.later(31*time.Second).take(3))
		require.Equal(t, "kept 74950000002", l.take(2))
		require.Equal(t, []visit.ID{3, 1}, l.holders("74950000001"))

		// A visitor who comes back gets the same number, if it is free.
		require.Equal(t, "begun 74950000002", l.later(time.Hour).take(2))
		require.Equal(t, "begun 74950000001", l.take(1), "the other one")
		require.Equal(t, "original ", l.take(3))
		require.Equal(t, []visit.ID{1, 3, 1}, l.holders("74950000001"))
		l.later(26 * time.Hour)
		require.Empty(t, l.holders("74950000001"), "those of long ago do not count")

		alarms, _, err := db.One(t.Context(), d.Read(), db.Only[int], `SELECT COUNT(*) FROM journal WHERE kind = $1`, incident.Begun)
		require.NoError(t, err)
		require.Equal(t, 1, alarms, "it is one incident")
		require.EqualValues(t, 3, l.counts[slices.Index(lease.Outcomes, lease.Original)].Load())

		own, err := l.leases.OfVisitor(t.Context(), 1, 1)
		require.NoError(t, err)
		require.Len(t, own, 2)
		require.Equal(t, "74950000001", own[0].Digits)
		require.Equal(t, printed, own[0].Replaces)
		require.False(t, own[0].Begun.Before(own[1].Until))
	})
}

// A lease that only a page's request began ends soon, unless the visitor is heard of.
func TestProvisionalLeaseEndsSoon(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		l := newLessor(t, d, number.ShowOriginal, "74950000001", "74950000002")
		provisional := func(visitor visit.ID) string {
			digits, outcome, err := l.leases.Take(t.Context(), lease.Want{
				Site: 1, Visitor: visitor, Visit: visitor, Replaces: printed, Pool: l.pool, First: true, Provisional: true})
			require.NoError(t, err)
			return fmt.Sprint(outcome, " ", digits)
		}
		require.Equal(t, "begun 74950000001", provisional(1))
		require.Equal(t, "begun 74950000002", provisional(2))
		require.Equal(t, "kept 74950000002", l.later(time.Minute).take(2))
		require.Equal(t, "kept 74950000002", provisional(2), "which takes nothing back")
		require.Equal(t, "original ", l.take(3))
		require.Equal(t, "begun 74950000001", l.later(31*time.Second).take(3))
		require.Equal(t, "original ", l.later(time.Minute).take(4))
		require.Equal(t, "kept 74950000002", l.later(4*time.Minute).take(2))
	})
}

// The number that has been free for the longest time comes first.
func TestVisitsThatFindNoNumberAreTold(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		l := newLessor(t, d, number.ShowOriginal, "74950000001")
		var lost []visit.ID
		l.leases.Tell(func(_ context.Context, _ db.Tx, siteID int64, of visit.ID) error {
			require.EqualValues(t, 1, siteID)
			lost = append(lost, of)
			if d.Engine() == db.Postgres { // or the visit and pools on two nodes could wait for each other
				held, _, err := db.One(t.Context(), d.Read(), db.Only[int], `SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
				require.NoError(t, err)
				require.Zero(t, held, "no pool is locked")
			}
			return nil
		})
		l.take(10)
		l.take(20, 21)
		l.take(10)
		require.Equal(t, []visit.ID{21}, lost)
	})
}

func TestTheLongestFreeNumberComesFirst(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		l := newLessor(t, d, number.ShowOriginal, "74950000001", "74950000002", "74950000003")
		for visitor := range visit.ID(3) {
			l.later(time.Minute).take(visitor + 1)
		}
		l.later(time.Minute).there(1)
		l.later(time.Hour)
		for visitor, digits := range []string{"74950000002", "74950000003", "74950000001"} {
			require.Equal(t, "begun "+digits, l.take(visit.ID(visitor+11)))
		}
	})
}

// An earlier page that is still open continues its visitor's lease as it is.
func TestPagesOfBeforeKeepTheLease(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		l := newLessor(t, d, number.ShowOriginal, "74950000001")
		again := func(visitID visit.ID) lease.Outcome {
			t.Helper()
			digits, outcome, err := l.leases.Take(t.Context(), lease.Want{Site: 1, Visitor: 1, Visit: visitID, Replaces: printed, Pool: l.pool, Again: true})
			require.NoError(t, err)
			require.Equal(t, outcome == lease.Original, digits == "")
			return outcome
		}
		l.take(1, 11)
		for range 10 {
			require.Equal(t, lease.Kept, again(10), "of an earlier session")
			l.later(time.Minute)
		}
		leases, err := l.leases.Of(t.Context(), d.Read(), "74950000001", l.now)
		require.NoError(t, err)
		require.Len(t, leases, 1)
		require.Equal(t, visit.ID(11), leases[0].Visit)
		require.Equal(t, l.now.Add(lease.Lasting(l.pool, false)-time.Minute), leases[0].Until.In(time.UTC))

		l.later(lease.Lasting(l.pool, false))
		require.Equal(t, lease.Begun, again(10), "nobody else has had it")
		l.later(lease.Lasting(l.pool, false) + time.Second).take(2)
		require.Equal(t, lease.Original, again(10))
		counted := func(o lease.Outcome) int64 { return l.counts[slices.Index(lease.Outcomes, o)].Load() }
		require.Equal(t, []int64{3, 0, 1}, []int64{counted(lease.Begun), counted(lease.Kept), counted(lease.Original)}, "no page is counted again and again")
	})
}

// Another visit gets another lease of the same number.
func TestVisitsHaveLeasesOfTheirOwn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		l := newLessor(t, d, number.ShowOriginal, "74950000001", "74950000002")
		l.take(1, 10)
		require.Equal(t, "kept 74950000001", l.later(time.Minute).take(1, 11))
		leases, err := l.leases.Of(t.Context(), d.Read(), "74950000001", l.now)
		require.NoError(t, err)
		require.Len(t, leases, 2)
		require.Equal(t, []visit.ID{11, 10}, []visit.ID{leases[0].Visit, leases[1].Visit})
		require.Equal(t, leases[0].Begun, leases[1].Until)
	})
}

func TestExhaustedPools(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		l := newLessor(t, d, number.ShowReserve, "74950000001")
		l.take(1)
		require.Equal(t, "reserve 74950000000", l.take(2))
		require.Empty(t, l.holders("74950000000"))
	})
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		l := newLessor(t, d, number.ShareNumber, "74950000001", "74950000002")
		l.take(1)
		l.later(time.Minute).take(2)
		require.Equal(t, "shared 74950000001", l.take(3))
		l.later(time.Minute).there(2)
		l.there(1)
		require.Equal(t, "shared 74950000001", l.take(3), "the same on the next page")
		leases, err := l.leases.Of(t.Context(), d.Read(), "74950000001", l.now)
		require.NoError(t, err)
		require.Len(t, leases, 2)
		require.True(t, leases[0].Shared)
	})
}

// A number of another pool rests. A number that has left its pool belongs to nobody.
func TestNumbersChangePools(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		l := newLessor(t, d, number.ShowOriginal, "74950000001", "74950000002")
		l.take(1)
		moved := &number.Pool{Name: "summer", Digits: []string{"74950000001", "74950000003"}}
		require.NoError(t, moved.Complete())
		l.pool = moved
		require.Equal(t, "begun 74950000003", l.later(time.Hour).take(2))
		require.Equal(t, "begun 74950000003", l.later(28*24*time.Hour).take(2))
		require.Equal(t, "original ", l.take(3), "the other one rests")
		resting, err := l.leases.Resting(t.Context(), moved)
		require.NoError(t, err)
		require.Equal(t, map[string]time.Time{"74950000001": time.Date(2026, 5, 1, 12, 6, 30, 0, time.UTC)}, utc(resting))
		require.Equal(t, "begun 74950000001", l.later(3*24*time.Hour).take(1))

		smaller := &number.Pool{Name: "summer", Digits: []string{"74950000003"}}
		require.NoError(t, smaller.Complete())
		l.pool = smaller
		require.Equal(t, "begun 74950000003", l.take(1), "the own one has left the pool")
		require.Equal(t, []visit.ID{1}, l.holders("74950000001"))
		held, err := l.leases.Held(t.Context(), []string{"74950000001", "74950000009"})
		require.NoError(t, err)
		require.Len(t, held, 1, "somebody had it, who has it no more")
		require.Zero(t, held["74950000001"].Visitor)
	})
}

// A pool that gets another name keeps its numbers as they are. So does a number that nobody was shown.
func TestRenamedPoolDoesNotRest(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		l := newLessor(t, d, number.ShowOriginal, "74950000001", "74950000002")
		l.take(1)
		renamed := &number.Pool{Name: "summer", Digits: []string{"74950000001", "74950000002", "74950000003"}}
		require.NoError(t, renamed.Complete())
		l.later(time.Hour)
		resting, err := l.leases.Resting(t.Context(), renamed)
		require.NoError(t, err)
		require.Empty(t, resting)
		l.pool = renamed
		require.Equal(t, "begun 74950000002", l.take(2))
		require.Equal(t, "begun 74950000003", l.take(3))
		require.Equal(t, "begun 74950000001", l.take(4))
	})
}

// Somebody may end the rest of a number.
func TestReleasedNumbers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		l := newLessor(t, d, number.ShowOriginal, "74950000001", "74950000002")
		l.take(1)
		l.take(2)
		moved := &number.Pool{Name: "summer", Digits: []string{"74950000001"}}
		require.NoError(t, moved.Complete())
		l.pool = moved
		require.Equal(t, "original ", l.later(time.Hour).take(3))
		require.NoError(t, l.leases.Release(t.Context(), moved, []string{"74950000001"}))
		resting, err := l.leases.Resting(t.Context(), moved)
		require.NoError(t, err)
		require.Empty(t, resting)
		require.Equal(t, "begun 74950000001", l.take(3))
	})
}

func utc(times map[string]time.Time) map[string]time.Time {
	for digits, at := range times {
		times[digits] = at.UTC()
	}
	return times
}

// The outcomes show how many visitors a pool has lost, and how many numbers it needs.
func TestUseOfPools(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		l := newLessor(t, d, number.ShowOriginal, "74950000001", "74950000002")
		shown := inventory.New(d, time.Now)
		require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			return shown.DeclareSite(ctx, tx, "", 1, []number.Declared{{Digits: printed, Tracking: l.pool.Digits}})
		}))
		uses, err := l.leases.Uses(t.Context(), 1)
		require.NoError(t, err)
		require.Empty(t, uses)
		for visitor := range visit.ID(5) {
			l.take(visitor + 1)
		}
		l.later(time.Hour).take(6)
		uses, err = l.leases.Uses(t.Context(), 1)
		require.NoError(t, err)
		require.Len(t, uses, 1)
		use := uses[0]
		require.Len(t, use.Now, 1)
		require.Equal(t, visit.ID(6), use.Now[0].Visitor)
		use.Now = nil
		require.Equal(t, lease.Use{Pool: "spring", Numbers: 2, Begun: 3, Lost: 3, Busiest: 5, Mean: 390 * time.Second}, use)
		require.InDelta(t, 5*6.5/60, use.Traffic(), 0.0001)
		others, err := l.leases.Uses(t.Context(), 2)
		require.NoError(t, err)
		require.Empty(t, others, "it is no pool of that site")
	})
}

// No two visitors have the same number, however many ask at once on several nodes.
func TestNoNumberIsLeasedTwice(t *testing.T) {
	for engine, settings := range map[string]db.Settings{"sqlite": dbtest.SQLite(t), "postgres": dbtest.Postgres(t)} {
		t.Run(engine, func(t *testing.T) {
			const visitors, numbers, rounds = 500, 50, 2
			pool := &number.Pool{Name: "spring"}
			for i := range numbers {
				pool.Digits = append(pool.Digits, fmt.Sprint(74950000000+i))
			}
			require.NoError(t, pool.Complete())
			var mu sync.Mutex
			now := time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)
			clock := func() time.Time { mu.Lock(); defer mu.Unlock(); now = now.Add(time.Millisecond); return now }
			nodes := []*lease.Leases{lease.New(dbtest.Open(t, settings), clock, new(lessor))}
			d := dbtest.Open(t, settings)
			nodes = append(nodes, lease.New(d, clock, new(lessor)))
			for round := range rounds {
				var asking sync.WaitGroup
				outcomes := make(chan lease.Outcome, 2*visitors)
				for visitor := range visitors {
					for _, node := range nodes { // each visitor has two tabs
						asking.Go(func() {
							want := lease.Want{Site: 1, Visitor: visit.ID(round*visitors/2 + visitor + 1), Visit: 1, Replaces: printed, Pool: pool}
							_, outcome, err := node.Take(t.Context(), want)
							// SQLite may give up a process that has waited for another one. Scripts repeat their calls
							// too.
							for end := time.Now().Add(time.Minute); err != nil && time.Now().Before(end); {
								_, outcome, err = node.Take(t.Context(), want)
							}
							if err != nil {
								t.Error(err)
							}
							outcomes <- outcome
						})
					}
				}
				asking.Wait()
				close(outcomes)
				counts := make(map[lease.Outcome]int)
				for outcome := range outcomes {
					counts[outcome]++
				}
				require.Equal(t, numbers, counts[lease.Begun], "%v", counts)
				// A second tab may ask before the first tab's number is committed on the other node, and sees none.
				require.LessOrEqual(t, counts[lease.Kept], numbers, "%v", counts)
				require.Equal(t, 2*visitors, counts[lease.Begun]+counts[lease.Kept]+counts[lease.Original], "%v", counts)
				mu.Lock()
				now = now.Add(time.Hour)
				mu.Unlock()
			}
			taken := 0
			for _, digits := range pool.Digits {
				leases, err := nodes[0].Of(t.Context(), d.Read(), digits, now)
				require.NoError(t, err)
				taken += len(leases)
				for i := range leases[1:] {
					require.False(t, leases[i].Begun.Before(leases[i+1].Until), "%v and %v", leases[i], leases[i+1])
				}
			}
			require.Equal(t, rounds*numbers, taken)
		})
	}
}
