// Package visit knows the visitors of the sites: where they came from, which pages they saw, what they did there, and
// what they told of themselves.
//
// Its tables use the numbers of visitors, visits and views, so that new rows lie next to each other. Everything
// outside, callers included, sees ids. Only this package translates between the two.
package visit

import (
	"context"
	"crypto/aes"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
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

// Ref identifies a page view by its three ids.
type Ref struct {
	Visitor, Visit, View ID
}

// Visits stores all visits.
type Visits struct {
	db      *db.DB
	now     func() time.Time
	signers sync.Pool // of signer
	bots    *bots

	// A view has a number of its own. A visit has the number of its first view, and a visitor that of the first
	// visit. Their ids do not show this.
	numbers                 *db.Sequence
	visitors, visits, views permutation
	events                  *db.Sequence

	properties *sql.Stmt // read with each view of a returning visitor

	days  *db.Counter[siteDay, dayCounts]
	texts *db.Counter[portion, int64]

	watching watching
	present  present
}

// block is how many numbers a node reserves at once. Everyone who reports a view waits for this, so it has to be rare.
const block = 1 << 14

// Open returns the visits of the database, which has to be migrated. also is called where pages report that somebody is
// there. The first call makes the secrets of the ids and the signatures. They are the same on every node.
func Open(ctx context.Context, d *db.DB, now func() time.Time, also ...Attend) (*Visits, error) {
	signing, err := d.Secret(ctx, "visit.signing")
	if err != nil {
		return nil, err
	}
	secret, err := d.Secret(ctx, "visit.ids")
	if err != nil {
		return nil, err
	}
	cipher, err := aes.NewCipher(secret)
	if err != nil {
		return nil, fmt.Errorf("making ids: %w", err)
	}
	properties, err := d.Read().PrepareContext(ctx, `SELECT name, value FROM properties WHERE site_id = $1 AND visitor_id = $2`)
	if err != nil {
		return nil, fmt.Errorf("preparing to read properties: %w", err)
	}
	return &Visits{
		db: d, now: now, signers: sync.Pool{New: func() any { return newSigner(signing) }}, bots: newBots(), properties: properties,
		numbers:  d.Sequence("visit.views", block),
		visitors: permutation{cipher, 'v'}, visits: permutation{cipher, 's'}, views: permutation{cipher, 'h'},
		events: d.Sequence("visit.events", 256), days: newDays(), texts: newTexts(), present: present{also: also},
	}, nil
}

// row is a Ref by the numbers of the tables.
type row struct {
	visitor, visit, view int64
}

func (v *Visits) row(ref Ref) row {
	return row{v.visitors.number(ref.Visitor), v.visits.number(ref.Visit), v.views.number(ref.View)}
}

// Key returns the key with which writes for the visitor have to call [db.DB.Write].
func (v *Visits) Key(visitor ID) int64 { return v.visitors.number(visitor) }

func (v *Visits) ref(r row) Ref {
	return Ref{Visitor: v.visitors.id(r.visitor), Visit: v.visits.id(r.visit), View: v.views.id(r.view)}
}

// Viewed is what is known of a page view.
type Viewed struct {
	// URL is the address as the page reported it.
	URL string
	// At is when the page was opened, and Age how long ago that is.
	At  time.Time
	Age time.Duration
}

// Viewed returns what is known of the page view. known is false if the three ids are not those of a page view of the
// site.
func (v *Visits) Viewed(ctx context.Context, siteID int64, ref Ref) (viewed Viewed, known bool, err error) {
	type stored struct {
		url string
		at  int64
	}
	r := v.row(ref)
	found, known, err := db.One(ctx, v.db.Read(), func(s *stored) []any { return []any{&s.url, &s.at} },
		`SELECT url, at FROM views WHERE site_id = $1 AND visit_id = $2 AND id = $3 AND visitor_id = $4`, siteID, r.visit, r.view, r.visitor)
	if err != nil {
		return Viewed{}, false, fmt.Errorf("reading a page view: %w", err)
	}
	if !known {
		return Viewed{}, false, nil
	}
	at := time.UnixMilli(found.at)
	return Viewed{URL: found.url, At: at, Age: v.now().Sub(at)}, true, nil
}

// Again returns the view of an earlier page view whose page is still open. userAgent is the browser's. The error is
// [ErrForeign] if the three ids are not those of a page view of the site.
func (v *Visits) Again(ctx context.Context, siteID int64, ref Ref, userAgent string) (View, error) {
	viewed, known, err := v.Viewed(ctx, siteID, ref)
	if err == nil && !known {
		err = ErrForeign
	}
	return View{Ref: ref, Repeated: true, Bot: v.bots.match(userAgent), URL: viewed.URL}, err
}

// Find returns the page view of the visitor and the view. known is false if the site has none.
func (v *Visits) Find(ctx context.Context, siteID int64, visitor, view ID) (ref Ref, known bool, err error) {
	r := v.row(Ref{Visitor: visitor, View: view})
	r.visit, known, err = db.One(ctx, v.db.Read(), db.Only[int64], `SELECT h.visit_id FROM visits AS s
		JOIN views AS h ON h.site_id = s.site_id AND h.visit_id = s.id AND h.id = $3
		WHERE s.site_id = $1 AND s.visitor_id = $2`, siteID, r.visitor, r.view)
	if err != nil {
		return Ref{}, false, fmt.Errorf("finding a page view: %w", err)
	}
	if !known {
		return Ref{}, false, nil
	}
	return v.ref(r), true, nil
}

// LastView returns a page view of the visitor's latest visit, and its address. It is the latest view of the page with
// the given address, or else the latest view of the visit. known is false if the visitor is not known.
func (v *Visits) LastView(ctx context.Context, siteID int64, visitor ID, address string) (ref Ref, at string, known bool, err error) {
	type view struct {
		row
		url string
	}
	last, known, err := db.One(ctx, v.db.Read(), func(l *view) []any { return []any{&l.visitor, &l.visit, &l.view, &l.url} },
		`SELECT h.visitor_id, h.visit_id, h.id, h.url FROM visitors AS v JOIN views AS h ON h.site_id = v.site_id AND h.visit_id = v.visit_id
		WHERE v.site_id = $1 AND v.id = $2 ORDER BY CASE WHEN h.url = $3 THEN 0 ELSE 1 END, h.id DESC LIMIT 1`, siteID, v.visitors.number(visitor), address)
	if err != nil || !known {
		return Ref{}, "", false, err
	}
	return v.ref(last.row), last.url, true, nil
}

// PresentTx returns [ErrForeign] unless the ids are those of a page view of the site. Other packages call it in their
// writes before they store something for a page view.
func (v *Visits) PresentTx(ctx context.Context, tx db.Tx, siteID int64, ref Ref) error {
	return v.row(ref).present(ctx, tx, siteID)
}

// present returns [ErrForeign] unless the ids are those of a page view of the site. Each write for a page view begins
// with it. So callers need not check the ids, and nothing is stored for a visitor who has been erased in the meantime.
func (r row) present(ctx context.Context, tx db.Tx, siteID int64) error {
	_, found, err := db.One(ctx, tx, db.Only[int], `SELECT 1 FROM views WHERE site_id = $1 AND visit_id = $2 AND id = $3 AND visitor_id = $4`,
		siteID, r.visit, r.view, r.visitor)
	if err == nil && !found {
		return ErrForeign
	}
	return err
}
