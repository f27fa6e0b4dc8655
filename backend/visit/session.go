package visit

import (
	"context"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Pause is the inactivity that ends a visit.
const Pause = 30 * time.Minute

// returning returns the campaign that brings the visitor back with this view. It is empty for a view without a
// campaign, and for a view within an open page.
func (a *arriving) returning() string {
	if a.Kind == "history" || a.Kind == "restore" {
		return ""
	}
	return a.source.CampaignKey()
}

// goOn continues the visitor's latest visit with this view, and returns the visit. It returns 0 if the visit does
// not go on: after a pause, if a campaign brings the visitor back, or if the view was reported before. The error is
// ErrUnknown if there is no such visitor.
//
// On PostgreSQL the change waits for a view of the same visit on another node, and then decides by the result of that
// view.
func (a *arriving) goOn(ctx context.Context, tx db.Tx, visitor int64) (visit int64, err error) {
	visit, err = a.latestOf(ctx, tx, visitor)
	if err != nil {
		return 0, err
	}
	changed, err := tx.Exec(ctx, `UPDATE visits SET last_at = CASE WHEN last_at > $3 THEN last_at ELSE $3 END,
			views = views + 1, view_id = $4, recent = $5 || substr(recent, 1, $6)
		WHERE site_id = $1 AND id = $2 AND last_at >= $7 AND recent NOT LIKE $8 AND ($9 = '' OR campaign = $9)`,
		a.siteID, visit, a.at, a.number, string(entryOf(a.mark, a.number)), (recentViews-1)*entryLength,
		a.at-Pause.Milliseconds(), "%"+string(a.mark)+"%", a.returning())
	if err != nil || changed == 0 {
		return 0, err
	}
	return visit, nil
}

// latestOf returns the visitor's latest visit, without a lock. The error is ErrUnknown if there is no such visitor.
func (a *arriving) latestOf(ctx context.Context, tx db.Tx, visitor int64) (visit int64, err error) {
	// SQLite takes longer to return a column from a change than to read it before.
	known, found, err := db.One(ctx, tx, func(k *known) []any { return []any{&k.visit, &k.marked} },
		`SELECT visit_id, marked FROM visitors WHERE site_id = $1 AND id = $2`, a.siteID, visitor)
	if err == nil && !found {
		err = ErrUnknown
	}
	a.marked = known.marked
	return known.visit, err
}

// known holds the columns of a visitor's row that a view needs.
type known struct {
	visit  int64
	marked bool
}

// begin begins a visit of the visitor with this view.
func (a *arriving) begin(ctx context.Context, tx db.Tx, visitor int64) error {
	return tx.Send(ctx, `INSERT INTO visits (site_id, id, visitor_id, started_at, last_at, views, view_id, recent, campaign, bot, user_agent, language, `+source.Columns+`)
		VALUES ($1, $2, $3, $4, $4, 1, $2, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
		append([]any{a.siteID, a.number, visitor, a.at, string(entryOf(a.mark, a.number)), a.source.CampaignKey(), a.bot, a.UserAgent, a.Language}, a.source.Values()...)...)
}

// latest is the visitor's latest visit.
type latest struct {
	id     int64
	recent recent
}

// latest reads the visitor's latest visit, and locks it until the transaction ends, so that no other one becomes the
// latest. The error is ErrUnknown if there is no such visitor.
func (a *arriving) latest(ctx context.Context, tx db.Tx, visitor int64) (l latest, err error) {
	// An UPDATE locks the row on both engines. It returns the value after the wait for the lock.
	visit, found, err := db.One(ctx, tx, db.Only[int64], `UPDATE visitors SET visit_id = visit_id WHERE site_id = $1 AND id = $2 RETURNING visit_id`,
		a.siteID, visitor)
	if err != nil {
		return l, err
	}
	if !found {
		return l, ErrUnknown
	}
	// The visit may have been erased and the visitor not.
	seen, _, err := db.One(ctx, tx, db.Only[recent], `SELECT recent FROM visits WHERE site_id = $1 AND id = $2`, a.siteID, visit)
	return latest{visit, seen}, err
}

// prolong notes that somebody was active in the visit.
func prolong(ctx context.Context, tx db.Tx, siteID, visit, at int64) error {
	_, err := tx.Exec(ctx, `UPDATE visits SET last_at = $3 WHERE site_id = $1 AND id = $2 AND last_at < $3`, siteID, visit, at)
	return err
}
