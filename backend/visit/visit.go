// Package visit knows the visitors of the sites: who came from where, which
// pages they saw, what they did there, and what they told of themselves.
//
// Its tables use the numbers that were drawn for visitors, sessions and hits,
// so that new rows lie next to each other. Everyone else, callers included,
// sees ids; the two meet in this package alone.
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

// LiveTopic is what [db.DB.Subscribe] takes to hear of page views.
const LiveTopic = "visits"

// What can be wrong with a call.
var (
	// ErrForeign is returned when the three ids of a page view do not belong
	// together, or not to the site.
	ErrForeign = errors.New("the ids do not belong together")
	// ErrUnknown is returned for a visitor that is not known.
	ErrUnknown = errors.New("the visitor is not known")
	// ErrNothing is returned for visitor information with nothing filled in.
	ErrNothing = errors.New("no name, e-mail or phone was given")
	// ErrTooMany is returned when a visitor has as many properties, e-mails or
	// phones as are kept.
	ErrTooMany = errors.New("the visitor has too many of these already")
)

// Ref names a page view by its three ids.
type Ref struct {
	Visitor, Session, Hit ID
}

// Visits is the record of all visits.
type Visits struct {
	db      *db.DB
	now     func() time.Time
	signers sync.Pool // of signer
	bots    *bots

	// A hit has a number of its own; a session has that of its first hit, and a
	// visitor that of the first session. Their ids do not show it.
	numbers                  *db.Sequence
	visitors, sessions, hits permutation
	events                   *db.Sequence

	properties *sql.Stmt // read with every view of a returning visitor

	days *db.Counter[siteDay, dayCounts]

	watching watching
	present  present
}

// block is how many numbers a node reserves at a time: each time, all who
// report a view wait for the database, so it is seldom.
const block = 1 << 14

// Open returns the visits of the database, which has been migrated. The secrets behind its ids and
// signatures are made on the first call and are the same on every node.
func Open(ctx context.Context, d *db.DB, now func() time.Time) (*Visits, error) {
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
		numbers:  d.Sequence("visit.hits", block),
		visitors: permutation{cipher, 'v'}, sessions: permutation{cipher, 's'}, hits: permutation{cipher, 'h'},
		events: d.Sequence("visit.events", 256), days: newDays(),
	}, nil
}

// row is a Ref as the tables know it.
type row struct {
	visitor, session, hit int64
}

func (v *Visits) row(ref Ref) row {
	return row{v.visitors.number(ref.Visitor), v.sessions.number(ref.Session), v.hits.number(ref.Hit)}
}

// Key is the key by which all writes for the visitor are to be handed to
// [db.DB.Write].
func (v *Visits) Key(visitor ID) int64 { return v.visitors.number(visitor) }

func (v *Visits) ref(r row) Ref {
	return Ref{Visitor: v.visitors.id(r.visitor), Session: v.sessions.id(r.session), Hit: v.hits.id(r.hit)}
}

// Address returns the address of the page view, as the page reported it. known
// is false when the three ids are not those of a page view of the site.
func (v *Visits) Address(ctx context.Context, siteID int64, ref Ref) (address string, known bool, err error) {
	r := v.row(ref)
	address, known, err = db.One(ctx, v.db.Read(), db.Only[string], `SELECT url FROM hits WHERE site_id = $1 AND session_id = $2 AND id = $3 AND visitor_id = $4`,
		siteID, r.session, r.hit, r.visitor)
	if err != nil {
		return "", false, fmt.Errorf("reading the address of a page view: %w", err)
	}
	return address, known, nil
}

// Again returns the hit of a page view that was reported before and whose page is still
// open, with what the browser calls itself. It is [ErrForeign] when the three ids are not
// those of a page view of the site.
func (v *Visits) Again(ctx context.Context, siteID int64, ref Ref, userAgent string) (Hit, error) {
	address, known, err := v.Address(ctx, siteID, ref)
	if err == nil && !known {
		err = ErrForeign
	}
	return Hit{Ref: ref, Repeated: true, Bot: v.bots.match(userAgent), URL: address}, err
}

// Find returns the page view of that visitor and hit. known is false when there
// is none on the site.
func (v *Visits) Find(ctx context.Context, siteID int64, visitor, hit ID) (ref Ref, known bool, err error) {
	r := v.row(Ref{Visitor: visitor, Hit: hit})
	r.session, known, err = db.One(ctx, v.db.Read(), db.Only[int64], `SELECT h.session_id FROM sessions AS s
		JOIN hits AS h ON h.site_id = s.site_id AND h.session_id = s.id AND h.id = $3
		WHERE s.site_id = $1 AND s.visitor_id = $2`, siteID, r.visitor, r.hit)
	if err != nil {
		return Ref{}, false, fmt.Errorf("finding a page view: %w", err)
	}
	if !known {
		return Ref{}, false, nil
	}
	return v.ref(r), true, nil
}

// ViewedAt returns when the page was opened; known is false when there is no such view on the site.
func (v *Visits) ViewedAt(ctx context.Context, siteID int64, ref Ref) (at time.Time, known bool, err error) {
	r := v.row(ref)
	milliseconds, known, err := db.One(ctx, v.db.Read(), db.Only[int64], `SELECT at FROM hits WHERE site_id = $1 AND session_id = $2 AND id = $3`,
		siteID, r.session, r.hit)
	if err != nil {
		return time.Time{}, false, fmt.Errorf("reading when a page was opened: %w", err)
	}
	return time.UnixMilli(milliseconds), known, nil
}

// LastView returns the latest page view of the visitor's latest session, and its address: that of the
// page with the given address, if there is one in the session. known is false for a visitor who is not known.
func (v *Visits) LastView(ctx context.Context, siteID int64, visitor ID, address string) (ref Ref, at string, known bool, err error) {
	type view struct {
		row
		url string
	}
	last, known, err := db.One(ctx, v.db.Read(), func(l *view) []any { return []any{&l.visitor, &l.session, &l.hit, &l.url} },
		`SELECT h.visitor_id, h.session_id, h.id, h.url FROM visitors AS v JOIN hits AS h ON h.site_id = v.site_id AND h.session_id = v.session_id
		WHERE v.site_id = $1 AND v.id = $2 ORDER BY CASE WHEN h.url = $3 THEN 0 ELSE 1 END, h.id DESC LIMIT 1`, siteID, v.visitors.number(visitor), address)
	if err != nil || !known {
		return Ref{}, "", false, err
	}
	return v.ref(last.row), last.url, true, nil
}

// PresentTx returns [ErrForeign] unless the ids are those of a page view of the site. Others who
// store something for a page view ask it in their write.
func (v *Visits) PresentTx(ctx context.Context, tx db.Tx, siteID int64, ref Ref) error {
	return v.row(ref).present(ctx, tx, siteID)
}

// present returns [ErrForeign] unless the ids are those of a page view of the
// site. All that stores something for a page view begins with it: whoever calls
// need not have checked them, and nothing is stored for a visitor who
// has been erased meanwhile.
func (r row) present(ctx context.Context, tx db.Tx, siteID int64) error {
	_, found, err := db.One(ctx, tx, db.Only[int], `SELECT 1 FROM hits WHERE site_id = $1 AND session_id = $2 AND id = $3 AND visitor_id = $4`,
		siteID, r.session, r.hit, r.visitor)
	if err == nil && !found {
		return ErrForeign
	}
	return err
}
