package db_test

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// replicated is a database with a replica.
type replicated struct {
	*db.DB
	t                *testing.T
	primary, replica *dbtest.Server
}

func openReplicated(t *testing.T) *replicated {
	r := &replicated{t: t, primary: dbtest.OwnServer(t)}
	var err error
	r.replica, err = r.primary.Replica()
	require.NoError(t, err)
	t.Cleanup(r.replica.Remove)
	r.DB, err = db.Open(t.Context(), db.Settings{Engine: db.Postgres, Source: r.primary.Source(), Read: r.replica.Source()}, zap.NewNop())
	require.NoError(t, err)
	t.Cleanup(func() { r.Close() })
	require.NoError(t, r.Migrate(t.Context()))
	require.NoError(t, r.replica.Follows(t.Context(), r.primary))
	return r
}

// asked says which server answers.
func (r *replicated) asked() string {
	replica, _, err := db.One(r.t.Context(), r.Lagging(), db.Only[bool], `SELECT pg_is_in_recovery()`)
	require.NoError(r.t, err)
	if replica {
		return "replica"
	}
	return "primary"
}

// waitFor waits until the server answers, and then that all are well, or what is wrong is told.
func (r *replicated) waitFor(server, trouble string) {
	r.t.Helper()
	require.EventuallyWithT(r.t, func(c *assert.CollectT) {
		assert.Equal(c, server, r.asked())
		troubles := r.Replicas()
		if trouble == "" {
			assert.Empty(c, troubles)
		} else if assert.Len(c, troubles, 1) {
			assert.Equal(c, r.replica.Address, troubles[0].Name)
			assert.ErrorContains(c, troubles[0].Err, trouble)
		}
	}, wait, tick)
}

// A replica answers while it is near the primary, and only then. Nobody else notices.
func TestReplica(t *testing.T) {
	r := openReplicated(t)
	r.waitFor("replica", "")

	// What it is asked never writes, whoever is asked.
	write := func() error {
		_, _, err := db.One(t.Context(), r.Lagging(), db.Only[string], `INSERT INTO secrets (name, value) VALUES ('written', '') RETURNING name`)
		return err
	}
	require.ErrorContains(t, write(), "read-only transaction")

	// It stands still: as long as nothing is written, it is not behind.
	require.NoError(t, r.replica.Administer("SELECT pg_wal_replay_pause()", "DO $$ BEGIN WHILE pg_get_wal_replay_pause_state() <> 'paused' LOOP PERFORM pg_sleep(0.01); END LOOP; END $$"))
	require.NoError(t, r.Write(t.Context(), 0, put("since")))
	named := func(from db.Queries) []string {
		found, err := db.List(t.Context(), from, db.Only[string], `SELECT name FROM secrets`)
		require.NoError(t, err)
		return found
	}
	require.NotContains(t, named(r.Lagging()), "since", "an answer may be some seconds old")
	require.Contains(t, named(r.Read()), "since", "the primary knows what has just been written")
	r.waitFor("primary", "behind the primary, by ")
	require.Contains(t, named(r.Lagging()), "since")
	require.ErrorContains(t, write(), "read-only transaction")
	require.NoError(t, r.replica.Administer("SELECT pg_wal_replay_resume()"))
	r.waitFor("replica", "")
	require.Contains(t, named(r.Lagging()), "since")

	// It ends as a machine does, with a question under way.
	asking := make(chan string)
	go func() {
		defer close(asking)
		server, _, err := db.One(t.Context(), r.Lagging(), db.Only[string], `SELECT pg_is_in_recovery()::text FROM (SELECT pg_sleep(CASE WHEN pg_is_in_recovery() THEN 40 ELSE 0 END)) s`)
		assert.NoError(t, err)
		asking <- server
	}()
	r.asksReplica("pg_sleep")
	require.NoError(t, r.replica.Kill())
	require.Equal(t, "false", <-asking, "the primary has answered it")
	require.Equal(t, "primary", r.asked(), "at once")
	r.waitFor("primary", "connect")
	require.NoError(t, r.replica.Start())
	r.waitFor("replica", "")

	// It hangs as a machine does that is paused, with a question under way, and nobody waits for it longer than it takes to notice.
	asking = make(chan string)
	require.NoError(t, r.replica.Pause())
	go func() {
		defer close(asking)
		asking <- r.asked()
	}()
	select {
	case server := <-asking:
		require.Equal(t, "primary", server)
	case <-time.After(wait):
		require.Fail(t, "somebody waits for a replica that hangs")
	}
	r.waitFor("primary", "deadline exceeded")
	require.NoError(t, r.replica.Resume())
	r.waitFor("replica", "")

	// It is promoted, and is no replica any more.
	require.NoError(t, r.replica.Promote())
	r.waitFor("primary", "it takes writes")
}

