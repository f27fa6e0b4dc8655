package costs

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/cost"
	"github.com/seed-3405227d/frontdesk/backend/report/credit"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// mostCampaigns is how many campaigns of an import are shown.
const mostCampaigns = 100

// importPage is the page of an import: before it is confirmed, a look at it.
type importPage struct {
	importRow
	Back      string
	Draft     bool
	Currency  string // of the site; empty where it is not told
	Campaigns []campaignRow
	Further   int // campaigns that are not shown
	Replaced  int
	Unvisited int // campaigns that no visit has had
	Platforms []cost.Platform
}

type campaignRow struct {
	cost.Campaign
	Sum       string
	Unvisited bool
}

func (c *room) showImport(w http.ResponseWriter, r *http.Request, p frame.Page, named site.Site) error {
	return c.show(w, r, http.StatusOK, p, named)
}

func (c *room) show(w http.ResponseWriter, r *http.Request, status int, p frame.Page, named site.Site) error {
	_, id, err := frame.IDs(r, frame.SiteField, "import")
	if err != nil {
		return err
	}
	i, err := c.Costs.Get(r.Context(), named.ID, id)
	if err != nil {
		return err
	}
	sums := p.SumsOf(named.ID)
	body := importPage{importRow: rowOf(sums, i), Back: linkOf(named.ID), Draft: i.State == cost.Draft, Currency: c.CurrencyOf(named), Platforms: cost.Platforms}
	campaigns, replaced, err := c.Costs.Campaigns(r.Context(), i)
	if err != nil {
		return err
	}
	visited, err := c.visited(r.Context(), named.ID, i)
	if err != nil {
		return err
	}
	for n, found := range campaigns {
		row := campaignRow{found, sums.Sum(float64(found.Amount) / 1e6), !visited[found.Name]}
		if row.Unvisited {
			body.Unvisited++
		}
		if n < mostCampaigns {
			body.Campaigns = append(body.Campaigns, row)
		}
	}
	body.Further = len(campaigns) - len(body.Campaigns)
	if body.Draft {
		body.Replaced = replaced
	}
	p.Here, p.Title, p.Body = body.importRow.Link, body.Label, body
	return c.Show(w, status, p)
}

// visited are the campaigns of the visits on the days of the import.
func (c *room) visited(ctx context.Context, siteID int64, i cost.Import) (map[string]bool, error) {
	visited := make(map[string]bool)
	when, err := period.Read(i.First.String(), i.Last.String(), string(period.Month), c.Now().Location(), c.Now())
	if err != nil { // these days have not come yet, or are more than a report has
		return visited, nil
	}
	answer, err := c.Reports.Ask(ctx, report.Question{SiteIDs: []int64{siteID}, Period: when, Credit: credit.Rule{Model: credit.Last, Window: 24 * time.Hour}, By: []report.Dimension{report.Campaign}})
	for _, row := range answer.Rows {
		if row.Figures[report.Visits] > 0 {
			visited[row.Values[0]] = true
		}
	}
	return visited, err
}

// confirm puts the draft into effect.
func (c *room) confirm(w http.ResponseWriter, r *http.Request, p frame.Page, named site.Site) error {
	_, id, err := frame.IDs(r, frame.SiteField, "import")
	if err != nil {
		return err
	}
	err = c.Costs.Confirm(r.Context(), named.ID, id, p.Operator.Login, cost.Platform(r.PostFormValue("platform")), r.PostFormValue("source"), r.PostFormValue("medium"))
	switch {
	case errors.Is(err, cost.ErrSource):
		p.Problem = p.Words.Text("costs.wrongSource")
		return c.show(w, r, http.StatusUnprocessableEntity, p, named)
	case errors.Is(err, cost.ErrTwice):
		return c.Back(w, r, linkOf(named.ID), "costs.twice")
	case err != nil:
		return err
	}
	return c.Back(w, r, linkOf(named.ID), "costs.kept")
}

func (c *room) undo(w http.ResponseWriter, r *http.Request, p frame.Page, named site.Site) error {
	_, id, err := frame.IDs(r, frame.SiteField, "import")
	if err == nil {
		err = c.Costs.Undo(r.Context(), named.ID, id, p.Operator.Login)
	}
	if err != nil {
		return err
	}
	return c.Back(w, r, linkOf(named.ID), "costs.undone")
}

// Line is the number of a line that was left out, as a text.
func (importPage) Line(l cost.Left) string { return strconv.Itoa(l.Line) }
