package chats

import (
	"net/http"
	"strconv"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/chat/overview"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
)

// waitsPage is how long visitors have waited for answers.
type waitsPage struct {
	Spans     []frame.Tab
	Operators []waitsRow
	Groups    []waitsRow
}

// waitsRow is of an operator or a group.
type waitsRow struct {
	Label, Site   string
	Answers       int
	Mean, Longest string
	Prompt        int // percent of the answers
}

// waitSpans are of how many days it is told.
var waitSpans = []struct {
	days  int
	words string
}{{7, "waits.week"}, {30, "waits.month"}, {365, "waits.year"}}

// showWaits shows how long visitors have waited, by operators and groups.
func (c *room) showWaits(w http.ResponseWriter, r *http.Request, f frame.Page) error {
	var body waitsPage
	days, _ := strconv.Atoi(r.URL.Query().Get("days"))
	for i, s := range waitSpans {
		tab := frame.Tab{Option: frame.Option{Name: s.words}, Link: "/chats/waits?days=" + strconv.Itoa(s.days), Current: s.days == days}
		body.Spans = append(body.Spans, tab)
		if i == len(waitSpans)-1 && days != 7 && days != 30 && days != s.days {
			days, body.Spans[0].Current = waitSpans[0].days, true
		}
	}
	since := c.Now().Add(-time.Duration(days) * 24 * time.Hour)
	staff, err := c.StaffOf(r.Context(), f)
	if err != nil {
		return err
	}
	operators, err := c.Overview.WaitsByOperator(r.Context(), f.Scope, since)
	if err != nil {
		return err
	}
	for _, o := range operators {
		row := waitsRowOf(o)
		row.Label = rows.OwnerName(f.Words, staff, o.OperatorID)
		body.Operators = append(body.Operators, row)
	}
	groups, err := c.Overview.WaitsByGroup(r.Context(), f.Scope, since)
	if err != nil {
		return err
	}
	for _, g := range groups {
		row := waitsRowOf(g)
		if row.Label, err = rows.GroupName(r.Context(), c.Frame, g.SiteID, g.GroupID); err != nil {
			return err
		}
		row.Label, row.Site = rows.FirstOf(row.Label, f.Words.Text("waits.noGroup")), f.SiteKey(g.SiteID)
		body.Groups = append(body.Groups, row)
	}
	f.Body = body
	return c.Show(w, http.StatusOK, f)
}

func waitsRowOf(w overview.Waits) waitsRow {
	return waitsRow{Answers: int(w.Answers), Mean: words.ClockOf(w.Mean()), Longest: words.ClockOf(w.Most()), Prompt: int(100 * w.Prompt / max(1, w.Answers))}
}
