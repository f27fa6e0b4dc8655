package db

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db/migrations"
)

// ErrUnreleased means that the tables were made by a program older than the first release, in steps that this one does
// not know.
var ErrUnreleased = migrations.ErrUnreleased

// Migrate brings the schema up to date. Several nodes, or processes, may call it at once
// on one database: one takes each step, the others wait for it. The error may be [ErrUnreleased].
func (d *DB) Migrate(ctx context.Context) error {
	if err := schemaOf(d).Migrate(ctx); err != nil {
		return fmt.Errorf("migrating database: %w", err)
	}
	return nil
}

// Pending is how many steps the schema lacks. It writes nothing. The error may be [ErrUnreleased].
func (d *DB) Pending(ctx context.Context) (int, error) { return schemaOf(d).Pending(ctx) }

func schemaOf(d *DB) migrations.Schema {
	return migrations.Schema{Engine: d.engine, Read: d.read, Patient: func() (*sql.DB, func() error, error) {
		if d.postgres == nil {
			return d.write, func() error { return nil }, nil
		}
		pool, err := d.postgres.Patient()
		if err != nil {
			return nil, nil, err
		}
		return pool, pool.Close, nil
	}}
}
