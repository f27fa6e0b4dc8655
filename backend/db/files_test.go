package db_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// Nothing is written into a file of which SQLite says that it is malformed, whoever hears it
// first, and it is not opened again.
func TestMalformedFile(t *testing.T) {
	settings := dbtest.SQLite(t)
	d := dbtest.Open(t, settings)
	for i := range 100 {
		require.NoError(t, d.Write(t.Context(), 0, put(fmt.Sprint(i, strings.Repeat("x", 1000)))))
	}
	require.NoError(t, d.Scrub(t.Context()))
	d.Read().SetMaxIdleConns(-1) // what they remember is well
	file, err := os.OpenFile(settings.Source, os.O_RDWR, 0)
	require.NoError(t, err)
	defer file.Close()
	info, err := file.Stat()
	require.NoError(t, err)
	_, err = file.WriteAt([]byte(strings.Repeat("broken", int(info.Size()-8192)/6)), 8192)
	require.NoError(t, err)

	_, err = db.List(t.Context(), d.Read(), db.Only[string], `SELECT value FROM secrets`)
	require.Error(t, err)
	require.ErrorIs(t, d.Trouble(), db.ErrMalformed)
	require.ErrorIs(t, d.Check(t.Context()), db.ErrMalformed)
	require.ErrorIs(t, d.Examine(t.Context()), db.ErrMalformed)
	require.ErrorIs(t, d.Write(t.Context(), 0, put("into it")), db.ErrMalformed)
	require.False(t, d.Lost())
	require.NoError(t, d.Close())
	_, err = db.Open(t.Context(), settings, zap.NewNop())
	require.ErrorIs(t, err, db.ErrMalformed)
}

// A connection that is opened while an empty file is at the place leaves the log alone, and
// the right file goes on when it is back.
func TestLogSurvivesAnEmptyFile(t *testing.T) {
	settings := dbtest.SQLite(t)
	d := dbtest.Open(t, settings)
	require.NoError(t, d.Write(t.Context(), 0, put("before")))
	require.NoError(t, os.Rename(settings.Source, settings.Source+".away"))
	require.NoError(t, os.WriteFile(settings.Source, nil, 0o600))
	d.Read().SetMaxIdleConns(-1) // closes those that nobody uses
	for range 3 {
		_, err := db.List(t.Context(), d.Read(), db.Only[string], `SELECT name FROM secrets`)
		require.ErrorIs(t, err, db.ErrLost)
	}
	require.ErrorIs(t, d.Write(t.Context(), 0, put("lost")), db.ErrLost)
	require.NoError(t, os.Rename(settings.Source+".away", settings.Source))
	require.Eventually(t, func() bool { return d.Trouble() == nil }, wait, tick)
	require.NoError(t, d.Write(t.Context(), 0, put("after")))
	require.Equal(t, []string{"after", "before"}, names(t, d))
}
