package pools

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// maxSites is of how many sites the pools are shown on one page.
const maxSites = 20

// sitePools are the pools of a site's numbers.
type sitePools struct {
	site.Site
	Pools []poolUse
}

// poolUse is how a site's visitors use a pool.
type poolUse struct {
	lease.Use
	Name   string
	Page   string // its address; empty for one that this server does not know any more
	Taken  int
	Rest   int        // how many numbers rest
	Advice []string   // sentences
	Own    []leaseRow // the site's
}

// leaseRow is a lease that counts now, as a row of the list.
type leaseRow struct {
	lease.Lease
	Visitor, Link string
	From          *rows.Source // nil where it is not known
	Elsewhere     bool         // a visitor of another site has it, or had it
	Free, Never   bool         // nobody has it now; nobody ever had
	Rests         time.Time    // until when nobody gets it; zero for a number that does not rest
	Past          string       // address of its past leases
}

// showPools serves the pools of the sites that lists are narrowed to.
func (c *room) showPools(w http.ResponseWriter, r *http.Request, f frame.Page) error {
	having, err := c.Numbers.Sites(r.Context())
	if err != nil {
		return err
	}
	var body struct {
		Sites []sitePools
		More  bool
		New   string // where a pool is made; empty where it cannot be
	}
	for _, s := range f.Sites {
		if f.SiteID != 0 && f.SiteID != s.ID || !having[s.ID] {
			continue
		}
		if len(body.Sites) == maxSites {
			body.More = true
			break
		}
		if f.Admin() && s.RetiredAt.IsZero() && (f.SiteID == s.ID || len(f.Sites) == 1) {
			body.New = "/pools/" + strconv.FormatInt(s.ID, 10) + "/new"
		}
		uses, err := c.Leases.Uses(r.Context(), s.ID)
		if err != nil {
			return err
		}
		n, err := c.Of(r.Context(), s)
		if err != nil {
			return err
		}
		uses = withUnused(n, uses)
		if len(uses) == 0 {
			continue
		}
		shown := sitePools{Site: s}
		for _, use := range uses {
			listed := poolUseOf(f.Words, s.ID, use)
			name := number.PoolTitle(use.Pool)
			if pool := n.PoolOf(name); pool != nil {
				listed.Page, listed.Numbers = rows.PoolLink(s.ID, name), len(pool.Digits)
				resting, err := c.Leases.Resting(r.Context(), pool)
				if err != nil {
					return err
				}
				listed.Rest = len(resting)
			}
			shown.Pools = append(shown.Pools, listed)
		}
		body.Sites = append(body.Sites, shown)
	}
	f.Body = body
	return c.Show(w, http.StatusOK, f)
}

// withUnused adds the pools of which nobody has had a number yet.
func withUnused(n *rows.Numbering, uses []lease.Use) []lease.Use {
	add := func(pool *number.Pool) {
		if pool != nil && !slices.ContainsFunc(uses, func(u lease.Use) bool { return u.Pool == pool.Name }) {
			uses = append(uses, lease.Use{Pool: pool.Name, Numbers: len(pool.Digits)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(n.Settings.Pools)) {
		add(n.PoolOf(name))
	}
	for _, pool := range n.Effective.Plan().AllPools() {
		add(pool)
	}
	return uses
}

func poolUseOf(w *words.Tongue, siteID int64, use lease.Use) poolUse {
	name := words.Written(number.PoolTitle(use.Pool)) // which may be that of a printed number
	shown := poolUse{Use: use, Name: name, Taken: len(use.Now), Advice: adviceOf(w, use)}
	for _, l := range use.Now {
		if l.Site == siteID { // another site's visitors are nobody's business here
			shown.Own = append(shown.Own, leaseRow{
				Lease: l, Visitor: rows.VisitorLabel(w, int64(l.Visitor)), Link: rows.CardLink(siteID, int64(l.Visitor)),
			})
		}
	}
	return shown
}

// lossAimed is the share of visitors for whom there may be no number, in the advice.
const lossAimed = 0.01

// adviceOf says what the pool loses, and how many numbers it needs.
func adviceOf(w *words.Tongue, use lease.Use) (advice []string) {
	if use.Lost > 0 {
		advice = append(advice, w.Text("pools.lost", "n", int(use.Lost)))
	}
	if use.Busiest == 0 || use.Mean == 0 {
		return append(advice, w.Text("pools.young"))
	}
	traffic := use.Traffic()
	longer := float64(use.Busiest) * (use.Mean + number.DefaultHold).Hours()
	return append(advice,
		w.Text("pools.busiest", "n", int(use.Busiest), "span", w.Span(use.Mean)),
		w.Text("pools.needed", "n", lease.Needed(traffic, lossAimed), "share", w.Percent(lease.Lost(traffic, use.Numbers)), "longer", strconv.Itoa(lease.Needed(longer, lossAimed))),
	)
}
