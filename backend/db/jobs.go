package db

import (
	"context"
	"database/sql"

	"github.com/pressly/goose/v3"
)

// jobsMigration makes the table of package queue, whose ids the engines count in ways of
// their own. "due_at" is when a job may be taken; who takes it moves it to when another
// may. Jobs of a "target" are found in their order without looking at those of others.
func (d *DB) jobsMigration() *goose.Migration {
	id, key := `id INTEGER PRIMARY KEY AUTOINCREMENT`, ``
	if d.engine == Postgres {
		id, key = `id BIGINT GENERATED ALWAYS AS IDENTITY`, `, PRIMARY KEY (site_id, id)`
	}
	up := func(ctx context.Context, tx *sql.Tx) error {
		for _, statement := range []string{`CREATE TABLE jobs (
	` + id + `,
	site_id    BIGINT NOT NULL,
	kind       TEXT NOT NULL,
	target     TEXT NOT NULL,
	lane       BIGINT NOT NULL,
	visitor_id BIGINT NOT NULL,
	payload    TEXT NOT NULL,
	added_at   BIGINT NOT NULL,
	due_at     BIGINT NOT NULL,
	attempts   BIGINT NOT NULL,
	dead_at    BIGINT NOT NULL,
	reason     TEXT NOT NULL` + key + `
)`,
			`CREATE INDEX jobs_due ON jobs (target, due_at, id) WHERE dead_at = 0`,
			`CREATE INDEX jobs_lane ON jobs (target, lane, id) WHERE lane <> 0 AND dead_at = 0`,
			`CREATE INDEX jobs_dead ON jobs (kind, dead_at, id) WHERE dead_at <> 0`,
			`CREATE INDEX jobs_visitor ON jobs (site_id, visitor_id) WHERE visitor_id <> 0`,
		} {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	}
	return goose.NewGoMigration(30, &goose.GoFunc{RunTx: up}, nil)
}
