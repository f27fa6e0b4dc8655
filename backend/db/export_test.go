package db

import (
	"context"
	"database/sql"

	"github.com/seed-3405227d/frontdesk/backend/db/wire"
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
	return d.use(ctx, func(conn wire.Conn) error { return conn.Run(ctx, &wire.Statement{Query: query}) })
}

// Writer is the pool for all that is written beside the groups.
func (d *DB) Writer() *sql.DB { return d.write }

// Kept is how many statements a SQLite database has prepared for good.
func (d *DB) Kept() int { return d.sqlite.Kept() }

// Transaction is the one that the write takes part in.
func (tx Tx) Transaction() any { return tx.notes }
