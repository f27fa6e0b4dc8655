package edge

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// held are databases that a test can make hang for a while.
var held = map[string]func(t *testing.T) (settings db.Settings, hold func() (release func())){
	"sqlite, by another writer": func(t *testing.T) (db.Settings, func() func()) {
		settings := dbtest.SQLite(t)
		return settings, func() func() {
			other, err := sql.Open("sqlite", settings.Source)
			require.NoError(t, err)
			_, err = other.Exec("PRAGMA busy_timeout = 30000; BEGIN IMMEDIATE")
			require.NoError(t, err)
			return func() { require.NoError(t, other.Close()) }
		}
	},
	"postgres, by a lock": func(t *testing.T) (db.Settings, func() func()) {
		settings := dbtest.Postgres(t)
		return settings, func() func() {
			other, err := sql.Open("pgx", settings.Source)
			require.NoError(t, err)
			tx, err := other.Begin()
			require.NoError(t, err)
			_, err = tx.Exec("LOCK TABLE views IN ACCESS EXCLUSIVE MODE")
			require.NoError(t, err)
			return func() {
				require.NoError(t, tx.Rollback())
				require.NoError(t, other.Close())
			}
		}
	},
	"postgres, paused": func(t *testing.T) (db.Settings, func() func()) {
		server := dbtest.OwnServer(t)
		return db.Settings{Engine: db.Postgres, Source: server.Source()}, func() func() {
			require.NoError(t, server.Pause())
			return func() { require.NoError(t, server.Resume()) }
		}
	},
}

// A page does not wait for a database that hangs: it leaves with the numbers that its address decides. The script then
// reports one view, whether the page's own was stored or not.
func TestPageDoesNotWaitForTheDatabase(t *testing.T) {
	t.Parallel()
	for name, start := range held {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings, hold := start(t)
			f := serveOn(t, pooled(), settings, origin).ready()
			known := f.browser()
			known.run(opened{address: f.address + "/?utm_medium=cpc"}, "1")

			release := hold()
			released := false
			defer func() {
				if !released {
					release()
				}
			}()
			fresh := f.browser()
			ways := map[*browser]opened{known: known.open("/lamps"), fresh: fresh.open("/?utm_source=news")}
			require.Equal(t, "123-45-67", ways[known].shows())
			require.Equal(t, "765-00-01", ways[fresh].shows(), "what the address tells")
			for range 16 {
				require.Equal(t, "123-45-67", f.browser().open("/").shows())
			}
			for _, outcome := range f.told.arrived() {
				require.Equal(t, Late, outcome)
			}
			release()
			released = true

			hits, views := f.count(`SELECT COUNT(*) FROM views`), 0
			for b, p := range ways {
				require.NotEmpty(t, p.visit.View)
				require.Empty(t, p.visit.Hit)
				require.Empty(t, p.Header.Get("Set-Cookie"))
				views++
				b.run(p, fmt.Sprint("view", views))
			}
			require.Eventually(t, func() bool { return f.edge.arriving.Load() == 0 }, wait, tick, "nobody waits any more")
			_, _, faults := f.told.all()
			require.Empty(t, faults)
			titled := f.count(`SELECT COUNT(*) FROM views WHERE title = 'Lamps'`)
			require.Equal(t, 3, titled)
			require.LessOrEqual(t, f.count(`SELECT COUNT(*) FROM views WHERE url LIKE '%utm_source=news'`), 1, "%d before", hits)
			require.LessOrEqual(t, f.count(`SELECT COUNT(*) FROM views WHERE url LIKE '%/lamps'`), 1)
		})
	}
}

// If only the numbers are late, the page knows the visit, and the script shows the numbers.
func TestNumbersThatAreLate(t *testing.T) {
	t.Parallel()
	settings := dbtest.Postgres(t)
	f := serveOn(t, pooled(), settings, origin).ready()
	other, err := sql.Open("pgx", settings.Source)
	require.NoError(t, err)
	defer other.Close()
	tx, err := other.Begin()
	require.NoError(t, err)
	_, err = tx.Exec("LOCK TABLE pool_numbers IN ACCESS EXCLUSIVE MODE")
	require.NoError(t, err)
	b := f.browser()
	var p opened
	require.Eventually(t, func() bool { // the machine may be busy
		p = b.open("/?utm_medium=cpc")
		return p.visit.Hit != 0
	}, wait, tick)
	require.Equal(t, "123-45-67", p.shows())
	require.Nil(t, p.visit.Numbers)
	require.Contains(t, f.told.arrived(), Numberless)
	require.NoError(t, tx.Rollback())
	told := b.run(p, "1")
	require.Equal(t, p.visit.Hit, told.Hit)
	require.Contains(t, string(told.Numbers), "7495765001")
	require.Eventually(t, func() bool { return f.edge.arriving.Load() == 0 }, wait, tick)
}

// Of all pages that wait, at most maxArriving ask a database that hangs.
func TestArrivalsAreBounded(t *testing.T) {
	f := serve(t, pooled()).ready()
	f.edge.arriving.Store(maxArriving)
	p := f.browser().open("/?utm_medium=cpc")
	require.Empty(t, p.visit.View)
	require.Equal(t, []Arrival{Late}, f.told.arrived())
	require.EqualValues(t, maxArriving, f.edge.arriving.Load())
	f.edge.arriving.Store(0)
	require.NoError(t, f.edge.Service.Close())
	require.Equal(t, "123-45-67", f.browser().open("/?utm_medium=cpc").shows())
}
