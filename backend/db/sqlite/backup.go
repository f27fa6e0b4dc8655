package sqlite

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

// ErrInUse means that somebody has the file of the database open.
var ErrInUse = errors.New("the database is in use: stop Caddy first")

// Backup copies the database at the path, which may be in use, into a file that is not there yet. The
// copy is of one moment and compact, has been examined, and is on the disk when Backup returns;
// its size is in bytes. Others go on reading and writing meanwhile.
func Backup(ctx context.Context, path, to string) (size int64, err error) {
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("%s is there already: expected the name of a new file", to)
	}
	if _, err := os.Stat(path); err != nil {
		return 0, fmt.Errorf("opening database: %w", err)
	}
	if err := prepareFile(ctx, path); err != nil {
		return 0, fmt.Errorf("opening database: %w", err)
	}
	from, err := sql.Open("sqlite", source(path, "rw", "busy_timeout(5000)"))
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
		return "", err
	}
	made, err := sql.Open("sqlite", source(path, "rw"))
	if err != nil {
		return "", err
	}
	defer made.Close()
	if err := examine(ctx, made, "integrity_check"); err != nil {
		return "", err
	}
	if _, err := made.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", copyMark)); err != nil {
		return "", err
	}
	return path, errors.Join(made.Close(), file.Sync())
}

// Restore puts a copy in the place of the file at the path, which nobody may have open: the error may be [ErrInUse],
// [ErrMalformed] or that of check, and then nothing has changed. The copy stays as it is. kept is where the file that was
// there before is now, with its log beside it; empty when there was none.
func Restore(ctx context.Context, path, from string, now time.Time, check func(*sql.DB) error) (kept string, err error) {
	info, err := os.Stat(from)
	if err != nil {
		return "", err
	}
	if there, err := os.Stat(path); err == nil && os.SameFile(info, there) {
		return "", fmt.Errorf("%s is the database itself: expected a copy", from)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	release, err := lockOut(path)
	if err != nil {
		return "", err
	}
	defer release()
	copied, err := openCopy(ctx, from)
	if err != nil {
		return "", err
	}
	defer copied.Close()
	if err := check(copied); err != nil {
		return "", err
	}
	made, err := copyInto(ctx, copied, filepath.Dir(path))
	if err != nil {
		return "", fmt.Errorf("copying: %w", err)
	}
	defer os.Remove(made)
	if kept, err = replace(path, made, path+".before-"+now.Format("20060102-150405")); err != nil {
		return kept, err
	}
	return kept, adopt(ctx, path)
}

// openCopy opens a file that nobody changes, and examines it. Nothing is made beside it.
func openCopy(ctx context.Context, path string) (*sql.DB, error) {
	original := source(path, "ro", "busy_timeout(5000)")
	if sizeOf(path+"-wal") == 0 {
		original += "&immutable=1"
	}
	copied, err := sql.Open("sqlite", original)
	if err != nil {
		return nil, err
	}
	if err := examine(ctx, copied, "integrity_check"); err != nil {
		return nil, errors.Join(err, copied.Close())
	}
	return copied, nil
}

// Look examines a file that nobody changes, such as a copy, and hands it to check. own says whether [Backup] has made it. The
// error may be [ErrMalformed] or that of check.
func Look(ctx context.Context, path string, check func(*sql.DB) error) (own bool, err error) {
	if info, err := os.Stat(path); err != nil {
		return false, err
	} else if !info.Mode().IsRegular() {
		return false, fmt.Errorf("%s is no file", path)
	}
	own = isCopy(ctx, path)
	if own && sizeOf(path+"-wal") > 0 {
		return own, fmt.Errorf("%w: %s is a copy from a backup, and %[2]s-wal lies beside it", ErrStrayLog, path)
	}
	copied, err := openCopy(ctx, path)
	if err != nil {
		return own, err
	}
	defer copied.Close()
	return own, check(copied)
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
