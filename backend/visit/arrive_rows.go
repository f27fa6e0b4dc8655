package visit

import (
	"context"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Pause is the inactivity that ends a visit.
const Pause = 30 * time.Minute

// latestOf returns the visitor's latest visit, without a lock. The error is [ErrUnknown] if there is no such visitor.
func (a *arriving) latestOf(ctx context.Context, tx db.Tx, visitor int64) (visit int64, err error) {
	type known struct {
		visit  int64
		marked bool
	}
	// SQLite takes longer to return a column from a change than to read it before.
	of, found, err := db.One(ctx, tx, func(k *known) []any { return []any{&k.visit, &k.marked} },
		`SELECT visit_id, marked FROM visitors WHERE site_id = $1 AND id = $2`, a.siteID, visitor)
	if err == nil && !found {
		err = ErrUnknown
	}
	a.marked = of.marked
	return of.visit, err
}

// takeOver lets the report take over the view of the visit that was stored when the page was sent, and adds to the view
// what only the script knows. The script reports the view under a nonce of its own, and names that of the page. The
// first report that does so takes the view over. A cached page names a view that was taken over already, or one of
// another visitor: then the result is not repeated.
func (a *arriving) takeOver(ctx context.Context, tx db.Tx, visitor, visit int64) (stay, error) {
	if a.served == "" {
		return stay{}, nil
	}
	of := a.tables(visit)
	views, taken, err := db.One(ctx, tx, db.Only[Recent], `UPDATE `+of.Visits+` SET last_at = CASE WHEN last_at > $3 THEN last_at ELSE $3 END, recent = replace(recent, $4, $5), scripted = TRUE
		WHERE site_id = $1 AND id = $2 AND recent <> replace(recent, $4, '') RETURNING recent`,
		a.siteID, visit, a.at, string(a.served), string(a.mark))
	if err != nil || !taken {
		return stay{}, err
	}
	s := stay{Row: key.Row{Visitor: visitor, Visit: visit, View: views.find(a.mark)}, repeated: true}
	// The address stays that of the request, which has the source, since scripts of a site may remove it. Only the
	// fragment is added, which servers do not see.
	s.at, _, err = db.One(ctx, tx, db.Only[int64], `UPDATE `+of.Views+` SET title = $4, url = CASE WHEN substr(CAST($5 AS TEXT), 1, length(url) + 1) = url || '#' THEN $5 ELSE url END
		WHERE site_id = $1 AND visit_id = $2 AND id = $3 RETURNING at`, a.siteID, visit, s.View, a.Title, a.URL)
	if err == nil && !a.bot {
		tx.Wake(LiveTopic)
	}
	return s, err
}

// goOn continues the visit with this view. A visit does not go on after a pause, if a campaign brings the visitor back,
// or if the view was reported before.
//
// On PostgreSQL the change waits for a view of the same visit on another node, and then decides by the result of that
// view.
func (a *arriving) goOn(ctx context.Context, tx db.Tx, visit int64) (bool, error) {
	campaign := a.source.CampaignKey()
	if a.Kind == "history" || a.Kind == "restore" { // within an open page
		campaign = ""
	}
	changed, err := tx.Exec(ctx, `UPDATE `+a.tables(visit).Visits+` SET last_at = CASE WHEN last_at > $3 THEN last_at ELSE $3 END,
			views = views + 1, view_id = $4, recent = $5 || substr(recent, 1, $6), scripted = (scripted OR $10)
		WHERE site_id = $1 AND id = $2 AND last_at >= $7 AND recent NOT LIKE $8 AND ($9 = '' OR campaign = $9)`,
		a.siteID, visit, a.at, a.number, string(entryOf(a.mark, a.number)), (recentViews-1)*entryLength,
		a.at-Pause.Milliseconds(), "%"+string(a.mark)+"%", campaign, !a.Unscripted)
	return changed > 0, err
}

// lockLatest reads the visitor's latest visit, and locks it until the transaction ends, so that no other one becomes the
// latest. again is the view, if it is among the last ones of the visit; otherwise it is not repeated. The error is
// [ErrUnknown] if there is no such visitor.
func (a *arriving) lockLatest(ctx context.Context, tx db.Tx, visitor int64) (visit int64, again stay, err error) {
	// An UPDATE locks the row on both engines. It returns the value after the wait for the lock.
	visit, found, err := db.One(ctx, tx, db.Only[int64], `UPDATE visitors SET visit_id = visit_id WHERE site_id = $1 AND id = $2 RETURNING visit_id`,
		a.siteID, visitor)
	if err != nil {
		return 0, stay{}, err
	}
	if !found {
		return 0, stay{}, ErrUnknown
	}
	// The visit may have been erased and the visitor not.
	recent, _, err := db.One(ctx, tx, db.Only[Recent], `SELECT recent FROM `+a.tables(visit).Visits+` WHERE site_id = $1 AND id = $2`, a.siteID, visit)
	view := recent.find(a.mark)
	if err != nil || view == 0 {
		return visit, stay{}, err
	}
	again = stay{Row: key.Row{Visitor: visitor, Visit: visit, View: view}, repeated: true}
	again.at, _, err = db.One(ctx, tx, db.Only[int64], `SELECT at FROM `+a.tables(visit).Views+` WHERE site_id = $1 AND visit_id = $2 AND id = $3`, a.siteID, visit, view)
	return visit, again, err
}

// arrivalPeriod is the length of the periods by which new visitors are told apart. See the table's index.
const arrivalPeriod = 10 * time.Minute

// arrived returns the period of the arrival.
func (a *arriving) arrived() int64 { return a.at / arrivalPeriod.Milliseconds() }

// addVisitor adds the visitor who begins with this view. It adds none if the view was reported before in this period or
// the one before.
func (a *arriving) addVisitor(ctx context.Context, tx db.Tx) (bool, error) {
	arrived := a.arrived()
	// Citus counts rows that were not added, too, but does not return them.
	_, added, err := db.One(ctx, tx, db.Only[int64], `INSERT INTO visitors (site_id, id, arrived, nonce, first_at, visit_id, name)
		SELECT $1, $2, $3, $4, $5, $2, ''
		WHERE NOT EXISTS (SELECT 1 FROM visitors WHERE site_id = $1 AND arrived = $6 AND nonce = $4)
		ON CONFLICT (site_id, arrived, nonce) DO NOTHING RETURNING id`,
		a.siteID, a.number, arrived, string(a.mark), a.at, arrived-1)
	return added, err
}

// arrivedWith returns the visitor whose first view had the mark in this period or the one before, or 0.
func (a *arriving) arrivedWith(ctx context.Context, tx db.Tx, m mark) (visitor int64, err error) {
	visitor, _, err = db.One(ctx, tx, db.Only[int64], `SELECT COALESCE(MAX(id), 0) FROM visitors WHERE site_id = $1 AND arrived IN ($2, $3) AND nonce = $4`,
		a.siteID, a.arrived(), a.arrived()-1, string(m))
	return visitor, err
}

// begin begins a visit of the visitor with this view.
func (a *arriving) begin(ctx context.Context, tx db.Tx, visitor int64) error {
	return tx.Send(ctx, `INSERT INTO `+a.tables(a.number).Visits+` (site_id, id, visitor_id, started_at, last_at, views, view_id, recent, campaign, bot, user_agent, language, country, area, city, scripted, `+source.Columns+`)
		VALUES ($1, $2, $3, $4, $4, 1, $2, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)`,
		append([]any{a.siteID, a.number, visitor, a.at, string(entryOf(a.mark, a.number)), a.source.CampaignKey(), a.bot, a.UserAgent, a.Language,
			a.place.Country, a.place.Area, a.place.City, !a.Unscripted}, a.source.Values()...)...)
}

// moveTo makes the visit the visitor's latest.
func (a *arriving) moveTo(ctx context.Context, tx db.Tx, visitor, visit int64) error {
	return tx.Send(ctx, `UPDATE visitors SET visit_id = $3 WHERE site_id = $1 AND id = $2`, a.siteID, visitor, visit)
}

// insert adds the view.
func (a *arriving) insert(ctx context.Context, tx db.Tx, r key.Row) error {
	err := tx.Send(ctx, `INSERT INTO `+a.tables(r.Visit).Views+` (site_id, visit_id, id, visitor_id, at, kind, url, referrer, title) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		a.siteID, r.Visit, r.View, r.Visitor, a.at, a.Kind, a.URL, a.Referrer, a.Title)
	if err == nil && !a.bot {
		tx.Wake(LiveTopic)
	}
	return err
}
