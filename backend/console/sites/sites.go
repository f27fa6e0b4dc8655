package sites

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/idna"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/site/check"
)

// pagesDays is of how many days it is told what became of pages.
const pagesDays = 7

// The states of a site, by the names of their words.
const (
	siteAlive   = "site.alive"   // visited within a day
	siteQuiet   = "site.quiet"   // visited earlier
	siteUnseen  = "site.unseen"  // its pages have the code, and nobody has been seen
	siteBare    = "site.bare"    // its pages pass without the code
	siteWaiting = "site.waiting" // nothing has passed
	siteRetired = "site.retired"
	siteHalted  = "site.suspended"
)

// siteRow is a site, and what reaches it.
type siteRow struct {
	site.Site
	State    string
	LastPage time.Time // with the code
	LastSeen time.Time // page view or event
	Woven    int
	Passed   []passed
	Others   int //  answers that are no pages
	Wrong    int // incidents
}

// passed are pages without the code.
type passed struct {
	Reason string // name of the words
	Number int
	LastAt time.Time
}

func passedOf(p site.Pages) passed { return passed{"passed." + p.Outcome, int(p.Number), p.LastAt} }

// Tone is how the state is to be taken: "", away or bad, or none for what has not begun.
func (s siteRow) Tone() string {
	switch s.State {
	case siteAlive:
		return ""
	case siteBare, siteHalted:
		return "bad"
	case siteQuiet, siteUnseen:
		return "away"
	}
	return "none"
}

// Seen tells whether somebody has been seen on the site.
func (s siteRow) Seen() bool { return !s.LastSeen.IsZero() }

// step is a step on the way to the first visitor.
type firstStep struct {
	Name string // of the words
	Hint string // of the words; empty for none
	Done bool
	Now  bool // the next one to take
}

// firstSteps lead from the account to the first visitor of the site, or of the first
// site when there is none yet.
func (c *room) firstSteps(s *siteRow) []firstStep {
	var site siteRow
	if s != nil {
		site = *s
	}
	reached := site.Woven > 0 || len(site.Passed) > 0 || site.Others > 0 || site.Seen()
	open := "first.codeHint"
	if !reached {
		open = "first.openHint"
	}
	steps := []firstStep{
		{Name: "first.account", Done: true},
		{Name: "first.site", Hint: "first.siteHint", Done: s != nil},
		{Name: "first.server", Hint: "first.serverHint", Done: reached || c.isConfigured(site.Key)},
		{Name: "first.code", Hint: open, Done: site.Woven > 0 || site.Seen()},
		{Name: "first.visitor", Hint: "first.visitorHint", Done: site.Seen()},
	}
	if at := slices.IndexFunc(steps, func(s firstStep) bool { return !s.Done }); at >= 0 {
		steps[at].Now = true
	}
	return steps
}

// isConfigured tells whether this server's configuration has the site of the key.
func (c *room) isConfigured(key string) bool {
	_, known := c.ConfiguredOf(key)
	return known
}

// siteRows are the sites with what reaches them, and what became of their pages in the last days.
func (c *room) siteRows(r *http.Request, sites []site.Site, days int) ([]siteRow, error) {
	ids := make([]int64, len(sites))
	for i, s := range sites {
		ids[i] = s.ID
	}
	pages, err := c.Sites.Pages(r.Context(), scope.Of(ids...), days)
	if err != nil {
		return nil, err
	}
	seen, err := c.Days.LastSeen(r.Context(), ids)
	if err != nil {
		return nil, err
	}
	rows := make([]siteRow, len(sites))
	for i, s := range sites {
		rows[i] = c.siteRowOf(s, pages[s.ID], seen[s.ID])
	}
	return rows, nil
}

func (c *room) siteRowOf(s site.Site, pages []site.Pages, seen time.Time) siteRow {
	row := siteRow{Site: s, LastSeen: seen}
	for _, p := range pages {
		switch {
		case p.Outcome == check.Woven:
			row.Woven, row.LastPage = int(p.Number), p.LastAt
		case slices.Contains(check.Failings, p.Outcome):
			row.Passed = append(row.Passed, passedOf(p))
		default:
			row.Others += int(p.Number)
		}
	}
	switch {
	case !s.SuspendedAt.IsZero():
		row.State = siteHalted
	case !s.RetiredAt.IsZero():
		row.State = siteRetired
	case row.Seen() && c.Now().Sub(seen) < 24*time.Hour:
		row.State = siteAlive
	case row.Seen():
		row.State = siteQuiet
	case row.Woven > 0:
		row.State = siteUnseen
	case len(row.Passed) > 0:
		row.State = siteBare
	default:
		row.State = siteWaiting
	}
	return row
}

