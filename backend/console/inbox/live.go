package inbox

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/live"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/inbox"
)

// leadsStream is the name of the view of the list of leads.
const leadsStream = "leads"

// toldRows are the leads of which the entries of the kind tell, as rows of a list.
func (c *room) toldRows(ctx context.Context, to *live.Listener, entries []journal.Entry, kind string) ([]rows.LeadRow, error) {
	leads, err := c.told.Told(ctx, to, entries, kind)
	if kind == lead.Added {
		leads = slices.DeleteFunc(leads, func(l lead.Lead) bool { return l.State == lead.Spam }) // which is no news to anybody
	}
	if err != nil || len(leads) == 0 {
		return nil, err
	}
	p, err := to.Page(ctx)
	if err != nil {
		return nil, err
	}
	rows := frame.Rows(p, leads, rows.LeadRowOf)
	for i := range rows {
		rows[i].Unread, rows[i].Changed = kind == lead.Added, kind == lead.Changed
	}
	return rows, nil
}

// announce renders the leads that have come in, and how many are unread when the
// operator has read some: here or in another browser.
func (c *room) announce(ctx context.Context, to *live.Listener, entries []journal.Entry) ([][]byte, error) {
	rows, err := c.toldRows(ctx, to, entries, lead.Added)
	if err != nil {
		return nil, err
	}
	event := "arrival-event"
	if to.Feed == leadsStream {
		event = "leads-event"
	}
	data, err := live.RenderRows(c.Live, to.Words, event, rows, live.Whatever)
	if err != nil {
		return nil, err
	}
	own := func(e journal.Entry) bool { return e.Kind == inbox.Read && e.SubjectID == to.Operator.ID }
	if !slices.ContainsFunc(entries, own) {
		return data, nil
	}
	unread, err := c.Inbox.Unread(ctx, to.Operator.ID, to.Counted, to.Operator.CreatedAt, entries[len(entries)-1].Position)
	if err != nil {
		return nil, err
	}
	count, err := c.Render(to.Words, "unread-event", len(unread))
	return append(data, count...), err
}

// leadsFeed is the list of leads.
type leadsFeed struct {
	*live.Listener
	room *room
}

func (c *room) openLeads(_ *http.Request, to *live.Listener) (live.Feed, live.Watch) {
	return &leadsFeed{to, c}, nil
}

// News tells of leads with which somebody has done something.
func (v *leadsFeed) News(ctx context.Context, entries []journal.Entry) ([][]byte, error) {
	changed, err := v.room.toldRows(ctx, v.Listener, entries, lead.Changed)
	if err != nil || len(changed) == 0 {
		return nil, err
	}
	if err := v.room.countParts(ctx, changed); err != nil {
		return nil, err
	}
	return live.RenderRows(v.room.Live, v.Words, "leads-event", changed, live.Whatever)
}

// countParts fills in how many leads each of the rows stands for.
func (c *room) countParts(ctx context.Context, rows []rows.LeadRow) error {
	names := make([]lead.Key, len(rows))
	for i := range rows {
		names[i] = rows[i].Lead.Key()
	}
	parts, err := c.Leads.PartsOf(ctx, names)
	for i := range rows {
		rows[i].Parts = len(parts[rows[i].Lead.Key()])
	}
	return err
}

// leadFeed is the page of a lead, which says when somebody has done something with it.
type leadFeed struct {
	*live.Listener
	room *room
	name lead.Key
}

func (c *room) openLead(r *http.Request, to *live.Listener) (live.Feed, live.Watch) {
	id, err := strconv.ParseInt(r.URL.Query().Get("lead"), 10, 64)
	site := frame.Permitted(r).IDs()
	if err != nil || len(site) != 1 {
		return nil, nil
	}
	return &leadFeed{to, c, lead.Key{SiteID: site[0], ID: id}}, nil
}

// News tells that the lead has changed.
func (v *leadFeed) News(_ context.Context, entries []journal.Entry) ([][]byte, error) {
	changed := func(e journal.Entry) bool {
		return e.Kind == lead.Changed && e.SiteID == v.name.SiteID && e.SubjectID == v.name.ID
	}
	if !slices.ContainsFunc(entries, changed) {
		return nil, nil
	}
	return v.room.Render(v.Words, "lead-event", nil)
}
