package group_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/operator/operatortest"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func TestGroupWorksByItsHours(t *testing.T) {
	var g group.Group
	g.Zone = "Europe/Moscow"
	g.Hours[time.Monday] = []group.Span{{From: 9 * 60, To: 13 * 60}, {From: 14 * 60, To: 18 * 60}}
	g.Hours[time.Friday] = []group.Span{{From: 22 * 60, To: 6 * 60}}
	g.Holidays = []group.Holiday{"2026-03-09", "01-01"}
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
	require.True(t, group.Group{}.Open(time.Now()), "always")
	sunday := group.Group{Zone: "America/New_York"} // where clocks go forward at two on this day
	sunday.Hours[time.Sunday] = []group.Span{{From: 60, To: 4 * 60}}
	for at, open := range map[string]bool{"2026-03-08T05:59:00Z": false, "2026-03-08T06:00:00Z": true, "2026-03-08T07:59:00Z": true, "2026-03-08T08:00:00Z": false} {
		when, err := time.Parse(time.RFC3339, at)
		require.NoError(t, err)
		require.Equal(t, open, sunday.Open(when), at)
	}
}

func TestSpansAreReadAsTheyAreWritten(t *testing.T) {
	for text, written := range map[string]string{"": "", "9-18": "09:00-18:00", " 09:00 – 13:00,14:00-24:00 ": "09:00-13:00, 14:00-24:00", "22:30-6": "22:30-06:00", "0-24": "00:00-24:00"} {
		spans, err := group.ParseSpans(text)
		require.NoError(t, err, text)
		require.Equal(t, written, group.FormatSpans(spans))
	}
	for _, wrong := range []string{"9", "9-9", "9-25", "24-9", "9:5-10", "9-10-11", "a-b", "-", "1-2,2-3,3-4,4-5,5-6", "9:60-10", "+9-10", "009-10", "9:00:00-10"} {
		_, err := group.ParseSpans(wrong)
		require.ErrorIs(t, err, group.ErrHours, wrong)
	}
}

