package visit

import (
	"context"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// SessionPause is the inactivity that ends a session.
const SessionPause = 30 * time.Minute

// returning is what a new campaign is known by; empty for a view that brings
// nobody back to the site: one without a campaign, or within an open page.
func (a *arrival) returning() string {
	if a.Kind == "history" || a.Kind == "restore" {
		return ""
	}
	return a.source.campaign()
}

// goOn has the visitor's latest session go on with this view and returns the
// session, or 0 when it does not go on: there was a pause, a campaign brings the
// visitor back, or the view had been reported before. ErrUnknown: there is no
// such visitor.
//
// On PostgreSQL the change waits for a view of the same session on another node
// and then decides by what that view left.
func (a *arrival) goOn(ctx context.Context, tx db.Tx, visitor int64) (session int64, err error) {
	session, err = a.latestOf(ctx, tx, visitor)
	if err != nil {
		return 0, err
	}
	changed, err := tx.Exec(ctx, `UPDATE sessions SET last_at = CASE WHEN last_at > $3 THEN last_at ELSE $3 END,
			hits = hits + 1, hit_id = $4, recent = $5 || substr(recent, 1, $6)
		WHERE site_id = $1 AND id = $2 AND last_at >= $7 AND recent NOT LIKE $8 AND ($9 = '' OR campaign = $9)`,
		a.siteID, session, a.at, a.number, string(entryOf(a.mark, a.number)), (recentViews-1)*entryLength,
		a.at-SessionPause.Milliseconds(), "%"+string(a.mark)+"%", a.returning())
	if err != nil || changed == 0 {
		return 0, err
	}
	return session, nil
}

// latestOf is the visitor's latest session, as it is now. ErrUnknown: there is no such
// visitor.
func (a *arrival) latestOf(ctx context.Context, tx db.Tx, visitor int64) (session int64, err error) {
	// SQLite takes longer to return a column from a change than to read it before.
	known, found, err := db.One(ctx, tx, func(k *known) []any { return []any{&k.session, &k.marked} },
		`SELECT session_id, marked FROM visitors WHERE site_id = $1 AND id = $2`, a.siteID, visitor)
	if err == nil && !found {
		err = ErrUnknown
	}
	a.marked = known.marked
	return known.session, err
}

// known is what a visitor's row says.
type known struct {
	session int64
	marked  bool
}

// begin begins a session of the visitor with this view.
func (a *arrival) begin(ctx context.Context, tx db.Tx, visitor int64) error {
	return tx.Send(ctx, `INSERT INTO sessions (site_id, id, visitor_id, started_at, last_at, hits, hit_id, recent, campaign, bot, user_agent, language, `+SourceColumns+`)
		VALUES ($1, $2, $3, $4, $4, 1, $2, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
		append([]any{a.siteID, a.number, visitor, a.at, string(entryOf(a.mark, a.number)), a.source.campaign(), a.bot, a.UserAgent, a.Language}, a.source.Values()...)...)
}

// latest is the visitor's latest session.
type latest struct {
	id     int64
	recent recent
}

// latest reads the visitor's latest session and keeps others from changing
// which it is until the transaction ends. ErrUnknown: there is no such visitor.
func (a *arrival) latest(ctx context.Context, tx db.Tx, visitor int64) (l latest, err error) {
	// An UPDATE locks on both engines, and what it returns has waited for the lock.
	session, found, err := db.One(ctx, tx, db.Only[int64], `UPDATE visitors SET session_id = session_id WHERE site_id = $1 AND id = $2 RETURNING session_id`,
		a.siteID, visitor)
	if err != nil {
		return l, err
	}
	if !found {
		return l, ErrUnknown
	}
	// It may have been erased when the visitor has not.
	seen, _, err := db.One(ctx, tx, db.Only[recent], `SELECT recent FROM sessions WHERE site_id = $1 AND id = $2`, a.siteID, session)
	return latest{session, seen}, err
}

// prolong notes that somebody was active in the session.
func prolong(ctx context.Context, tx db.Tx, siteID, session, at int64) error {
	_, err := tx.Exec(ctx, `UPDATE sessions SET last_at = $3 WHERE site_id = $1 AND id = $2 AND last_at < $3`, siteID, session, at)
	return err
}
