package visit

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// longestSession is how many page views a session may have to be searched for later arrivals. Of a longer session only
// the beginning counts.
const longestSession = 200

// Came returns where the visitor has come from in the last sessions, the latest first. It returns the source of each
// session, and before it the sources of those later page views of the session to which a campaign or another host has
// led. address is that of a page of the site.
func (v *Visits) Came(ctx context.Context, siteID int64, visitor ID, address string, sessions int) ([]Source, error) {
	type view struct {
		session           int64
		began             Source
		address, referrer string
	}
	own := originOf(address)
	views, err := db.List(ctx, v.db.Read(), func(w *view) []any {
		return append([]any{&w.session, &w.address, &w.referrer}, w.began.Fields()...)
	}, `SELECT s.id, COALESCE(h.url, ''), COALESCE(h.referrer, ''), `+SourceColumns+`
		FROM (SELECT id, started_at, hits, `+SourceColumns+` FROM sessions WHERE site_id = $1 AND visitor_id = $2 ORDER BY started_at DESC LIMIT $3) AS s
		LEFT JOIN hits AS h ON h.site_id = $1 AND h.session_id = s.id AND s.hits <= $4 AND h.id <> s.id AND h.kind = 'load'
			AND (h.url LIKE '%?%' OR h.referrer <> '' AND substr(h.referrer, 1, $5) <> $6)
		ORDER BY s.started_at DESC, s.id, h.at DESC, h.id DESC`,
		siteID, v.visitors.number(visitor), sessions, longestSession, len(own), own)
	if err != nil {
		return nil, fmt.Errorf("reading where a visitor came from: %w", err)
	}
	var came []Source
	for i, w := range views {
		if w.address != "" {
			if source := SourceOf(w.address, w.referrer); source.Kind != Direct {
				came = append(came, source)
			}
		}
		if i == len(views)-1 || views[i+1].session != w.session {
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

// CameFirst returns the source of the visitor's first session that is stored.
func (v *Visits) CameFirst(ctx context.Context, siteID int64, visitor ID) (Source, error) {
	source, _, err := db.One(ctx, v.db.Read(), (*Source).Fields,
		`SELECT `+SourceColumns+` FROM sessions WHERE site_id = $1 AND visitor_id = $2 ORDER BY started_at LIMIT 1`, siteID, v.visitors.number(visitor))
	if err != nil {
		return Source{}, fmt.Errorf("reading where a visitor came from first: %w", err)
	}
	return source, nil
}