func FuzzParseSpans(f *testing.F) {
	for _, text := range []string{"9-18", "09:00-13:00, 14:00-18:00", "22:30–6", "24-24", "::-,"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var spans []group.Span
		var err error
		stepstest.Hold(t, len(text), func() { spans, err = group.ParseSpans(text) })
		if err != nil {
			return
		}
		g := group.Group{Name: "g", Routing: group.ToAll, Hours: group.Hours{spans}}
		require.NoError(t, g.Check(), "what is read can be kept")
		again, err := group.ParseSpans(group.FormatSpans(spans))
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
		spans, err := group.ParseSpans(hours)
		if err != nil || at < -1<<35 || at > 1<<35 {
			return
		}
		g := group.Group{Name: "g", Routing: group.ToAll, Zone: zone}
		for i := range g.Hours {
			if i != 3 {
				g.Hours[i] = spans
			}
		}
		for day := range strings.FieldsSeq(holidays) {
			g.Holidays = append(g.Holidays, group.Holiday(day))
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

// A group opens at the first minute of those that one could try.
func TestGroupOpensAtTheFirstMinute(t *testing.T) {
	g := group.Group{Zone: "Europe/Moscow", Holidays: []group.Holiday{"2026-05-08", "2026-05-09", "2026-05-12"}}
	for name, hours := range map[string]group.Hours{
		"always":    {},
		"days":      {1: {{From: 540, To: 780}, {From: 840, To: 1080}}, 2: {{From: 540, To: 1080}}, 5: {{From: 600, To: 601}}},
		"nights":    {0: {{From: 1320, To: 360}}, 5: {{From: 1439, To: 1}}, 6: {{From: 1320, To: 360}, {From: 0, To: 30}}},
		"unordered": {3: {{From: 900, To: 960}, {From: 480, To: 540}}},
	} {
		g.Hours = hours
		for at := time.Date(2026, 5, 4, 0, 0, 30, 0, time.UTC); at.Before(time.Date(2026, 5, 14, 0, 0, 0, 0, time.UTC)); at = at.Add(1397 * time.Minute) {
			var expected time.Time
			for expected = at; !g.Open(expected); expected = expected.Truncate(time.Minute).Add(time.Minute) {
			}
			opens, known := g.Opens(at)
			require.True(t, known, name)
			require.Equal(t, expected.UTC(), opens.UTC(), "%s at %s", name, at)
		}
	}
	g.Holidays = nil
	for day := range 366 {
		g.Holidays = append(g.Holidays, group.Holiday(time.Date(2024, 1, 1+day, 0, 0, 0, 0, time.UTC).Format("01-02")))
	}
	_, known := g.Opens(time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC))
	require.False(t, known)
}

func TestGroupsAreKept(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		o, groups := operator.New(d, operatortest.NewClock().Now), group.New(d, operatortest.NewClock().Now)
		anna, eve := operatortest.Account(t, o, "anna", operator.Agent, scope.Of(1)), operatortest.Account(t, o, "eve", operator.Admin, scope.Of(2))
		actor := operator.Actor{By: "keeper", Sites: scope.Of(1)}
		sales := group.Group{SiteID: 1, Name: "Sales", Phone: "74950000001", Zone: "Europe/Moscow", Routing: group.RoundRobin,
			Holidays: []group.Holiday{"2026-05-08", "01-01"}, Members: []int64{anna.ID, anna.ID}}
		sales.Hours[1] = []group.Span{{From: 540, To: 1080}}
		kept, err := groups.Keep(ctx, actor, sales)
		require.NoError(t, err)
		require.Positive(t, kept.ID)
		found, err := groups.Get(ctx, 1, kept.ID)
		require.NoError(t, err)
		found.CreatedAt, kept.CreatedAt = time.Time{}, time.Time{}
		require.Equal(t, kept, found)
		require.Equal(t, []int64{anna.ID}, found.Members)

		for wrong, change := range map[error]func(*group.Group){
			group.ErrName:     func(g *group.Group) { g.Name = " " },
			group.ErrPhone:    func(g *group.Group) { g.Phone = "7495\r\n000" },
			group.ErrZone:     func(g *group.Group) { g.Zone = "../../etc/passwd" },
			group.ErrHours:    func(g *group.Group) { g.Hours[0] = []group.Span{{From: -1, To: 5}} },
			group.ErrHolidays: func(g *group.Group) { g.Holidays = []group.Holiday{"02-30"} },
			group.ErrRouting:  func(g *group.Group) { g.Routing = "" },
			group.ErrMembers:  func(g *group.Group) { g.Members = []int64{eve.ID} },
			group.ErrUnknown:  func(g *group.Group) { g.SiteID = 2 },
		} {
			bad := kept
			change(&bad)
			_, err := groups.Keep(ctx, actor, bad)
			require.ErrorIs(t, err, wrong)
		}
		again := sales
		_, err = groups.Keep(ctx, actor, again)
		require.ErrorIs(t, err, group.ErrName, "there is one of that name")
		_, err = groups.Keep(ctx, operator.Server(), group.Group{ID: kept.ID, SiteID: 2, Name: "Stolen", Routing: group.ToAll})
		require.ErrorIs(t, err, group.ErrUnknown, "of another site")

		kept.Name, kept.Members = "Service", nil
		_, err = groups.Keep(ctx, actor, kept)
		require.NoError(t, err)
		require.ErrorIs(t, groups.Remove(ctx, operator.Actor{Sites: scope.Of(2)}, 1, kept.ID), group.ErrUnknown)
		require.NoError(t, groups.Remove(ctx, actor, 1, kept.ID))
		require.ErrorIs(t, groups.Remove(ctx, actor, 1, kept.ID), group.ErrUnknown)
		require.Equal(t, []string{
			`1 operator.added {"by":"","login":"anna"}`, `1 operator.group_added {"by":"keeper","name":"Sales"}`,
			`1 operator.group_changed {"by":"keeper","name":"Service"}`, `1 operator.group_removed {"by":"keeper","name":"Service"}`,
		}, operatortest.History(t, d, scope.Of(1)))
	})
}
