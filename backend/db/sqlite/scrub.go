package sqlite

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

// Scrub removes what deleted rows have left in the file, and empties the log, in which they stand as they were. It reads
// the whole file, and others write meanwhile. For the log it waits for readers, five seconds at most.
func (d *Database) Scrub(ctx context.Context) error {
	if err := d.wipe(ctx); err != nil {
		return err
	}
	for range scrubTries {
		var busy, frames, moved int
		err := d.Write.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &moved)
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
