package calls

import (
	"net/http"
	"strconv"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
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
	out := rows.NewTable(w, f.Words)
	self, _ := frame.Current(r)
	if err := c.Operators.NoteExport(r.Context(), self.Login, f.ByID(), "calls", 0); err != nil {
		return err
	}
	for behind, begun := (call.Cursor{}), false; ; begun = true {
		calls, err := c.Calls.List(r.Context(), filter, behind, exportedAtOnce)
		var shown []rows.CallRow
		if err == nil {
			shown, err = c.rowsOf(r.Context(), f, calls)
		}
		if err != nil && !begun {
			return err
		}
		if err != nil {
			if r.Context().Err() == nil {
				c.Logger.Error("an export of calls ended early", zap.Error(err))
			}
			panic(http.ErrAbortHandler) // it must not look whole
		}
		if !begun {
			out.Begin("calls", c.Now(), exportColumns)
		}
		for i := range calls {
			out.Row(exported(f, calls[i], shown[i]))
		}
		if !out.Send() || len(calls) < exportedAtOnce {
			return nil
		}
		behind = calls[len(calls)-1].Cursor()
	}
}

func exported(f frame.Page, c call.Call, shown rows.CallRow) []string {
	w := f.Words
	seconds := func(d time.Duration, known bool) string {
		if !known {
			return ""
		}
		return strconv.Itoa(int(d.Seconds()))
	}
	waited, talked := seconds(c.Waited()), seconds(c.Talked())
	var work, owner, sale, amount, kind string
	if l := shown.Lead; l != nil {
		work, owner = w.Text("state."+l.State.String()), l.OwnerName
		if l.IsSale {
			sale, amount = w.Text("export.yes"), rows.Decimal(w, l.SaleCost)
		}
	}
	s := c.SourceOrCampaign()
	if s.Kind != "" {
		kind = w.Text("source." + s.Kind)
	}
	of, _ := f.Site(c.SiteID)
	return []string{strconv.FormatInt(c.ID, 10), c.StartedAt.UTC().Format(time.DateTime), of.Key, c.Caller, c.Called, c.Replaces, w.Text("call.state." + string(shown.State)), waited, talked,
		work, owner, sale, amount, shown.Why, kind, s.Source, s.Medium, s.Campaign, s.Term, s.Content,
		s.Referrer, s.Landing, c.Recording, rows.Decimal(w, c.Price), c.Currency}
}
