package inbox

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/lead"
)

// exportedAtOnce is how many leads of an export are listed together, and wholeAtOnce how many are read whole: each may have a
// megabyte.
const exportedAtOnce, wholeAtOnce = 500, 8

// exportColumns are the columns of an export, with the names of their words.
var exportColumns = []string{"export.id", "export.partOf", "export.at", "export.site", "export.state", "export.owner", "export.name", "export.phone", "export.written",
	"export.email", "export.message", "export.sale", "export.amount", "export.form", "export.ways", "export.kind", "export.source", "export.medium", "export.campaign",
	"export.term", "export.content", "export.referrer", "export.landing", "export.page", "export.fields", "export.siteError", "lead.tags"}

// exportLeads sends all leads of the filter as a table, however many they are, while they are read. A
// lead that is merged into another stands below it.
func (c *room) exportLeads(w http.ResponseWriter, r *http.Request) error {
	f, err := c.Page(r, "leads")
	if err == nil {
		f.Staff, err = c.StaffOf(r.Context(), f)
	}
	if err != nil {
		return err
	}
	filter, problem := leadFormOf(r.URL.Query()).filter(f)
	if problem != "" {
		return frame.Fail(http.StatusUnprocessableEntity, problem)
	}
	out := rows.NewTable(w, f.Words)
	self, _ := frame.Current(r)
	if err := c.Operators.NoteExport(r.Context(), self.Login, f.ByID(), "leads", 0); err != nil {
		return err
	}
	begun := false
	for behind := (lead.Cursor{}); ; {
		page, err := c.Inbox.List(r.Context(), filter, behind, exportedAtOnce)
		var names []lead.Key
		if err == nil {
			names, err = c.withParts(r, page.Leads)
		}
		if err != nil && !begun {
			return err
		}
		if err != nil {
			c.endEarly(r, err)
		}
		if !begun {
			begun = true
			out.Begin("leads", c.Now(), exportColumns)
		}
		for some := range slices.Chunk(names, wholeAtOnce) {
			leads, err := c.Leads.Named(r.Context(), some)
			if err != nil {
				c.endEarly(r, err)
			}
			for _, l := range leads {
				out.Row(exported(f, l))
			}
			if !out.Flush() {
				return nil
			}
		}
		if !out.Send() {
			return nil
		}
		if behind = page.Next; behind == (lead.Cursor{}) {
			return nil
		}
	}
}

// endEarly ends a table that has begun: one that ends early must not look whole.
func (c *room) endEarly(r *http.Request, err error) {
	if r.Context().Err() == nil {
		c.Logger.Error("an export of leads ended early", zap.Error(err))
	}
	panic(http.ErrAbortHandler)
}

// withParts are the names of the leads, each with those of its parts below it.
func (c *room) withParts(r *http.Request, leads []lead.Lead) ([]lead.Key, error) {
	parts, err := c.Leads.PartsOf(r.Context(), leads)
	if err != nil {
		return nil, err
	}
	var all []lead.Key
	for _, l := range leads {
		all = append(all, l.Key())
		if len(parts[l.Key()]) == 0 {
			continue
		}
		own, err := c.Leads.Parts(r.Context(), l.Key())
		if err != nil {
			return nil, err
		}
		for _, part := range own {
			all = append(all, part.Key())
		}
	}
	return all, nil
}

