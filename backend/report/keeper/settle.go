package keeper

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// settle takes the marks away that have not been made again since they were read.
func (k *Keeper) settle(ctx context.Context, marks []mark) error {
	slices.SortFunc(marks, func(a, b mark) int {
		return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(a.kind, b.kind), cmp.Compare(a.id, b.id))
	})
	for some := range slices.Chunk(marks, settledAtOnce) {
		if err := k.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
			for rest := some; len(rest) > 0; {
				others := slices.IndexFunc(rest, func(m mark) bool { return m.site != rest[0].site })
				if others < 0 {
					others = len(rest)
				}
				if err := settleSite(ctx, tx, rest[0].site, rest[:others]); err != nil {
					return err
				}
				rest = rest[others:]
			}
			return nil
		}); err != nil {
			return fmt.Errorf("settling what has changed for reports: %w", err)
		}
	}
	return nil
}

// settleSite takes marks of the site away.
func settleSite(ctx context.Context, tx db.Tx, site int64, marks []mark) error {
	for some := range db.Parts(marks) {
		set, args := db.Among(some, func(m *mark) []any { return []any{&m.kind, &m.id, &m.day, &m.times} }, site)
		which := `site_id = $1 AND (kind, id, day, times) IN (` + set + `)`
		if tx.Engine() == db.Postgres {
			// To wait for somebody who marks, while others wait for this, could be for ever.
			which = `site_id = $1 AND (kind, id, day) IN (SELECT kind, id, day FROM report_due WHERE ` + which + ` FOR UPDATE SKIP LOCKED)`
		}
		if err := tx.Send(ctx, `DELETE FROM report_due WHERE `+which, args...); err != nil {
			return err
		}
	}
	return nil
}
