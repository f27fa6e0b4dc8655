package db

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db/wire"
)

// Snapshot has f ask what the database holds at one moment, however long that takes. Others write meanwhile: SQLite keeps
// what they write in the log until f is done, and PostgreSQL keeps the rows that they change. PostgreSQL is reached without
// a pooler.
func Snapshot(ctx context.Context, d *DB, f func(Queries) error) error {
	pool, options := d.read, &sql.TxOptions{ReadOnly: true}
	if d.postgres != nil {
		var err error
		if pool, err = d.postgres.Unhurried(); err != nil {
			return fmt.Errorf("opening a snapshot: %w", err)
		}
		defer pool.Close()
		options.Isolation = sql.LevelRepeatableRead
	}
	tx, err := pool.BeginTx(ctx, options)
	if err != nil {
		return fmt.Errorf("opening a snapshot: %w", err)
	}
	defer tx.Rollback()
	return f(snapshot{tx})
}

// snapshot asks within its transaction.
type snapshot struct{ tx *sql.Tx }

func (s snapshot) ask(ctx context.Context, query string, args []any, read func(wire.Rows) error) error {
	rows, err := s.tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if err := read(rows); err != nil {
		return err
	}
	return rows.Close()
}
