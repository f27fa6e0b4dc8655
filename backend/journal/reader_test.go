package journal_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/journal/journaltest"
)

// copied is a table into which readers of these tests copy what they read. It
// takes each entry as often as it is handled.
func copied(t *testing.T, d *db.DB) (copying func(who string) journal.Handler, read func() []string) {
	t.Helper()
	require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `CREATE TABLE copied (number INTEGER, who TEXT, kind TEXT)`)
		return err
	}))
	copying = func(who string) journal.Handler {
		return func(ctx context.Context, tx db.Tx, entries []journal.Entry) error {
			for _, e := range entries {
				_, err := tx.Exec(ctx, `INSERT INTO copied (number, who, kind) SELECT COUNT(*), $1, $2 FROM copied`, who, e.Kind)
				if err != nil {
					return err
				}
			}
			return nil
		}
	}
	return copying, func() []string {
		kinds, err := db.List(t.Context(), d.Read(), db.Only[string], `SELECT kind FROM copied ORDER BY number`)
		require.NoError(t, err)
		return kinds
	}
}

// run runs the reader until the function is called, or the test ends.
func run(t *testing.T, r *journal.Reader) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx) })
	stop = func() {
		cancel()
		running.Wait()
	}
	t.Cleanup(stop)
	return stop
}

func eventually(t *testing.T, is func() bool, message string) {
	t.Helper()
	require.Eventually(t, is, time.Minute, 50*time.Millisecond, message)
}

func ignored(error) {}

func TestReaderGoesOnWhereItWas(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		j := journal.New(d)
		copying, read := copied(t, d)
		appendMany(t, d, 1, "", 250)
		stop := run(t, j.Reader("copy", copying("one"), ignored))
		eventually(t, func() bool { return len(read()) == 250 }, "what was there")
		stop()
		appendMany(t, d, 1, "later ", 2)
		run(t, j.Reader("copy", copying("two"), ignored))
		eventually(t, func() bool { return len(read()) == 252 }, "what came meanwhile")
		appendMany(t, d, 1, "last ", 1)
		eventually(t, func() bool { return len(read()) == 253 }, "what comes")
		require.Equal(t, append(numbered("", 250), "later 0", "later 1", "last 0"), read())
	})
}

// What a handler wrote before it failed does not stay, and is done once in the end.
func TestReaderTriesAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		copying, read := copied(t, d)
		appendMany(t, d, 1, "", 3)
		var failures []error
		tries := 0
		stop := run(t, journal.New(d).Reader("copy", func(ctx context.Context, tx db.Tx, entries []journal.Entry) error {
			if err := copying("one")(ctx, tx, entries); err != nil {
				return err
			}
			if tries++; tries < 3 {
				return errors.New("no " + strconv.Itoa(tries))
			}
			return nil
		}, func(err error) { failures = append(failures, err) }))
		eventually(t, func() bool { return len(read()) > 0 }, "it never succeeds")
		stop()
		require.Equal(t, numbered("", 3), read())
		require.Len(t, failures, 2)
	})
}

// Of two nodes one reads. When it dies without a word the other goes on in its
// place, and each entry is copied once.
func TestReaderIsHandedOver(t *testing.T) {
	settings := dbtest.Postgres(t)
	dying, living := dbtest.Open(t, settings), dbtest.Open(t, settings)
	copying, read := copied(t, living)
	run(t, journal.New(dying).Reader("copy", copying("dying"), ignored))
	appendMany(t, living, 1, "a", 5)
	eventually(t, func() bool { return len(read()) == 5 }, "the first node reads")
	run(t, journal.New(living).Reader("copy", copying("living"), ignored))
	appendMany(t, living, 1, "b", 5)
	eventually(t, func() bool { return len(read()) == 10 }, "one of them reads")

	require.NoError(t, dying.Close()) // it can say nothing any more
	died := time.Now()
	appendMany(t, living, 1, "c", 5)
	eventually(t, func() bool { return len(read()) == 15 }, "the other node takes over")
	t.Log("taken over after", time.Since(died))
	require.Equal(t, append(append(numbered("a", 5), numbered("b", 5)...), numbered("c", 5)...), read())
	who, err := db.List(t.Context(), living.Read(), db.Only[string], `SELECT who FROM copied ORDER BY number`)
	require.NoError(t, err)
	require.Equal(t, []string{"dying", "dying", "living"}, []string{who[0], who[9], who[14]})
}

