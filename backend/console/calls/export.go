package calls

import (
	"context"
	"iter"
	"net/http"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/table"
	"github.com/seed-3405227d/frontdesk/backend/lead"
)

// exportedAtOnce is how many calls of an export are read together.
const exportedAtOnce = 500

// exportColumns are the columns of an export, with the names of their words.
var exportColumns = []string{"export.id", "export.at", "export.site", "column.caller", "column.called", "export.printed", "column.state", "export.waited", "export.talked",
	"export.work", "export.owner", "export.sale", "export.amount", "export.why", "export.kind", "export.source", "export.medium", "export.campaign", "export.term", "export.content",
	"export.referrer", "export.landing", "call.recording", "export.price", "export.currency"}

// exportCalls sends all calls of the filter as a table, however many they are, while they are read.
func (c *room) exportCalls(w http.ResponseWriter, r *http.Request) error {
	f, err := c.Page(r, "calls")
	if err == nil {
		f.Staff, err = c.StaffOf(r.Context(), f)
	}
	if err != nil {
		return err
	}
	filter := callFormOf(r.URL.Query()).filter(f, c.Now())
	if filter.Check() != nil {
		return frame.Fail(http.StatusUnprocessableEntity, "calls.wrongNumber")
	}
	self, _ := frame.Current(r)
	if err := c.Operators.NoteExport(r.Context(), self.Login, f.ByID(), "calls", 0); err != nil {
		return err
	}
	filter.Lagging = true
	return c.Tables.Send(w, r, c.HeadOf(f, "calls", exportColumns), func(out *table.Rows) error {
		return table.Each(out, c.partsOf(r.Context(), filter), func(p part) error {
			for _, one := range p.calls {
				if err := out.Write(exported(f, one, p.leads)...); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// part are some calls, and the leads that they have become.
type part struct {
	calls []call.Call
	leads map[lead.Key]lead.Lead
}

// partsOf are all calls of the filter, some at a time.
func (c *room) partsOf(ctx context.Context, filter call.Filter) iter.Seq2[part, error] {
	return func(yield func(part, error) bool) {
		for behind := (call.Cursor{}); ; {
			p := part{}
			var err error
			if p.calls, err = c.Calls.List(ctx, filter, behind, exportedAtOnce); err == nil {
				p.leads, err = c.leadsOf(ctx, p.calls)
			}
			if !yield(p, err) || err != nil || len(p.calls) < exportedAtOnce {
				return
			}
			behind = p.calls[len(p.calls)-1].Cursor()
		}
	}
}

func exported(f frame.Page, c call.Call, leads map[lead.Key]lead.Lead) []table.Cell {
	w := f.Words
	seconds := func(d time.Duration, known bool) table.Cell {
		if !known {
			return table.Cell{}
		}
		return table.Count(int(d.Seconds()))
	}
	var work, owner, sale, amount, kind string
	if l, is := leads[leadOf(c)]; is {
		work, owner = w.Text("state."+l.State.String()), rows.OwnerName(w, f.Staff, l.Owner)
		if l.IsSale {
			sale, amount = w.Text("export.yes"), l.SaleCost
		}
	}
	s := c.SourceOrCampaign()
	if s.Kind != "" {
		kind = w.Text("source." + s.Kind)
	}
	of, _ := f.Site(c.SiteID)
	return slices.Concat(
		[]table.Cell{table.Count(c.ID), table.Time(c.StartedAt)},
		table.Texts(of.Key, c.Caller, c.Called, c.Replaces, w.Text("call.state."+string(c.State(w.Now())))),
		[]table.Cell{seconds(c.Waited()), seconds(c.Talked())},
		table.Texts(work, owner, sale), []table.Cell{table.Decimal(amount)},
		table.Texts(rows.WhoseCall(w, c), kind, s.Source, s.Medium, s.Campaign, s.Term, s.Content, s.Referrer, s.Landing, c.Recording),
		[]table.Cell{table.Decimal(c.Price), table.Text(c.Currency)},
	)
}
