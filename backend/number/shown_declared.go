package number

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/uptrace/bun"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// Declared is a number that configurations have for a site.
type Declared struct {
	// Digits are in international form.
	Digits string
	// Tracking are the numbers that it can be replaced by.
	Tracking []string
}

// declaration says that a declarer has a number for a site.
type declaration struct {
	bun.BaseModel `bun:"table:number_declarations"`

	declared
	Declarer string
	Place    int64 // among the site's, from 0
}

// declared is a number of a site, printed on its pages or in the place of one that is.
type declared struct {
	SiteID   int64
	Digits   string
	Replaces string // the printed number; empty for one that is printed itself
}

// declaredRow is a number that has ever been declared.
type declaredRow struct {
	bun.BaseModel `bun:"table:declared_numbers"`

	declared
	FirstAt   int64
	RetiredAt int64
}

// together is how many numbers one statement writes.
const together = 500

// Declare replaces all that the declarer has declared by the numbers of the sites, by
// their ids. A number that nobody declares any more is retired: it stays in the
// database, with the time of it.
func (s *Shown) Declare(ctx context.Context, tx db.Tx, declarer string, sites map[int64][]Declared) error {
	wanted := make(map[declared]int64)
	for siteID, numbers := range sites {
		places(wanted, siteID, numbers)
	}
	var stored []declaration
	if err := tx.NewSelect().Model(&stored).Where("declarer = ?", declarer).Scan(ctx); err != nil {
		return fmt.Errorf("reading declared numbers: %w", err)
	}
	return s.replace(ctx, tx, declarer, stored, wanted)
}

// DeclareSite does the same for one site alone.
func (s *Shown) DeclareSite(ctx context.Context, tx db.Tx, declarer string, siteID int64, numbers []Declared) error {
	wanted := make(map[declared]int64)
	places(wanted, siteID, numbers)
	var stored []declaration
	if err := tx.NewSelect().Model(&stored).Where("declarer = ?", declarer).Where("site_id = ?", siteID).Scan(ctx); err != nil {
		return fmt.Errorf("reading declared numbers: %w", err)
	}
	return s.replace(ctx, tx, declarer, stored, wanted)
}

// IsDeclared tells whether the declarer has declared these numbers, and no others, for
// the site.
func (s *Shown) IsDeclared(ctx context.Context, declarer string, siteID int64, numbers []Declared) (bool, error) {
	wanted := make(map[declared]int64)
	places(wanted, siteID, numbers)
	var stored []declaration
	if err := s.db.Read().NewSelect().Model(&stored).Where("declarer = ?", declarer).Where("site_id = ?", siteID).Scan(ctx); err != nil {
		return false, fmt.Errorf("reading declared numbers: %w", err)
	}
	for _, d := range stored {
		if place, is := wanted[d.declared]; !is || place != d.Place {
			return false, nil
		}
	}
	return len(stored) == len(wanted), nil
}

// places notes the place of each number of the site. Several handlers of a site may
// have the same.
func places(wanted map[declared]int64, siteID int64, numbers []Declared) {
	place := int64(0)
	note := func(digits, replaces string) {
		n := declared{SiteID: siteID, Digits: digits, Replaces: replaces}
		if _, known := wanted[n]; !known {
			wanted[n] = place
			place++
		}
	}
	for _, n := range numbers {
		note(n.Digits, "")
		for _, tracking := range n.Tracking {
			note(tracking, n.Digits)
		}
	}
}