// Of three nodes each entry is handled by one, also while they end one by one.
func TestTwoReadersOfOneNameDoNotReadTwice(t *testing.T) {
	settings := dbtest.Postgres(t)
	nodes := []*db.DB{dbtest.Open(t, settings), dbtest.Open(t, settings), dbtest.Open(t, settings)}
	copying, read := copied(t, nodes[0])
	var stops []func()
	for i, d := range nodes {
		stops = append(stops, run(t, journal.New(d).Reader("copy", copying(strconv.Itoa(i)), ignored)))
	}
	var writing sync.WaitGroup
	for i := range 40 {
		writing.Go(func() { appendEntry(t, nodes[i%3], int64(i), journal.Entry{Kind: strconv.Itoa(i)}) })
	}
	writing.Wait()
	stops[0]()
	stops[1]()
	for i := 40; i < 50; i++ {
		appendEntry(t, nodes[2], int64(i), journal.Entry{Kind: strconv.Itoa(i)})
	}
	eventually(t, func() bool { return len(read()) >= 50 }, "entries are missing")
	seen := make(map[string]bool)
	for _, kind := range read() {
		assert.False(t, seen[kind], "twice: %s", kind)
		seen[kind] = true
	}
	require.Len(t, seen, 50)
}

func TestJournalIsPrunedBehindTheSlowestReader(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		j, now := journal.New(d), time.Now()
		old := now.Add(-journal.KeepFor - time.Hour)
		for i, at := range []time.Time{old, old, old, old, now} {
			appendEntry(t, d, 0, journal.Entry{Kind: strconv.Itoa(i), At: at})
		}
		left := func() (kinds []string) {
			for _, e := range journaltest.Entries(t, d) {
				kinds = append(kinds, e.Kind)
			}
			return kinds
		}
		at := func(reader string, p journal.Position, seen time.Time) {
			require.NoError(t, d.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
				_, err := tx.Exec(ctx, `INSERT INTO journal_readers (name, tx, seq, owner, expires_at, seen_at) VALUES ($1, $2, $3, '', 0, $4)
					ON CONFLICT (name) DO UPDATE SET tx = EXCLUDED.tx, seq = EXCLUDED.seq, seen_at = EXCLUDED.seen_at`, reader, p.Tx, p.Seq, seen.UnixMilli())
				return err
			}))
		}
		entries := journaltest.Entries(t, d)
		prune := func() int {
			n, unread, err := j.Prune(ctx, now)
			require.NoError(t, err)
			require.Equal(t, len(left()) > 1, unread)
			return n
		}
		at("slow", entries[0].Position, now)
		at("quick", entries[3].Position, now)
		at("gone", journal.Position{}, old)
		require.Equal(t, 1, prune())
		require.Equal(t, []string{"1", "2", "3", "4"}, left())
		at("slow", entries[2].Position, now)
		require.Equal(t, 2, prune())
		require.Equal(t, []string{"3", "4"}, left())
		at("slow", entries[4].Position, now)
		at("quick", entries[4].Position, now)
		require.Equal(t, 1, prune())
		require.Equal(t, []string{"4"}, left(), "what is young stays")
		require.Zero(t, prune())
	})
}

func TestOldEntriesArePrunedInParts(t *testing.T) {
	d, err := db.Open(t.Context(), dbtest.SQLite(t), zap.NewNop())
	require.NoError(t, err)
	defer d.Close()
	require.NoError(t, d.Migrate(t.Context()))
	appendMany(t, d, 1, "", 1200)
	n, _, err := journal.New(d).Prune(t.Context(), time.Now())
	require.NoError(t, err)
	require.Equal(t, 1200, n)
	appendMany(t, d, 1, "new ", 1)
	entries, err := journal.New(d).After(t.Context(), journal.Position{Seq: 1200}, 10)
	require.NoError(t, err)
	require.Len(t, entries, 1, "positions go on")
}
