package search

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
)

// Keep has the lead, which came at the time, found by the words, which have blanks between them, and by no others.
func Keep(ctx context.Context, tx db.Tx, siteID, id int64, at time.Time, words string) error {
	if tx.Engine() == db.Postgres {
		return tx.Send(ctx, `INSERT INTO lead_search (site_id, lead_id, at, words) VALUES ($1, $2, $3, array_to_tsvector(string_to_array($4, ' ')))
			ON CONFLICT (site_id, lead_id) DO UPDATE SET words = EXCLUDED.words`, siteID, id, at.UnixMilli(), words)
	}
	if err := Drop(ctx, tx, siteID, id); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `INSERT INTO lead_search (rowid, words) VALUES ($1, $2)`, id, words)
	return err
}

// Drop has the lead found no more.
func Drop(ctx context.Context, tx db.Tx, siteID, id int64) error {
	if tx.Engine() == db.Postgres {
		_, err := tx.Exec(ctx, `DELETE FROM lead_search WHERE site_id = $1 AND lead_id = $2`, siteID, id)
		return err
	}
	_, err := tx.Exec(ctx, `DELETE FROM lead_search WHERE rowid = $1`, id)
	return err
}

const (
	// scrubbedAtOnce is how many pages of the index one transaction writes anew, and scrubPause how many
	// times as long as that took the writer is left to others.
	scrubbedAtOnce = 250
	scrubPause     = 3
)

// Scrub writes the index of SQLite anew, without the words of leads that are gone: until then these stand in it, and
// are only not found.
func Scrub(ctx context.Context, d *db.DB) error {
	if d.Engine() != db.SQLite {
		return nil
	}
	for pages := -scrubbedAtOnce; ; pages = scrubbedAtOnce { // the first has all of it written
		began := time.Now()
		var changed int64
		err := d.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
			const changes = `SELECT total_changes()`
			before, _, err := db.One(ctx, tx, db.Only[int64], changes)
			if err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, `INSERT INTO lead_search (lead_search, rank) VALUES ('merge', $1)`, pages); err != nil {
				return err
			}
			after, _, err := db.One(ctx, tx, db.Only[int64], changes)
			changed = after - before
			return err
		})
		if err != nil {
			return fmt.Errorf("scrubbing the search of leads: %w", err)
		}
		if changed < 2 { // as SQLite says that there was nothing to do
			return nil
		}
		if !aside.Sleep(ctx, scrubPause*time.Since(began)) {
			return ctx.Err()
		}
	}
}
