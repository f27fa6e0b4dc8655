// Package inventory stores which telephone numbers each site has: those that its pages show, and those that somebody
// declares for it. It owns the tables of both. A number that nobody declares any more keeps its row, so that later calls
// find their site.
package inventory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/trace"
)

// Bounds of what is kept of a site's pages. The oldest is forgotten first.
const (
	// MaxPrinted is how many numbers of a site are kept.
	MaxPrinted = 200
	// MaxPages is how many pages of a number are kept.
	MaxPages = 100
	// maxWritings is how many writings of a number are kept, for a page and in all.
	maxWritings = 20
	// maxPath is how many bytes of a page's path are kept.
	maxPath = 200
)

// Inventory holds the numbers of all sites. It is safe for concurrent use.
type Inventory struct {
	db      *db.DB
	now     func() time.Time
	regions regions
}

// PrintedNumber is a number that is printed on a site's pages.
type PrintedNumber struct {
	// Digits are in international form.
	Digits string
	// Writings are the ways in which it is written, the most frequent first.
	Writings []Writing
	// Pages is how many pages show the number, at most [MaxPages].
	Pages int
	// Example is the path of one of these pages.
	Example string
	// FirstAt and LastAt are when the number was seen first and last, to the millisecond.
	FirstAt, LastAt time.Time
}

// Writing is one way in which a number is written on pages.
type Writing struct {
	Text string `json:"text"`
	// Place is the kind of place: text, attribute, or the way in which a link calls, such as tel.
	Place string `json:"place"`
	Count int    `json:"count"`
}

// New returns the inventory of the database.
func New(d *db.DB, now func() time.Time) *Inventory {
	return &Inventory{db: d, now: now, regions: newRegions()}
}

type numberRow struct {
	site   int64
	digits string
	at     int64
}

type pageRow struct {
	site     int64
	path     string
	digits   string
	writings string
	at       int64
}

