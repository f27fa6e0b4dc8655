package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrMalformed means that the file of a SQLite database is broken.
var ErrMalformed = errors.New("the file of the database is malformed")

// lookTime bounds how long a file is looked at when it is opened. What is larger than can be
// read in that time is examined by [DB.Examine].
const lookTime = 2 * time.Second

// writable is the error of a write that nothing may be written of.
func (d *DB) writable() error {
	if t := d.Trouble(); t != nil && errors.Is(t.Err, ErrMalformed) {
		return t.Err
	}
	return d.files.check()
}

// Examine reads the whole file of a SQLite database, however long that takes, and returns
// [ErrMalformed] if it is broken. Of PostgreSQL it asks nothing.
func (d *DB) Examine(ctx context.Context) error {
	if d.engine != SQLite {
		return nil
	}
	return d.examine(ctx, "integrity_check")
}

func (d *DB) examine(ctx context.Context, check string) error {
	return examineBy(ctx, d.read, check)
}

// faultsTold bounds how many faults of a file are told.
const faultsTold = 5

// examineBy has SQLite examine the file by the pragma.
func examineBy(ctx context.Context, by *sql.DB, check string) error {
	rows, err := by.QueryContext(ctx, fmt.Sprintf("PRAGMA %s(%d)", check, faultsTold))
	if err != nil {
		return fmt.Errorf("examining the file of the database: %w", explain(err))
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
		return fmt.Errorf("examining the file of the database: %w", explain(err))
	}
	if len(faults) == 1 && faults[0] == "ok" {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrMalformed, strings.Join(faults, "; "))
}
