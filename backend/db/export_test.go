package db

import (
	"context"
	"database/sql"
)

// Waiting is how many writes no group has taken yet.
func (d *DB) Waiting() (n int) {
	for _, g := range d.groups {
		n += len(g.queue)
	}
	return n
}

// ExecWriter executes a statement on the connection that the groups write by.
func (d *DB) ExecWriter(ctx context.Context, query string) error {
	return d.session(ctx, func(s session) error { return s.run(ctx, &statement{query: query}) })
}

// Writer is the pool for all that is written beside the groups.
func (d *DB) Writer() *sql.DB { return d.write }

// Kept is how many statements a SQLite database has prepared for good.
func (d *DB) Kept() int { return len(d.writer.kept) }

// Transaction is the one that the write takes part in.
func (tx Tx) Transaction() any { return tx.notes }
