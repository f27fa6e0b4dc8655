// Package upgrade has the nodes of two releases share a database: each says that it is there, and one takes the steps of the
// schema with which older nodes do not go on, when none of these has been seen for a day.
package upgrade

import (
	"context"
	"errors"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/duties"
	"github.com/seed-3405227d/frontdesk/backend/db/migrations"
)

// Keep says for as long as the context lasts that this node uses the database, which has to be migrated, and takes the steps
// that wait. When a newer release has changed the schema for good, nothing more is written.
func Keep(ctx context.Context, d *db.DB) {
	waiting := 0
	for aside.Sleep(ctx, migrations.Beat) {
		before := waiting
		var err error
		switch waiting, err = keep(ctx, d); {
		case ctx.Err() != nil:
		case errors.Is(err, db.ErrNewer):
			db.Leave(d, err)
		case err != nil:
			d.Logger().Warn("cannot change the schema", zap.Error(err))
		case waiting != before:
			d.Logger().Info("steps of the schema wait until no older node has run for a day", zap.Int("steps", waiting))
		}
	}
}

// keep returns how many steps wait.
func keep(ctx context.Context, d *db.DB) (waiting int, err error) {
	schema := db.SchemaOf(d)
	if err := schema.Announce(ctx); err != nil {
		return 0, err
	}
	if waiting, err = schema.Later(ctx); err != nil || waiting == 0 {
		return waiting, err
	}
	_, err = duties.Do(ctx, d, "db.schema", func(ctx context.Context) (err error) {
		waiting, err = schema.Finish(ctx)
		return err
	})
	return waiting, err
}
