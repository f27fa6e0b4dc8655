package numbers

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/attribution"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/preview"
	"github.com/seed-3405227d/frontdesk/backend/site/foresight"
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

func (c *room) showWho(w http.ResponseWriter, r *http.Request, f frame.Page, n *rows.Numbering) error {
	query, effective := r.URL.Query(), c.Effective(n.Site)
	asked := func(name string) string { return strings.TrimSpace(query.Get(name)) }
	body := whoPage{Numbering: n, Address: asked("address"), Referrer: asked("referrer"), Again: asked("again"), Attribution: asked("attribution"),
		OfSite: f.Words.Text("who.siteHas", "value", f.Words.Text(rows.Attributions[foresight.ModelOf(effective)]))}
	for _, a := range []attribution.Model{attribution.First, attribution.Last, attribution.LastNonDirect} {
		body.Attributions = append(body.Attributions, attributionChoice{string(a), f.Words.Text(rows.Attributions[a])})
	}
	status := http.StatusOK
	if body.Address != "" {
		by := foresight.Arrival{Address: body.Address, Referrer: body.Referrer, Again: body.Again, Attribution: attribution.Model(body.Attribution)}
		if by.Attribution.Check() != nil {
			by.Attribution = ""
		}
		found, err := c.Foresight.Of(r.Context(), n.Numbering, effective, by)
		switch {
		case errors.Is(err, foresight.ErrAddress):
			f.Problem, status = f.Words.Text("who.wrongAddress"), http.StatusUnprocessableEntity
		case err != nil:
			return err
		default:
			body.tell(f.Words, found)
			if !body.Elsewhere {
				body.Preview = c.previewOf(n.ID, f.Words.Code, body.Address, body.Referrer)
			}
		}
	}
	f.Body, f.Here = body, "/numbers/"+r.PathValue(frame.SiteField)+"/who"
	return c.Show(w, status, f)
}

// tell says what the visitor sees.
func (p *whoPage) tell(w *words.Tongue, found *foresight.Foreseen) {
	p.Asked, p.Source, p.Elsewhere = true, new(rows.SourceOf(w, found.Source)), found.IsElsewhere
	for _, of := range found.Numbers {
		told := seen{Printed: of.Printed, Link: rows.NumberLink(p.ID, of.Printed), Sees: w.Text("who.original"), Why: w.Text("who.noRule")}
		if of.Rule > 0 {
			told.Text, told.Why = textOfRule(of.Tracking), w.Text("who.rule", "count", of.Rule)
			if of.Tracking.Name != "" {
				told.Why = w.Text("who.ruleNamed", "count", of.Rule, "name", words.Plainly(of.Tracking.Name))
			}
			told.Sees = words.Unbroken(words.Phone(of.Digits, ""))
		}
		if of.Pool != nil {
			told.tellPool(w, of.Pool, of.Free)
		}
		p.Seen = append(p.Seen, told)
	}
}

// tellPool says what the pool has left now.
func (s *seen) tellPool(w *words.Tongue, pool *number.Pool, free int) {
	name := words.Written(pool.Title())
	s.Sees = w.Text("who.poolFree", "pool", name, "free", free, "all", len(pool.Digits))
	if s.Full = free == 0; s.Full {
		s.Sees = w.Text("who.poolFull", "pool", name) + " " + w.Text(rows.Exhausted[pool.Exhausted], "number", words.Unbroken(words.Phone(pool.Reserve, "")))
	}
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
