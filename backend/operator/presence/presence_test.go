package presence_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/operator/operatortest"
	"github.com/seed-3405227d/frontdesk/backend/operator/presence"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// node is what a node knows of the operators, and of who is there.
func node(d *db.DB, now func() time.Time) (*operator.Operators, *presence.Presence) {
	o := operator.New(d, now)
	return o, presence.New(d, o, group.New(d, now), now)
}

func TestPresence(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		clock := operatortest.NewClock()
		o, p := node(d, clock.Now)
		_, other := node(d, clock.Now)
		vera := operatortest.Account(t, o, "vera", operator.Agent, scope.All())
		online := func() bool {
			is, err := p.Online(ctx, 1)
			require.NoError(t, err)
			clock.Pass(2 * time.Second)
			there, err := other.Online(ctx, 1)
			require.NoError(t, err)
			require.Equal(t, is, there)
			return is
		}
		require.False(t, online())

		first, err := p.Arrive(ctx, vera.ID)
		require.NoError(t, err)
		require.True(t, online(), "at once on the same node, within a second on others")
		second, err := p.Arrive(ctx, vera.ID)
		require.NoError(t, err)
		require.NoError(t, first.End(ctx))
		require.True(t, online(), "in another window")

		require.NoError(t, o.SetAway(ctx, vera.ID, true))
		require.False(t, online())
		require.NoError(t, o.SetAway(ctx, vera.ID, false))
		require.True(t, online())

		clock.Pass(presence.LeaseTime - 10*time.Second)
		require.NoError(t, p.Renew(ctx, first, second))
		clock.Pass(presence.LeaseTime - 10*time.Second)
		require.True(t, online())
		list, err := o.List(ctx, scope.All())
		require.NoError(t, err)
		require.True(t, list[0].Present)
		clock.Pass(presence.LeaseTime)
		require.False(t, online(), "a console that vanished is not there")
		list, err = o.List(ctx, scope.All())
		require.NoError(t, err)
		require.False(t, list[0].Present)
	})
}

func TestPresenceWakes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		o, p := node(d, operatortest.NewClock().Now)
		vera := operatortest.Account(t, o, "vera", operator.Agent, scope.All())
		news, cancel := d.Subscribe(operator.Topic)
		defer cancel()
		lease, err := p.Arrive(ctx, vera.ID)
		require.NoError(t, err)
		<-news
		require.NoError(t, lease.End(ctx))
		<-news
		require.NoError(t, o.SetAway(ctx, vera.ID, true))
		<-news
	})
}

