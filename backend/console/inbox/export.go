package inbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/table"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/inbox"
)

// exportedAtOnce is how many leads of an export are listed together.
const exportedAtOnce = 500

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
	filter, problem, err := c.filterOf(r.Context(), &f, leadFormOf(r.URL.Query()))
	if err != nil {
		return err
	}
	if problem != "" {
		return frame.Fail(http.StatusUnprocessableEntity, problem)
	}
	self, _ := frame.Current(r)
	if err := c.Operators.NoteExport(r.Context(), self.Login, f.ByID(), "leads", 0); err != nil {
		return err
	}
	filter.Lagging = true
	return c.Tables.Send(w, r, c.HeadOf(f, "leads", exportColumns), func(out *table.Rows) error {
		return table.Each(out, c.wholeOf(r.Context(), filter), func(leads []lead.Lead) error {
			for _, l := range leads {
				if err := out.Write(exported(f, l)...); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// wholeOf are all leads of the filter with their parts, some at a time.
func (c *room) wholeOf(ctx context.Context, filter inbox.Filter) iter.Seq2[[]lead.Lead, error] {
	return func(yield func([]lead.Lead, error) bool) {
		for behind := (lead.Cursor{}); ; {
			names, next, err := c.Inbox.Names(ctx, filter, behind, exportedAtOnce)
			if err == nil {
				names, err = c.withParts(ctx, names)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for leads, err := range c.Inbox.Whole(ctx, names) {
				if !yield(leads, err) || err != nil {
					return
				}
			}
			if behind = next; behind == (lead.Cursor{}) {
				return
			}
		}
	}
}

// withParts are the names of the leads, each with those of its parts below it.
func (c *room) withParts(ctx context.Context, names []lead.Key) ([]lead.Key, error) {
	parts, err := c.Leads.PartsOf(ctx, names)
	if err != nil {
		return nil, err
	}
	var all []lead.Key
	for _, name := range names {
		all = append(all, name)
		if len(parts[name]) == 0 {
			continue
		}
		own, err := c.Leads.Parts(ctx, name)
		if err != nil {
			return nil, err
		}
		for _, part := range own {
			all = append(all, part.Key())
		}
	}
	return all, nil
}

func exported(f frame.Page, l lead.Lead) []table.Cell {
	w := f.Words
	var partOf, siteError table.Cell
	if l.MergedInto != 0 {
		partOf = table.Count(l.MergedInto)
	}
	if l.SiteError != 0 {
		siteError = table.Count(l.SiteError)
	}
	sale, kind := "", ""
	if l.IsSale {
		sale = w.Text("export.yes")
	}
	if l.Source.Kind != "" {
		kind = w.Text("source." + l.Source.Kind)
	}
	of, _ := f.Site(l.SiteID)
	var fields []string
	for _, one := range fieldsOf(l) {
		fields = append(fields, one.Name+": "+one.Value)
	}
	s := l.Source
	return slices.Concat(
		[]table.Cell{table.Count(l.ID), partOf, table.Time(l.At)},
		table.Texts(of.Key, w.Text("state."+l.State.String()), rows.OwnerName(w, f.Staff, l.Owner), l.Name, l.PhoneDigits, l.Phone, l.Email, l.Message, sale),
		[]table.Cell{table.Decimal(l.SaleCost)},
		table.Texts(l.FormName, waysOf(w, l), kind, s.Source, s.Medium, s.Campaign, s.Term, s.Content, s.Referrer, s.Landing, l.URL, strings.Join(fields, "\n")),
		[]table.Cell{siteError, table.Text(strings.Join(l.Tags, ", "))},
	)
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
