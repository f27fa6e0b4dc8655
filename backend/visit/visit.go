// Package visit knows the visitors of the sites: where they came from, which pages they saw, what they did there, and
// what they told of themselves.
//
// Its tables use the numbers of visitors, visits and views, so that new rows lie next to each other. Everything
// outside, callers included, sees ids. Only this package translates between the two.
package visit

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit/days"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
	"github.com/seed-3405227d/frontdesk/backend/visit/place"
	"github.com/seed-3405227d/frontdesk/backend/visit/quota"
	"github.com/seed-3405227d/frontdesk/backend/visit/rush"
)

// LiveTopic is the topic of [db.DB.Subscribe] that reports page views.
const LiveTopic = "visits"

// Errors of this package.
var (
	// ErrForeign is returned if the three ids of a page view do not belong together, or not to the site.
	ErrForeign = errors.New("the ids do not belong together")
	// ErrUnknown is returned for a visitor that is not known.
	ErrUnknown = errors.New("the visitor is not known")
	// ErrNothing is returned for visitor information with nothing filled in.
	ErrNothing = errors.New("no name, e-mail or phone was given")
	// ErrTooMany is returned if a visitor has as many properties, e-mails or phones as are kept.
	ErrTooMany = errors.New("the visitor has too many of these already")
)

// The ids of package key, by the names that most callers know them by.
type (
	ID  = key.ID
	Ref = key.Ref
)

// Visits stores all visits.
type Visits struct {
	db     *db.DB
	keys   *key.Keys
	texts  *quota.Texts
	days   *days.Days
	where  func(netip.Addr) place.Place
	now    func() time.Time
	bots   *bots
	events *db.Sequence
	lines  rush.Lines
}

// Subjects are what visits need. The database has to be migrated.
type Subjects struct {
	DB    *db.DB
	Keys  *key.Keys
	Texts *quota.Texts
	Days  *days.Days
	// Where tells the place of an address. It must not wait. nil knows none.
	Where func(netip.Addr) place.Place
}

// Open returns the visits of the database.
func Open(ctx context.Context, s Subjects, now func() time.Time) (*Visits, error) {
	if s.Where == nil {
		s.Where = func(netip.Addr) place.Place { return place.Place{} }
	}
	return &Visits{
		db: s.DB, keys: s.Keys, texts: s.Texts, days: s.Days, where: s.Where, now: now, bots: newBots(), events: s.DB.Sequence("visit.events", 256),
	}, nil
}

// PresentTx returns [ErrForeign] unless the ids are those of a page view of the site. Other packages call it in their
// writes before they store something for a page view.
func (v *Visits) PresentTx(ctx context.Context, tx db.Tx, siteID int64, ref Ref) error {
	return v.present(ctx, tx, siteID, v.keys.Row(ref))
}

// FoundNoNumberTx notes that a pool had no number left for the visit.
func (v *Visits) FoundNoNumberTx(ctx context.Context, tx db.Tx, siteID int64, visit ID) error {
	number := v.keys.Visits.Number(visit)
	_, err := tx.Exec(ctx, `UPDATE `+v.keys.Tables(number).Visits+` SET numberless = TRUE WHERE site_id = $1 AND id = $2 AND NOT numberless`, siteID, number)
	return err
}

// present returns [ErrForeign] unless the numbers are those of a page view of the site. Each write for a page view begins
// with it. So callers need not check the ids, and nothing is stored for a visitor who has been erased in the meantime.
func (v *Visits) present(ctx context.Context, tx db.Tx, siteID int64, r key.Row) error {
	_, found, err := db.One(ctx, tx, db.Only[int], `SELECT 1 FROM `+v.keys.Tables(r.Visit).Views+` WHERE site_id = $1 AND visit_id = $2 AND id = $3 AND visitor_id = $4`,
		siteID, r.Visit, r.View, r.Visitor)
	if err == nil && !found {
		return ErrForeign
	}
	return err
}
