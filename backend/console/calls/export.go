package calls

import (
	"net/http"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/table"
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
	return c.Tables.Send(w, r, c.HeadOf(f, "calls", exportColumns), func(out *table.Rows) error {
		for behind := (call.Cursor{}); ; {
			calls, err := c.Calls.List(r.Context(), filter, behind, exportedAtOnce)
			if err != nil {
				return err
			}
			shown, err := c.rowsOf(r.Context(), f, calls)
			if err != nil {
				return err
			}
			for i := range calls {
				if err := out.Write(exported(f, calls[i], shown[i])...); err != nil {
					return err
				}
			}
			if len(calls) < exportedAtOnce {
				return nil
			}
			behind = calls[len(calls)-1].Cursor()
		}
	})
}

func exported(f frame.Page, c call.Call, shown rows.CallRow) []table.Cell {
	w := f.Words
	seconds := func(d time.Duration, known bool) table.Cell {
		if !known {
			return table.Cell{}
		}
		return table.Count(int(d.Seconds()))
	}
	var work, owner, sale, amount, kind string
	if l := shown.Lead; l != nil {
		work, owner = w.Text("state."+l.State.String()), l.OwnerName
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
		table.Texts(of.Key, c.Caller, c.Called, c.Replaces, w.Text("call.state."+string(shown.State))),
		[]table.Cell{seconds(c.Waited()), seconds(c.Talked())},
		table.Texts(work, owner, sale), []table.Cell{table.Decimal(amount)},
		table.Texts(shown.Why, kind, s.Source, s.Medium, s.Campaign, s.Term, s.Content, s.Referrer, s.Landing, c.Recording),
		[]table.Cell{table.Decimal(c.Price), table.Text(c.Currency)},
	)
}
