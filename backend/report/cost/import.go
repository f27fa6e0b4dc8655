package cost

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
)

// State says how far an import has come.
type State string

// The states. Only what is in effect counts in reports.
const (
	Loading State = "loading" // its rows are not all there
	Draft   State = "draft"   // it is shown, and not confirmed
	Effect  State = "effect"
	Gone    State = "undone"
)

// Import is a file of costs, or an entry by hand.
type Import struct {
	SiteID, ID int64
	State      State
	// Name is that of the file, or of the campaign of an entry by hand, which may be empty.
	Name     string
	Platform Platform
	// Source and Medium are those of the visits that the costs were for.
	Source, Medium string
	Currency       string // as the file tells it; ISO 4217
	First, Last    period.Date
	Rows           int64
	Amount         int64 // of all rows, in millionths
	Left           []Left
	LeftOut        int64
	// MadeBy is the login of who has sent it, and UndoneBy that of who has undone it.
	MadeBy, UndoneBy  string
	StoredAt, GoneAt  time.Time
	digest, leftLines string
	madeAt            int64
}

const importColumns = `site_id, id, state, name, platform, source, medium, currency, first_day, last_day, rows_of, amount, left_lines, left_out, made_by, made_at, stored_at, undone_by, undone_at, digest`

func scanImport(r *importRow) []any {
	return []any{&r.SiteID, &r.ID, &r.State, &r.Name, &r.Platform, &r.Source, &r.Medium, &r.Currency, &r.First, &r.Last, &r.Rows, &r.Amount, &r.leftLines, &r.LeftOut,
		&r.MadeBy, &r.madeAt, &r.storedAt, &r.UndoneBy, &r.goneAt, &r.digest}
}

type importRow struct {
	Import
	storedAt, goneAt int64
}

func (r importRow) whole() Import {
	i := r.Import
	i.StoredAt, i.GoneAt = db.Time(r.storedAt), db.Time(r.goneAt)
	_ = json.Unmarshal([]byte(r.leftLines), &i.Left) // which only this package writes
	return i
}

// List returns at most limit imports of the site that were confirmed, the newest first.
func (c *Costs) List(ctx context.Context, siteID int64, limit int) ([]Import, error) {
	rows, err := db.List(ctx, c.db.Read(), scanImport, `SELECT `+importColumns+` FROM cost_imports WHERE site_id = $1 AND stored_at <> 0 ORDER BY stored_at DESC, id DESC LIMIT $2`, siteID, limit)
	if err != nil {
		return nil, fmt.Errorf("reading the imports of costs: %w", err)
	}
	list := make([]Import, len(rows))
	for i, r := range rows {
		list[i] = r.whole()
	}
	return list, nil
}

// Get returns an import of the site, or [ErrUnknown].
func (c *Costs) Get(ctx context.Context, siteID, id int64) (Import, error) {
	r, found, err := db.One(ctx, c.db.Read(), scanImport, `SELECT `+importColumns+` FROM cost_imports WHERE site_id = $1 AND id = $2 AND state <> 'loading'`, siteID, id)
	switch {
	case err != nil:
		return Import{}, fmt.Errorf("reading an import of costs: %w", err)
	case !found:
		return Import{}, ErrUnknown
	}
	return r.whole(), nil
}
