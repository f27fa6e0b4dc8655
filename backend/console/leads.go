package console

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/lead"
)

// maxLeads is how many leads a page of the list has.
const maxLeads = 50

// leadRow is a lead as a row of a list.
type leadRow struct {
	lead.Lead
	Key    string // of the row
	Link   string
	Label  string
	Site   string
	Digest string // the message on one line
	Source source
	Page   page
	Unread bool // by the operator
}

func leadRowOf(w *words, f frame, l lead.Lead) leadRow {
	row := leadRow{
		Lead:   l,
		Key:    fmt.Sprintf("lead-%d-%d", l.SiteID, l.ID),
		Link:   fmt.Sprintf("/leads/%d/%d", l.SiteID, l.ID),
		Site:   f.SiteKey(l.SiteID),
		Digest: strings.Join(strings.Fields(l.Message), " "),
		Source: sourceOf(w, l.Source),
		Page:   pageOf(l.URL),
		Unread: slices.Contains(f.Unread, lead.Name{SiteID: l.SiteID, ID: l.ID}),
	}
	for _, label := range []string{l.Name, w.phone(l.PhoneDigits, l.PhoneExtension, l.Phone), l.Email} {
		if strings.TrimSpace(label) != "" {
			row.Label = label
			break
		}
	}
	if row.Label == "" {
		row.Label = visitorLabel(w, int64(l.Visitor))
	}
	return row
}

// leadPage is a part of the list of leads.
type leadPage struct {
	Rows   []leadRow
	Older  string // address of the next part; empty at the end
	Newest bool   // this is the first part, which grows
	// Failing are the forms that fail today.
	Failing []failingForm
}

func (c *Console) showLeads(w http.ResponseWriter, r *http.Request) {
	f, err := c.frame(r, "leads")
	if err != nil {
		c.failed(w, r, err)
		return
	}
	behind := cursorOf(r.URL.Query())
	body := leadPage{Newest: behind == lead.Cursor{}}
	if body.Newest { // else rows that come in belong to another page
		f.Stream = f.streamAddress("leads", f.SiteID)
	}
	leads, err := c.Leads.List(r.Context(), f.Scope, behind, maxLeads+1)
	if err == nil && body.Newest {
		body.Failing, err = c.failingForms(r.Context(), f)
	}
	if err != nil {
		c.failed(w, r, err)
		return
	}
	if len(leads) > maxLeads {
		leads = leads[:maxLeads]
		last := leads[maxLeads-1].Cursor()
		body.Older = behindAddress("/leads", last)
	}
	for _, l := range leads {
		body.Rows = append(body.Rows, leadRowOf(f.Words, f, l))
	}
	f.Body = body
	c.show(w, r, http.StatusOK, f)
}

// readLeads notes that the operator has seen the list of leads.
func (c *Console) readLeads(w http.ResponseWriter, r *http.Request) {
	siteID, err := strconv.ParseInt(r.PostFormValue("site"), 10, 64)
	if err != nil || siteID < 0 {
		c.fail(w, r, http.StatusBadRequest, "fail.form")
		return
	}
	o, _ := current(r)
	end, err := c.Journal.End(r.Context())
	var unread []lead.Name
	if err == nil {
		unread, err = c.unread(r.Context(), o, permitted(r), end)
	}
	if err == nil && len(unread) > 0 {
		err = c.Leads.MarkRead(r.Context(), o.ID, siteID)
	}
	if err != nil {
		c.failed(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// cursorOf reads the place in the list from the query; without a good one it is
// the top.
func cursorOf(query url.Values) lead.Cursor {
	at, errAt := strconv.ParseInt(query.Get("at"), 10, 64)
	id, errID := strconv.ParseInt(query.Get("id"), 10, 64)
	if errAt != nil || errID != nil {
		return lead.Cursor{}
	}
	return lead.Cursor{At: time.UnixMilli(at), ID: id}
}

// behindAddress is the address of the part of a list behind the place, which cursorOf reads.
func behindAddress(path string, c lead.Cursor) string {
	return path + "?" + url.Values{"at": {strconv.FormatInt(c.At.UnixMilli(), 10)}, "id": {strconv.FormatInt(c.ID, 10)}}.Encode()
}

// leadDetail is a lead whole.
type leadDetail struct {
	leadRow
	Fields  []field
	Visitor string   // link to the card; empty when there is none
	Shown   []string // the numbers that the visitor had of pools
}

// Reach is how to reach the one who has sent it.
func (d leadDetail) Reach() reach { return reach{d.PhoneDigits, d.Email} }

// field is a named value.
type field struct{ Name, Value string }

func (c *Console) showLead(w http.ResponseWriter, r *http.Request) {
	siteID, id, ok := twoNumbers(r, "site", "lead")
	if !ok {
		c.fail(w, r, http.StatusNotFound, "fail.notFound")
		return
	}
	f, err := c.frame(r, "lead")
	if err != nil {
		c.failed(w, r, err)
		return
	}
	l, err := c.Leads.Get(r.Context(), siteID, id)
	if errors.Is(err, lead.ErrUnknown) {
		c.fail(w, r, http.StatusNotFound, "fail.noLead")
		return
	}
	if err != nil {
		c.failed(w, r, err)
		return
	}
	d := leadDetail{leadRow: leadRowOf(f.Words, f, l)}
	for _, name := range slices.Sorted(maps.Keys(l.UserFields)) {
		d.Fields = append(d.Fields, field{name, l.UserFields[name]})
	}
	if d.Unread {
		name := lead.Name{SiteID: siteID, ID: id}
		if err := c.Leads.Open(r.Context(), f.Operator.ID, name); err != nil {
			c.failed(w, r, err)
			return
		}
		f.Unread = slices.DeleteFunc(f.Unread, func(n lead.Name) bool { return n == name })
	}
	if l.Visitor != 0 {
		d.Visitor = cardLink(siteID, int64(l.Visitor))
		leases, err := c.Leases.OfVisitor(r.Context(), siteID, l.Visitor)
		if err != nil {
			c.failed(w, r, err)
			return
		}
		for _, lease := range leases {
			if !lease.Begun.After(l.At) && !lease.Until.Before(l.At) {
				d.Shown = append(d.Shown, phone(lease.Digits, ""))
			}
		}
	}
	f.Title, f.Body = d.Label, d
	c.show(w, r, http.StatusOK, f)
}
