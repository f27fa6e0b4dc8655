package limit_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// installation is several nodes on a database, with a clock.
type installation struct {
	t     *testing.T
	db    *db.DB
	clock time.Time
	chats int64
}

func each(t *testing.T, test func(t *testing.T, i *installation)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		test(t, &installation{t: t, db: d, clock: time.UnixMilli(1_790_000_000_000).UTC().Truncate(24 * time.Hour).Add(12 * time.Hour)})
	})
}

func (i *installation) node() *limit.Uses {
	i.t.Helper()
	u, err := limit.Open(i.t.Context(), limit.Subjects{
		DB: i.db, Logger: zap.NewNop(), Chats: func(context.Context, int64) (int64, error) { return i.chats, nil },
	}, func() time.Time { return i.clock })
	require.NoError(i.t, err)
	return u
}

func (i *installation) store(nodes ...*limit.Uses) {
	i.t.Helper()
	for range 2 { // those that store last are read then
		for _, u := range nodes {
			require.NoError(i.t, u.Store(i.t.Context()))
		}
	}
}

// views are limits of views alone.
func views(most int64) *limit.Limits { return &limit.Limits{Views: &most} }

// take takes views until the limit is reached, and returns how many that were.
func take(t *testing.T, u *limit.Uses, site int64) (taken int) {
	for taken < 100 && !u.Reached(t.Context(), site, limit.Views) {
		u.Add(site, limit.Views, 1)
		taken++
	}
	return taken
}

// One node keeps to a limit of a day, through restarts, and begins anew on the next day.
func TestLimitOfADay(t *testing.T) {
	each(t, func(t *testing.T, i *installation) {
		u := i.node()
		require.Equal(t, 100, take(t, u, 7), "there is no limit")
		u.Configure(map[int64]*limit.Limits{7: views(10)})
		require.Equal(t, 10, take(t, u, 7))
		require.Equal(t, 100, take(t, u, 8), "another site")
		i.store(u)
		require.Zero(t, take(t, u, 7))
		again := i.node() // it has not been told of the limit yet
		require.Zero(t, take(t, again, 7), "a restart forgets nothing")
		again.Configure(map[int64]*limit.Limits{7: views(12)})
		require.Equal(t, 2, take(t, again, 7), "the limit is larger now")
		again.Configure(map[int64]*limit.Limits{7: nil})
		require.Equal(t, 100, take(t, again, 7), "and now there is none")
		again.Configure(map[int64]*limit.Limits{7: views(12)})
		i.store(again)
		require.Equal(t, 12*time.Hour, again.Tomorrow())
		i.clock = i.clock.Add(12 * time.Hour)
		require.Equal(t, 12, take(t, again, 7))
		i.store(again)
		uses, err := i.node().Of(t.Context(), 7)
		require.NoError(t, err)
		require.Equal(t, []limit.Use{{Kind: limit.Views, Most: 12, Used: 12, Refused: 1}}, uses)
	})
}

// Nodes together exceed a limit by no more than what they take between two readings.
func TestLimitOfNodes(t *testing.T) {
	each(t, func(t *testing.T, i *installation) {
		one, other, console := i.node(), i.node(), i.node()
		one.Configure(map[int64]*limit.Limits{7: views(50)})
		other.Configure(map[int64]*limit.Limits{7: views(50)})
		for range 20 {
			one.Add(7, limit.Views, 1)
		}
		i.store(one, other, console)
		require.Equal(t, 30, take(t, other, 7))
		require.Equal(t, 30, take(t, one, 7), "what the other has taken since is not known")
		i.store(one, other, console)
		require.Zero(t, take(t, one, 7))
		require.Zero(t, take(t, other, 7))
		uses, err := console.Of(t.Context(), 7)
		require.NoError(t, err)
		require.Len(t, uses, 1)
		require.EqualValues(t, 80, uses[0].Used)
		require.True(t, uses[0].IsReached())
		require.Equal(t, 100, uses[0].Percent())
	})
}

// What was reached is an incident, which is over when nothing was refused for half an hour.
func TestReachedLimitIsAnIncident(t *testing.T) {
	each(t, func(t *testing.T, i *installation) {
		u, incidents := i.node(), incident.New(i.db, func() time.Time { return i.clock })
		wrong := func() (about []string) {
			now, err := incidents.Now(t.Context(), scope.Of(7))
			require.NoError(t, err)
			for _, w := range now {
				about = append(about, string(w.Kind)+" "+w.About)
			}
			return about
		}
		u.Configure(map[int64]*limit.Limits{7: views(1)})
		i.store(u)
		require.Empty(t, wrong())
		require.Equal(t, 1, take(t, u, 7))
		i.store(u)
		require.Equal(t, []string{"limit views"}, wrong())
		i.clock = i.clock.Add(incident.PoolOver)
		require.NoError(t, incidents.Settle(t.Context()))
		require.Empty(t, wrong())
	})
}

// What cannot be stored is stored later.
func TestUsesOutliveAnOutage(t *testing.T) {
	each(t, func(t *testing.T, i *installation) {
		u := i.node()
		u.Configure(map[int64]*limit.Limits{7: views(5)})
		require.Equal(t, 5, take(t, u, 7))
		ended, end := context.WithCancel(t.Context())
		end()
		require.Error(t, u.Store(ended))
		require.Zero(t, take(t, u, 7))
		i.store(u)
		uses, err := i.node().Of(t.Context(), 7)
		require.NoError(t, err)
		require.Equal(t, []limit.Use{{Kind: limit.Views, Most: 5, Used: 5, Refused: 2}}, uses)
	})
}

