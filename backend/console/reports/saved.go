package reports

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/console/figures"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/report/link"
	"github.com/seed-3405227d/frontdesk/backend/report/saved"
)

// savedRow is a saved report as a list shows it.
type savedRow struct {
	saved.Report
	Link    string
	Own     bool
	Removes bool   // who looks may remove it
	By      string // whose it is, where it is another's
	Site    string // empty for all
}

// lasting is what the report asks, to be kept: of which site it is, and the query without what only says where somebody was
// in it. A span that moves on has no days.
func (a asked) lasting(p frame.Page) (siteID int64, query url.Values) {
	siteID = p.SiteID
	if siteID == 0 && len(p.Sites) == 1 {
		siteID = p.Sites[0].ID
	}
	query = maps.Clone(a.query)
	if !a.Own() {
		query.Del("from")
		query.Del("to")
	}
	query.Set(frame.SiteField, strconv.FormatInt(siteID, 10))
	return siteID, query
}

// Kept is the address to which a form about this report is sent.
func (b reportPage) Kept(what string) string { return figures.Address("/reports/"+what, b.query) }

// savedMistakes are the names of the words for what is wrong with what was to be kept.
var savedMistakes = map[error]string{
	saved.ErrName: "saved.name", saved.ErrQuery: "asked.filters", saved.ErrMany: "saved.many", saved.ErrTaken: "saved.taken",
	link.ErrDays: "links.days", link.ErrMany: "links.many", errOneSite: "links.oneSite", errPersons: "links.persons",
}

func savedMistake(err error) string {
	for mistake, text := range savedMistakes {
		if errors.Is(err, mistake) {
			return text
		}
	}
	return ""
}

// savedRows are the saved reports that the page's operator sees.
func (c *room) savedRows(r *http.Request, p frame.Page) ([]savedRow, error) {
	all, err := c.Saved.Of(r.Context(), p.Operator)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	staff, err := c.StaffOf(r.Context(), p)
	if err != nil {
		return nil, err
	}
	list := make([]savedRow, len(all))
	for i, one := range all {
		list[i] = savedRow{Report: one, Link: "/reports?" + one.Query, Own: one.Operator == p.Operator.ID, Removes: saved.MayRemove(p.Operator, one)}
		if s, found := p.Site(one.SiteID); found {
			list[i].Site = words.Host(s.Key)
		}
		for _, o := range staff {
			if o.ID == one.Operator && !list[i].Own {
				list[i].By = o.Label()
			}
		}
	}
	return list, nil
}

// save keeps the report of the address under the name of the form.
func (c *room) save(w http.ResponseWriter, r *http.Request, p frame.Page) error {
	a, err := c.read(p, r.URL.Query())
	if err != nil {
		return c.refuse(w, p, reportPage{asked: a, Options: optionsOf(p), Today: a.today(c.Now())}, err)
	}
	siteID, query := a.lasting(p)
	err = c.Saved.Save(r.Context(), p.Operator, saved.Report{SiteID: siteID, Name: r.PostFormValue("name"), Query: query.Encode(), Shared: r.PostFormValue("shared") == "true"})
	if mistake := savedMistake(err); mistake != "" {
		return c.report(w, r, p, a, p.Words.Text(mistake))
	}
	if err != nil {
		return err
	}
	return c.Back(w, r, "/reports?"+query.Encode(), "saved.done")
}

func (c *room) showSaved(w http.ResponseWriter, r *http.Request, p frame.Page) error {
	list, err := c.savedRows(r, p)
	if err != nil {
		return err
	}
	p.Body, p.Charts, p.Here = list, true, "/reports/saved"
	return c.Show(w, statusOf(p.Problem), p)
}

// statusOf is the status of a page with the problem.
func statusOf(problem string) int {
	if problem != "" {
		return http.StatusUnprocessableEntity
	}
	return http.StatusOK
}

func savedID(r *http.Request) int64 {
	id, _ := strconv.ParseInt(r.PathValue("saved"), 10, 64) // else it is one that none has
	return id
}

// changeSaved gives a saved report another name, and shares it or no longer.
func (c *room) changeSaved(w http.ResponseWriter, r *http.Request, p frame.Page) error {
	err := c.Saved.Change(r.Context(), p.Operator, savedID(r), r.PostFormValue("name"), r.PostFormValue("shared") == "true")
	if mistake := savedMistake(err); mistake != "" {
		p.Problem = p.Words.Text(mistake)
		return c.showSaved(w, r, p)
	}
	if err != nil {
		return err
	}
	return c.Back(w, r, "/reports/saved", "saved.changed")
}

func (c *room) removeSaved(w http.ResponseWriter, r *http.Request, p frame.Page) error {
	if err := c.Saved.Remove(r.Context(), p.Operator, savedID(r)); err != nil {
		return err
	}
	return c.Back(w, r, "/reports/saved", "saved.removed")
}

// mostListed is how many saved reports stand above a report.
const mostListed = 20

// Listed are the saved reports that stand above a report; the others are on a page of their own.
func (b reportPage) Listed() []savedRow { return b.Saved[:min(mostListed, len(b.Saved))] }

// Named is the name of the saved report that the page shows, of those of the operator; empty for none.
func (b reportPage) Named() string {
	for _, one := range b.Saved {
		if one.Own && one.Query == b.Lasting {
			return one.Name
		}
	}
	return ""
}
