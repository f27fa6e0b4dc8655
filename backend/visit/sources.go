package visit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// sourcesAtOnce is how many visits one query reads.
const sourcesAtOnce = 100

// Sources returns the sources of the site's visits. Visits that do not exist any more are missing.
func (v *Visits) Sources(ctx context.Context, siteID int64, visits ...ID) (map[ID]source.Source, error) {
	return v.SourcesTx(ctx, v.db.Read(), siteID, visits...)
}

// SourcesTx does what Sources does, in a transaction of the caller.
func (v *Visits) SourcesTx(ctx context.Context, from db.Queries, siteID int64, visits ...ID) (map[ID]source.Source, error) {
	type row struct {
		id int64
		source.Source
	}
	sources := make(map[ID]source.Source, len(visits))
	for some := range slices.Chunk(visits, sourcesAtOnce) {
		numbers := make([]int64, len(some))
		for i, id := range some {
			numbers[i] = v.keys.Visits.Number(id)
		}
		values, args := db.Values(db.Padded(numbers), db.Only[int64], siteID)
		rows, err := db.List(ctx, from, func(r *row) []any { return append([]any{&r.id}, r.Source.Fields()...) },
			`SELECT id, `+source.Columns+` FROM visits WHERE site_id = $1 AND id IN (`+values+`)`, args...)
		if err != nil {
			return nil, fmt.Errorf("reading sources: %w", err)
		}
		for _, r := range rows {
			sources[v.keys.Visits.ID(r.id)] = r.Source
		}
	}
	return sources, nil
}

// longestVisit is how many page views a visit may have to be searched for later arrivals. Of a longer visit only
// the beginning counts.
const longestVisit = 200

// Came returns where the visitor has come from in the last visits, the latest first. It returns the source of each
// visit, and before it the sources of those later page views of the visit to which a campaign or another host has
// led. address is that of a page of the site, and own are the site's hosts.
func (v *Visits) Came(ctx context.Context, siteID int64, visitor ID, address string, own source.Own, visits int) ([]source.Source, error) {
	type view struct {
		visit             int64
		began             source.Source
		address, referrer string
	}
	here := originOf(address)
	views, err := db.List(ctx, v.db.Read(), func(w *view) []any {
		return append([]any{&w.visit, &w.address, &w.referrer}, w.began.Fields()...)
	}, `SELECT v.id, COALESCE(w.url, ''), COALESCE(w.referrer, ''), `+source.Columns+`
		FROM (SELECT id, started_at, views, `+source.Columns+` FROM visits WHERE site_id = $1 AND visitor_id = $2 ORDER BY started_at DESC LIMIT $3) AS v
		LEFT JOIN views AS w ON w.site_id = $1 AND w.visit_id = v.id AND v.views <= $4 AND w.id <> v.id AND w.kind = 'load'
			AND (w.url LIKE '%?%' OR w.referrer <> '' AND substr(w.referrer, 1, $5) <> $6)
		ORDER BY v.started_at DESC, v.id, w.at DESC, w.id DESC`,
		siteID, v.keys.Visitors.Number(visitor), visits, longestVisit, len(here), here)
	if err != nil {
		return nil, fmt.Errorf("reading where a visitor came from: %w", err)
	}
	var came []source.Source
	for i, w := range views {
		if w.address != "" {
			if from := source.Of(w.address, w.referrer, own); from.Kind != source.Direct {
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
		`SELECT `+source.Columns+` FROM visits WHERE site_id = $1 AND visitor_id = $2 ORDER BY started_at LIMIT 1`, siteID, v.keys.Visitors.Number(visitor))
	if err != nil {
		return source.Source{}, fmt.Errorf("reading where a visitor came from first: %w", err)
	}
	return from, nil
}
