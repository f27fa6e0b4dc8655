package operator_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

func TestGroupWorksByItsHours(t *testing.T) {
	var g operator.Group
	g.Zone = "Europe/Moscow"
	g.Hours[time.Monday] = []operator.Span{{From: 9 * 60, To: 13 * 60}, {From: 14 * 60, To: 18 * 60}}
	g.Hours[time.Friday] = []operator.Span{{From: 22 * 60, To: 6 * 60}}
	g.Holidays = []operator.Holiday{"2026-03-09", "01-01"}
	for at, open := range map[string]bool{
		"2026-03-02T08:59:59+03:00": false, "2026-03-02T09:00:00+03:00": true, "2026-03-02T06:30:00Z": true, "2026-03-02T13:00:00+03:00": false,
		"2026-03-02T14:30:00+03:00": true, "2026-03-02T18:00:00+03:00": false, "2026-03-03T10:00:00+03:00": false,
		"2026-03-06T21:59:00+03:00": false, "2026-03-06T23:59:00+03:00": true, "2026-03-07T05:59:00+03:00": true, "2026-03-07T06:00:00+03:00": false,
		"2026-03-09T10:00:00+03:00": false, "2027-01-01T23:00:00+03:00": false, "2027-01-02T01:00:00+03:00": false, "2026-01-05T10:00:00+03:00": true,
	} {
		when, err := time.Parse(time.RFC3339, at)
		require.NoError(t, err)
		require.Equal(t, open, g.Open(when), at)
	}
	require.True(t, operator.Group{}.Open(time.Now()), "always")
	sunday := operator.Group{Zone: "America/New_York"} // where clocks go forward at two on this day
	sunday.Hours[time.Sunday] = []operator.Span{{From: 60, To: 4 * 60}}
	for at, open := range map[string]bool{"2026-03-08T05:59:00Z": false, "2026-03-08T06:00:00Z": true, "2026-03-08T07:59:00Z": true, "2026-03-08T08:00:00Z": false} {
		when, err := time.Parse(time.RFC3339, at)
		require.NoError(t, err)
		require.Equal(t, open, sunday.Open(when), at)
	}
}

func TestSpansAreReadAsTheyAreWritten(t *testing.T) {
	for text, written := range map[string]string{"": "", "9-18": "09:00-18:00", " 09:00 – 13:00,14:00-24:00 ": "09:00-13:00, 14:00-24:00", "22:30-6": "22:30-06:00", "0-24": "00:00-24:00"} {
		spans, err := operator.ParseSpans(text)
		require.NoError(t, err, text)
		require.Equal(t, written, operator.FormatSpans(spans))
	}
	for _, wrong := range []string{"9", "9-9", "9-25", "24-9", "9:5-10", "9-10-11", "a-b", "-", "1-2,2-3,3-4,4-5,5-6", "9:60-10", "+9-10", "009-10", "9:00:00-10"} {
		_, err := operator.ParseSpans(wrong)
		require.ErrorIs(t, err, operator.ErrHours, wrong)
	}
}

func FuzzParseSpans(f *testing.F) {
	for _, text := range []string{"9-18", "09:00-13:00, 14:00-18:00", "22:30–6", "24-24", "::-,"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var spans []operator.Span
		var err error
		stepstest.Hold(t, len(text), func() { spans, err = operator.ParseSpans(text) })
		if err != nil {
			return
		}
		g := operator.Group{Name: "g", Routing: operator.ToAll, Hours: operator.Hours{spans}}
		require.NoError(t, g.Check(), "what is read can be kept")
		again, err := operator.ParseSpans(operator.FormatSpans(spans))
		require.NoError(t, err)
		require.Equal(t, spans, again)
	})
}

