package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"go.uber.org/zap"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Trouble is why the database takes no writes.
type Trouble struct {
	Err error
	// Since is when the first write failed that way, or the file was found lost.
	Since time.Time
}

func (t *Trouble) Error() string { return t.Err.Error() }

func (t *Trouble) Unwrap() error { return t.Err }

// ErrFull is in the [Trouble] of a database whose disk is full.
var ErrFull = errors.New("the disk of the database is full")

// Trouble is what keeps the database from being written, or nil. It ends soon
// after the database can be written again, whether or not anybody writes. That its file is
// malformed ends with the DB: nothing is written into such a file.
func (d *DB) Trouble() *Trouble { return d.trouble.Load() }

// Lost tells whether the file of the database is not at its place any more.
func (d *DB) Lost() bool {
	t := d.trouble.Load()
	return t != nil && errors.Is(t.Err, ErrLost)
}

// Check asks the database something and returns its [Trouble], if it has any.
func (d *DB) Check(ctx context.Context) error {
	if err := d.files.check(); err != nil {
		d.troubled(err)
	} else if err := d.read.PingContext(ctx); err != nil && ctx.Err() == nil {
		d.troubled(fmt.Errorf("asking the database: %w", err))
	} else if err != nil {
		return fmt.Errorf("asking the database: %w", err)
	}
	if t := d.Trouble(); t != nil {
		return t
	}
	return nil
}

// troubled notes that a whole group could not be written, a file is lost, or malformed.
func (d *DB) troubled(err error) {
	if conflict(err) {
		return // the database is well, and busy
	}
	t := &Trouble{Err: explain(err), Since: d.now()}
	before := d.trouble.Load()
	if before != nil && errors.Is(before.Err, ErrMalformed) {
		return // nothing that comes later is worse
	}
	if before != nil {
		t.Since = before.Since
	}
	if d.trouble.CompareAndSwap(before, t) && before == nil {
		d.logger.Error("the database takes no writes", zap.Error(t))
	}
}

// watchEvery is how often the file is looked for, and how often a database in
// trouble is tried.
const watchEvery = 500 * time.Millisecond

// watch notices a lost file when nobody writes, and the end of trouble.
func (d *DB) watch(ctx context.Context) {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := d.files.check(); err != nil {
			d.troubled(err)
			continue
		}
		trouble := d.trouble.Load()
		if trouble == nil || errors.Is(trouble.Err, ErrMalformed) || d.try(ctx) != nil {
			continue
		}
		if d.trouble.CompareAndSwap(trouble, nil) {
			d.logger.Info("the database takes writes again", zap.Duration("after", d.now().Sub(trouble.Since)))
		}
	}
}

// try writes something that nobody reads: a full disk is not noticed before a
// change is kept.
func (d *DB) try(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, transactTimeout)
	defer cancel()
	return d.Write(ctx, 0, func(ctx context.Context, tx Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO sequences (name, next) VALUES ('db.tries', 1)
			ON CONFLICT (name) DO UPDATE SET next = sequences.next + 1`)
		return err
	})
}

// patience is how long a transaction may take.
func (d *DB) patience() time.Duration {
	if d.Trouble() != nil {
		return troubledTimeout
	}
	return transactTimeout
}

// explain puts the reason before the words of the engine, where it has one that
// its owner can do something about.
func explain(err error) error {
	var lite *sqlite.Error
	var post *pgconn.PgError
	switch {
	case errors.As(err, &lite) && lite.Code()&0xff == sqlite3.SQLITE_FULL, errors.As(err, &post) && post.Code == "53100":
		return fmt.Errorf("%w: make room on it (%w)", ErrFull, err)
	case malformed(err) && !errors.Is(err, ErrMalformed):
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	case errors.As(err, &lite) && lite.Code()&0xff == sqlite3.SQLITE_READONLY, errors.As(err, &post) && post.Code == "25006":
		return fmt.Errorf("the database is read-only: %w", err)
	}
	return err
}

// malformed tells whether SQLite says that the file is no database, or a broken one.
func malformed(err error) bool {
	var lite *sqlite.Error
	return errors.As(err, &lite) && (lite.Code()&0xff == sqlite3.SQLITE_CORRUPT || lite.Code()&0xff == sqlite3.SQLITE_NOTADB)
}

// outage tells whether the error is the database's own, so that no other write
// would succeed either.
func outage(err error) bool {
	var lite *sqlite.Error
	if errors.As(err, &lite) {
		switch lite.Code() & 0xff {
		case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB,
			sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_INTERRUPT:
			return true
		}
		return false
	}
	var post *pgconn.PgError
	if errors.As(err, &post) {
		// Insufficient resources, operator intervention, system error; a database
		// that is read-only (PostgreSQL, appendix A).
		class := post.Code[:min(2, len(post.Code))]
		return class == "53" || class == "57" || class == "58" || post.Code == "25006"
	}
	return false
}

// conflict tells whether PostgreSQL has ended the transaction in favour of others, and
// may be asked again: by a deadlock, a change of another, or since this node has let the
// transaction wait (appendix A).
func conflict(err error) bool {
	var post *pgconn.PgError
	return errors.As(err, &post) && (post.Code == "40P01" || post.Code == "40001" || post.Code == "25P03")
}
