package sites

import (
	"context"
	"encoding/json"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/live"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// countIncidents counts what is wrong now with the sites that the page is narrowed to.
func (c *room) countIncidents(ctx context.Context, p *frame.Page) (int, error) {
	wrong, err := c.wrong.Of(ctx, p)
	n := 0
	for _, i := range wrong {
		if p.Scope.Has(i.SiteID) {
			n++
		}
	}
	return n, err
}

// countWrong fills in how much is wrong with the site of each row.
func (c *room) countWrong(ctx context.Context, p *frame.Page, rows []siteRow) error {
	wrong, err := c.wrong.Of(ctx, p)
	of := make(map[int64]int)
	for _, i := range wrong {
		of[i.SiteID]++
	}
	for i := range rows {
		rows[i].Wrong = of[rows[i].ID]
	}
	return err
}

// maxWrong is how many incidents the page of a site shows.
const maxWrong = 50

// wrongWith is what is wrong with the site now, the latest first, maxWrong at most.
func (c *room) wrongWith(ctx context.Context, p *frame.Page, siteID int64) (lines []rows.IncidentLine, err error) {
	wrong, err := c.wrong.Of(ctx, p)
	for _, i := range wrong {
		if i.SiteID == siteID && len(lines) < maxWrong {
			lines = append(lines, rows.IncidentLineOf(*p, i))
		}
	}
	return lines, err
}

// announce tells admins on every page that something is wrong with a site, and that it is over.
func (c *room) announce(ctx context.Context, to *live.Listener, entries []journal.Entry) ([][]byte, error) {
	if to.Operator.Role != operator.Admin {
		return nil, nil
	}
	var lines []rows.IncidentLine
	var f frame.Page
	for _, e := range entries {
		if e.Kind != incident.Begun && e.Kind != incident.Over {
			continue
		}
		var news incident.News
		err := json.Unmarshal(e.Data, &news)
		if err == nil && f.Words == nil {
			f, err = to.Page(ctx)
		}
		if err != nil {
			return nil, err
		}
		line := rows.IncidentLineOf(f, incident.Incident{SiteID: e.SiteID, Kind: news.Kind, About: news.About, Name: news.Name, Status: news.Status, BegunAt: news.Since})
		if line.Over = e.Kind == incident.Over; line.Over {
			line.Text = f.Words.Text("incident.over."+string(news.Kind), "name", rows.IncidentName(f.Words, news.Kind, news.Name))
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return nil, nil
	}
	now, err := c.Incidents.Now(ctx, to.Counted)
	if err != nil {
		return nil, err
	}
	return c.Render(to.Words, "incidents-event", struct {
		Count  int
		News   []rows.IncidentLine
		Latest rows.IncidentLine
	}{len(now), lines, lines[len(lines)-1]})
}
