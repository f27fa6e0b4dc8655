package inbox

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// maxLeads is how many leads a page of the list has.
const maxLeads = 50

// leadPage is a part of the list of leads.
type leadPage struct {
	leadForm
	Rows   []rows.LeadRow
	Older  string // address of the next part; empty at the end
	Sparse bool   // what was looked at holds no more, and there may be more behind it
	Newest bool   // this is the first part, which grows
	// Failing are the forms that fail today.
	Failing []failingForm
	Forms   []string
	Tags    []string
	Staff   []operator.Operator
	Export  string // address of all of them as a file
}

func (c *room) showLeads(w http.ResponseWriter, r *http.Request, f frame.Page) error {
	behind, ok := leadCursor(r.URL.Query())
	if !ok {
		return frame.Fail(http.StatusBadRequest, "leads.wrongPlace")
	}
	var err error
	if f.Staff, err = c.StaffOf(r.Context(), f); err != nil {
		return err
	}
	body := leadPage{leadForm: leadFormOf(r.URL.Query()), Staff: f.Staff}
	if body.Forms, err = c.Inbox.Forms(r.Context(), f.ByID()); err != nil {
		return err
	}
	// A name with signs that cannot be seen is not offered: nobody could tell it from others.
	body.Forms = slices.DeleteFunc(body.Forms, func(name string) bool { return words.Plainly(name) != name })
	if body.Tags, err = c.Inbox.Tags(r.Context(), f.ByID()); err != nil {
		return err
	}
	filter, problem, err := c.filterOf(r.Context(), &f, body.leadForm)
	if err != nil {
		return err
	}
	if problem != "" {
		f.Problem, f.Body = f.Words.Text(problem), body
		return c.Show(w, http.StatusUnprocessableEntity, f)
	}
	body.Export = "/leads/export?" + body.Query()
	body.Newest = behind == (lead.Cursor{}) && !body.Filtered()
	if body.Newest { // else rows that come in belong to another page
		f.Stream = f.StreamAddress("leads", f.SiteID)
	}
	if body.Newest {
		if body.Failing, err = c.failingForms(r.Context(), f); err != nil {
			return err
		}
	}
	found, err := c.Inbox.List(r.Context(), filter, behind, maxLeads)
	if err != nil {
		return err
	}
	if found.Next != (lead.Cursor{}) {
		body.Older, body.Sparse = frame.Cursor(found.Next).Behind("/leads"), len(found.Leads) < maxLeads
		if query := body.Query(); query != "" {
			body.Older += "&" + query
		}
	}
	if body.Rows, err = c.rowsOf(r.Context(), f, found.Leads); err != nil {
		return err
	}
	f.Body = body
	return c.Show(w, http.StatusOK, f)
}

// rowsOf are the leads as rows of the page's list.
func (c *room) rowsOf(ctx context.Context, p frame.Page, leads []lead.Lead) ([]rows.LeadRow, error) {
	unread, err := c.unread.Of(ctx, &p)
	if err != nil {
		return nil, err
	}
	rows := frame.Rows(p, leads, rows.LeadRowOf)
	for i := range rows {
		rows[i].Unread = slices.Contains(unread, leads[i].Key())
	}
	return rows, c.countParts(ctx, rows)
}

// readLeads notes that the operator has seen the list of leads.
func (c *room) readLeads(w http.ResponseWriter, r *http.Request) error {
	siteID, err := strconv.ParseInt(r.PostFormValue("site"), 10, 64)
	if err != nil || siteID < 0 {
		return frame.Fail(http.StatusBadRequest, "fail.form")
	}
	o, _ := frame.Current(r)
	end, err := c.Journal.End(r.Context())
	var unread []lead.Key
	if err == nil {
		unread, err = c.Inbox.Unread(r.Context(), o.ID, frame.Permitted(r), o.CreatedAt, end)
	}
	if err == nil && len(unread) > 0 {
		err = c.Inbox.MarkRead(r.Context(), o.ID, siteID)
	}
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// leadCursor is the position that the query names, or the top when it names none; ok is false for what is
// no position.
func leadCursor(query url.Values) (behind lead.Cursor, ok bool) {
	if !query.Has("at") && !query.Has("id") {
		return behind, true
	}
	behind = lead.Cursor(frame.CursorOf(query))
	return behind, behind != lead.Cursor{}
}
