package number

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// OwnDeclarer is the name under which the sites' own numbers stand beside those that
// configurations declare. No configuration can have it.
const OwnDeclarer = "/site"

// KeepOwn notes what the site has of its own, in the transaction that stores it: its numbers
// beside those that are declared, so that calls are told to it, and whose the numbers of its
// pools are. The configuration's pools are given by their names. The error is a [Place] when
// a number is one of another site's pools.
func (s *Shown) KeepOwn(ctx context.Context, tx db.Tx, siteID int64, own Own, configured map[string]*Pool) error {
	pools, err := own.resolve(siteID)
	if err != nil {
		return err
	}
	if err := claim(ctx, tx, siteID, pools); err != nil {
		return err
	}
	d := Declaration{named: maps.Clone(configured)}
	d.KnowPools()
	maps.Copy(d.named, pools)
	var declared []Declared
	for _, n := range own.Numbers {
		n.Tracking = slices.DeleteFunc(slices.Clone(n.Tracking), func(t Tracking) bool { return t.Pool != "" && d.named[t.Pool] == nil })
		declared = append(declared, Declared{Digits: Digits(n.Number), Tracking: d.TrackingOf(n), Conditions: conditionsOf(n)})
	}
	return s.DeclareSite(ctx, tx, OwnDeclarer, siteID, declared)
}

// pooledNumber is a number of a site's own pool, as it is stored.
type pooledNumber struct {
	digits string
	site   int64
	pool   string
}

func (n *pooledNumber) fields() []any { return []any{&n.digits, &n.site, &n.pool} }

// claim makes the numbers those of the site's pools. The key of the table keeps two sites
// from having one, whichever nodes they are changed on.
func claim(ctx context.Context, tx db.Tx, siteID int64, pools map[string]*Pool) error {
	var wanted []pooledNumber
	for _, pool := range pools {
		for _, digits := range pool.Digits {
			wanted = append(wanted, pooledNumber{digits, siteID, pool.Name})
		}
	}
	slices.SortFunc(wanted, func(a, b pooledNumber) int { return cmp.Compare(a.digits, b.digits) }) // in one order on all nodes
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
				name := PoolTitle(n.pool)
				return &Place{Pool: name, Field: "numbers", Index: slices.Index(pools[name].Digits, n.digits),
					Err: about("pool_elsewhere", "dynamic %s: %s is a number of another site's pool; expected another", name, n.digits)}
			}
		}
	}
	return nil
}

// ConfiguredBy are the names of the configurations that declare each of the site's printed
// numbers, by their digits.
func (s *Shown) ConfiguredBy(ctx context.Context, siteID int64) (map[string][]string, error) {
	rows, err := db.List(ctx, s.db.Read(), (*declarationRow).fields, declarations+` WHERE site_id = $1 AND replaces = '' AND declarer <> $2`, siteID, OwnDeclarer)
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