// replace writes the difference between what is stored and what is wanted.
func (s *Shown) replace(ctx context.Context, tx db.Tx, declarer string, stored []declaration, wanted map[declared]int64) error {
	before := make(map[declared]int64, len(stored))
	var dropped []declared
	for _, d := range stored {
		before[d.declared] = d.Place
		if _, stays := wanted[d.declared]; !stays {
			dropped = append(dropped, d.declared)
		}
	}
	var fresh []declaration
	for n, place := range wanted {
		if known, there := before[n]; !there || known != place {
			fresh = append(fresh, declaration{declared: n, Declarer: declarer, Place: place})
		}
	}
	// In one order on all nodes.
	slices.SortFunc(fresh, func(a, b declaration) int { return compare(a.declared, b.declared) })
	slices.SortFunc(dropped, compare)
	if err := s.add(ctx, tx, fresh); err != nil {
		return fmt.Errorf("declaring numbers: %w", err)
	}
	if err := s.drop(ctx, tx, declarer, dropped); err != nil {
		return fmt.Errorf("retiring numbers: %w", err)
	}
	return nil
}

func compare(a, b declared) int {
	return cmp.Or(cmp.Compare(a.SiteID, b.SiteID), cmp.Compare(a.Digits, b.Digits), cmp.Compare(a.Replaces, b.Replaces))
}

func (s *Shown) add(ctx context.Context, tx db.Tx, fresh []declaration) error {
	now := s.now().UnixMilli()
	for some := range slices.Chunk(fresh, together) {
		if _, err := tx.NewInsert().Model(&some).On("CONFLICT (site_id, digits, replaces, declarer) DO UPDATE").Set("place = EXCLUDED.place").Exec(ctx); err != nil {
			return err
		}
		rows := make([]declaredRow, len(some))
		for i, d := range some {
			rows[i] = declaredRow{declared: d.declared, FirstAt: now}
		}
		if _, err := tx.NewInsert().Model(&rows).On("CONFLICT (site_id, digits, replaces) DO UPDATE").Set("retired_at = 0").Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (s *Shown) drop(ctx context.Context, tx db.Tx, declarer string, dropped []declared) error {
	now := s.now().UnixMilli()
	for some := range slices.Chunk(dropped, together) {
		keys := make([]bun.TupleValues, len(some))
		for i, n := range some {
			keys[i] = bun.Tuple([]any{n.SiteID, n.Digits, n.Replaces})
		}
		_, err := tx.NewRaw(`DELETE FROM number_declarations WHERE declarer = ? AND (site_id, digits, replaces) IN (VALUES ?)`, declarer, bun.List(keys)).Exec(ctx)
		if err != nil {
			return err
		}
		_, err = tx.NewRaw(`UPDATE declared_numbers SET retired_at = ? WHERE (site_id, digits, replaces) IN (VALUES ?) AND NOT EXISTS
			(SELECT 1 FROM number_declarations d WHERE d.site_id = declared_numbers.site_id AND d.digits = declared_numbers.digits AND d.replaces = declared_numbers.replaces)`,
			now, bun.List(keys)).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// Declared is what configurations have for the site, whoever declares it. The order is
// that of the configuration, where there is one.
func (s *Shown) Declared(ctx context.Context, siteID int64) ([]Declared, error) {
	var rows []declaration
	if err := s.db.Read().NewSelect().Model(&rows).Where("site_id = ?", siteID).Scan(ctx); err != nil {
		return nil, fmt.Errorf("listing the declared numbers of a site: %w", err)
	}
	first := make(map[declared]int64, len(rows))
	for _, d := range rows {
		if place, known := first[d.declared]; !known || d.Place < place {
			first[d.declared] = d.Place
		}
	}
	order := slices.SortedFunc(maps.Keys(first), func(a, b declared) int {
		return cmp.Or(cmp.Compare(first[a], first[b]), compare(a, b))
	})
	var list []Declared
	at := make(map[string]int)
	for _, n := range order {
		if n.Replaces == "" {
			at[n.Digits] = len(list)
			list = append(list, Declared{Digits: n.Digits})
		}
	}
	for _, n := range order {
		if i, printed := at[n.Replaces]; printed && n.Replaces != "" {
			list[i].Tracking = append(list[i].Tracking, n.Digits)
		}
	}
	return list, nil
}
