package visit

import (
	"context"
	"fmt"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
)

// Of identifies a visitor of a site.
type Of struct {
	SiteID  int64
	Visitor ID
}

// Who is by what a visitor is known. Texts are as they were written, or empty.
type Who struct {
	Name, Email string
	Phone       contact.Contact
}

// People returns what is known of the visitors. Visitors of whom nothing is known are missing.
func (v *Visits) People(ctx context.Context, visitors []Of) (map[Of]Who, error) {
	rows := make([]visitRow, len(visitors))
	for i, of := range visitors {
		rows[i].site, rows[i].visitor = of.SiteID, v.visitors.number(of.Visitor)
	}
	known, err := v.people(ctx, rows)
	if err != nil {
		return nil, fmt.Errorf("reading who visitors are: %w", err)
	}
	people := make(map[Of]Who, len(known))
	for i, of := range visitors {
		if who, found := known[place{rows[i].site, rows[i].visitor}]; found {
			people[of] = Who{who.name, who.email, who.phone}
		}
	}
	return people, nil
}
