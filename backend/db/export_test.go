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
func (d *DB) Writer() *sql.DB { return d.write.DB }

// MigrateTo brings the schema to an earlier version.
func (d *DB) MigrateTo(ctx context.Context, version int64) error {
	provider, err := d.migrator()
	if err != nil {
		return err
	}
	_, err = provider.UpTo(ctx, version)
	return err
}