// What there is at a moment is asked for.
func TestLimitsOfAMoment(t *testing.T) {
	each(t, func(t *testing.T, i *installation) {
		u, limits := i.node(), new(limit.Limits)
		for k, most := range map[limit.Kind]int64{limit.Chats: 2, limit.Streams: 1, limit.Disk: 1000} {
			require.NoError(t, limits.Set(k, most))
		}
		u.Configure(map[int64]*limit.Limits{7: limits})
		require.False(t, u.Reached(t.Context(), 7, limit.Chats))
		i.chats = 2
		require.True(t, u.Reached(t.Context(), 7, limit.Chats))
		u.Add(7, limit.Disk, 900)
		require.False(t, u.Exceeded(t.Context(), 7, limit.Disk, 100))
		require.True(t, u.Exceeded(t.Context(), 7, limit.Disk, 101))
		leave, ok := u.Enter(7)
		require.True(t, ok)
		_, ok = u.Enter(7)
		require.False(t, ok)
		i.clock = i.clock.Add(24 * time.Hour)
		u.Add(7, limit.Views, 1)
		_, ok = u.Enter(7)
		require.False(t, ok, "streams go on at midnight")
		leave()
		_, ok = u.Enter(7)
		require.True(t, ok)
	})
}

func TestLimitsAreChecked(t *testing.T) {
	zero, one, most := int64(0), int64(1), int64(5)
	require.ErrorContains(t, (&limit.Limits{Leads: &zero}).Check(), "leads 0: expected 1 or more")
	require.NoError(t, (&limit.Limits{Leads: &one}).Check())
	var none *limit.Limits
	require.NoError(t, none.Check())
	whole := (&limit.Limits{Leads: &one}).Over(&limit.Limits{Leads: &most, Views: &most})
	require.Equal(t, &limit.Limits{Leads: &one, Views: &most}, whole)
	require.Equal(t, whole, none.Over(whole))
}

func BenchmarkReached(b *testing.B) {
	d, err := db.Open(b.Context(), dbtest.SQLite(b), zap.NewNop())
	require.NoError(b, err)
	defer d.Close()
	require.NoError(b, d.Migrate(b.Context()))
	u, err := limit.Open(b.Context(), limit.Subjects{DB: d, Logger: zap.NewNop()}, time.Now)
	require.NoError(b, err)
	u.Configure(map[int64]*limit.Limits{7: views(1 << 40)})
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			u.Reached(b.Context(), 7, limit.Views)
		}
	})
}

// What is stored is counted from the tables, and what was written since is added.
func TestLimitOfWhatIsStored(t *testing.T) {
	each(t, func(t *testing.T, i *installation) {
		one, other := i.node(), i.node()
		store := func(site int64, bytes int) {
			err := i.db.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
				_, err := tx.Exec(ctx, `INSERT INTO chat_files (site_id, id, conversation_id, author, name, type, size, at, content) VALUES ($1, $2, 1, '', '', '', 0, 0, $3)`, site, time.Now().UnixNano(), make([]byte, bytes))
				return err
			})
			require.NoError(t, err)
		}
		// Five numbers are 48 bytes with the number of pixels.
		used := func(u *limit.Uses) limit.Use {
			uses, err := u.Of(t.Context(), 7)
			require.NoError(t, err)
			require.Len(t, uses, 1)
			return uses[0]
		}
		for range 2500 {
			store(7, 52)
		}
		store(8, 1_000_000)
		most := int64(300_000)
		for _, u := range []*limit.Uses{one, other} {
			u.Configure(map[int64]*limit.Limits{7: {Disk: &most}})
		}
		require.False(t, one.Reached(t.Context(), 7, limit.Disk), "nothing is counted yet")
		require.True(t, used(one).CountedAt.IsZero())
		require.NoError(t, one.CountDue(t.Context()))
		i.store(one, other)
		// The limit itself is not stored among what grows with the site.
		rest := used(one).Used - 2500*100
		require.Less(t, rest, int64(1000))
		require.Equal(t, i.clock.Truncate(time.Millisecond).Unix(), used(other).CountedAt.Unix())

		one.Add(7, limit.Disk, 20_000)
		other.Add(7, limit.Disk, 20_000)
		i.store(one, other)
		require.Equal(t, 290_000+rest, used(one).Used)
		require.Equal(t, 290_000+rest, used(other).Used)
		require.True(t, one.Exceeded(t.Context(), 7, limit.Disk, 10_001))
		i.clock = i.clock.Add(24 * time.Hour)
		require.Equal(t, 290_000+rest, used(i.node7(&most)).Used, "a restart forgets nothing, and a new day frees nothing")

		// What was added has not been stored in truth, and something is deleted.
		require.NoError(t, i.db.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			_, err := tx.Exec(ctx, `DELETE FROM chat_files WHERE site_id = 7 AND id IN (SELECT id FROM chat_files WHERE site_id = 7 LIMIT 500)`)
			return err
		}))
		require.NoError(t, other.CountDue(t.Context()))
		i.store(one, other)
		require.InDelta(t, 200_000, used(one).Used, 1500)
		require.Equal(t, used(one).Used, used(other).Used)
		require.False(t, one.Exceeded(t.Context(), 7, limit.Disk, 10_001))
	})
}

// node7 is a node whose configuration limits what is stored of the site 7.
func (i *installation) node7(most *int64) *limit.Uses {
	u := i.node()
	u.Configure(map[int64]*limit.Limits{7: {Disk: most}})
	i.store(u)
	return u
}