func TestGroupsSayWhoIsThere(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		clock := operatortest.NewClock() // a Monday, at nine
		o, p := node(d, clock.Now)
		_, other := node(d, clock.Now)
		groups := group.New(d, clock.Now)
		anna, boris := operatortest.Account(t, o, "anna", operator.Agent, scope.Of(1)), operatortest.Account(t, o, "boris", operator.Agent, scope.All())
		keep := func(g group.Group) group.Group {
			kept, err := groups.Keep(ctx, operator.Server(), g)
			require.NoError(t, err)
			return kept
		}
		there := func(site, group int64, expected ...int64) {
			t.Helper()
			clock.Pass(time.Second)
			for _, node := range []*presence.Presence{p, other} {
				require.Eventually(t, func() bool { // the other hears of changed groups by a wake
					clock.Pass(time.Second / 10)
					present, err := node.Present(ctx, site, group)
					require.NoError(t, err)
					online, err := node.OnlineIn(ctx, site, group)
					require.NoError(t, err)
					require.Equal(t, len(present) > 0, online)
					return slices.Equal(present, expected)
				}, time.Minute, 10*time.Millisecond, "expected %v", expected)
			}
		}
		lease, err := p.Arrive(ctx, anna.ID)
		require.NoError(t, err)
		_, err = p.Arrive(ctx, boris.ID)
		require.NoError(t, err)
		there(1, 0, anna.ID, boris.ID)
		there(2, 0, boris.ID)

		sales := group.Group{SiteID: 1, Name: "Sales", Routing: group.ToAll, Members: []int64{anna.ID}}
		sales.Hours[time.Monday] = []group.Span{{From: 8 * 60, To: 18 * 60}}
		sales = keep(sales)
		night := group.Group{SiteID: 1, Name: "Night", Routing: group.LeastBusy}
		night.Hours[time.Monday] = []group.Span{{From: 20 * 60, To: 6 * 60}}
		night = keep(night)
		there(1, 0, anna.ID)
		there(1, sales.ID, anna.ID)
		there(1, night.ID)
		there(1, 999, anna.ID)
		answering := func(expected int64) {
			t.Helper()
			group, err := p.Answering(ctx, 1, 0)
			require.NoError(t, err)
			require.Equal(t, expected, group)
		}
		answering(sales.ID)
		there(2, sales.ID, boris.ID)
		require.NoError(t, lease.End(ctx))
		there(1, sales.ID)
		there(1, 0)
		answering(0)
		for wanted, expected := range map[int64]int64{night.ID: night.ID, 999: 0} {
			group, err := p.Answering(ctx, 1, wanted)
			require.NoError(t, err)
			require.Equal(t, expected, group, "it waits for the group that is wanted")
		}
		routed, err := p.Routed(ctx)
		require.NoError(t, err)
		require.Len(t, routed, 1, "the others route to all")
		require.Equal(t, []any{int64(1), night.ID, group.LeastBusy}, []any{routed[0].SiteID, routed[0].ID, routed[0].Routing})

		clock.Pass(13 * time.Hour)
		_, err = p.Arrive(ctx, boris.ID)
		require.NoError(t, err)
		there(1, 0, boris.ID)
		there(1, night.ID, boris.ID)
		answering(night.ID)
		night.Holidays = []group.Holiday{"03-02"}
		keep(night)
		there(1, 0)
		require.NoError(t, o.Remove(ctx, operator.Server(), anna.ID))
		left, err := groups.Get(ctx, 1, sales.ID)
		require.NoError(t, err)
		require.Empty(t, left.Members)
	})
}

// However many groups, hours and holidays a site has, it is counted once in a second when somebody will be there.
func TestWhenSomebodyWillBeThereIsCountedOnce(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t)) // alone: what is counted is the process's
	clock := operatortest.NewClock()      // a Monday, at nine
	_, p := node(d, clock.Now)
	groups := group.New(d, clock.Now)
	dearest := group.Group{SiteID: 1, Zone: "Europe/Moscow", Routing: group.ToAll}
	for day := range dearest.Hours {
		dearest.Hours[day] = []group.Span{{From: 60, To: 120}, {From: 180, To: 240}, {From: 300, To: 360}, {From: 23 * 60, To: 30}}
	}
	for day := range 100 {
		dearest.Holidays = append(dearest.Holidays, group.Holiday(clock.Now().AddDate(0, 0, day-1).Format(time.DateOnly)))
	}
	for i := range group.Max {
		dearest.Name = fmt.Sprint("Group ", i)
		_, err := groups.Keep(t.Context(), operator.Server(), dearest)
		require.NoError(t, err)
	}
	opens := func() time.Time {
		at, err := p.Opens(t.Context(), 1)
		require.NoError(t, err)
		return at
	}
	require.Zero(t, opens(), "three weeks are off")
	require.Less(t, testing.AllocsPerRun(10, func() { opens() }), 100., "counted anew, each group makes some")

	clock.Pass(80 * 24 * time.Hour)
	first := opens()
	require.Equal(t, time.Date(2026, 6, 8, 22, 0, 0, 0, time.UTC), first.UTC(), "the day after the last holiday, at one in Moscow")
	clock.Pass(first.Add(time.Hour).Sub(clock.Now()))
	require.Equal(t, first.Add(2*time.Hour), opens(), "those hours are over")
}
