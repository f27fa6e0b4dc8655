package inbox

import (
	"context"
	"fmt"
	"iter"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead"
)

// wholeAtOnce is how many bytes of leads are read together, unless a single one has more.
const wholeAtOnce = 4 << 20

// Whole are the leads of the names whole, in their order, some at a time, as they were some seconds ago. Each may have a megabyte,
// so few are read together where they are long. Those that are gone are missing. An error is the last.
func (b *Inbox) Whole(ctx context.Context, names []lead.Key) iter.Seq2[[]lead.Lead, error] {
	return func(yield func([]lead.Lead, error) bool) {
		from := b.db.Lagging()
		sizes, err := sizesOf(ctx, from, names)
		if err != nil {
			yield(nil, err)
			return
		}
		for len(names) > 0 {
			n, size := 1, sizes[names[0]]
			for ; n < len(names) && size+sizes[names[n]] <= wholeAtOnce; n++ {
				size += sizes[names[n]]
			}
			leads, err := b.leads.Named(ctx, from, names[:n])
			if !yield(leads, err) || err != nil {
				return
			}
			names = names[n:]
		}
	}
}

// sizesOf are how many bytes the long texts of the leads have.
func sizesOf(ctx context.Context, from db.Queries, names []lead.Key) (map[lead.Key]int, error) {
	type sized struct {
		lead.Key
		bytes int
	}
	sizes := make(map[lead.Key]int, len(names))
	for some := range db.Parts(names) {
		set, args := db.Among(some, func(k *lead.Key) []any { return []any{&k.SiteID, &k.ID} })
		rows, err := db.List(ctx, from, func(s *sized) []any { return []any{&s.SiteID, &s.ID, &s.bytes} },
			`SELECT site_id, id, octet_length(message) + octet_length(user_fields) FROM leads WHERE (site_id, id) IN (`+set+`)`, args...)
		if err != nil {
			return nil, fmt.Errorf("reading the sizes of leads: %w", err)
		}
		for _, s := range rows {
			sizes[s.Key] = s.bytes
		}
	}
	return sizes, nil
}
