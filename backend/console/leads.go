package console

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// maxLeads is how many leads a page of the list has.
const maxLeads = 50

// leadRow is a lead as a row of a list.
type leadRow struct {
	lead.Lead
	Key       string // of the row
	Link      string
	Label     string
	Site      string
	Digest    string // the message on one line
	Source    source
	Page      page
	Unread    bool   // by the operator
	OwnerName string // empty for nobody
	Parts     int    // how many others have been merged into it
	Changed   bool   // the row is on the list already, or is not to be there
}

func leadRowOf(f frame, l lead.Lead) leadRow {
	w := f.Words
	row := leadRow{
		Lead:      l,
		Key:       fmt.Sprintf("lead-%d-%d", l.SiteID, l.ID),
		Link:      fmt.Sprintf("/leads/%d/%d", l.SiteID, l.ID),
		Site:      f.SiteKey(l.SiteID),
		Digest:    digest(l.Message),
		Source:    sourceOf(w, l.Source),
		Page:      pageOf(l.URL),
		Unread:    slices.Contains(f.Unread, l.Key()),
		OwnerName: ownerName(w, f.Staff, l.Owner),
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

// digest is the beginning of a text on one line.
func digest(text string) string {
	const most = 4 << 10 // bytes, of which few are shown
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return strings.Join(strings.Fields(text), " ")
}

// All is how many leads the row stands for.
func (r leadRow) All() int { return r.Parts + 1 }

// Act is the address of something that is done with the lead.
func (r leadRow) Act(what string) string { return fmt.Sprintf("/leads/%s/%d/%d", what, r.SiteID, r.ID) }

// ownerName is who has a lead.
func ownerName(w *words, staff []operator.Operator, id int64) string {
	if id == 0 {
		return ""
	}
	for _, o := range staff {
		if o.ID == id {
			return o.Label()
		}
	}
	return w.text("lead.somebody") // whose account is gone, or sees other sites
}

// leadPage is a part of the list of leads.
type leadPage struct {
	leadForm
	Rows   []leadRow
	Older  string // address of the next part; empty at the end
	Sparse bool   // what was looked at holds no more, and there may be more behind it
	Newest bool   // this is the first part, which grows
	// Failing are the forms that fail today.
	Failing []failingForm
	Forms   []string
	Staff   []operator.Operator
	Export  string // address of all of them as a file
}

func (c *Console) showLeads(w http.ResponseWriter, r *http.Request) {
	f, err := c.frame(r, "leads")
	if err != nil {
		c.failed(w, r, err)
		return
	}
	behind, ok := leadCursor(r.URL.Query())
	if !ok {
		c.fail(w, r, http.StatusBadRequest, "leads.wrongPlace")
		return
	}
	if f.Staff, err = c.staff(r, f); err != nil {
		c.failed(w, r, err)
		return
	}
	body := leadPage{leadForm: leadFormOf(r.URL.Query()), Staff: f.Staff}
	if body.Forms, err = c.Leads.Forms(r.Context(), sitesOf(f)); err != nil {
		c.failed(w, r, err)
		return
	}
	// A name with signs that cannot be seen is not offered: nobody could tell it from others.
	body.Forms = slices.DeleteFunc(body.Forms, func(name string) bool { return plainly(name) != name })
	filter, problem := body.filter(f)
	if problem != "" {
		f.Problem, f.Body = f.Words.text(problem), body
		c.show(w, r, http.StatusUnprocessableEntity, f)
		return
	}
	body.Export = "/leads/export?" + body.Query()
	body.Newest = behind == (lead.Cursor{}) && !body.Filtered()
	if body.Newest { // else rows that come in belong to another page
		f.Stream = f.streamAddress("leads", f.SiteID)
	}
	if body.Newest {
		if body.Failing, err = c.failingForms(r.Context(), f); err != nil {
			c.failed(w, r, err)
			return
		}
	}
	found, err := c.Leads.Inbox(r.Context(), filter, behind, maxLeads)
	if err != nil {
		c.failed(w, r, err)
		return
	}
	if found.Next != (lead.Cursor{}) {
		body.Older, body.Sparse = behindAddress("/leads", found.Next), len(found.Leads) < maxLeads
		if query := body.Query(); query != "" {
			body.Older += "&" + query
		}
	}
	body.Rows = rowsOf(f, found.Leads, leadRowOf)
	if err := c.countParts(r.Context(), body.Rows); err != nil {
		c.failed(w, r, err)
		return
	}
	f.Body = body
	c.show(w, r, http.StatusOK, f)
}

// staff are the operators who see one of the page's sites.
func (c *Console) staff(r *http.Request, f frame) ([]operator.Operator, error) {
	return c.Operators.List(r.Context(), sitesOf(f))
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

// leadCursor is the place that the query names, or the top when it names none; ok is false for what is
// no place.
func leadCursor(query url.Values) (place lead.Cursor, ok bool) {
	if !query.Has("at") && !query.Has("id") {
		return place, true
	}
	place = cursorOf(query)
	return place, place != lead.Cursor{}
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
