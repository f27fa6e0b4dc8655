package inventory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/number"
)

// ownDeclarer is the declarer of the sites' own numbers. No configuration can have this name.
const ownDeclarer = "/site"

// KeepOwn stores the declared numbers of the site's own, in the transaction that stores own, so that calls are
// attributed to the site. It also stores which site has the numbers of its pools. configured are the configuration's
// pools by name. The error is a [number.FieldError] if a number belongs to another site's pool.
func (s *Inventory) KeepOwn(ctx context.Context, tx db.Tx, siteID int64, own number.Own, configured map[string]*number.Pool) error {
	declared, pools, err := own.Declared(siteID, configured)
	if err != nil {
		return err
	}
	if err := claim(ctx, tx, siteID, pools); err != nil {
		return err
	}
	return s.DeclareSite(ctx, tx, ownDeclarer, siteID, declared)
}

// pooledNumber is a stored number of a site's own pool.
type pooledNumber struct {
	digits string
	site   int64
	pool   string
}

func (n *pooledNumber) fields() []any { return []any{&n.digits, &n.site, &n.pool} }

// claim gives the numbers to the site's pools. The table's key keeps two sites from having the same number, on
// whichever nodes they are changed.
func claim(ctx context.Context, tx db.Tx, siteID int64, pools map[string]*number.Pool) error {
	var wanted []pooledNumber
	for _, pool := range pools {
		for _, digits := range pool.Digits {
			wanted = append(wanted, pooledNumber{digits, siteID, pool.Name})
		}
	}
	// All nodes use the same order.
	slices.SortFunc(wanted, func(a, b pooledNumber) int { return cmp.Compare(a.digits, b.digits) })
	if _, err := tx.Exec(ctx, `DELETE FROM own_pool_numbers WHERE site_id = $1`, siteID); err != nil {
		return fmt.Errorf("giving the numbers of pools back: %w", err)
	}
	for some := range db.Parts(wanted) {
		values, args := db.Values(some, (*pooledNumber).fields)
		claimed, err := db.List(ctx, tx, db.Only[string], `INSERT INTO own_pool_numbers (digits, site_id, pool) `+values+` ON CONFLICT (digits) DO NOTHING RETURNING digits`, args...)
		if err != nil {
			return fmt.Errorf("claiming the numbers of pools: %w", err)
		}
		for _, n := range some {
			if !slices.Contains(claimed, n.digits) {
				return pools[number.PoolTitle(n.pool)].OfAnotherSite(n.digits)
			}
		}
	}
	return nil
}

// ConfiguredBy returns the names of the configurations that declare each of the site's printed numbers, by digits.
func (s *Inventory) ConfiguredBy(ctx context.Context, siteID int64) (map[string][]string, error) {
	rows, err := db.List(ctx, s.db.Read(), (*declarationRow).fields, declarations+` WHERE site_id = $1 AND replaces = '' AND declarer <> $2`, siteID, ownDeclarer)
	if err != nil {
		return nil, fmt.Errorf("listing who has declared the numbers of a site: %w", err)
	}
	slices.SortFunc(rows, func(a, b declarationRow) int { return strings.Compare(a.declarer, b.declarer) })
	by := make(map[string][]string)
	for _, r := range rows {
		by[r.digits] = append(by[r.digits], r.declarer)
	}
	return by, nil
}
