package inbox

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/lead"
)

// sendLead answers with all that a lead and its parts say, and what was done with them, as a file. Pages show the beginning of
// long texts, and link here.
func (c *room) sendLead(w http.ResponseWriter, r *http.Request) error {
	siteID, id, err := frame.Numbers(r, frame.SiteField, "lead")
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
	siteID, id, err := frame.Numbers(r, frame.SiteField, "refused")
	if err != nil {
		return err
	}
	refused, err := c.Leads.GetRefused(r.Context(), siteID, id)
	if err != nil {
		return err
	}
	rows.SendText(w, fmt.Sprintf("refused-%d", id), func(to io.Writer) { rows.WriteFields(to, sentFields(refused.Sent)) })
	return nil
}