// sitesPage is the content of the page of sites.
type sitesPage struct {
	listed
	Rows  []siteRow
	Key   string      // of the form that was not accepted
	May   bool        // add sites
	First []firstStep // until the first visitor
}

func (c *room) showSites(w http.ResponseWriter, r *http.Request) error {
	return c.sites(w, r, http.StatusOK, "")
}

func (c *room) sites(w http.ResponseWriter, r *http.Request, status int, problem string) error {
	f, err := c.Page(r, "sites")
	if err != nil {
		return err
	}
	body := sitesPage{Key: r.PostFormValue("key"), May: f.Operator.Sites.All()}
	if body.Rows, err = c.siteRows(r, f.Sites, pagesDays); err != nil {
		return err
	}
	if !slices.ContainsFunc(body.Rows, siteRow.Seen) {
		var next *siteRow // the one that has come furthest
		for i := range body.Rows {
			if row := &body.Rows[i]; next == nil || next.Woven == 0 && (row.Woven > 0 || c.isConfigured(row.Key) && !c.isConfigured(next.Key)) {
				next = row
			}
		}
		body.First = c.firstSteps(next)
	}
	if err := c.countWrong(r.Context(), &f, body.Rows); err != nil {
		return err
	}
	body.narrow(r.URL.Query())
	f.Problem, f.Body = problem, body
	return c.Show(w, status, f)
}

func (c *room) addSite(w http.ResponseWriter, r *http.Request) error {
	o, _ := frame.Current(r)
	key := typedKey(r.PostFormValue("key"))
	if site.ValidKey(key) != nil {
		return c.sites(w, r, http.StatusUnprocessableEntity, c.Words(r).Text("problem.key"))
	}
	made, err := c.Sites.Add(r.Context(), key, o.Login)
	switch {
	case errors.Is(err, site.ErrTaken):
		return c.sites(w, r, http.StatusUnprocessableEntity, c.Words(r).Text("problem.keyTaken"))
	case err != nil:
		return err
	default:
		return c.Back(w, r, frame.SiteLink(made.ID), "sites.added")
	}
}

// typedKey is the key that was typed, or the host of the address that was pasted in its
// place.
func typedKey(text string) string {
	text = strings.TrimSpace(text)
	if u, err := url.Parse(text); err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" {
		text = u.Hostname()
	}
	if host, err := idna.Lookup.ToASCII(text); err == nil && strings.Contains(host, "xn--") { // as browsers send it
		return host
	}
	return text
}

// sitePage is the content of the page of one site.
type sitePage struct {
	siteRow
	LastLead time.Time
	Address  string      // of the site; empty when its key is no host
	Block    string      // of a Caddyfile
	First    []firstStep // until the first visitor
	Guide    []guideStep // after it
	Wrong    []rows.IncidentLine
	Limits   []limitLine
	Host     bool // the operator may suspend it
}

// caddyfileBlock is what tracks the site of the key in a Caddyfile.
func caddyfileBlock(key string) string {
	host, directive := key, "frontdesk"
	if !frame.HostKey.MatchString(key) {
		host, directive = "www.example.com", "frontdesk "+key
	}
	return host + " {\n\tencode\n\t" + directive + "\n\treverse_proxy localhost:9000\n}\n"
}

func (c *room) showSite(w http.ResponseWriter, r *http.Request, f frame.Page, named site.Site) error {
	rows, err := c.siteRows(r, []site.Site{named}, pagesDays)
	var leads []lead.Lead
	if err == nil {
		leads, err = c.Leads.List(r.Context(), scope.Of(named.ID), lead.Cursor{}, 1)
	}
	if err != nil {
		return err
	}
	body := sitePage{siteRow: rows[0], Block: caddyfileBlock(named.Key), Host: f.Operator.Sites.All()}
	if frame.HostKey.MatchString(named.Key) {
		body.Address = "https://" + named.Key + "/"
	}
	if len(leads) > 0 {
		body.LastLead = leads[0].At
	}
	if !body.Seen() && body.State != siteRetired && body.State != siteHalted {
		body.First = c.firstSteps(&rows[0])
	}
	if body.Guide, err = c.guide(r, rows[0]); err != nil {
		return err
	}
	if body.Wrong, err = c.wrongWith(r.Context(), &f, named.ID); err != nil {
		return err
	}
	if body.Limits, err = c.limitsOf(r.Context(), &f, named.ID); err != nil {
		return err
	}
	f.Title, f.Body = words.Host(named.Key), body
	return c.Show(w, http.StatusOK, f)
}
