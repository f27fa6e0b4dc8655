package card

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
)

// Page is a page view in a list.
type Page struct {
	ID         key.ID
	At         time.Time
	Kind       string
	URL, Title string
}

// Stay is a visit of a site, by the number of its row.
type Stay struct{ Site, Visit int64 }

// staysAtOnce bounds the size of a statement.
const staysAtOnce = 200

// Pages returns the views of visits with the given numbers, the latest first.
func (cards *Cards) Pages(ctx context.Context, views map[Stay][]int64) (map[Stay][]Page, error) {
	all := make(map[Stay][]Page, len(views))
	for some := range slices.Chunk(slices.Collect(maps.Keys(views)), staysAtOnce) {
		var rows []string
		for _, of := range some {
			for _, view := range views[of] {
				rows = append(rows, fmt.Sprintf("(%d, %d, %d)", of.Site, of.Visit, view))
			}
		}
		if len(rows) == 0 {
			continue
		}
		found, err := cards.pages(ctx, `views AS w WHERE (w.site_id, w.visit_id, w.id) IN (SELECT * FROM (VALUES `+strings.Join(rows, ", ")+`) AS among)`)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, found)
	}
	return all, nil
}

// pages returns the views w from the tables, the latest first.
func (cards *Cards) pages(ctx context.Context, from string, args ...any) (map[Stay][]Page, error) {
	type view struct {
		Page
		of         Stay
		number, at int64
	}
	views, err := db.List(ctx, cards.db.Read(), func(w *view) []any {
		return []any{&w.of.Site, &w.of.Visit, &w.number, &w.at, &w.Kind, &w.URL, &w.Title}
	}, `SELECT w.site_id, w.visit_id, w.id, w.at, w.kind, w.url, w.title FROM `+from+` ORDER BY w.at DESC, w.id DESC`, args...)
	if err != nil {
		return nil, err
	}
	pages := make(map[Stay][]Page)
	for _, w := range views {
		w.ID, w.At = cards.keys.Views.ID(w.number), time.UnixMilli(w.at)
		pages[w.of] = append(pages[w.of], w.Page)
	}
	return pages, nil
}
