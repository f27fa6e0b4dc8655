package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/seed-3405227d/frontdesk/backend/db/wire"
)

// ErrMalformed means that the file of a SQLite database is broken.
var ErrMalformed = errors.New("the file of the database is malformed")

// lookTime bounds how long a file is looked at when it is opened. What is larger than can be
// read in that time is examined by [Database.Examine].
const lookTime = 2 * time.Second

// Examine reads the whole file, however long that takes, and returns [ErrMalformed] if it is broken.
func (d *Database) Examine(ctx context.Context) error { return examine(ctx, d.Read, "integrity_check") }

// faultsTold bounds how many faults of a file are told.
const faultsTold = 5

// examine has SQLite examine the file by the pragma.
func examine(ctx context.Context, by *sql.DB, check string) error {
	rows, err := by.QueryContext(ctx, fmt.Sprintf("PRAGMA %s(%d)", check, faultsTold))
	if err != nil {
		return fmt.Errorf("examining the file of the database: %w", err)
	}
	defer rows.Close()
	var faults []string
	for rows.Next() {
		var fault string
		if err := rows.Scan(&fault); err != nil {
			return fmt.Errorf("examining the file of the database: %w", err)
		}
		faults = append(faults, fault)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("examining the file of the database: %w", err)
	}
	if len(faults) == 1 && faults[0] == "ok" {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrMalformed, strings.Join(faults, "; "))
}

// FaultOf is what an error of SQLite means for others; None for one that is not SQLite's.
func FaultOf(err error) wire.Fault {
	var of *sqlite.Error
	if errors.Is(err, ErrMalformed) {
		return wire.Malformed
	}
	if !errors.As(err, &of) {
		return wire.None
	}
	switch of.Code() & 0xff {
	case sqlite3.SQLITE_FULL:
		return wire.Full
	case sqlite3.SQLITE_READONLY:
		return wire.ReadOnly
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return wire.Malformed
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED,
		sqlite3.SQLITE_INTERRUPT:
		return wire.Outage
	}
	return wire.None
}
