package attribution_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/attribution"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// plan returns a plan of one number, with a tracking number for each line of conditions: 1, 2, 3…
func plan(t testing.TB, lines ...string) *number.Plan {
	t.Helper()
	p := new(number.Plan)
	require.NoError(t, p.Add("74951234567"))
	for i, line := range lines {
		when, err := number.ParseConditions(strings.Fields(line))
		require.NoError(t, err, line)
		require.NoError(t, p.AddStatic(string(rune('1'+i)), when), line)
	}
	return p
}

func TestMain(m *testing.M) { dbtest.Main(m) }

// visitor goes through a site and keeps its cookie, as a browser does.
type visitor struct {
	t      testing.TB
	plan   *number.Plan
	model  attribution.Model
	now    time.Time
	cookie string
	told   int // how often the cookie was set
}

func newVisitor(t testing.TB, a attribution.Model, lines ...string) *visitor {
	return &visitor{t: t, plan: plan(t, lines...), model: a, now: time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)}
}

// open asks for a page and returns the number shown.
func (v *visitor) open(page, referrer string) string {
	v.t.Helper()
	const shop = "https://shop.example"
	if referrer == "within" {
		referrer = shop + "/before"
	}
	var remembered *attribution.Remembered
	if v.cookie != "" {
		var err error
		remembered, err = attribution.ParseCookie(v.cookie)
		require.NoError(v.t, err)
	}
	choice, next, changed := v.model.Follow(v.plan, remembered, attribution.Page{
		Source: source.Of(shop+page, referrer, source.Own{}), Within: referrer == shop+"/before", At: v.now,
	})
	if changed {
		v.told++
		v.cookie = ""
		if next != nil {
			v.cookie = next.Cookie()
		}
	}
	return v.plan.Shown(choice)[0]
}

func (v *visitor) later(d time.Duration) *visitor { v.now = v.now.Add(d); return v }

const google = "https://www.google.com/"

var byNewsAndGoogle = []string{"utm_source=news", "referrer=*.google.*"}

func TestLastNonDirect(t *testing.T) {
	v := newVisitor(t, attribution.LastNonDirect, byNewsAndGoogle...)
	require.Empty(t, v.open("/", ""))
	require.Empty(t, v.cookie, "nothing that matters is known")
	require.Equal(t, "1", v.open("/?utm_source=news", ""))
	require.Equal(t, "1", v.open("/lamps", "within"))
	require.Equal(t, 1, v.told, "nothing has changed")
	require.Equal(t, "1", v.later(20*24*time.Hour).open("/", ""), "a direct visit leaves the source")
	require.Equal(t, "1", v.later(300*24*time.Hour).open("/", ""), "its cookie has been renewed")
	require.Equal(t, 3, v.told)
	require.Equal(t, "2", v.open("/", google))
	require.Equal(t, "2", v.open("/", "within"))
	require.Empty(t, v.open("/", "https://blog.example/"), "the last source is none that is asked about")
	require.Empty(t, v.cookie)
	require.Empty(t, v.open("/", "within"))
}

func TestLast(t *testing.T) {
	v := newVisitor(t, attribution.Last, byNewsAndGoogle...)
	require.Equal(t, "1", v.open("/?utm_source=news", ""))
	for range 10 {
		require.Equal(t, "1", v.later(29*time.Minute).open("/lamps", "within"), "the visit goes on")
	}
	require.Equal(t, "1", v.later(29*time.Minute).open("/lamps", ""), "and does, if the browser hides where from")
	require.Empty(t, v.later(31*time.Minute).open("/lamps", "within"), "a direct visit, after a pause")
	require.Empty(t, v.cookie)
	require.Equal(t, "2", v.open("/", google))
	require.Empty(t, v.later(24*time.Hour).open("/", ""))
}

func TestFirst(t *testing.T) {
	v := newVisitor(t, attribution.First, byNewsAndGoogle...)
	require.Empty(t, v.open("/", ""))
	require.NotEmpty(t, v.cookie, "a direct visit was the first")
	require.Empty(t, v.open("/?utm_source=news", ""))
	require.Empty(t, v.later(time.Hour).open("/", google))

	v = newVisitor(t, attribution.First, byNewsAndGoogle...)
	require.Equal(t, "1", v.open("/?utm_source=news", ""))
	require.Equal(t, "1", v.later(time.Hour).open("/", google))
	require.Equal(t, "1", v.later(time.Hour).open("/", ""))
	require.Equal(t, 1, v.told)
}

// If direct visits may have a number, visitors of whom nothing is known must not count as direct. Other sources are
// remembered to tell them apart.
func TestNumbersOfDirectVisits(t *testing.T) {
	for _, line := range []string{"kind=direct", "landing=/lamps*", "kind=direct kind=search"} {
		for _, a := range []attribution.Model{attribution.First, attribution.Last, attribution.LastNonDirect} {
			v := newVisitor(t, a, line)
			require.Empty(t, v.open("/lamps", "within"), "an unknown visit goes on")
			require.Empty(t, v.cookie)
			require.Equal(t, "1", v.open("/lamps", ""))
			require.Equal(t, "1", v.open("/", "within"))

			v = newVisitor(t, a, line)
			require.Empty(t, v.open("/", "https://blog.example/"))
			require.NotEmpty(t, v.cookie)
			require.Empty(t, v.open("/lamps", ""), "the visit goes on")
			if a == attribution.LastNonDirect {
				require.Empty(t, v.later(time.Hour).open("/lamps", ""))
			}
			if a == attribution.Last {
				require.Equal(t, "1", v.later(time.Hour).open("/lamps", ""))
			}
		}
	}
}

func TestVisitorsTimeIsRefreshedSeldom(t *testing.T) {
	for a, want := range map[attribution.Model]int{attribution.First: 1, attribution.LastNonDirect: 1, attribution.Last: 10} {
		v := newVisitor(t, a, byNewsAndGoogle...)
		for range 100 { // ten minutes
			v.later(6*time.Second).open("/?utm_source=news", "")
		}
		require.Equal(t, want, v.told, a)
	}
	v := newVisitor(t, attribution.LastNonDirect, byNewsAndGoogle...)
	v.open("/?utm_source=news", "")
	v.later(-1000*24*time.Hour).open("/", "within")
	require.Equal(t, 2, v.told, "a time to come is corrected")
}

// The cut source of a long address decides on the first page as it does later.
func TestLongSourceStays(t *testing.T) {
	long := "/?utm_source=news"
	for _, name := range []string{"medium", "campaign", "term", "content"} {
		long += "&utm_" + name + "=" + strings.Repeat("я", 99) + "z"
	}
	for _, conditions := range []string{"utm_source=news", "utm_term=*z", "utm_term=я*"} {
		v := newVisitor(t, attribution.LastNonDirect, conditions)
		require.Equal(t, v.open(long, "https://"+strings.Repeat("a.", 90)+"example/"), v.open("/", "within"), conditions)
		require.LessOrEqual(t, len(v.cookie), 1024)
	}
}

func TestModelCheck(t *testing.T) {
	for _, a := range []attribution.Model{attribution.First, attribution.Last, attribution.LastNonDirect} {
		require.NoError(t, a.Check())
	}
	require.ErrorContains(t, attribution.Model("latest").Check(), "expected first, last or last_non_direct")
}