// FuzzGroup holds that a group that can be kept can be asked whether it works, at any time and in any
// zone, and that it works when it is said to.
func FuzzGroup(f *testing.F) {
	f.Add("Europe/Moscow", "9-18", "2026-05-08 01-01", int64(1_790_000_000))
	f.Add("America/Sao_Paulo", "22-6", "02-29", int64(0))
	f.Add("../../etc/passwd", "0-24", "2026-13-01", int64(-1))
	f.Add("Pacific/Apia", "23:59-0", "12-30", int64(1_325_200_000)) // which has left out a day
	f.Fuzz(func(t *testing.T, zone, hours, holidays string, at int64) {
		spans, err := operator.ParseSpans(hours)
		if err != nil || at < -1<<35 || at > 1<<35 {
			return
		}
		g := operator.Group{Name: "g", Routing: operator.ToAll, Zone: zone}
		for i := range g.Hours {
			if i != 3 {
				g.Hours[i] = spans
			}
		}
		for day := range strings.FieldsSeq(holidays) {
			g.Holidays = append(g.Holidays, operator.Holiday(day))
		}
		if g.Check() != nil {
			return
		}
		now := time.Unix(at, 0)
		open := g.Open(now)
		opens, known := g.Opens(now)
		if open {
			require.Equal(t, now, opens)
		}
		if known {
			require.True(t, g.Open(opens))
			require.False(t, opens.Before(now))
		}
	})
}

func TestGroupsAreKept(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		o := operator.New(d, newClock().now)
		anna, eve := account(t, o, "anna", operator.Agent, scope.Of(1)), account(t, o, "eve", operator.Admin, scope.Of(2))
		actor := operator.Actor{By: "keeper", Sites: scope.Of(1)}
		sales := operator.Group{SiteID: 1, Name: "Sales", Phone: "74950000001", Zone: "Europe/Moscow", Routing: operator.RoundRobin,
			Holidays: []operator.Holiday{"2026-05-08", "01-01"}, Members: []int64{anna.ID, anna.ID}}
		sales.Hours[1] = []operator.Span{{From: 540, To: 1080}}
		kept, err := o.KeepGroup(ctx, actor, sales)
		require.NoError(t, err)
		require.Positive(t, kept.ID)
		found, err := o.Group(ctx, 1, kept.ID)
		require.NoError(t, err)
		found.CreatedAt, kept.CreatedAt = time.Time{}, time.Time{}
		require.Equal(t, kept, found)
		require.Equal(t, []int64{anna.ID}, found.Members)

		for wrong, change := range map[error]func(*operator.Group){
			operator.ErrGroupName:  func(g *operator.Group) { g.Name = " " },
			operator.ErrGroupPhone: func(g *operator.Group) { g.Phone = "7495\r\n000" },
			operator.ErrZone:       func(g *operator.Group) { g.Zone = "../../etc/passwd" },
			operator.ErrHours:      func(g *operator.Group) { g.Hours[0] = []operator.Span{{From: -1, To: 5}} },
			operator.ErrHolidays:   func(g *operator.Group) { g.Holidays = []operator.Holiday{"02-30"} },
			operator.ErrRouting:    func(g *operator.Group) { g.Routing = "" },
			operator.ErrMembers:    func(g *operator.Group) { g.Members = []int64{eve.ID} },
			operator.ErrGroup:      func(g *operator.Group) { g.SiteID = 2 },
		} {
			bad := kept
			change(&bad)
			_, err := o.KeepGroup(ctx, actor, bad)
			require.ErrorIs(t, err, wrong)
		}
		again := sales
		_, err = o.KeepGroup(ctx, actor, again)
		require.ErrorIs(t, err, operator.ErrGroupName, "there is one of that name")
		_, err = o.KeepGroup(ctx, operator.Server(), operator.Group{ID: kept.ID, SiteID: 2, Name: "Stolen", Routing: operator.ToAll})
		require.ErrorIs(t, err, operator.ErrGroup, "of another site")

		kept.Name, kept.Members = "Service", nil
		_, err = o.KeepGroup(ctx, actor, kept)
		require.NoError(t, err)
		require.ErrorIs(t, o.RemoveGroup(ctx, operator.Actor{Sites: scope.Of(2)}, 1, kept.ID), operator.ErrGroup)
		require.NoError(t, o.RemoveGroup(ctx, actor, 1, kept.ID))
		require.ErrorIs(t, o.RemoveGroup(ctx, actor, 1, kept.ID), operator.ErrGroup)
		require.Equal(t, []string{
			`1 operator.added {"by":"","login":"anna"}`, `1 operator.group_added {"by":"keeper","name":"Sales"}`,
			`1 operator.group_changed {"by":"keeper","name":"Service"}`, `1 operator.group_removed {"by":"keeper","name":"Service"}`,
		}, history(t, d, scope.Of(1)))
	})
}

