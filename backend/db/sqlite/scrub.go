package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/aside"
)

const (
	// scrubTries is how often a log that is being read is tried to be emptied.
	scrubTries = 50
	scrubPause = 100 * time.Millisecond
)

// Scrub empties the log of a SQLite database, in which deleted rows stand as they were, into its file, where
// they are overwritten. It waits for readers, five seconds at most. PostgreSQL frees the room of deleted rows
// itself, by its vacuum.
func (d *DB) Scrub(ctx context.Context) error {
	if d.engine != SQLite {
		return nil
	}
	for range scrubTries {
		var busy, frames, moved int
		err := d.write.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &moved)
		if err != nil {
			return fmt.Errorf("emptying the log of the database: %w", err)
		}
		if busy == 0 {
			return nil
		}
		if !aside.Sleep(ctx, scrubPause) {
			return ctx.Err()
		}
	}
	return errors.New("emptying the log of the database: somebody reads it all the time")
}
