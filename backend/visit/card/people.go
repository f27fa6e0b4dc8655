package card

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
)

// Of identifies a visitor of a site.
type Of struct {
	SiteID  int64
	Visitor key.ID
}

// Who is by what a visitor is known. Texts are as they were written, or empty.
type Who struct {
	Name, Email string
	Phone       contact.Contact
}

// visitorsAtOnce bounds the size of a statement.
const visitorsAtOnce = 2000

// People returns what is known of the visitors. Visitors of whom nothing is known are missing.
func (cards *Cards) People(ctx context.Context, visitors []Of) (map[Of]Who, error) {
	type fact struct {
		contact.Contact
		site, visitor, at int64
		kind              string
	}
	type number struct{ site, visitor int64 }
	people := make(map[Of]Who)
	for some := range db.Parts(visitors) {
		numbers := make([]number, len(some))
		for i, of := range some {
			numbers[i] = number{of.SiteID, cards.keys.Visitors.Number(of.Visitor)}
		}
		set, args := db.Among(numbers, func(n *number) []any { return []any{&n.site, &n.visitor} })
		facts, err := db.List(ctx, cards.db.Read(), func(f *fact) []any { return []any{&f.site, &f.visitor, &f.kind, &f.Value, &f.Written, &f.at} },
			`SELECT site_id, id AS visitor_id, 'name' AS kind, name AS value, name AS written, 0 AS at FROM visitors WHERE (site_id, id) IN (`+set+`) AND name <> ''
			UNION ALL SELECT site_id, visitor_id, kind, value, written, at FROM contacts WHERE (site_id, visitor_id) IN (`+set+`) ORDER BY at`, args...)
		if err != nil {
			return nil, fmt.Errorf("reading who visitors are: %w", err)
		}
		for _, f := range facts {
			of := Of{f.site, cards.keys.Visitors.ID(f.visitor)}
			who := people[of]
			switch f.kind {
			case "name":
				who.Name = f.Written
			case "email":
				who.Email = f.Written
			case "phone":
				f.At = time.UnixMilli(f.at)
				who.Phone = f.Contact
			}
			people[of] = who
		}
	}
	return people, nil
}

// OfVisits returns whose the site's visits are. Visits that do not exist any more are missing.
func (cards *Cards) OfVisits(ctx context.Context, siteID int64, visits ...key.ID) (map[key.ID]key.ID, error) {
	type stay struct{ visit, visitor int64 }
	visitors := make(map[key.ID]key.ID, len(visits))
	for some := range slices.Chunk(visits, visitorsAtOnce) {
		numbers := make([]int64, len(some))
		for i, id := range some {
			numbers[i] = cards.keys.Visits.Number(id)
		}
		values, args := db.Values(db.Padded(numbers), db.Only[int64], siteID)
		stays, err := db.List(ctx, cards.db.Read(), func(s *stay) []any { return []any{&s.visit, &s.visitor} },
			`SELECT id, visitor_id FROM visits WHERE site_id = $1 AND id IN (`+values+`)`, args...)
		if err != nil {
			return nil, fmt.Errorf("reading whose visits are: %w", err)
		}
		for _, s := range stays {
			visitors[cards.keys.Visits.ID(s.visit)] = cards.keys.Visitors.ID(s.visitor)
		}
	}
	return visitors, nil
}