func exported(f frame.Page, l lead.Lead) []string {
	w := f.Words
	partOf, sale := "", ""
	if l.MergedInto != 0 {
		partOf = strconv.FormatInt(l.MergedInto, 10)
	}
	if l.IsSale {
		sale = w.Text("export.yes")
	}
	of, _ := f.Site(l.SiteID)
	key, amount := of.Key, rows.Decimal(w, l.SaleCost)
	siteError := ""
	if l.SiteError != 0 {
		siteError = strconv.Itoa(l.SiteError)
	}
	kind := ""
	if l.Source.Kind != "" {
		kind = w.Text("source." + l.Source.Kind)
	}
	var fields []string
	for _, one := range fieldsOf(l) {
		fields = append(fields, one.Name+": "+one.Value)
	}
	return []string{strconv.FormatInt(l.ID, 10), partOf, l.At.UTC().Format(time.DateTime), key, w.Text("state." + l.State.String()), rows.OwnerName(w, f.Staff, l.Owner),
		l.Name, l.PhoneDigits, l.Phone, l.Email, l.Message, sale, amount, l.FormName, waysOf(w, l), kind,
		l.Source.Source, l.Source.Medium, l.Source.Campaign, l.Source.Term, l.Source.Content, l.Source.Referrer, l.Source.Landing, l.URL, strings.Join(fields, "\n"), siteError, strings.Join(l.Tags, ", ")}
}

// sendLead answers with all that a lead and its parts say, and what was done with them, as a file. Pages show the beginning of
// long texts, and link here.
func (c *room) sendLead(w http.ResponseWriter, r *http.Request) error {
	siteID, id, err := frame.IDs(r, frame.SiteField, "lead")
	if err != nil {
		return err
	}
	l, err := c.Leads.Get(r.Context(), siteID, id)
	var parts []lead.Lead
	if err == nil {
		parts, err = c.Leads.Parts(r.Context(), l.Key())
	}
	var deeds []lead.Deed
	if err == nil {
		ids := []int64{id}
		for _, part := range parts {
			ids = append(ids, part.ID)
		}
		deeds, err = c.Leads.Deeds(r.Context(), siteID, ids)
	}
	if err != nil {
		return err
	}
	words := c.Words(r)
	rows.SendText(w, fmt.Sprintf("lead-%d", id), func(to io.Writer) {
		writeLead(to, words, l)
		for _, part := range parts { // one by one: each may have a megabyte
			if part, err := c.Leads.Get(r.Context(), siteID, part.ID); err == nil {
				writeLead(to, words, part)
			} else if !errors.Is(err, lead.ErrUnknown) {
				panic(http.ErrAbortHandler) // what ends early must not look whole
			}
		}
		for _, d := range deeds {
			if d.Kind == "note" {
				fmt.Fprintf(to, "%s %s\n%s\n\n", words.Exactly(d.At), d.By.Login, d.Said)
			}
		}
	})
	return nil
}

func writeLead(to io.Writer, w *words.Tongue, l lead.Lead) {
	fmt.Fprintf(to, "%s %d, %s\n\n", w.Text("lead.title"), l.ID, w.Exactly(l.At))
	rows.WriteFields(to, []rows.Field{
		{Name: w.Text("contact.name"), Value: l.Name}, {Name: w.Text("contact.phone"), Value: l.Phone}, {Name: w.Text("contact.email"), Value: l.Email}, {Name: w.Text("lead.form"), Value: l.FormName},
		{Name: w.Text("column.page"), Value: l.URL}, {Name: w.Text("card.referrer"), Value: l.Source.Referrer}, {Name: w.Text("card.landing"), Value: l.Source.Landing},
	})
	if l.Message != "" {
		fmt.Fprintf(to, "\n%s\n\n", l.Message)
	}
	rows.WriteFields(to, fieldsOf(l))
	io.WriteString(to, "\n")
}

// sendRefused answers with all that is kept of a refused submission, as a file.
func (c *room) sendRefused(w http.ResponseWriter, r *http.Request) error {
	siteID, id, err := frame.IDs(r, frame.SiteField, "refused")
	if err != nil {
		return err
	}
	refused, err := c.Refused.Get(r.Context(), siteID, id)
	if err != nil {
		return err
	}
	rows.SendText(w, fmt.Sprintf("refused-%d", id), func(to io.Writer) { rows.WriteFields(to, sentFields(refused.Sent)) })
	return nil
}
