package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"

	"modernc.org/sqlite"
)

// ErrStrayLog means that the log beside the file of a SQLite database belongs to another
// file. Read together, the two would be a malformed database.
var ErrStrayLog = errors.New("the log beside the file of the database is not its own")

// copyMark is the application_id of a copy that [Backup] has made, and of no database that is
// in use: whoever opens the copy to use it takes the mark away first. SQLite itself does
// not see whose log lies beside a file.
const copyMark = 0x46644370

// prepareFile makes the file of the database if there is none, and a copy into a database
// of its own. It refuses a log that is not the file's.
func prepareFile(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	logged := sizeOf(path+"-wal") > 0
	switch {
	case info == nil && logged:
		return fmt.Errorf("%w: %s is not there, and %[2]s-wal is; put the file back, or move the log away to begin with an empty database", ErrStrayLog, path)
	case info == nil:
		// What visitors tell is nobody else's to read; the log takes over the file's mode.
		file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if errors.Is(err, os.ErrExist) {
			return nil // another process was quicker
		} else if err != nil {
			return err
		}
		return file.Close()
	case info.Size() == 0 && logged: // SQLite would delete the log
		return fmt.Errorf("%w: %s is empty, and %[2]s-wal is not; put the right file back, or move both away to begin with an empty database", ErrStrayLog, path)
	case !isCopy(ctx, path):
		return nil
	case logged:
		return fmt.Errorf("%w: %s is a copy from a backup, and %[2]s-wal was there before; put the copy back by: caddy frontdesk restore", ErrStrayLog, path)
	}
	return adopt(ctx, path)
}

func sizeOf(path string) int64 {
	if info, err := os.Stat(path); err == nil {
		return info.Size()
	}
	return 0
}

// isCopy tells whether the file bears the copyMark. It does not look at the log. What else is
// wrong with the file is told when it is opened.
func isCopy(ctx context.Context, path string) bool {
	from := source(path, "ro") + "&immutable=1"
	if sizeOf(path+"-journal") > 0 { // of an adopt that was cut short
		from = source(path, "rw")
	}
	d, err := sql.Open("sqlite", from)
	if err != nil {
		return false
	}
	defer d.Close()
	var mark int64
	return d.QueryRowContext(ctx, "PRAGMA application_id").Scan(&mark) == nil && mark == copyMark
}

// skipped is how many numbers of each sequence a restored database leaves out. They may
// have been given out since the copy was made: a browser may still show one.
const skipped = 1 << 32

// Sequences whose names begin with OfDays have numbers that tell the day: it stands above DayBits bits. Numbers of all days
// until now may have been given out.
const (
	OfDays  = "day."
	DayBits = 31
)

// adopt makes a database of its own of a copy. There is no log yet, so that all of it is
// in the file when it returns.
func adopt(ctx context.Context, path string) error {
	d, err := sql.Open("sqlite", source(path, "rw", "busy_timeout(5000)")+"&_txlock=immediate")
	if err != nil {
		return err
	}
	defer d.Close()
	tx, err := d.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("taking a copy into use: %w", err)
	}
	defer tx.Rollback()
	var mark int64
	if err := tx.QueryRowContext(ctx, "PRAGMA application_id").Scan(&mark); err != nil || mark != copyMark {
		return err // another process was quicker
	}
	statements := []string{"PRAGMA application_id = 0"}
	today := fmt.Sprintf("CASE WHEN name LIKE '%s%%' THEN max(next, unixepoch() / 86400 << %d) ELSE next END", OfDays, DayBits)
	for table, of := range map[string][2]string{"sequences": {"next", today}, "sqlite_sequence": {"seq", "seq"}} {
		var found int
		if err := tx.QueryRowContext(ctx, "SELECT COUNT(*) FROM sqlite_master WHERE name = ?", table).Scan(&found); err != nil {
			return fmt.Errorf("taking a copy into use: %w", err)
		}
		if found > 0 {
			statements = append(statements, fmt.Sprintf("UPDATE %s SET %s = %s + %d", table, of[0], of[1], skipped))
		}
	}
	for _, statement := range statements {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("taking a copy into use: %w", err)
		}
	}
	return tx.Commit()
}

// connector opens connections to the file of the database, and to no other that has
// come to its place: SQLite deletes the log beside an empty file, whoever asks it.
type connector struct {
	of     *Database
	source string
}

func (d *Database) connector(source string) *connector { return &connector{d, source} }

func (c *connector) Connect(context.Context) (driver.Conn, error) {
	if err := c.of.files.check(); err != nil {
		return nil, err
	}
	conn, err := c.Driver().Open(c.source)
	if err != nil {
		return nil, err
	}
	if err := c.of.files.check(); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

func (c *connector) Driver() driver.Driver { return new(sqlite.Driver) }
