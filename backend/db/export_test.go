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

// Writer is the pool that the groups write by.
func (d *DB) Writer() *sql.DB { return d.write }

// Kept is how many statements are prepared for good.
func (d *DB) Kept() int {
	d.stmts.mu.RLock()
	defer d.stmts.mu.RUnlock()
	return len(d.stmts.prepared)
}

// Transaction is the one that the write takes part in.
func (tx Tx) Transaction() *sql.Tx { return tx.sql }

// MigrateTo brings the schema to an earlier version.
func (d *DB) MigrateTo(ctx context.Context, version int64) error {
	provider, err := d.migrator()
	if err != nil {
		return err
	}
	_, err = provider.UpTo(ctx, version)
	return err
}