// Learn stores the numbers that a page shows, by their digits. It forgets those that the page has shown before and
// shows no more. The path has no query.
func (s *Inventory) Learn(ctx context.Context, siteID int64, path string, found map[string][]Writing) error {
	path = storable(path, maxPath)
	at := s.now().UnixMilli()
	digits := slices.Sorted(maps.Keys(found)) // in the same order on all nodes
	digits = digits[:min(len(digits), MaxPrinted)]
	var numbers []numberRow
	var pages []pageRow
	for _, d := range digits {
		writings, err := json.Marshal(found[d][:min(len(found[d]), maxWritings)])
		if err != nil {
			return fmt.Errorf("noting the numbers of a page: %w", err)
		}
		numbers = append(numbers, numberRow{siteID, d, at})
		pages = append(pages, pageRow{siteID, path, d, string(writings), at})
	}
	lock := db.Hash(fmt.Sprint("numbers of ", siteID))
	err := s.db.Write(ctx, siteID, func(ctx context.Context, tx db.Tx) error {
		// Without the lock, nodes that look at several pages each could wait for each other.
		if err := tx.Lock(ctx, lock); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM shown_pages WHERE site_id = $1 AND path = $2`, siteID, path); err != nil {
			return err
		}
		for some := range db.Parts(numbers) {
			values, args := db.Values(some, func(n *numberRow) []any { return []any{&n.site, &n.digits, &n.at, &n.at} })
			if _, err := tx.Exec(ctx, `INSERT INTO shown_numbers (site_id, digits, first_at, last_at) `+values+`
				ON CONFLICT (site_id, digits) DO UPDATE SET last_at = EXCLUDED.last_at`, args...); err != nil {
				return err
			}
		}
		for some := range db.Parts(pages) {
			values, args := db.Values(some, func(p *pageRow) []any { return []any{&p.site, &p.path, &p.digits, &p.writings, &p.at} })
			// Another node may have looked at the page at the same time.
			if _, err := tx.Exec(ctx, `INSERT INTO shown_pages (site_id, path, digits, writings, at) `+values+`
				ON CONFLICT (site_id, path, digits) DO UPDATE SET writings = EXCLUDED.writings, at = EXCLUDED.at`, args...); err != nil {
				return err
			}
		}
		return forget(ctx, tx, siteID, digits)
	})
	if err != nil {
		return fmt.Errorf("noting the numbers of a page: %w", err)
	}
	return nil
}

// forget deletes pages and numbers beyond the bounds, and numbers that no page shows any more. digits are the numbers
// just seen.
func forget(ctx context.Context, tx db.Tx, siteID int64, digits []string) error {
	for _, d := range digits {
		_, err := tx.Exec(ctx, `DELETE FROM shown_pages WHERE site_id = $1 AND digits = $2 AND path NOT IN
			(SELECT path FROM shown_pages WHERE site_id = $1 AND digits = $2 ORDER BY at DESC, path LIMIT $3)`, siteID, d, MaxPages)
		if err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, `DELETE FROM shown_numbers WHERE site_id = $1 AND (digits NOT IN
		(SELECT digits FROM shown_numbers WHERE site_id = $1 ORDER BY last_at DESC, digits LIMIT $2)
		OR NOT EXISTS (SELECT 1 FROM shown_pages p WHERE p.site_id = shown_numbers.site_id AND p.digits = shown_numbers.digits))`, siteID, MaxPrinted)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `DELETE FROM shown_pages WHERE site_id = $1 AND digits NOT IN
		(SELECT digits FROM shown_numbers WHERE site_id = $1)`, siteID)
	return err
}

// Sites returns the sites whose pages show numbers, and those for which numbers are declared.
func (s *Inventory) Sites(ctx context.Context) (map[int64]bool, error) {
	ids, err := db.List(ctx, s.db.Read(), db.Only[int64], `SELECT site_id FROM shown_numbers UNION SELECT site_id FROM number_declarations`)
	if err != nil {
		return nil, fmt.Errorf("listing sites with numbers: %w", err)
	}
	sites := make(map[int64]bool, len(ids))
	for _, id := range ids {
		sites[id] = true
	}
	return sites, nil
}

// List returns the numbers that a site's pages show, those on most pages first.
func (s *Inventory) List(ctx context.Context, siteID int64) ([]PrintedNumber, error) {
	type row struct {
		digits, path, writings string
		first, last            int64
	}
	rows, err := db.List(ctx, s.db.Read(), func(r *row) []any { return []any{&r.digits, &r.first, &r.last, &r.path, &r.writings} }, `SELECT n.digits, n.first_at, n.last_at, p.path, p.writings FROM shown_numbers n
		JOIN shown_pages p ON p.site_id = n.site_id AND p.digits = n.digits WHERE n.site_id = $1 ORDER BY n.digits, p.path`, siteID)
	if err != nil {
		return nil, fmt.Errorf("listing the numbers of a site: %w", err)
	}
	var list []PrintedNumber
	for _, r := range rows {
		if len(list) == 0 || list[len(list)-1].Digits != r.digits {
			list = append(list, PrintedNumber{Digits: r.digits, FirstAt: time.UnixMilli(r.first), LastAt: time.UnixMilli(r.last)})
		}
		if err := list[len(list)-1].add(r.path, r.writings); err != nil {
			return nil, fmt.Errorf("listing the numbers of a site: %w", err)
		}
	}
	for _, n := range list {
		slices.SortStableFunc(n.Writings, func(a, b Writing) int { return cmp.Compare(b.Count, a.Count) })
	}
	slices.SortStableFunc(list, func(a, b PrintedNumber) int { return cmp.Compare(b.Pages, a.Pages) })
	return list, nil
}

// add adds a page that shows the number. The shortest path is the example.
func (n *PrintedNumber) add(path, writings string) error {
	var written []Writing
	if err := json.Unmarshal([]byte(writings), &written); err != nil {
		return err
	}
	n.Pages++
	if n.Example == "" || len(path) < len(n.Example) {
		n.Example = path
	}
	for _, w := range written {
		i := slices.IndexFunc(n.Writings, func(known Writing) bool { return known.Text == w.Text && known.Place == w.Place })
		switch {
		case i >= 0:
			n.Writings[i].Count += w.Count
		case len(n.Writings) < maxWritings:
			n.Writings = append(n.Writings, w)
		}
	}
	return nil
}

// Traces are pages whose paths name a person, and numbers of the person that pages show: a page may show its visitor's own.
// They are forgotten until such a page is looked at again.
func (s *Inventory) Traces() trace.Subject {
	return trace.Subject{Tables: []trace.Table{
		{Name: "shown_pages", Texts: []string{"path", "digits", "writings"}, Key: []string{"site_id", "path", "digits"}},
		{Name: "shown_numbers", Texts: []string{"digits"}, Key: []string{"site_id", "digits"}},
	}}
}

// storable returns text that the database can store, in at most size bytes.
func storable(text string, size int) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text[:min(len(text), size)], "\x00", ""), "")
}
