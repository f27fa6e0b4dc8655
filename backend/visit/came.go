package visit

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// longestVisit is how many page views a visit may have to be searched for later arrivals. Of a longer visit only
// the beginning counts.
const longestVisit = 200

// Came returns where the visitor has come from in the last visits, the latest first. It returns the source of each
// visit, and before it the sources of those later page views of the visit to which a campaign or another host has
// led. address is that of a page of the site.
func (v *Visits) Came(ctx context.Context, siteID int64, visitor ID, address string, visits int) ([]source.Source, error) {
	type view struct {
		visit             int64
		began             source.Source
		address, referrer string
	}
	own := originOf(address)
	views, err := db.List(ctx, v.db.Read(), func(w *view) []any {
		return append([]any{&w.visit, &w.address, &w.referrer}, w.began.Fields()...)
	}, `SELECT s.id, COALESCE(h.url, ''), COALESCE(h.referrer, ''), `+source.Columns+`
		FROM (SELECT id, started_at, views, `+source.Columns+` FROM visits WHERE site_id = $1 AND visitor_id = $2 ORDER BY started_at DESC LIMIT $3) AS s
		LEFT JOIN views AS h ON h.site_id = $1 AND h.visit_id = s.id AND s.views <= $4 AND h.id <> s.id AND h.kind = 'load'
			AND (h.url LIKE '%?%' OR h.referrer <> '' AND substr(h.referrer, 1, $5) <> $6)
		ORDER BY s.started_at DESC, s.id, h.at DESC, h.id DESC`,
		siteID, v.visitors.number(visitor), visits, longestVisit, len(own), own)
	if err != nil {
		return nil, fmt.Errorf("reading where a visitor came from: %w", err)
	}
	var came []source.Source
	for i, w := range views {
		if w.address != "" {
			if from := source.Of(w.address, w.referrer); from.Kind != source.Direct {
				came = append(came, from)
			}
		}
		if i == len(views)-1 || views[i+1].visit != w.visit {
			came = append(came, w.began)
		}
	}
	return came, nil
}

// originOf returns the address up to the slash behind its host.
func originOf(address string) string {
	scheme := strings.Index(address, "://") + len("://")
	if scheme < len("://") {
		return address
	}
	if end := strings.IndexByte(address[scheme:], '/'); end >= 0 {
		return address[:scheme+end+1]
	}
	return address + "/"
}

// CameFirst returns the source of the visitor's first visit that is stored.
func (v *Visits) CameFirst(ctx context.Context, siteID int64, visitor ID) (source.Source, error) {
	from, _, err := db.One(ctx, v.db.Read(), (*source.Source).Fields,
		`SELECT `+source.Columns+` FROM visits WHERE site_id = $1 AND visitor_id = $2 ORDER BY started_at LIMIT 1`, siteID, v.visitors.number(visitor))
	if err != nil {
		return source.Source{}, fmt.Errorf("reading where a visitor came from first: %w", err)
	}
	return from, nil
}
