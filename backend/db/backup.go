package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db/migrations"
	"github.com/seed-3405227d/frontdesk/backend/db/sqlite"
)

var (
	// ErrNotSQLite means that a database is PostgreSQL's, which has programs of its own for this.
	ErrNotSQLite = errors.New("the database is not SQLite")
	// ErrNewer means that a copy is of a newer program, which this one does not understand.
	ErrNewer = errors.New("the copy was made by a newer program")
)

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
		r.Pending, err = pendingIn(ctx, copied)
		return err
	})
	return r, explain(err)
}

// pendingIn is how many steps of migration the database lacks.
func pendingIn(ctx context.Context, d *sql.DB) (int, error) {
	of := migrations.Schema{Engine: SQLite, Read: d}
	steps, err := migrations.Steps(SQLite)
	if err != nil {
		return 0, err
	}
	version, err := of.Version(ctx)
	if err != nil {
		return 0, err
	}
	if version == 0 {
		return 0, errors.New("it is no database of Frontdesk: it has no tables")
	}
	if newest := steps[len(steps)-1].Version; version > newest {
		return 0, fmt.Errorf("%w: its schema is %d, and this one knows %d", ErrNewer, version, newest)
	}
	return of.Pending(ctx)
}
