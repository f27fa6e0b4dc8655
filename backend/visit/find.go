package visit

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
)

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
	r := v.keys.Row(ref)
	found, known, err := db.One(ctx, v.db.Read(), func(s *stored) []any { return []any{&s.url, &s.at} },
		`SELECT url, at FROM `+v.keys.Tables(r.Visit).Views+` WHERE site_id = $1 AND visit_id = $2 AND id = $3 AND visitor_id = $4`, siteID, r.Visit, r.View, r.Visitor)
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
	r := v.keys.Row(Ref{Visitor: visitor, View: view})
	r.Visit, known, err = db.One(ctx, v.db.Read(), db.Only[int64], `SELECT w.visit_id FROM visits AS v
		JOIN views AS w ON w.site_id = v.site_id AND w.visit_id = v.id AND w.id = $3
		WHERE v.site_id = $1 AND v.visitor_id = $2`, siteID, r.Visitor, r.View)
	if err != nil {
		return Ref{}, false, fmt.Errorf("finding a page view: %w", err)
	}
	if !known {
		return Ref{}, false, nil
	}
	return v.keys.Ref(r), true, nil
}

// LastView returns a page view of the visitor's latest visit, and its address. It is the latest view of the page with
// the given address, or else the latest view of the visit. known is false if the visitor is not known.
func (v *Visits) LastView(ctx context.Context, siteID int64, visitor ID, address string) (ref Ref, at string, known bool, err error) {
	type view struct {
		key.Row
		url string
	}
	last, known, err := db.One(ctx, v.db.Read(), func(l *view) []any { return []any{&l.Visitor, &l.Visit, &l.View, &l.url} },
		`SELECT w.visitor_id, w.visit_id, w.id, w.url FROM visitors AS p JOIN views AS w ON w.site_id = p.site_id AND w.visit_id = p.visit_id
		WHERE p.site_id = $1 AND p.id = $2 ORDER BY CASE WHEN w.url = $3 THEN 0 ELSE 1 END, w.id DESC LIMIT 1`, siteID, v.keys.Visitors.Number(visitor), address)
	if err != nil || !known {
		return Ref{}, "", false, err
	}
	return v.keys.Ref(last.Row), last.url, true, nil
}

// Known is a visitor whose telephone number is known.
type Known struct {
	Visitor ID
	// Visit is the visitor's latest visit.
	Visit ID
}

// latestOfPhone is how many visitors are looked at who have left one number: whoever wants can leave theirs as many.
const latestOfPhone = 100

// knownByPhone has the order by which SQLite takes the index of phones, and not the one that has all contacts of a site.
const knownByPhone = `SELECT p.id, p.visit_id FROM (SELECT site_id, visitor_id FROM contacts WHERE site_id = $1 AND value = $2 AND kind = 'phone' ORDER BY at DESC LIMIT $3) AS c
	JOIN visitors AS p ON p.site_id = c.site_id AND p.id = c.visitor_id ORDER BY p.visit_id DESC LIMIT $4`

// OfPhone returns at most limit visitors of the site who have left the number, of the 100 who have left it last. digits are
// in international form. The visitor with the latest visit comes first. A number with an extension does not count, since
// it belongs to a whole house.
func (v *Visits) OfPhone(ctx context.Context, from db.Queries, siteID int64, digits string, limit int) ([]Known, error) {
	type row struct{ visitor, visit int64 }
	rows, err := db.List(ctx, from, func(r *row) []any { return []any{&r.visitor, &r.visit} }, knownByPhone, siteID, digits, latestOfPhone, limit)
	if err != nil {
		return nil, fmt.Errorf("finding visitors by their phone: %w", err)
	}
	known := make([]Known, len(rows))
	for i, r := range rows {
		known[i] = Known{v.keys.Visitors.ID(r.visitor), v.keys.Visits.ID(r.visit)}
	}
	return known, nil
}
