package overview

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/console/figures"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/report"
)

const (
	// mostNeeds is how many incidents, and how many sites without visitors, the page lists.
	mostNeeds = 10
	// quietFor is after how long without a visitor a site is listed.
	quietFor = 7 * 24 * time.Hour
)

// need is something that waits for somebody.
type need struct {
	Icon, Text, Link string
	Since            time.Time // zero if it is not told
	Site             string
}

// needs are what waits for the operator, on the sites of the page.
func (c *room) needs(ctx context.Context, p frame.Page, query url.Values, total report.Figures) (needs []need, err error) {
	if n := int(total[report.Unanswered]); n > 0 {
		needs = append(needs, need{Icon: "phone-incoming", Text: p.Words.Text("overview.callBack", "n", n), Link: figures.Behind(address(query), "unanswered")})
	}
	if n := p.Counts["unread"]; n > 0 {
		needs = append(needs, need{Icon: "inbox", Text: p.Words.Text("overview.leads", "n", n), Link: "/leads?unread=yes"})
	}
	if !p.Admin() {
		return needs, nil
	}
	wrong, err := c.Incidents.Now(ctx, p.Scope)
	if err != nil {
		return nil, err
	}
	for _, i := range wrong[:min(mostNeeds, len(wrong))] {
		line := rows.IncidentLineOf(p, i)
		needs = append(needs, need{Icon: "circle-alert", Text: line.Text, Link: line.Link, Since: i.BegunAt, Site: line.Site})
	}
	quiet, err := c.quiet(ctx, p)
	return append(needs, quiet...), err
}

// quiet are the sites that have had no visitor for a while.
func (c *room) quiet(ctx context.Context, p frame.Page) (needs []need, err error) {
	var ids []int64
	for _, s := range p.Sites {
		if s.RetiredAt.IsZero() && s.SuspendedAt.IsZero() && p.Scope.Has(s.ID) && c.Now().Sub(s.CreatedAt) > quietFor {
			ids = append(ids, s.ID)
		}
	}
	seen, err := c.Days.LastSeen(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if c.Now().Sub(seen[id]) < quietFor || len(needs) == mostNeeds {
			continue
		}
		s, _ := p.Site(id)
		needs = append(needs, need{Icon: "globe", Text: p.Words.Text("overview.quiet", "site", words.Host(s.Key)), Link: "/sites/" + strconv.FormatInt(id, 10)})
	}
	return needs, nil
}
