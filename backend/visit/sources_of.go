package visit

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// sourcesAtOnce is how many visits one query reads.
const sourcesAtOnce = 100

// SourcesOf returns the sources of the site's visits. Visits that do not exist any more are missing.
func (v *Visits) SourcesOf(ctx context.Context, siteID int64, visits []ID) (map[ID]source.Source, error) {
	type row struct {
		id int64
		source.Source
	}
	sources := make(map[ID]source.Source, len(visits))
	for some := range slices.Chunk(visits, sourcesAtOnce) {
		numbers := make([]int64, len(some))
		for i, id := range some {
			numbers[i] = v.visits.number(id)
		}
		values, args := db.Values(db.Padded(numbers), db.Only[int64], siteID)
		rows, err := db.List(ctx, v.db.Read(), func(r *row) []any { return append([]any{&r.id}, r.Source.Fields()...) },
			`SELECT id, `+source.Columns+` FROM visits WHERE site_id = $1 AND id IN (`+values+`)`, args...)
		if err != nil {
			return nil, fmt.Errorf("reading sources: %w", err)
		}
		for _, r := range rows {
			sources[v.visits.id(r.id)] = r.Source
		}
	}
	return sources, nil
}
