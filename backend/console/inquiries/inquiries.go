package inquiries

import (
	"context"
	"net/http"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/inquiry"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
)

// maxInquiries is how many inquiries a page of the list has.
const maxInquiries = 50

// page is a part of the list of inquiries.
type page struct {
	form
	Rows   []row
	Older  string // address of the next part; empty at the end
	Sparse bool   // what was looked at holds no more, and there may be more behind it
	Newest bool   // this is the first part of all inquiries, which grows
	Zone   string // of the days
	Tags   []string
	Groups []group.Group
	Staff  []operator.Operator
	Export string // address of all of them as a file
}

func (c *room) show(w http.ResponseWriter, r *http.Request, p frame.Page) error {
	behind := inquiry.Cursor(frame.CursorOf(r.URL.Query()))
	zone := c.Zone(p)
	body := page{form: formOf(r.URL.Query()), Zone: zone.String()}
	if err := c.choices(r.Context(), &p, &body); err != nil {
		return err
	}
	filter, problem := body.filter(p, zone)
	if problem != "" {
		p.Problem, p.Body = p.Words.Text(problem), body
		return c.Show(w, http.StatusUnprocessableEntity, p)
	}
	body.Export = "/inquiries/export?" + body.Query()
	if body.Newest = behind == (inquiry.Cursor{}) && !body.Filtered(); body.Newest { // else rows that come in belong to another page
		p.Stream = p.StreamAddress("inquiries", p.SiteID)
	}
	found, err := c.Inquiries.List(r.Context(), filter, behind, maxInquiries)
	if err != nil {
		return err
	}
	if found.Next != (inquiry.Cursor{}) {
		body.Older, body.Sparse = frame.Cursor(found.Next).Behind("/inquiries"), len(found.Inquiries) < maxInquiries
		if query := body.Query(); query != "" {
			body.Older += "&" + query
		}
	}
	if body.Rows, err = c.rowsOf(r.Context(), p, found.Inquiries); err != nil {
		return err
	}
	p.Body = body
	frame.AllowRecordings(w.Header())
	return c.Show(w, http.StatusOK, p)
}

// choices reads what the form offers.
func (c *room) choices(ctx context.Context, p *frame.Page, body *page) (err error) {
	if p.Staff, err = c.StaffOf(ctx, *p); err != nil {
		return err
	}
	body.Staff = p.Staff
	if body.Tags, err = c.Inquiries.Tags(ctx, p.ByID()); err != nil {
		return err
	}
	groups, err := c.Groups.All(ctx)
	body.Groups = slices.DeleteFunc(groups, func(g group.Group) bool { return !p.Scope.Has(g.SiteID) })
	return err
}
