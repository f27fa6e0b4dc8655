package metrics

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// MaxSites is how many sites may have metrics of their own.
const MaxSites = 1000

const (
	// chooseEvery is how often it is looked which sites have the most pages.
	chooseEvery = time.Minute
	// maxWindow is of how many sites the pages are counted between two looks.
	maxWindow = 1 << 15
	// rest is the label of all other sites. No key of a site has a space.
	rest = "all others"
)

// bySite counts the pages and views of the sites that have the most, and those of the rest together. Each counter only
// grows: a site begins at 0 when it becomes one of those, and its series ends when another takes its place.
type bySite struct {
	mu     sync.Mutex
	most   int // 0: nothing is counted
	chosen time.Time
	own    map[string]*siteCounts
	others siteCounts
	window map[string]int // pages and views since the last look
	now    func() time.Time
}

// siteCounts are those of a site.
type siteCounts struct{ woven, passed, views float64 }

// sites are those of the process.
var sites = newBySite(time.Now)

func newBySite(now func() time.Time) *bySite {
	return &bySite{own: make(map[string]*siteCounts), window: make(map[string]int), now: now}
}

// UseSites says how many sites have metrics of their own; 0 for none, and then nothing is counted by site.
func UseSites(most int) { sites.use(most) }

func (s *bySite) use(most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.most = most; len(s.own) > most {
		clear(s.own) // they are chosen anew
	}
}

// count changes the counts of a known site.
func (s *bySite) count(site string, change func(*siteCounts)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.most == 0 || site == "" {
		return
	}
	if _, known := s.window[site]; known || len(s.window) < maxWindow {
		s.window[site]++
	}
	of := s.own[site]
	switch {
	case of != nil:
	case len(s.own) < s.most:
		of = new(siteCounts)
		s.own[site] = of
	default:
		of = &s.others
	}
	change(of)
}

// choose gives the places of sites with few pages to others that have more than twice as many.
func (s *bySite) choose() {
	if now := s.now(); now.Sub(s.chosen) >= chooseEvery {
		s.chosen = now
	} else {
		return
	}
	byPages := func(a, b string) int { return cmp.Or(cmp.Compare(s.window[a], s.window[b]), cmp.Compare(a, b)) }
	least := slices.SortedFunc(maps.Keys(s.own), byPages)
	var busy []string
	for site := range s.window {
		if s.own[site] == nil {
			busy = append(busy, site)
		}
	}
	slices.SortFunc(busy, func(a, b string) int { return byPages(b, a) })
	for i, site := range busy {
		if i == len(least) || s.window[site] <= 2*s.window[least[i]] {
			break
		}
		gone := s.own[least[i]]
		s.others.woven, s.others.passed, s.others.views = s.others.woven+gone.woven, s.others.passed+gone.passed, s.others.views+gone.views
		delete(s.own, least[i])
		s.own[site] = new(siteCounts)
	}
	clear(s.window)
}

var (
	sitePages = prometheus.NewDesc("frontdesk_site_pages_total", "Pages of the sites that have the most, and of all others together, by whether they went out with the code.", []string{"site", "outcome"}, nil)
	siteViews = prometheus.NewDesc("frontdesk_site_views_total", "Page views that were stored, of the same sites.", []string{"site"}, nil)
)

// Describe implements [prometheus.Collector].
func (s *bySite) Describe(to chan<- *prometheus.Desc) {
	to <- sitePages
	to <- siteViews
}

// Collect implements [prometheus.Collector].
func (s *bySite) Collect(to chan<- prometheus.Metric) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.most == 0 {
		return
	}
	s.choose()
	tell := func(site string, of siteCounts) {
		to <- prometheus.MustNewConstMetric(sitePages, prometheus.CounterValue, of.woven, site, "woven")
		to <- prometheus.MustNewConstMetric(sitePages, prometheus.CounterValue, of.passed, site, "passed")
		to <- prometheus.MustNewConstMetric(siteViews, prometheus.CounterValue, of.views, site)
	}
	for site, of := range s.own {
		tell(site, *of)
	}
	tell(rest, s.others)
}
