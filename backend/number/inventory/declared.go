package inventory

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/number"
)

// maxConditions is how many bytes of a number's conditions are kept.
const maxConditions = 500

// role is a declared number's position and its conditions.
type role struct {
	place      int64 // the position among the site's numbers, from 0
	conditions string
}

// declarationRow says that a declarer declares a number for a site.
type declarationRow struct {
	declared
	declarer string
	role
}

func (d *declarationRow) fields() []any {
	return append(d.declared.fields(), &d.declarer, &d.place, &d.conditions)
}

const declarations = `SELECT site_id, digits, replaces, declarer, place, conditions FROM number_declarations`

// declared is a number of a site: a printed number, or one that may replace it.
type declared struct {
	site     int64
	digits   string
	replaces string // the printed number; empty if this number is printed
}

func (d *declared) fields() []any { return []any{&d.site, &d.digits, &d.replaces} }

// Declare replaces everything that the declarer has declared by the numbers of the sites, by site id. A number that
// nobody declares any more is retired: it stays in the database with the time of its retirement.
func (s *Inventory) Declare(ctx context.Context, tx db.Tx, declarer string, sites map[int64][]number.Declared) error {
	wanted := make(map[declared]role)
	for siteID, numbers := range sites {
		places(wanted, siteID, numbers)
	}
	stored, err := db.List(ctx, tx, (*declarationRow).fields, declarations+` WHERE declarer = $1`, declarer)
	if err != nil {
		return fmt.Errorf("reading declared numbers: %w", err)
	}
	return s.replace(ctx, tx, declarer, stored, wanted)
}

// DeclareSite does what Declare does, for one site.
func (s *Inventory) DeclareSite(ctx context.Context, tx db.Tx, declarer string, siteID int64, numbers []number.Declared) error {
	wanted := make(map[declared]role)
	places(wanted, siteID, numbers)
	stored, err := db.List(ctx, tx, (*declarationRow).fields, declarations+` WHERE declarer = $1 AND site_id = $2`, declarer, siteID)
	if err != nil {
		return fmt.Errorf("reading declared numbers: %w", err)
	}
	return s.replace(ctx, tx, declarer, stored, wanted)
}

// IsDeclared says whether the declarer has declared exactly these numbers for the site.
func (s *Inventory) IsDeclared(ctx context.Context, declarer string, siteID int64, numbers []number.Declared) (bool, error) {
	wanted := make(map[declared]role)
	places(wanted, siteID, numbers)
	stored, err := db.List(ctx, s.db.Read(), (*declarationRow).fields, declarations+` WHERE declarer = $1 AND site_id = $2`, declarer, siteID)
	if err != nil {
		return false, fmt.Errorf("reading declared numbers: %w", err)
	}
	for _, d := range stored {
		if wants, is := wanted[d.declared]; !is || wants != d.role {
			return false, nil
		}
	}
	return len(stored) == len(wanted), nil
}

// places sets the position of each number of the site. Several handlers of a site may declare the same number.
func places(wanted map[declared]role, siteID int64, numbers []number.Declared) {
	place := int64(0)
	note := func(digits, replaces, conditions string) {
		n := declared{siteID, digits, replaces}
		if _, known := wanted[n]; !known {
			wanted[n] = role{place, storable(conditions, maxConditions)}
			place++
		}
	}
	for _, n := range numbers {
		note(n.Digits, "", "")
		for _, tracking := range n.Tracking {
			note(tracking, n.Digits, n.Conditions[tracking])
		}
	}
}

// replace writes the difference between the stored numbers and the wanted ones.
func (s *Inventory) replace(ctx context.Context, tx db.Tx, declarer string, stored []declarationRow, wanted map[declared]role) error {
	before := make(map[declared]role, len(stored))
	var dropped []declared
	for _, d := range stored {
		before[d.declared] = d.role
		if _, stays := wanted[d.declared]; !stays {
			dropped = append(dropped, d.declared)
		}
	}
	var fresh []declarationRow
	for n, wants := range wanted {
		if known, there := before[n]; !there || known != wants {
			fresh = append(fresh, declarationRow{declared: n, declarer: declarer, role: wants})
		}
	}
	// In the same order on all nodes.
	slices.SortFunc(fresh, func(a, b declarationRow) int { return compare(a.declared, b.declared) })
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
	return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(a.digits, b.digits), cmp.Compare(a.replaces, b.replaces))
}

