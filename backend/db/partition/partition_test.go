package partition_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/db/partition"
	"github.com/seed-3405227d/frontdesk/backend/db/table"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const day = 24 * time.Hour

// No clock leads to numbers that are no ids.
func TestFirstNumbers(t *testing.T) {
	for _, at := range []time.Time{{}, time.Unix(0, 0), time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)} {
		first := partition.First(at)
		require.Positive(t, first)
		require.Less(t, first, int64(1)<<52)
	}
	require.EqualValues(t, 20784<<db.DayBits, partition.First(time.Date(2026, 11, 27, 23, 59, 0, 0, time.UTC)))
}

func TestDaysOfAPartition(t *testing.T) {
	for kept, days := range map[time.Duration]int64{0: 28, day: 1, 30 * day: 1, 56 * day: 2, 90 * day: 3, 800 * day: 28, 3650 * day: 28} {
		require.Equal(t, days, partition.Days(kept), "%v", kept)
	}
}

func open(t *testing.T) (*db.DB, *partition.Tables) {
	d := dbtest.Open(t, dbtest.Postgres(t))
	return d, partition.New(d, "visits", "views", "user_events")
}

// Partitions of all lengths stand beside each other without a gap that a number could fall into.
func TestCover(t *testing.T) {
	d, parts := open(t)
	at := func(days int64) int64 { return (20_000 + days) << db.DayBits }
	days := func() (days [][2]int64) {
		ranges, err := parts.Ranges(t.Context())
		require.NoError(t, err)
		for _, r := range ranges {
			days = append(days, [2]int64{r.From>>db.DayBits - 20_000, r.To>>db.DayBits - 20_000})
		}
		return days
	}
	cover := func(first, last int64, makes bool) {
		t.Helper()
		made, err := parts.Cover(t.Context(), at(first)+5, at(last)+7)
		require.NoError(t, err)
		require.Equal(t, makes, made)
		for number := at(first); number <= at(last); number += 1 << db.DayBits {
			require.True(t, parts.Ready(number))
			names := parts.Names(number)
			require.Len(t, names, 3)
			require.True(t, strings.HasPrefix(names[1], "views_"), names)
		}
	}
	cover(0, 0, true) // 20,000 days are 714 times 28, and 8
	require.Equal(t, [][2]int64{{-8, 20}}, days())
	for _, statement := range []string{
		`UPDATE visits_19992_20020 SET views = views + 1 WHERE site_id = 1 AND id = 1`, `SELECT 1 FROM views_19992_20020 WHERE site_id = 1 AND visit_id = 1 AND id = 1`,
	} {
		plan, err := db.List(t.Context(), d.Read(), db.Only[string], `EXPLAIN `+statement)
		require.NoError(t, err)
		require.NotContains(t, strings.Join(plan, " "), "Seq Scan", "a plan that is made while it is empty is kept while it fills")
	}
	cover(10, 19, false)
	parts.Keep(30 * day)
	cover(18, 22, true)
	require.Equal(t, [][2]int64{{-8, 20}, {20, 21}, {21, 22}, {22, 23}}, days())
	parts.Keep(800 * day)
	cover(25, 25, true)
	require.Equal(t, [][2]int64{{-8, 20}, {20, 21}, {21, 22}, {22, 23}, {23, 48}}, days())
	parts.Forget()
	require.False(t, parts.Ready(at(0)))
	cover(0, 0, false)
	cover(-300, -300, true)
	require.Equal(t, [][2]int64{{-316, -288}, {-8, 20}, {20, 21}, {21, 22}, {22, 23}, {23, 48}}, days())

	tables, err := table.List(t.Context(), d)
	require.NoError(t, err)
	found := make(map[string]table.Table)
	for _, of := range tables {
		require.NotRegexp(t, `^(visits|views|user_events)_\d`, of.Name, "those who have to do with all tables are told of no partitions")
		found[of.Name] = of
	}
	require.Equal(t, []string{"site_id", "visit_id", "id"}, found["views"].Key)
	indexes, err := db.List(t.Context(), d.Read(), db.Only[int], `SELECT COUNT(*) FROM pg_index WHERE indrelid IN ('visits'::regclass, 'visits_20023_20048'::regclass) GROUP BY indrelid`)
	require.NoError(t, err)
	require.Equal(t, indexes[0], indexes[1])
	triggers, err := db.List(t.Context(), d.Read(), db.Only[int], `SELECT COUNT(*) FROM pg_trigger WHERE tgrelid IN ('visits'::regclass, 'visits_20023_20048'::regclass) GROUP BY tgrelid`)
	require.NoError(t, err)
	require.Equal(t, triggers[0], triggers[1])
}

// SQLite has no partitions, and lacks none.
func TestSQLiteHasNone(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	parts := partition.New(d, "visits", "views", "user_events")
	require.True(t, parts.Ready(1))
	made, err := parts.Cover(t.Context(), 1, 1<<50)
	require.NoError(t, err)
	require.False(t, made)
	require.Nil(t, parts.Names(1))
	ranges, err := parts.Ranges(t.Context())
	require.NoError(t, err)
	require.Empty(t, ranges)
	left, err := parts.Left(t.Context())
	require.NoError(t, err)
	require.Empty(t, left)
}
