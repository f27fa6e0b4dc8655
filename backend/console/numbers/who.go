package numbers

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/idna"

	"github.com/seed-3405227d/frontdesk/backend/attribution"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/preview"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// whoPage is the content of the page that tells who would see what.
type whoPage struct {
	*rows.Numbering
	Address, Referrer, Again string
	Attribution              string // that was chosen; empty for the site's
	OfSite                   string // the site's, in words
	Attributions             []attributionChoice
	Asked                    bool
	Source                   *rows.Source
	Seen                     []seen
	Preview                  string // address of the page as that visitor sees it; empty where there is none
	Elsewhere                bool   // the page is at no host of the site
}

type attributionChoice struct{ Value, Name string }

// seen is what a visitor sees in the place of a number.
type seen struct {
	Printed string // digits
	Link    string
	Sees    string
	Why     string
	Full    bool
	Text    string // the rule as a configuration has it
}

// maxAddress is how long an address that is asked about may be, in bytes.
const maxAddress = 4000

func (c *room) showWho(w http.ResponseWriter, r *http.Request, f frame.Page, n *rows.Numbering) error {
	query := r.URL.Query()
	asked := func(name string) string { return strings.TrimSpace(query.Get(name)) }
	ofSite := c.attributionOf(n)
	body := whoPage{Numbering: n, Address: asked("address"), Referrer: asked("referrer"), Again: asked("again"), Attribution: asked("attribution"),
		OfSite: f.Words.Text("who.siteHas", "value", f.Words.Text(rows.Attributions[ofSite]))}
	for _, a := range []attribution.Model{attribution.First, attribution.Last, attribution.LastNonDirect} {
		body.Attributions = append(body.Attributions, attributionChoice{string(a), f.Words.Text(rows.Attributions[a])})
	}
	status := http.StatusOK
	if body.Address != "" {
		model := attribution.Model(body.Attribution)
		if model.Check() != nil {
			model = ofSite
		}
		if pages := pagesOf(c.Now(), c.ownOf(n.Site), body.Address, body.Referrer, body.Again); pages == nil {
			f.Problem, status = f.Words.Text("who.wrongAddress"), http.StatusUnprocessableEntity
		} else if err := c.tell(r, f, &body, model, pages); err != nil {
			return err
		} else if body.Elsewhere = !c.isAt(n.Site, body.Address); !body.Elsewhere {
			body.Preview = c.previewOf(n.ID, f.Words.Code, body.Address, body.Referrer)
		}
	}
	f.Body, f.Here = body, "/numbers/"+r.PathValue(frame.SiteField)+"/who"
	return c.Show(w, status, f)
}

// attributionOf is which of a visitor's visits decides at the site.
func (c *room) attributionOf(n *rows.Numbering) attribution.Model {
	if own := n.Settings.Attribution; own != nil {
		return *own
	}
	if set, _ := c.ConfiguredOf(n.Key); set.Attribution != nil {
		return *set.Attribution
	}
	return attribution.LastNonDirect
}

// pagesOf are the first pages of the visits; nil when an address is none.
func pagesOf(now time.Time, own source.Own, address, referrer, again string) (pages []attribution.Page) {
	for i, text := range []string{address, again} {
		if text == "" && i > 0 {
			break
		}
		u, err := url.Parse(text)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || len(text) > maxAddress || len(referrer) > maxAddress {
			return nil
		}
		pages = append(pages, attribution.PageAt(u, referrer, own, false, now.Add(time.Duration(i)*24*time.Hour)))
		referrer = "" // the later visit comes by the address alone
	}
	return pages
}

