// Package verify checks copies of SQLite databases.
package verify

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/migrations"
	"github.com/seed-3405227d/frontdesk/backend/db/sqlite"
	"github.com/seed-3405227d/frontdesk/backend/db/wire"
)

// Found is what [File] has found in a copy that is whole.
type Found struct {
	// Own says that [db.Backup] has made it.
	Own bool
	// Version is the number of the last step of its schema, and Pending how many this program would add.
	Version              int64
	Pending              int
	Sites, Leads, Visits int64
	// LastLead is when the last lead came.
	LastLead time.Time
}

// File reads a copy of a SQLite database whole, and changes nothing. The error says what is wrong with it: it may be
// [db.ErrMalformed], [db.ErrStrayLog], [db.ErrUnreleased] or [db.ErrNewer].
func File(ctx context.Context, file string) (f Found, err error) {
	f.Own, err = sqlite.Look(ctx, file, func(copied *sql.DB) (err error) {
		schema := migrations.Schema{Engine: db.SQLite, Read: copied}
		if f.Pending, err = schema.Usable(ctx); err != nil {
			return err
		}
		if f.Version, err = schema.Version(ctx); err != nil {
			return err
		}
		var last int64
		if err := copied.QueryRowContext(ctx, `SELECT (SELECT COUNT(*) FROM sites), (SELECT COUNT(*) FROM leads), (SELECT COUNT(*) FROM visits), (SELECT COALESCE(MAX(at), 0) FROM leads)`).
			Scan(&f.Sites, &f.Leads, &f.Visits, &last); err != nil {
			return err
		}
		f.LastLead = db.Time(last)
		return consistent(ctx, copied)
	})
	if sqlite.FaultOf(err) == wire.Malformed && !errors.Is(err, db.ErrMalformed) {
		err = fmt.Errorf("%w: %w", db.ErrMalformed, err)
	}
	return f, err
}

// consistent returns what contradicts itself in the database.
func consistent(ctx context.Context, d *sql.DB) error {
	for fault, query := range map[string]string{
		"rows that refer to others which are missing":      `SELECT COUNT(*) FROM pragma_foreign_key_check`,
		"leads of sites that are missing":                  `SELECT COUNT(*) FROM leads WHERE site_id NOT IN (SELECT id FROM sites)`,
		"leads whose number would be given out once more":  `SELECT COUNT(*) FROM leads WHERE id >= (SELECT COALESCE(MAX(next), 0) FROM sequences WHERE name = 'leads')`,
		"visits whose number would be given out once more": `SELECT COUNT(*) FROM visits WHERE id >= (SELECT COALESCE(MAX(next), 0) FROM sequences WHERE name = '` + sqlite.OfDays + `visit.views')`,
		"leads that are a part of one that is missing":     `SELECT COUNT(*) FROM leads l WHERE merged_into <> 0 AND NOT EXISTS (SELECT 1 FROM leads m WHERE m.site_id = l.site_id AND m.id = l.merged_into)`,
	} {
		var n int64
		if err := d.QueryRowContext(ctx, query).Scan(&n); err != nil {
			return err
		}
		if n > 0 {
			return fmt.Errorf("it has %d %s", n, fault)
		}
	}
	return nil
}
