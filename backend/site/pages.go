package site

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

const (
	// storePagesEvery is the interval at which page counts are stored.
	storePagesEvery = 10 * time.Second
	// storePagesTimeout limits the time for storing them, also at the end of the process.
	storePagesTimeout = 5 * time.Second
	// PagesKept is the number of days for which they are kept.
	PagesKept = 30
	// maxHosts is how many hosts of a site are remembered; the first ones count.
	maxHosts = 16
)

// Pages counts the pages of a site with one outcome.
type Pages struct {
	// Outcome is a word of the edge, such as "woven", or a reason to pass a page.
	Outcome string
	Number  int64
	LastAt  time.Time
}

// tally counts pages until they are stored. It has an entry for each site, outcome and day; there are few. It also
// remembers the hosts on which each site's pages were served.
type tally struct {
	mu     sync.Mutex
	counts map[pagesKey]pagesCount
	hosts  map[int64][]string
}

type pagesKey struct {
	site, day int64
	outcome   string
}

type pagesCount struct{ pages, lastAt int64 }

func (t *tally) add(key pagesKey, count pagesCount) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts = make(map[pagesKey]pagesCount)
	}
	known := t.counts[key]
	t.counts[key] = pagesCount{known.pages + count.pages, max(known.lastAt, count.lastAt)}
}

func (t *tally) take() map[pagesKey]pagesCount {
	t.mu.Lock()
	defer t.mu.Unlock()
	taken := t.counts
	t.counts = nil
	return taken
}

const day = 24 * int64(time.Hour/time.Millisecond)

// Page counts a page of the site. It does not wait: [Sites.CountPages] stores the count.
func (s *Sites) Page(siteID int64, outcome string) {
	at := s.now().UnixMilli()
	s.tally.add(pagesKey{siteID, at / day, outcome}, pagesCount{1, at})
}

// Serve remembers that a page of the site was served on the host, which may have a port.
func (s *Sites) Serve(siteID int64, host string) {
	t := &s.tally
	host = nameOf(host)
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.hosts[siteID]
	if len(known) == maxHosts || len(host) > maxOrigin || slices.Contains(known, host) {
		return
	}
	if t.hosts == nil {
		t.hosts = make(map[int64][]string)
	}
	t.hosts[siteID] = append(known, strings.Clone(host)) // and not the request that it is a part of
}

// Serves reports whether this process has served pages of the site on the host. The client names the host, so this
// proves something only if the server in front accepts no other hosts.
func (s *Sites) Serves(siteID int64, host string) bool {
	s.tally.mu.Lock()
	defer s.tally.mu.Unlock()
	return slices.Contains(s.tally.hosts[siteID], nameOf(host))
}

// nameOf returns a host in lower case, without a port.
func nameOf(host string) string {
	return strings.ToLower((&url.URL{Host: host}).Hostname())
}

// CountPages stores the counts of [Sites.Page] every ten seconds, and once more when ctx ends. Counts that cannot be
// stored are stored with the next ones.
func (s *Sites) CountPages(ctx context.Context) {
	aside.Every(ctx, storePagesEvery, s.logger, "storing what became of pages failed: it is tried again", s.StorePages)
}

// StorePages stores the counts now.
func (s *Sites) StorePages(ctx context.Context) error {
	counted := s.tally.take()
	if len(counted) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, storePagesTimeout)
	defer cancel()
	type row struct {
		site, day     int64
		outcome       string
		pages, lastAt int64
	}
	rows := make([]row, 0, len(counted))
	// All nodes lock the rows in the same order.
	for _, k := range slices.SortedFunc(maps.Keys(counted), func(a, b pagesKey) int {
		return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(a.day, b.day), cmp.Compare(a.outcome, b.outcome))
	}) {
		rows = append(rows, row{k.site, k.day, k.outcome, counted[k].pages, counted[k].lastAt})
	}
	err := s.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		for some := range db.Parts(rows) {
			values, args := db.Values(some, func(r *row) []any { return []any{&r.site, &r.day, &r.outcome, &r.pages, &r.lastAt} })
			_, err := tx.Exec(ctx, `INSERT INTO site_pages (site_id, day, outcome, pages, last_at) `+values+`
				ON CONFLICT (site_id, day, outcome) DO UPDATE SET pages = site_pages.pages + excluded.pages,
					last_at = CASE WHEN excluded.last_at > site_pages.last_at THEN excluded.last_at ELSE site_pages.last_at END`, args...)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		for k, count := range counted {
			s.tally.add(k, count)
		}
		return fmt.Errorf("storing what became of pages: %w", err)
	}
	return nil
}

// Pages returns the page counts of the last days, today and those before it, by the sites' ids, the largest first. They
// may be ten seconds late.
func (s *Sites) Pages(ctx context.Context, sites scope.Sites, days int) (map[int64][]Pages, error) {
	type row struct {
		Pages
		site, lastAt int64
	}
	rows, err := db.List(ctx, s.db.Read(), func(r *row) []any { return []any{&r.site, &r.Outcome, &r.Number, &r.lastAt} },
		`SELECT site_id, outcome, CAST(SUM(pages) AS BIGINT) AS pages, MAX(last_at) FROM site_pages
		WHERE day > $1 AND `+sites.SQL("site_id")+` GROUP BY site_id, outcome ORDER BY pages DESC, outcome`,
		s.now().UnixMilli()/day-int64(days))
	if err != nil {
		return nil, fmt.Errorf("reading what became of pages: %w", err)
	}
	pages := make(map[int64][]Pages)
	for _, r := range rows {
		r.LastAt = time.UnixMilli(r.lastAt)
		pages[r.site] = append(pages[r.site], r.Pages)
	}
	return pages, nil
}

// PrunePages deletes page counts older than [PagesKept] days.
func (s *Sites) PrunePages(ctx context.Context) error {
	err := s.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM site_pages WHERE day < $1`, s.now().UnixMilli()/day-PagesKept)
		return err
	})
	if err != nil {
		return fmt.Errorf("pruning what became of pages: %w", err)
	}
	return nil
}