// tell says what the visitor of the pages sees.
func (c *room) tell(r *http.Request, f frame.Page, body *whoPage, model attribution.Model, pages []attribution.Page) error {
	plan := body.Effective.Plan()
	var remembered *attribution.Remembered
	var choice number.Choice
	var source source.Source
	for _, page := range pages {
		choice, remembered, _ = model.Follow(plan, remembered, page)
		if source = page.Source; remembered != nil {
			source = remembered.Source
		}
	}
	body.Asked, body.Source = true, new(rows.SourceOf(f.Words, source))
	list := body.Effective.Numbers()
	for i, v := range plan.Verdicts(choice) {
		told := seen{Printed: v.Printed, Link: rows.NumberLink(body.ID, v.Printed), Sees: f.Words.Text("who.original"), Why: f.Words.Text("who.noRule")}
		if v.Rule > 0 {
			rule := list[i].Tracking[v.Rule-1]
			told.Text = textOfRule(rule)
			told.Why = f.Words.Text("who.rule", "count", v.Rule)
			if rule.Name != "" {
				told.Why = f.Words.Text("who.ruleNamed", "count", v.Rule, "name", words.Plainly(rule.Name))
			}
			told.Sees = words.Unbroken(words.Phone(v.Digits, ""))
		}
		if v.Pool != nil {
			if err := c.tellPool(r, f.Words, v.Pool, &told); err != nil {
				return err
			}
		}
		body.Seen = append(body.Seen, told)
	}
	return nil
}

// tellPool says what the pool has left now.
func (c *room) tellPool(r *http.Request, w *words.Tongue, pool *number.Pool, told *seen) error {
	held, err := c.Leases.Held(r.Context(), pool.Digits)
	if err != nil {
		return err
	}
	free, now := len(pool.Digits), c.Now()
	for _, l := range held {
		if !l.Until.Before(now) {
			free--
		}
	}
	resting, err := c.Leases.Resting(r.Context(), pool)
	if err != nil {
		return err
	}
	free -= len(resting)
	name := words.Written(pool.Title())
	told.Sees = w.Text("who.poolFree", "pool", name, "free", free, "all", len(pool.Digits))
	if told.Full = free == 0; told.Full {
		told.Sees = w.Text("who.poolFull", "pool", name) + " " + w.Text(rows.Exhausted[pool.Exhausted], "number", words.Unbroken(words.Phone(pool.Reserve, "")))
	}
	return nil
}

// hostsOf are the origins of the site, and the hosts at which this server's configuration serves it.
func (c *room) hostsOf(s site.Site) (origins, hosts []string) {
	origins = s.Settings.Origins
	if set, known := c.ConfiguredOf(s.Key); known && origins == nil {
		origins = set.Origins
	}
	if c.Hosts != nil {
		hosts = c.Hosts(s.Key)
	}
	return origins, hosts
}

// ownOf are the hosts of the site, where a visitor comes from nowhere else.
func (c *room) ownOf(s site.Site) source.Own { return source.OwnOf(c.hostsOf(s)) }

// isAt tells whether the address is at a host of the site: the one that is its key, those of its
// origins, and those that this server's configuration names. Where it names none, those count at
// which this server has served the site's pages.
func (c *room) isAt(s site.Site, address string) bool {
	page, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := page.Hostname()
	if ascii, err := idna.Lookup.ToASCII(host); err == nil { // as browsers send it
		host = ascii
	}
	origins, hosts := c.hostsOf(s)
	isHost := func(of string) bool { return strings.EqualFold(of, host) }
	isOrigin := func(of string) bool {
		u, err := url.Parse(of)
		return err == nil && isHost(u.Hostname())
	}
	return isHost(s.Key) || slices.ContainsFunc(origins, isOrigin) || slices.ContainsFunc(hosts, isHost) ||
		len(hosts) == 0 && c.Sites.Serves(s.ID, host)
}

// previewOf is the address at which the browser shows the page as somebody sees it who comes so; empty
// where it would be too long.
func (c *room) previewOf(siteID int64, language, address, referrer string) string {
	token, err := c.Previews.Begin(preview.Preview{Site: siteID, Address: address, Referrer: referrer, Language: language})
	if err != nil {
		return ""
	}
	page, err := url.Parse(address)
	if err != nil {
		return ""
	}
	if page.RawQuery != "" {
		page.RawQuery += "&"
	}
	page.RawQuery += preview.Parameter + "=" + token
	page.Fragment, page.RawFragment = "", ""
	return page.String()
}