// asksReplica waits until the replica has a question with that text.
func (r *replicated) asksReplica(text string) {
	d, err := sql.Open("pgx", r.replica.Source())
	require.NoError(r.t, err)
	defer d.Close()
	require.Eventually(r.t, func() bool {
		var n int
		err := d.QueryRow(`SELECT COUNT(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() AND query LIKE '%' || $1 || '%'`, text).Scan(&n)
		return err == nil && n > 0
	}, wait, tick, "%v", r.Replicas())
}

// A question that stands in the way of what the primary has removed is ended by the replica, and asked of the primary.
func TestReplicaEndsAQuestion(t *testing.T) {
	r := openReplicated(t)
	require.NoError(t, r.replica.Administer("ALTER SYSTEM SET max_standby_streaming_delay = 0", "SELECT pg_reload_conf()"))
	require.NoError(t, r.primary.Administer("CREATE TABLE things AS SELECT generate_series(1, 1000) AS n"))
	require.NoError(t, r.replica.Follows(t.Context(), r.primary))
	r.waitFor("replica", "")
	type answer struct {
		rows []string
		err  error
	}
	asking := make(chan answer)
	go func() {
		rows, err := db.List(t.Context(), r.Lagging(), db.Only[string], `SELECT pg_is_in_recovery()::text FROM things, (SELECT pg_sleep(CASE WHEN pg_is_in_recovery() THEN 40 ELSE 0 END)) s`)
		asking <- answer{rows, err}
	}()
	r.asksReplica("pg_sleep")
	require.NoError(t, r.primary.Administer("DELETE FROM things WHERE n > 500", "VACUUM things"))
	a := <-asking
	require.NoError(t, a.err)
	require.Len(t, a.rows, 500)
	require.Equal(t, "false", a.rows[0])
	r.waitFor("replica", "")
}

// Another cluster, or another database of the same one, is not asked.
func TestReplicaOfAnother(t *testing.T) {
	primary, stranger := dbtest.OwnServer(t), dbtest.OwnServer(t)
	require.NoError(t, primary.Administer("CREATE DATABASE other"))
	for name, source := range map[string]string{"cluster": stranger.Source(), "database": "postgres://postgres@" + primary.Address + "/other?sslmode=disable"} {
		t.Run(name, func(t *testing.T) {
			d, err := db.Open(t.Context(), db.Settings{Engine: db.Postgres, Source: primary.Source(), Read: source}, zap.NewNop())
			require.NoError(t, err)
			defer d.Close()
			require.Eventually(t, func() bool {
				troubles := d.Replicas()
				return len(troubles) == 1 && fmt.Sprint(troubles[0].Err) == "it has another database than the primary"
			}, wait, tick)
			in, _, err := db.One(t.Context(), d.Lagging(), db.Only[string], `SELECT current_database()`)
			require.NoError(t, err)
			require.Equal(t, "postgres", in)
		})
	}
}

// Of several replicas, those that answer are asked in turn. Through a pooler all is as without.
func TestReplicas(t *testing.T) {
	primary := dbtest.OwnServer(t)
	pooler := dbtest.OwnPooler(t, primary)
	var addresses []string
	var replicas []*dbtest.Server
	for range 2 {
		replica, err := primary.Replica()
		require.NoError(t, err)
		t.Cleanup(replica.Remove)
		replicas, addresses = append(replicas, replica), append(addresses, replica.Address)
	}
	d, err := db.Open(t.Context(), db.Settings{Engine: db.Postgres, Source: pooler.Source("postgres"), Direct: primary.Source(),
		Read: fmt.Sprintf("postgres://postgres@%s,%s/postgres?sslmode=disable", addresses[0], addresses[1])}, zap.NewNop())
	require.NoError(t, err)
	defer d.Close()
	ports := func(n int) map[string]int {
		asked := make(map[string]int)
		for range n {
			port, _, err := db.One(t.Context(), d.Lagging(), db.Only[string], `SELECT current_setting('port')`)
			require.NoError(t, err)
			asked["127.0.0.1:"+port]++
		}
		return asked
	}
	require.Eventually(t, func() bool { return len(d.Replicas()) == 0 }, wait, tick)
	both := map[string]int{addresses[0]: 5, addresses[1]: 5}
	require.Eventually(t, func() bool { return maps.Equal(both, ports(10)) }, wait, tick)
	replicas[0].Stop()
	require.Eventually(t, func() bool { return ports(4)[addresses[1]] == 4 }, wait, tick)
	replicas[1].Stop()
	require.Equal(t, map[string]int{primary.Address: 4}, ports(4))
	ended, stop := context.WithCancel(t.Context())
	stop()
	_, _, err = db.One(ended, d.Lagging(), db.Only[int], `SELECT 1`)
	require.ErrorIs(t, err, context.Canceled)
}
