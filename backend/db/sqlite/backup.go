package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

var (
	// ErrInUse means that somebody has the file of the database open.
	ErrInUse = errors.New("the database is in use: stop Caddy first")
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
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("%s is there already: expected the name of a new file", to)
	}
	if _, err := os.Stat(settings.Source); err != nil {
		return 0, fmt.Errorf("opening database: %w", err)
	}
	if err := prepareFile(ctx, settings.Source); err != nil {
		return 0, fmt.Errorf("opening database: %w", err)
	}
	from, err := sql.Open("sqlite", sqliteSource(settings.Source, "rw", "busy_timeout(5000)"))
	if err != nil {
		return 0, err
	}
	defer from.Close()
	made, err := copyInto(ctx, from, filepath.Dir(to))
	if err != nil {
		return 0, fmt.Errorf("copying the database: %w", err)
	}
	defer os.Remove(made)
	if err := os.Rename(made, to); err != nil {
		return 0, err
	}
	return sizeOf(to), syncFolder(to)
}

// copyInto makes a copy in the folder, and returns its path.
func copyInto(ctx context.Context, from *sql.DB, folder string) (path string, err error) {
	file, err := os.CreateTemp(folder, ".frontdesk-copy-*") // for its owner alone
	if err != nil {
		return "", err
	}
	defer file.Close()
	path = file.Name()
	defer func() {
		if err != nil {
			os.Remove(path)
		}
	}()
	if _, err := from.ExecContext(ctx, "VACUUM INTO ?", path); err != nil {
		return "", explain(err)
	}
	made, err := sql.Open("sqlite", sqliteSource(path, "rw"))
	if err != nil {
		return "", err
	}
	defer made.Close()
	if err := examineBy(ctx, made, "integrity_check"); err != nil {
		return "", err
	}
	if _, err := made.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", copyMark)); err != nil {
		return "", err
	}
	return path, errors.Join(made.Close(), file.Sync())
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
// have open: the error may be [ErrInUse], [ErrMalformed] or [ErrNewer], and then nothing has
// changed. The copy stays as it is.
func Restore(ctx context.Context, settings Settings, from string, now time.Time) (r Restored, err error) {
	if settings.Engine != SQLite {
		return r, ErrNotSQLite
	}
	path := settings.Source
	info, err := os.Stat(from)
	if err != nil {
		return r, err
	}
	if there, err := os.Stat(path); err == nil && os.SameFile(info, there) {
		return r, fmt.Errorf("%s is the database itself: expected a copy", from)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return r, err
	}
	release, err := lockOut(path)
	if err != nil {
		return r, err
	}
	defer release()
	source := sqliteSource(from, "ro", "busy_timeout(5000)")
	if sizeOf(from+"-wal") == 0 {
		source += "&immutable=1" // nothing is made beside it
	}
	copied, err := sql.Open("sqlite", source)
	if err != nil {
		return r, err
	}
	defer copied.Close()
	if err := examineBy(ctx, copied, "integrity_check"); err != nil {
		return r, err
	}
	if r.Pending, err = pendingIn(ctx, copied); err != nil {
		return r, err
	}
	made, err := copyInto(ctx, copied, filepath.Dir(path))
	if err != nil {
		return r, fmt.Errorf("copying: %w", err)
	}
	defer os.Remove(made)
	if r.Kept, err = replace(path, made, path+".before-"+now.Format("20060102-150405")); err != nil {
		return r, err
	}
	return r, adopt(ctx, path)
}

// pendingIn is how many steps of migration the database lacks.
func pendingIn(ctx context.Context, d *sql.DB) (int, error) {
	of := &DB{engine: SQLite, read: d}
	steps, err := of.steps()
	if err != nil {
		return 0, err
	}
	version, err := of.version(ctx)
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

// replace puts the copy in the place of the file, and keeps the file and what lies beside it
// under another name. The log goes last: whenever this is cut short, the log lies beside its
// own file, or beside a copy, where it is not read (see copyMark).
func replace(path, by, keep string) (kept string, err error) {
	if _, err := os.Stat(path); err == nil {
		kept = keep
		if os.Link(path, keep) != nil { // a disk without links
			if err := os.Rename(path, keep); err != nil {
				return "", err
			}
		}
	}
	if err := os.Rename(by, path); err != nil {
		return kept, err
	}
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if err := os.Rename(path+suffix, keep+suffix); err == nil {
			kept = keep
		} else if !errors.Is(err, fs.ErrNotExist) {
			return kept, err
		}
	}
	return kept, syncFolder(path)
}

// syncFolder has the names of a file's folder outlive a loss of power.
func syncFolder(path string) error {
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}
