package db_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// crashed leaves the files of a SQLite database as a killed process does: in a folder of their
// own, with all that was written still in the log.
func crashed(t *testing.T, d *db.DB, settings db.Settings) db.Settings {
	t.Helper()
	left := dbtest.SQLite(t)
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(settings.Source + suffix)
		require.NoError(t, err)
		require.NotEmpty(t, content)
		require.NoError(t, os.WriteFile(left.Source+suffix, content, 0o600))
	}
	require.NoError(t, d.Close())
	return left
}

// A copy is made while others write, is of one moment, and takes the place of a database that
// has crashed. Numbers that may have been given out since are not given out again.
func TestBackupAndRestore(t *testing.T) {
	settings := dbtest.SQLite(t)
	d := dbtest.Open(t, settings)
	first, err := d.Sequence("ids", 1).Next(t.Context())
	require.NoError(t, err)
	_, err = db.DaySequence(d, "ids", 1).NextFrom(t.Context(), (db.Day(time.Now())-30)<<db.DayBits)
	require.NoError(t, err)
	require.NoError(t, d.Write(t.Context(), 0, put("before")))
	ctx, stop := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	begun := make(chan struct{})
	writing.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			assert.NoError(t, d.Write(context.Background(), 0, put(fmt.Sprint("meanwhile ", i))))
			if i == 0 {
				close(begun)
			}
		}
	})
	<-begun
	made := filepath.Join(t.TempDir(), "copy.db")
	size, err := db.Backup(t.Context(), settings, made)
	stop()
	writing.Wait()
	require.NoError(t, err)
	info, err := os.Stat(made)
	require.NoError(t, err)
	require.Equal(t, size, info.Size())
	require.EqualValues(t, 0o600, info.Mode().Perm())
	_, err = db.Backup(t.Context(), settings, made)
	require.ErrorContains(t, err, "is there already")
	last, err := d.Sequence("ids", 1).Next(t.Context())
	require.NoError(t, err)
	ofToday, err := db.DaySequence(d, "ids", 1).NextFrom(t.Context(), db.Day(time.Now())<<db.DayBits)
	require.NoError(t, err)
	require.NoError(t, d.Write(t.Context(), 0, put("after")))
	all := names(t, d)

	left := crashed(t, d, settings)
	restored, err := db.Restore(t.Context(), left, made, time.Now())
	require.NoError(t, err)
	require.Zero(t, restored.Pending)
	d = dbtest.Open(t, left)
	require.Contains(t, names(t, d), "before")
	require.Contains(t, names(t, d), "meanwhile 0")
	require.NotContains(t, names(t, d), "after")
	next, err := d.Sequence("ids", 1).Next(t.Context())
	require.NoError(t, err)
	require.Greater(t, next, last)
	ofDay, err := db.DaySequence(d, "ids", 1).NextFrom(t.Context(), db.Day(time.Now())<<db.DayBits)
	require.NoError(t, err)
	require.Greater(t, ofDay, ofToday, "though the copy is of another day")
	require.Greater(t, last, first)
	require.NoError(t, d.Examine(t.Context()))
	require.NoError(t, d.Close())

	kept := dbtest.Open(t, db.Settings{Engine: db.SQLite, Source: restored.Kept})
	require.Equal(t, all, names(t, kept), "what was there is kept whole")
	unmarked := dbtest.Open(t, left)
	again, err := unmarked.Sequence("ids", 1).Next(t.Context())
	require.NoError(t, err)
	require.Equal(t, next+1, again, "numbers are skipped once")
}

// A copy that is put beside the log of another database is refused, until it is restored.
func TestCopyBesideAnotherLogIsRefused(t *testing.T) {
	settings := dbtest.SQLite(t)
	d := dbtest.Open(t, settings)
	made := filepath.Join(t.TempDir(), "copy.db")
	_, err := db.Backup(t.Context(), settings, made)
	require.NoError(t, err)
	require.NoError(t, d.Write(t.Context(), 0, put("after")))
	left := crashed(t, d, settings)
	content, err := os.ReadFile(made)
	require.NoError(t, err)
	for name, file := range map[string][]byte{"a copy": content, "an empty file": {}, "no file": nil} {
		t.Run(name, func(t *testing.T) {
			log, err := os.ReadFile(left.Source + "-wal")
			require.NoError(t, err)
			require.NoError(t, os.Remove(left.Source))
			if file != nil {
				require.NoError(t, os.WriteFile(left.Source, file, 0o600))
			}
			defer func() {
				if file == nil {
					require.NoError(t, os.WriteFile(left.Source, nil, 0o600)) // for the next
				}
			}()
			_, err = db.Open(t.Context(), left, zap.NewNop())
			require.ErrorIs(t, err, db.ErrStrayLog)
			_, err = db.Backup(t.Context(), left, made+".another")
			require.Error(t, err)
			after, err := os.ReadFile(left.Source + "-wal")
			require.NoError(t, err)
			require.Equal(t, log, after, "the log is left alone")
		})
	}
	_, err = db.Restore(t.Context(), left, made, time.Now())
	require.NoError(t, err)
	require.Empty(t, names(t, dbtest.Open(t, left)))
}

// What is no whole copy of this program's is refused, and the database stays.
func TestRestoringRefuses(t *testing.T) {
	settings := dbtest.SQLite(t)
	d := dbtest.Open(t, settings)
	require.NoError(t, d.Write(t.Context(), 0, put("here")))
	made := filepath.Join(t.TempDir(), "copy.db")
	_, err := db.Backup(t.Context(), settings, made)
	require.NoError(t, err)
	require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO needed_steps (step) VALUES (99999999)`)
		return err
	}))
	newer := filepath.Join(t.TempDir(), "newer.db")
	_, err = db.Backup(t.Context(), settings, newer)
	require.NoError(t, err)
	require.NoError(t, d.Close())
	content, err := os.ReadFile(made)
	require.NoError(t, err)
	file := func(content []byte) string {
		path := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(path, content, 0o600))
		return path
	}
	for expected, from := range map[string]string{
		"no such file":             filepath.Join(t.TempDir(), "none"),
		"database is malformed":    file(append(content[:len(content)/2:len(content)/2], make([]byte, len(content)/2)...)),
		"file is not a database":   file([]byte(strings.Repeat("no database ", 1000))),
		"no database of Frontdesk": file(nil),
		"of a newer release":       newer,
		"is the database itself":   settings.Source,
		"image is malformed":       file(content[:4096*3]),
	} {
		_, err := db.Restore(t.Context(), settings, from, time.Now())
		require.ErrorContains(t, err, expected)
		files, err := filepath.Glob(filepath.Join(filepath.Dir(settings.Source), "*"))
		require.NoError(t, err)
		require.Equal(t, []string{settings.Source}, files, expected)
	}
	postgres := db.Settings{Engine: db.Postgres, Source: "postgres://nowhere.example"}
	_, err = db.Backup(t.Context(), postgres, made+".another")
	require.ErrorIs(t, err, db.ErrNotSQLite)
	_, err = db.Restore(t.Context(), postgres, made, time.Now())
	require.ErrorIs(t, err, db.ErrNotSQLite)
}
