package db

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db/migrations"
)

// What keeps the schema from being used or changed.
var (
	// ErrUnreleased means that the tables were made by a program older than the first release, in steps that this one does
	// not know.
	ErrUnreleased = migrations.ErrUnreleased
	// ErrNewer means that a newer release has changed the schema so that this program cannot use it.
	ErrNewer = migrations.ErrNewer
)

// Migrate brings the schema to where this program can begin. Several nodes, or processes, may call it at once on one
// database: one takes each step, the others wait for it. The error may be [ErrUnreleased], [ErrNewer], or that the nodes of an
// older release are in the way.
func (d *DB) Migrate(ctx context.Context) error {
	if err := SchemaOf(d).Migrate(ctx); err != nil {
		return fmt.Errorf("migrating database: %w", err)
	}
	return nil
}

// Pending is how many steps the schema lacks for this program to begin. It writes nothing. The error may be [ErrUnreleased].
func (d *DB) Pending(ctx context.Context) (int, error) { return SchemaOf(d).Pending(ctx) }

// SchemaOf is the schema of the database.
func SchemaOf(d *DB) migrations.Schema {
	patient := func() (*sql.DB, func() error, error) {
		if d.postgres == nil {
			return d.write, func() error { return nil }, nil
		}
		pool, err := d.postgres.Patient()
		if err != nil {
			return nil, nil, err
		}
		return pool, pool.Close, nil
	}
	return migrations.Schema{Engine: d.engine, Node: d.node, Clock: Clock(d.engine), Read: d.read, Patient: patient, Write: func(ctx context.Context, f func(context.Context, migrations.Tx) error) error {
		return d.Write(ctx, 0, func(ctx context.Context, tx Tx) error {
			if err := tx.Lock(ctx, schemaLock); err != nil {
				return err
			}
			return f(ctx, schemaTx{tx})
		})
	}}
}

// schemaLock is held by who says who works with the schema.
const schemaLock = 0x736368656d61

type schemaTx struct{ Tx }

func (tx schemaTx) Number(ctx context.Context, query string, args ...any) (int64, error) {
	n, _, err := One(ctx, tx.Tx, Only[int64], query, args...)
	return n, err
}

// Leave has nothing more be written by the DB, whose program is too old for its schema.
func Leave(d *DB, why error) { d.troubled(why) }
