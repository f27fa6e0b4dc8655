package db_test

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func put(name string) func(context.Context, db.Tx) error {
	return func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO secrets (name, value) VALUES ($1, $2)`, name, []byte("value"))
		return err
	}
}

func names(t *testing.T, d *db.DB) []string {
	t.Helper()
	found, err := db.List(t.Context(), d.Read(), db.Only[string], `SELECT name FROM secrets ORDER BY name`)
	require.NoError(t, err)
	return found
}

// A write that fails leaves nothing behind and takes nothing with it, however
// the writes happen to be grouped.
func TestWritesFailAlone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		refused := errors.New("refused")
		var wait sync.WaitGroup
		for i := range 200 {
			wait.Go(func() {
				name := string(rune('a'+i%26)) + string(rune('a'+i/26))
				switch i % 10 {
				case 3:
					err := d.Write(t.Context(), int64(i), func(ctx context.Context, tx db.Tx) error {
						if err := put("refused "+name)(ctx, tx); err != nil {
							return err
						}
						return refused
					})
					assert.ErrorIs(t, err, refused)
				case 6:
					err := d.Write(t.Context(), int64(i), func(ctx context.Context, tx db.Tx) error {
						if err := put("panic "+name)(ctx, tx); err != nil {
							return err
						}
						panic("at work")
					})
					assert.ErrorContains(t, err, "at work")
				default:
					assert.NoError(t, d.Write(t.Context(), int64(i), put("kept "+name)))
				}
			})
		}
		wait.Wait()
		found := names(t, d)
		require.Len(t, found, 160)
		for _, name := range found {
			require.Contains(t, name, "kept")
		}
	})
}

// What waits when the database closes is written before it closes; what comes
// later is refused.
func TestCloseWritesWhatWaits(t *testing.T) {
	settings := dbtest.SQLite(t)
	d := dbtest.Open(t, settings)
	results := make(chan error, 100)
	for i := range cap(results) {
		go func() { results <- d.Write(context.Background(), 0, put(string(rune('A'+i)))) }()
	}
	require.NoError(t, d.Close())
	written := 0
	for range cap(results) {
		if err := <-results; err == nil {
			written++
		} else {
			require.ErrorIs(t, err, db.ErrClosed)
		}
	}
	require.Len(t, names(t, dbtest.Open(t, settings)), written)
}

func TestMigratingTwiceChangesNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		require.NoError(t, d.Write(t.Context(), 0, put("here")))
		require.NoError(t, d.Migrate(t.Context()))
		require.Equal(t, []string{"here"}, names(t, d))
	})
}

func TestReadersCannotWrite(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	_, err := d.Read().ExecContext(t.Context(), `DELETE FROM secrets`)
	require.ErrorContains(t, err, "readonly")
}

func TestSecretStays(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		first, err := d.Secret(t.Context(), "cookies")
		require.NoError(t, err)
		require.Len(t, first, 32)
		again, err := d.Secret(t.Context(), "cookies")
		require.NoError(t, err)
		require.Equal(t, first, again)
		other, err := d.Secret(t.Context(), "ids")
		require.NoError(t, err)
		require.NotEqual(t, first, other)
	})
}

// Two nodes, as two sequences of one name, never give out the same number.
func TestSequencesNeverRepeat(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		nodes := []*db.Sequence{d.Sequence("hits", 7), d.Sequence("hits", 7)}
		var mu sync.Mutex
		seen := map[int64]bool{}
		var wait sync.WaitGroup
		for i := range 100 {
			wait.Go(func() {
				n, err := nodes[i%2].Next(t.Context())
				mu.Lock()
				defer mu.Unlock()
				assert.NoError(t, err)
				assert.Positive(t, n)
				assert.False(t, seen[n], "given out twice: %d", n)
				seen[n] = true
			})
		}
		wait.Wait()
		require.Len(t, seen, 100)
	})
}

// listening waits until so many nodes listen to the others.
func listening(t *testing.T, d *db.DB, nodes int) {
	t.Helper()
	require.Eventually(t, func() bool {
		n, _, err := db.One(t.Context(), d.Read(), db.Only[int], `SELECT COUNT(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN %' AND datname = current_database()`)
		return err == nil && n == nodes
	}, time.Minute, 10*time.Millisecond)
}

// A wake reaches who waits on the same node and, with PostgreSQL, on others;
// it comes only after the commit.
func TestWakeReachesAllNodes(t *testing.T) {
	settings := dbtest.Postgres(t)
	node, other := dbtest.Open(t, settings), dbtest.Open(t, settings)
	listening(t, node, 2)
	here, cancelHere := node.Subscribe("leads")
	defer cancelHere()
	there, cancelThere := other.Subscribe("leads")
	defer cancelThere()
	elsewhere, cancelElsewhere := node.Subscribe("hits")
	defer cancelElsewhere()
	nowhere, cancelNowhere := node.Subscribe("nothing")
	defer cancelNowhere()

	require.NoError(t, node.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
		tx.Wake("leads")
		return put("lead")(ctx, tx)
	}))
	for _, news := range []<-chan struct{}{here, there} {
		select {
		case <-news:
		case <-time.After(wait):
			t.Fatal("the wake did not arrive")
		}
	}
	require.Equal(t, []string{"lead"}, names(t, other))
	// A node that begins to listen wakes all topics.
	require.Eventually(t, func() bool { return len(elsewhere) == len(nowhere) }, wait, tick)
}

func TestNobodyElseReadsTheFile(t *testing.T) {
	settings := dbtest.SQLite(t)
	d := dbtest.Open(t, settings)
	require.NoError(t, d.Write(t.Context(), 0, put("a secret")))
	files, err := filepath.Glob(settings.Source + "*")
	require.NoError(t, err)
	require.Len(t, files, 3, "the file, its log and the log's index")
	for _, name := range files {
		info, err := os.Stat(name)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), name)
	}
}

func TestCheckWritesNothing(t *testing.T) {
	settings := dbtest.SQLite(t)
	require.NoError(t, settings.Check())
	require.NoFileExists(t, settings.Source)
	require.Error(t, db.Settings{Engine: "mysql"}.Check())
	require.Error(t, db.Settings{Engine: db.SQLite, Source: t.TempDir()}.Check())
	require.Error(t, db.Settings{Engine: db.Postgres, Source: "postgres://:::"}.Check())
}

// A node that does not reach the server itself cannot listen to the others. It asks: whoever waits is woken again and again.
func TestANodeThatCannotListenAsks(t *testing.T) {
	t.Parallel()
	settings := dbtest.Postgres(t)
	server, err := url.Parse(cmp.Or(settings.Direct, settings.Source))
	require.NoError(t, err)
	between, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer between.Close()
	var cables sync.Map
	go func() {
		for {
			near, err := between.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", server.Host)
			if !assert.NoError(t, err) {
				return
			}
			cables.Store(near, far)
			go io.Copy(near, far)
			go io.Copy(far, near)
		}
	}()
	direct := *server
	direct.Host = between.Addr().String()
	settings.Direct = direct.String()
	node := dbtest.Open(t, settings)
	news, forget := node.Subscribe("leads")
	defer forget()
	heard := func() bool {
		select {
		case <-news:
			return true
		default:
			return false
		}
	}
	listening(t, node, 1)
	heard()

	require.NoError(t, between.Close())
	cables.Range(func(near, far any) bool {
		near.(net.Conn).Close()
		far.(net.Conn).Close()
		return true
	})
	for range 3 {
		require.Eventually(t, heard, time.Minute, 10*time.Millisecond)
	}
}