func TestGroupsSayWhoIsThere(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		clock := newClock() // a Monday, at nine
		o, other := operator.New(d, clock.now), operator.New(d, clock.now)
		anna, boris := account(t, o, "anna", operator.Agent, scope.Of(1)), account(t, o, "boris", operator.Agent, scope.All())
		keep := func(g operator.Group) operator.Group {
			kept, err := o.KeepGroup(ctx, operator.Server(), g)
			require.NoError(t, err)
			return kept
		}
		there := func(site, group int64, expected ...int64) {
			t.Helper()
			clock.pass(time.Second)
			for _, node := range []*operator.Operators{o, other} {
				require.Eventually(t, func() bool { // the other hears of changed groups by a wake
					clock.pass(time.Second / 10)
					present, err := node.Present(ctx, site, group)
					require.NoError(t, err)
					online, err := node.OnlineIn(ctx, site, group)
					require.NoError(t, err)
					require.Equal(t, len(present) > 0, online)
					return slices.Equal(present, expected)
				}, 10*time.Second, 10*time.Millisecond, "expected %v", expected)
			}
		}
		lease, err := o.Arrive(ctx, anna.ID)
		require.NoError(t, err)
		_, err = o.Arrive(ctx, boris.ID)
		require.NoError(t, err)
		there(1, 0, anna.ID, boris.ID)
		there(2, 0, boris.ID)

		sales := operator.Group{SiteID: 1, Name: "Sales", Routing: operator.ToAll, Members: []int64{anna.ID}}
		sales.Hours[time.Monday] = []operator.Span{{From: 8 * 60, To: 18 * 60}}
		sales = keep(sales)
		night := operator.Group{SiteID: 1, Name: "Night", Routing: operator.LeastBusy}
		night.Hours[time.Monday] = []operator.Span{{From: 20 * 60, To: 6 * 60}}
		night = keep(night)
		there(1, 0, anna.ID)
		there(1, sales.ID, anna.ID)
		there(1, night.ID)
		there(1, 999, anna.ID)
		answering := func(expected int64) {
			t.Helper()
			group, err := o.Answering(ctx, 1, 0)
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
			group, err := o.Answering(ctx, 1, wanted)
			require.NoError(t, err)
			require.Equal(t, expected, group, "it waits for the group that is wanted")
		}
		routed, err := o.Routed(ctx)
		require.NoError(t, err)
		require.Len(t, routed, 1, "the others route to all")
		require.Equal(t, []any{int64(1), night.ID, operator.LeastBusy}, []any{routed[0].SiteID, routed[0].ID, routed[0].Routing})

		clock.pass(13 * time.Hour)
		_, err = o.Arrive(ctx, boris.ID)
		require.NoError(t, err)
		there(1, 0, boris.ID)
		there(1, night.ID, boris.ID)
		answering(night.ID)
		night.Holidays = []operator.Holiday{"03-02"}
		keep(night)
		there(1, 0)
		require.NoError(t, o.Remove(ctx, operator.Server(), anna.ID))
		left, err := o.Group(ctx, 1, sales.ID)
		require.NoError(t, err)
		require.Empty(t, left.Members)
	})
}
