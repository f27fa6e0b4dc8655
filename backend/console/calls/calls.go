package calls

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/live"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/lead"
)

const (
	// maxCalls is how many calls a page of the list has.
	maxCalls = 50
)

// callPage is a part of the list of calls.
type callPage struct {
	Rows   []rows.CallRow
	Older  string // address of the next part; empty at the end
	Newest bool   // this is the first part of all calls, which grows
	callForm
	Figures *callFigures // of the first part
	Export  string       // address of all of them as a file
	Address string       // to which a platform reports calls; empty where the configuration does not tell
}

func (c *room) showCalls(w http.ResponseWriter, r *http.Request, f frame.Page) error {
	behind := call.Cursor(frame.CursorOf(r.URL.Query()))
	body := callPage{Newest: behind == call.Cursor{}}
	body.callForm = callFormOf(r.URL.Query())
	body.Export = "/calls/export?" + body.Query()
	filter := body.filter(f, c.Now())
	if filter.Check() != nil {
		f.Problem, f.Body = f.Words.Text("calls.wrongNumber"), body
		return c.Show(w, http.StatusUnprocessableEntity, f)
	}
	if body.Newest = body.Newest && body.callForm == (callForm{}); body.Newest {
		f.Stream = f.StreamAddress("calls", f.SiteID)
	}
	calls, err := c.Calls.List(r.Context(), filter, behind, maxCalls+1)
	if err == nil && behind == (call.Cursor{}) {
		body.Figures, err = c.callFigures(r.Context(), f.Words, filter)
	}
	if err != nil {
		return err
	}
	if len(calls) > maxCalls {
		calls = calls[:maxCalls]
		body.Older = frame.Cursor(calls[maxCalls-1].Cursor()).Behind("/calls")
		if query := body.Query(); query != "" {
			body.Older += "&" + query
		}
	}
	if f.Staff, err = c.StaffOf(r.Context(), f); err != nil {
		return err
	}
	if body.Rows, err = c.rowsOf(r.Context(), f, calls); err != nil {
		return err
	}
	if len(calls) == 0 {
		body.Address = c.webhookOf(f)
	}
	f.Body = body
	frame.AllowRecordings(w.Header())
	return c.Show(w, http.StatusOK, f)
}

// webhookOf is the address to which a platform reports calls: that of the page's site, or of its first one.
func (c *room) webhookOf(f frame.Page) string {
	sites := f.Sites
	if s, chosen := f.Site(f.SiteID); chosen {
		sites = sites[:0:0]
		sites = append(sites, s)
	}
	for _, s := range sites {
		if c.Service == nil {
			break
		}
		if at := c.Service(s.Key); at != "" {
			return at + "calls/webhook"
		}
	}
	return ""
}

// rowsOf are the calls as rows of the page's list, with their leads and where their callers are called back.
func (c *room) rowsOf(ctx context.Context, f frame.Page, calls []call.Call) ([]rows.CallRow, error) {
	leads, err := c.leadsOf(ctx, calls)
	if err != nil {
		return nil, err
	}
	can := make(map[int64]bool) // call back, by site
	shown := frame.Rows(f, calls, rows.CallRowOf)
	for i, one := range calls {
		if l, is := leads[leadOf(one)]; is {
			shown[i].Lead = new(rows.LeadRowOf(f, l))
		}
		if _, asked := can[one.SiteID]; !asked && one.SiteID != 0 {
			if can[one.SiteID], err = rows.CallsBack(ctx, c.Frame, f, c.Callbacks, one.SiteID); err != nil {
				return nil, err
			}
		}
		if can[one.SiteID] && shown[i].Back != "" {
			shown[i].Back = fmt.Sprintf("/callbacks/new?site=%d&call=%d", one.SiteID, one.ID)
		}
	}
	return shown, nil
}

// leadOf is the lead that the call has become.
func leadOf(c call.Call) lead.Key { return lead.Key{SiteID: c.SiteID, ID: c.LeadID} }

// leadsOf are the outlines of the leads that the calls have become. Of those that are merged, they are those of the leads that they are in.
func (c *room) leadsOf(ctx context.Context, calls []call.Call) (map[lead.Key]lead.Lead, error) {
	var names []lead.Key
	for _, one := range calls {
		if one.LeadID != 0 {
			names = append(names, leadOf(one))
		}
	}
	found, err := c.Leads.Outlines(ctx, names)
	if err != nil {
		return nil, err
	}
	leads := make(map[lead.Key]lead.Lead, len(found))
	for _, l := range found {
		name := l.Key()
		if l.MergedInto != 0 {
			if l, err = c.Leads.Root(ctx, l); err != nil {
				return nil, err
			}
		}
		leads[name] = l
	}
	return leads, nil
}

// makeLead makes a lead of the call of the request, and shows it.
func (c *room) makeLead(w http.ResponseWriter, r *http.Request) error {
	siteID, id, err := frame.IDs(r, frame.SiteField, "call")
	if err != nil {
		return err
	}
	made, err := c.Calls.MakeLead(r.Context(), siteID, id)
	if err != nil {
		return err
	}
	return c.Back(w, r, fmt.Sprintf("/leads/%d/%d", made.SiteID, made.ID), "")
}

// callsFeed is the list of calls.
type callsFeed struct {
	*live.Listener
	room *room
}

func (c *room) openCalls(_ *http.Request, to *live.Listener) (live.Feed, live.Watch) {
	return &callsFeed{to, c}, nil
}

// News tells of calls, and of calls whose leads have changed.
func (v *callsFeed) News(ctx context.Context, entries []journal.Entry) ([][]byte, error) {
	calls, err := v.room.told.Told(ctx, v.Listener, entries, call.Told)
	if err != nil {
		return nil, err
	}
	fresh := len(calls)
	changed := make(map[int64][]int64)
	for _, e := range entries {
		if e.Kind == lead.Changed && !slices.Contains(changed[e.SiteID], e.SubjectID) {
			changed[e.SiteID] = append(changed[e.SiteID], e.SubjectID)
		}
	}
	for site, leads := range changed {
		of, err := v.room.Calls.OfLeads(ctx, site, leads...)
		if err != nil {
			return nil, err
		}
		calls = append(calls, of...)
	}
	if len(calls) == 0 {
		return nil, nil
	}
	p, err := v.Page(ctx)
	if err != nil {
		return nil, err
	}
	shown, err := v.room.rowsOf(ctx, p, calls)
	if err != nil {
		return nil, err
	}
	for i := fresh; i < len(shown); i++ {
		shown[i].Changed = true
	}
	return live.RenderRows(v.room.Live, v.Words, "calls-event", shown, live.Whatever)
}
