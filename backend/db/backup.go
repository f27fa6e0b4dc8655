package db

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db/migrations"
	"github.com/seed-3405227d/frontdesk/backend/db/sqlite"
)

// ErrNotSQLite means that a database is PostgreSQL's, which has programs of its own for this.
var ErrNotSQLite = errors.New("the database is not SQLite")

// Backup copies a SQLite database, which may be in use, into a file that is not there yet. The
// copy is of one moment and compact, has been examined, and is on the disk when Backup returns;
// its size is in bytes. Others go on reading and writing meanwhile.
func Backup(ctx context.Context, settings Settings, to string) (size int64, err error) {
	if settings.Engine != SQLite {
		return 0, ErrNotSQLite
	}
	size, err = sqlite.Backup(ctx, settings.Source, to)
	return size, explain(err)
}

// Restored is what [Restore] has done.
type Restored struct {
	// Kept is where the file that was there before is now, with its log beside it; empty
	// when there was none.
	Kept string
	// Pending is how many steps of migration the copy lacks.
	Pending int
}

// Restore puts a copy of a SQLite database in the place of the settings' one, which nobody may
// have open: the error may be [ErrInUse], [ErrMalformed], [ErrUnreleased] or [ErrNewer], and then
// nothing has changed. The copy stays as it is.
func Restore(ctx context.Context, settings Settings, from string, now time.Time) (r Restored, err error) {
	if settings.Engine != SQLite {
		return r, ErrNotSQLite
	}
	r.Kept, err = sqlite.Restore(ctx, settings.Source, from, now, func(copied *sql.DB) (err error) {
		r.Pending, err = migrations.Schema{Engine: SQLite, Read: copied}.Usable(ctx)
		return err
	})
	return r, explain(err)
}
