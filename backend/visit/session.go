package visit

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
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
	// SQLite takes longer to return a column from a change than to read it before.
	query, err := tx.Prepared(ctx, `SELECT session_id, marked FROM visitors WHERE site_id = $1 AND id = $2`)
	if err != nil {
		return 0, err
	}
	err = query.QueryRowContext(ctx, a.siteID, visitor).Scan(&session, &a.marked)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, ErrUnknown
	}
	if err != nil {
		return 0, err
	}
	changed, err := run(ctx, tx, `UPDATE sessions SET last_at = CASE WHEN last_at > $3 THEN last_at ELSE $3 END,
			hits = hits + 1, hit_id = $4, recent = $5 || substr(recent, 1, $6)
		WHERE site_id = $1 AND id = $2 AND last_at >= $7 AND recent NOT LIKE $8 AND ($9 = '' OR campaign = $9)`,
		a.siteID, session, a.at, a.number, string(entryOf(a.mark, a.number)), (recentViews-1)*entryLength,
		a.at-SessionPause.Milliseconds(), "%"+string(a.mark)+"%", a.returning())
	if err != nil || changed == 0 {
		return 0, err
	}
	return session, nil
}

// begin begins a session of the visitor with this view.
func (a *arrival) begin(ctx context.Context, tx db.Tx, visitor int64) error {
	source, err := json.Marshal(a.source)
	if err != nil {
		return err
	}
	_, err = run(ctx, tx, `INSERT INTO sessions (site_id, id, visitor_id, started_at, last_at, hits, hit_id, recent, campaign, bot, user_agent, language, source)
		VALUES ($1, $2, $3, $4, $4, 1, $2, $5, $6, $7, $8, $9, $10)`,
		a.siteID, a.number, visitor, a.at, string(entryOf(a.mark, a.number)), a.source.campaign(), a.bot, a.UserAgent, a.Language, string(source))
	return err
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
	lock, err := tx.Prepared(ctx, `UPDATE visitors SET session_id = session_id WHERE site_id = $1 AND id = $2 RETURNING session_id`)
	if err != nil {
		return l, err
	}
	err = lock.QueryRowContext(ctx, a.siteID, visitor).Scan(&l.id)
	if errors.Is(err, sql.ErrNoRows) {
		return l, ErrUnknown
	}
	if err != nil {
		return l, err
	}
	query, err := tx.Prepared(ctx, `SELECT recent FROM sessions WHERE site_id = $1 AND id = $2`)
	if err != nil {
		return l, err
	}
	err = query.QueryRowContext(ctx, a.siteID, l.id).Scan(&l.recent)
	if errors.Is(err, sql.ErrNoRows) { // it has been erased, and the visitor has not
		return l, nil
	}
	return l, err
}

// prolong notes that somebody was active in the session.
func prolong(ctx context.Context, tx db.Tx, siteID, session, at int64) error {
	_, err := run(ctx, tx, `UPDATE sessions SET last_at = $3 WHERE site_id = $1 AND id = $2 AND last_at < $3`, siteID, session, at)
	return err
}