func (s *Inventory) add(ctx context.Context, tx db.Tx, fresh []declarationRow) error {
	now := s.now().UnixMilli()
	for some := range db.Parts(fresh) {
		values, args := db.Values(some, (*declarationRow).fields)
		if _, err := tx.Exec(ctx, `INSERT INTO number_declarations (site_id, digits, replaces, declarer, place, conditions) `+values+`
			ON CONFLICT (site_id, digits, replaces, declarer) DO UPDATE SET place = EXCLUDED.place, conditions = EXCLUDED.conditions`, args...); err != nil {
			return err
		}
		never := int64(0)
		values, args = db.Values(some, func(d *declarationRow) []any { return append(d.declared.fields(), &now, &never) })
		if _, err := tx.Exec(ctx, `INSERT INTO declared_numbers (site_id, digits, replaces, first_at, retired_at) `+values+`
			ON CONFLICT (site_id, digits, replaces) DO UPDATE SET retired_at = 0`, args...); err != nil {
			return err
		}
	}
	return nil
}

// droppedAtOnce bounds how many numbers one statement drops. For more, PostgreSQL would scan the whole table.
const droppedAtOnce = 16

func (s *Inventory) drop(ctx context.Context, tx db.Tx, declarer string, dropped []declared) error {
	now := s.now().UnixMilli()
	for some := range slices.Chunk(dropped, droppedAtOnce) {
		some = db.Padded(some)
		set, args := db.Among(some, (*declared).fields, declarer)
		if _, err := tx.Exec(ctx, `DELETE FROM number_declarations WHERE declarer = $1 AND (site_id, digits, replaces) IN (`+set+`)`, args...); err != nil {
			return err
		}
		set, args = db.Among(some, (*declared).fields, now)
		if _, err := tx.Exec(ctx, `UPDATE declared_numbers SET retired_at = $1 WHERE (site_id, digits, replaces) IN (`+set+`) AND NOT EXISTS
			(SELECT 1 FROM number_declarations d WHERE d.site_id = declared_numbers.site_id AND d.digits = declared_numbers.digits AND d.replaces = declared_numbers.replaces)`,
			args...); err != nil {
			return err
		}
	}
	return nil
}

// Declared returns the numbers of the site that anybody declares, in the order of the configuration.
func (s *Inventory) Declared(ctx context.Context, siteID int64) ([]number.Declared, error) {
	rows, err := db.List(ctx, s.db.Read(), (*declarationRow).fields, declarations+` WHERE site_id = $1`, siteID)
	if err != nil {
		return nil, fmt.Errorf("listing the declared numbers of a site: %w", err)
	}
	first := make(map[declared]int64, len(rows))
	for _, d := range rows {
		if place, known := first[d.declared]; !known || d.place < place {
			first[d.declared] = d.place
		}
	}
	order := slices.SortedFunc(maps.Keys(first), func(a, b declared) int {
		return cmp.Or(cmp.Compare(first[a], first[b]), compare(a, b))
	})
	var list []number.Declared
	at := make(map[string]int)
	for _, n := range order {
		if n.replaces == "" {
			at[n.digits] = len(list)
			list = append(list, number.Declared{Digits: n.digits})
		}
	}
	for _, n := range order {
		if i, printed := at[n.replaces]; printed && n.replaces != "" {
			list[i].Tracking = append(list[i].Tracking, n.digits)
		}
	}
	return list, nil
}

// maxStandings bounds the sites that have a number.
const maxStandings = 20

// Standing is what a number is at a site.
type Standing struct {
	Site int64
	// Replaces is the printed number that the number stands for. It is the number itself if that is printed.
	Replaces string
	// Conditions are those of a static tracking number, see [number.Declared].
	Conditions string
}

// Standings returns what the number is at each site. Numbers in use come first, and then tracking numbers, which tell
// more than printed ones.
func Standings(ctx context.Context, from db.Queries, digits string) ([]Standing, error) {
	list, err := db.List(ctx, from, func(s *Standing) []any { return []any{&s.Site, &s.Replaces, &s.Conditions} },
		`SELECT d.site_id, CASE WHEN d.replaces = '' THEN d.digits ELSE d.replaces END,
				COALESCE((SELECT MAX(n.conditions) FROM number_declarations n WHERE n.site_id = d.site_id AND n.digits = d.digits AND n.replaces = d.replaces), '')
			FROM declared_numbers d WHERE d.digits = $1
			ORDER BY CASE WHEN d.retired_at = 0 THEN 0 ELSE 1 END, CASE WHEN d.replaces = '' THEN 1 ELSE 0 END, d.retired_at DESC, d.first_at, d.site_id LIMIT $2`,
		digits, maxStandings)
	if err != nil {
		return nil, fmt.Errorf("finding the sites of a number: %w", err)
	}
	return list, nil
}

// DeclaredSQL returns a query for the digits of the numbers that are declared for a site, which is given as SQL: a column
// or a placeholder.
func DeclaredSQL(site string) string {
	return `SELECT d.digits FROM number_declarations AS d WHERE d.site_id = ` + site
}
