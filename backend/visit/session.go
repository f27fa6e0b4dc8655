package visit

import (
	"context"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// SessionPause is the inactivity that ends a session.
const SessionPause = 30 * time.Minute

// returning returns the campaign that brings the visitor back with this view. It is empty for a view without a
// campaign, and for a view within an open page.
func (a *arrival) returning() string {
	if a.Kind == "history" || a.Kind == "restore" {
		return ""
	}
	return a.source.campaign()
}

// goOn continues the visitor's latest session with this view, and returns the session. It returns 0 if the session does
// not go on: after a pause, if a campaign brings the visitor back, or if the view was reported before. The error is
// ErrUnknown if there is no such visitor.
//
// On PostgreSQL the change waits for a view of the same session on another node, and then decides by the result of that
// view.
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

// latestOf returns the visitor's latest session, without a lock. The error is ErrUnknown if there is no such visitor.
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

// known holds the columns of a visitor's row that a view needs.
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

// latest reads the visitor's latest session, and locks it until the transaction ends, so that no other one becomes the
// latest. The error is ErrUnknown if there is no such visitor.
func (a *arrival) latest(ctx context.Context, tx db.Tx, visitor int64) (l latest, err error) {
	// An UPDATE locks the row on both engines. It returns the value after the wait for the lock.
	session, found, err := db.One(ctx, tx, db.Only[int64], `UPDATE visitors SET session_id = session_id WHERE site_id = $1 AND id = $2 RETURNING session_id`,
		a.siteID, visitor)
	if err != nil {
		return l, err
	}
	if !found {
		return l, ErrUnknown
	}
	// The session may have been erased and the visitor not.
	seen, _, err := db.One(ctx, tx, db.Only[recent], `SELECT recent FROM sessions WHERE site_id = $1 AND id = $2`, a.siteID, session)
	return latest{session, seen}, err
}

// prolong notes that somebody was active in the session.
func prolong(ctx context.Context, tx db.Tx, siteID, session, at int64) error {
	_, err := tx.Exec(ctx, `UPDATE sessions SET last_at = $3 WHERE site_id = $1 AND id = $2 AND last_at < $3`, siteID, session, at)
	return err
}
