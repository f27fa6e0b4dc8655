package visit

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// sessionPause is the inactivity that ends a session.
const sessionPause = 30 * time.Minute

// View is a page view as the script reports it.
type View struct {
	// Nonce is made by the script for this view: reported again, it is the same
	// hit.
	Nonce string
	// URL and Referrer are absolute addresses; the latter may be empty.
	URL, Referrer string
	Title         string
	// Kind is load, history, restore or reinit.
	Kind string
	// UserAgent and Language are the browser's headers.
	UserAgent, Language string
}

// Hit is a page view as it was stored.
type Hit struct {
	Ref
	// NewVisitor and NewSession tell what began with this view.
	NewVisitor, NewSession bool
	// At is when the view was first reported, to the millisecond.
	At time.Time
}

// Hit stores a page view and returns when it is durable. visitor is the one
// whom a valid visitor string names, 0 for none; one that is no longer known
// becomes a new visitor.
func (v *Visits) Hit(ctx context.Context, siteID int64, visitor ID, view View) (Hit, error) {
	arrival, err := v.arrive(ctx, siteID, visitor, view)
	if err != nil {
		return Hit{}, fmt.Errorf("storing a hit: %w", err)
	}
	var stored stay
	err = v.db.Write(ctx, arrival.key(), func(ctx context.Context, tx db.Tx) error {
		var err error
		stored, err = arrival.store(ctx, tx)
		return err
	})
	if err != nil {
		return Hit{}, fmt.Errorf("storing a hit: %w", err)
	}
	return Hit{
		Ref:        v.ref(stored.row),
		NewVisitor: stored.newVisitor,
		NewSession: stored.newSession,
		At:         time.UnixMilli(stored.at),
	}, nil
}

// arrival is a page view and the numbers drawn for what may begin with it.
type arrival struct {
	View
	siteID int64
	known  int64 // the visitor's number; 0 for none
	fresh  row
	at     int64
	source Source
	stored string // the source as it is stored
	bot    bool
}

func (v *Visits) arrive(ctx context.Context, siteID int64, visitor ID, view View) (*arrival, error) {
	a := &arrival{View: view, siteID: siteID, known: v.visitors.number(visitor), at: v.now().UnixMilli(), bot: v.bots.match(view.UserAgent)}
	a.source = SourceOf(view.URL, view.Referrer)
	source, err := json.Marshal(a.source)
	if err != nil {
		return nil, err
	}
	a.stored = string(source)
	// Numbers are drawn here and not in the write, which must not wait for
	// another write. Those that are not used are skipped.
	if a.fresh.hit, err = v.hits.Next(ctx); err != nil {
		return nil, err
	}
	if a.fresh.session, err = v.sessions.Next(ctx); err != nil {
		return nil, err
	}
	a.fresh.visitor, err = v.visitors.Next(ctx)
	return a, err
}

func (a *arrival) key() int64 {
	if a.known != 0 {
		return a.known
	}
	return a.fresh.visitor
}

// stay is where a page view ended up.
type stay struct {
	row
	newVisitor, newSession bool
	at                     int64
}

func (a *arrival) store(ctx context.Context, tx db.Tx) (stay, error) {
	s := stay{row: a.fresh, at: a.at, newVisitor: true, newSession: true}
	if a.known != 0 {
		known, err := a.touchVisitor(ctx, tx)
		if err != nil {
			return s, err
		}
		if known {
			s.newVisitor, s.visitor = false, a.known
			earlier, err := a.goOn(ctx, tx, &s)
			if err != nil || earlier {
				return s, err
			}
		}
	}
	if s.newVisitor {
		if _, err := run(ctx, tx, `INSERT INTO visitors (site_id, id, first_at, last_at, name) VALUES ($1, $2, $3, $3, '')`,
			a.siteID, s.visitor, a.at); err != nil {
			return s, err
		}
	}
	if s.newSession {
		if _, err := run(ctx, tx, `INSERT INTO sessions (site_id, id, visitor_id, started_at, last_at, hits, last_hit_id, nonce, url, title,
			bot, user_agent, language, campaign, source) VALUES ($1, $2, $3, $4, $4, 1, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
			a.siteID, s.session, s.visitor, a.at, s.hit, a.Nonce, a.URL, a.Title, a.bot, a.UserAgent, a.Language, a.source.campaign(), a.stored); err != nil {
			return s, err
		}
	}
	if _, err := run(ctx, tx, `INSERT INTO hits (site_id, id, session_id, visitor_id, at, kind, url, referrer, title) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		a.siteID, s.hit, s.session, s.visitor, a.at, a.Kind, a.URL, a.Referrer, a.Title); err != nil {
		return s, err
	}
	tx.Wake(LiveTopic)
	return s, nil
}

// touchVisitor notes that the visitor is here, which on PostgreSQL also keeps
// other nodes from handling the same visitor meanwhile.
func (a *arrival) touchVisitor(ctx context.Context, tx db.Tx) (known bool, err error) {
	changed, err := run(ctx, tx, `UPDATE visitors SET last_at = $3 WHERE site_id = $1 AND id = $2`, a.siteID, a.known, a.at)
	return changed > 0, err
}

// goOn has the visitor's latest session go on with this view, if it does.
// earlier is true when the view has been stored before.
func (a *arrival) goOn(ctx context.Context, tx db.Tx, s *stay) (earlier bool, err error) {
	latest, err := tx.Prepared(ctx, `SELECT id, last_at, last_hit_id, nonce, campaign FROM sessions WHERE site_id = $1 AND visitor_id = $2 ORDER BY started_at DESC, id DESC LIMIT 1`)
	if err != nil {
		return false, err
	}
	var id, lastAt, lastHit int64
	var nonce, campaign string
	err = latest.QueryRowContext(ctx, a.siteID, s.visitor).Scan(&id, &lastAt, &lastHit, &nonce, &campaign)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if a.Nonce != "" && nonce == a.Nonce {
		s.session, s.hit, s.at, s.newSession = id, lastHit, lastAt, false
		return true, nil
	}
	returning := a.source.campaign() != "" && a.source.campaign() != campaign
	if returning || a.at-lastAt > sessionPause.Milliseconds() {
		return false, nil
	}
	s.session, s.newSession = id, false
	_, err = run(ctx, tx, `UPDATE sessions SET last_at = $3, hits = hits + 1, last_hit_id = $4, nonce = $5, url = $6, title = $7 WHERE site_id = $1 AND id = $2`,
		a.siteID, id, a.at, s.hit, a.Nonce, a.URL, a.Title)
	return false, err
}

// run executes a statement and returns how many rows it changed.
func run(ctx context.Context, tx db.Tx, query string, args ...any) (changed int64, err error) {
	stmt, err := tx.Prepared(ctx, query)
	if err != nil {
		return 0, err
	}
	result, err := stmt.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
