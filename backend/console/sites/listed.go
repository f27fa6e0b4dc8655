package sites

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
)

// fewSites is how many sites are looked over without a search.
const fewSites = 5

// mostSites is how many sites the list shows.
const mostSites = 50

// listed is which sites the list has, and in which order.
type listed struct {
	Search, State, Order string
	All                  int // sites
	Matching             int
}

// States are those that sites can have, as the list offers them.
func (l listed) States() []frame.Option {
	return options(siteAlive, siteQuiet, siteUnseen, siteBare, siteWaiting, siteHalted, siteRetired)
}

// Orders are the orders of the list. The first is the usual one.
func (l listed) Orders() []frame.Option {
	return options("sites.byAdded", "sites.byKey", "sites.byWrong", "sites.byTraffic", "sites.bySeen", "sites.byPage")
}

// options are named by the names of their words.
func options(names ...string) (all []frame.Option) {
	for _, name := range names {
		_, value, _ := strings.Cut(name, ".")
		all = append(all, frame.Option{Value: value, Name: name})
	}
	return all
}

// Many tells whether there are so many sites that the list is searched.
func (l listed) Many() bool { return l.All > fewSites || l.Narrowed() }

// Narrowed tells whether something is left out.
func (l listed) Narrowed() bool { return l.Search != "" || l.State != "" }

// narrow leaves the rows on the page that the query asks for, in its order.
func (p *sitesPage) narrow(query url.Values) {
	p.listed = listed{Search: strings.TrimSpace(query.Get("q")), State: query.Get("state"), Order: query.Get("order"), All: len(p.Rows)}
	search := strings.ToLower(p.Search)
	p.Rows = slices.DeleteFunc(p.Rows, func(s siteRow) bool {
		key := strings.ToLower(s.Key)
		return !strings.Contains(key, search) && !strings.Contains(strings.ToLower(words.Host(s.Key)), search) || p.State != "" && s.State != "site."+p.State
	})
	p.Matching = len(p.Rows)
	orders := map[string]func(a, b siteRow) int{
		"byKey": func(a, b siteRow) int { return cmp.Compare(words.Host(a.Key), words.Host(b.Key)) },
		"byWrong": func(a, b siteRow) int {
			return cmp.Or(cmp.Compare(b.Wrong, a.Wrong), cmp.Compare(b.trouble(), a.trouble()), b.LastSeen.Compare(a.LastSeen))
		},
		"byTraffic": func(a, b siteRow) int { return cmp.Compare(b.Woven, a.Woven) },
		"bySeen":    func(a, b siteRow) int { return b.LastSeen.Compare(a.LastSeen) },
		"byPage":    func(a, b siteRow) int { return b.LastPage.Compare(a.LastPage) },
	}
	if order := orders[p.Order]; order != nil {
		slices.SortStableFunc(p.Rows, order)
	}
	p.Rows = p.Rows[:min(len(p.Rows), mostSites)]
}

// trouble is how much the state of a site asks for somebody: 0 for one that does well.
func (s siteRow) trouble() int {
	return slices.Index([]string{siteAlive, siteRetired, siteWaiting, siteHalted, siteQuiet, siteUnseen, siteBare}, s.State)
}

// More tells whether there are matching sites that the list does not show.
func (l listed) More() bool { return l.Matching > mostSites }
