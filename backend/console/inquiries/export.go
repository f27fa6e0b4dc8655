package inquiries

import (
	"context"
	"iter"
	"net/http"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/table"
	"github.com/seed-3405227d/frontdesk/backend/inquiry"
)

// exportedAtOnce is how many inquiries of an export are read together.
const exportedAtOnce = 2000

// exportColumns are the columns of an export, with the names of their words.
var exportColumns = []string{"inquiries.kind", "export.id", "export.at", "export.site", "export.name", "export.phone", "export.email", "export.message", "column.called",
	"column.state", "export.work", "export.owner", "export.sale", "export.amount", "export.kind", "export.source", "export.medium", "export.campaign", "export.term", "export.content",
	"export.referrer", "export.landing", "export.page", "lead.tags", "call.recording"}

// export sends all inquiries of the filter as a table, however many they are, while they are read.
func (c *room) export(w http.ResponseWriter, r *http.Request) error {
	p, err := c.Page(r, "inquiries")
	if err == nil {
		p.Staff, err = c.StaffOf(r.Context(), p)
	}
	if err != nil {
		return err
	}
	filter, problem := formOf(r.URL.Query()).filter(p, c.Zone(p))
	if problem != "" {
		return frame.Fail(http.StatusUnprocessableEntity, problem)
	}
	self, _ := frame.Current(r)
	if err := c.Operators.NoteExport(r.Context(), self.Login, p.ByID(), "inquiries", 0); err != nil {
		return err
	}
	filter.Lagging = true
	return c.Tables.Send(w, r, c.HeadOf(p, "inquiries", exportColumns), func(out *table.Rows) error {
		return table.Each(out, c.partsOf(r.Context(), filter), func(found []inquiry.Inquiry) error {
			shown, err := c.rowsOf(r.Context(), p, found)
			if err != nil {
				return err
			}
			for i := range found {
				if err := out.Write(exported(p, found[i], shown[i])...); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// partsOf are all inquiries of the filter, some at a time.
func (c *room) partsOf(ctx context.Context, filter inquiry.Filter) iter.Seq2[[]inquiry.Inquiry, error] {
	return func(yield func([]inquiry.Inquiry, error) bool) {
		for behind := (inquiry.Cursor{}); ; {
			found, err := c.Inquiries.List(ctx, filter, behind, exportedAtOnce)
			if behind = found.Next; !yield(found.Inquiries, err) || err != nil || behind == (inquiry.Cursor{}) {
				return
			}
		}
	}
}

func exported(p frame.Page, of inquiry.Inquiry, shown row) []table.Cell {
	w, s := p.Words, of.Source
	message, page, called, recording, state := shown.Digest, "", "", "", shown.Conversation
	var work, sale, amount, kind string
	switch {
	case of.Call != nil:
		called, recording, state = of.Call.Called, of.Call.Recording, w.Text("call.state."+string(shown.Call.State))
	case of.Callback != nil:
		page, state = of.Callback.URL, w.Text("callback.state."+string(of.Callback.State))
	case of.Chat != nil:
		page = of.Chat.URL
	default:
		message, page = of.Lead.Message, of.Lead.URL
	}
	if l := of.Lead; l != nil {
		work = w.Text("state." + l.State.String())
		if l.IsSale {
			sale, amount = w.Text("export.yes"), l.SaleCost
		}
	}
	if s.Kind != "" {
		kind = w.Text("source." + s.Kind)
	}
	site, _ := p.Site(of.SiteID)
	return slices.Concat(
		[]table.Cell{table.Text(shown.Kind), table.Count(of.ID), table.Time(of.At)},
		table.Texts(site.Key, shown.name, shown.phone, shown.email, message, called, state, work, shown.OwnerName, sale), []table.Cell{table.Decimal(amount)},
		table.Texts(kind, s.Source, s.Medium, s.Campaign, s.Term, s.Content, s.Referrer, s.Landing, page, shown.Tagged, recording),
	)
}
