package inventory

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
)

// regions is a cache of the sites' regions, so that a lead need not query them.
type regions struct {
	mu    sync.Mutex
	known *simplelru.LRU[int64, regionThen]
}

// regionThen is a site's region at a time.
type regionThen struct {
	region string
	at     time.Time
}

const (
	// regionAge is how old a region in the cache may be, since other nodes look at pages too.
	regionAge = time.Minute
	// maxRegions is for how many sites the region is cached.
	maxRegions = 1 << 14
)

func newRegions() regions {
	known, err := simplelru.NewLRU[int64, regionThen](maxRegions, nil)
	if err != nil {
		panic(err) // the size is positive
	}
	return regions{known: known}
}

// get returns the region that was last read, and whether that was lately.
func (r *regions) get(siteID int64, now time.Time) (region string, fresh bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	then, known := r.known.Get(siteID)
	return then.region, known && now.Sub(then.at) < regionAge
}

func (r *regions) put(siteID int64, region string, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known.Add(siteID, regionThen{region, now})
}

// Region returns the country of most of the numbers on the site's pages, as ISO 3166-1 alpha-2. Each number counts once
// for each page. It is empty if the pages show no numbers, or if two countries have equally many. With an error, it is the
// region that was last read.
func (s *Inventory) Region(ctx context.Context, siteID int64) (string, error) {
	now := s.now()
	before, fresh := s.regions.get(siteID, now)
	if fresh {
		return before, nil
	}
	type row struct {
		digits string
		pages  int
	}
	rows, err := db.List(ctx, s.db.Read(), func(r *row) []any { return []any{&r.digits, &r.pages} },
		`SELECT digits, COUNT(*) FROM shown_pages WHERE site_id = $1 GROUP BY digits`, siteID)
	if err != nil {
		return before, fmt.Errorf("reading the region of a site's numbers: %w", err)
	}
	pages := make(map[string]int)
	for _, r := range rows {
		if region := contact.RegionOf(r.digits); region != "" {
			pages[region] += r.pages
		}
	}
	most, count := "", 0
	for region, n := range pages {
		switch {
		case n > count:
			most, count = region, n
		case n == count:
			most = ""
		}
	}
	s.regions.put(siteID, most, now)
	return most, nil
}
