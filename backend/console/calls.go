package console

import (
	"context"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

const (
	// maxCalls is how many calls a page of the list has.
	maxCalls = 50
	// maxCardCalls is how many calls a visitor's card shows, firstCalls how many at first.
	maxCardCalls = 50
	firstCalls   = 5
)

// callRow is a call as a row of a list.
type callRow struct {
	Key        string // of the row
	Link       string // to the visitor's card; empty when the visitor is not known
	At         time.Time
	Session    visit.ID
	Caller     string
	Before     string // whether this number has called the site before, in words; empty when it is withheld
	Called     string
	Replaces   string // the printed number, if another was called
	Site       string
	Source     *source // nil when it is not known
	Conditions string  // of a number that stands for a source; where Source is nil
	State      number.State
	Lost       bool // over, and nobody has spoken
	Talk, Wait string
	Why        string // the confidence and its reason, in words
	Doubts     []string
	Recording  template.URL // with http or https; empty for one that is longer than maxLink
	Price      string
}

func callRowOf(f frame, c number.Call) callRow {
	w := f.Words
	row := callRow{
		Key: fmt.Sprintf("call-%d", c.ID), At: c.StartedAt, Session: c.Session, Called: phone(c.Called, ""), Site: f.SiteKey(c.SiteID),
		State: c.State(w.now()), Caller: w.text("call.withheld"),
	}
	if links(c.Recording) {
		row.Recording = template.URL(c.Recording) // of which telephony takes no other kinds
	}
	if c.SiteID == 0 {
		row.Site = ""
	}
	if c.Caller != "" {
		row.Caller, row.Before = phone(c.Caller, ""), w.text("call.again")
		if c.First {
			row.Before = w.text("call.first")
		}
	}
	if row.Called == "" {
		row.Called = w.text("call.untold")
	}
	if c.Replaces != "" && c.Replaces != c.Called {
		row.Replaces = phone(c.Replaces, "")
	}
	if c.Visitor != 0 {
		row.Link = cardLink(c.SiteID, int64(c.Visitor))
		row.Source = new(sourceOf(w, c.Source))
	} else {
		row.Conditions = c.Conditions
	}
	row.Lost = slices.Contains([]number.State{number.State(telephony.Missed), number.State(telephony.Busy), number.State(telephony.Failed)}, row.State)
	if talked, known := c.Talked(); known && !row.Lost {
		row.Talk = clockOf(talked)
	}
	if waited, known := c.Waited(); known {
		row.Wait = w.text("call.waited", "time", clockOf(waited))
	}
	row.Why = w.text("call.reason." + string(c.Reason))
	if c.Confidence != number.None {
		row.Why = w.text("call.confidence."+string(c.Confidence)) + ": " + row.Why
	}
	for note := range strings.FieldsSeq(c.Notes) {
		row.Doubts = append(row.Doubts, w.text("call.note."+note))
	}
	if c.Price != "" {
		row.Price = strings.TrimSpace(w.money(c.Price) + " " + c.Currency)
	}
	return row
}

// clockOf is a length of time in minutes and seconds, such as 1:04.
func clockOf(d time.Duration) string {
	seconds := int(d.Round(time.Second) / time.Second)
	if seconds < 3600 {
		return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
}

// callPage is a part of the list of calls.
type callPage struct {
	Rows   []callRow
	Older  string // address of the next part; empty at the end
	Newest bool   // this is the first part of all calls, which grows
	callForm
	Figures *callFigures // of the first part
}

func (c *Console) showCalls(w http.ResponseWriter, r *http.Request) {
	f, err := c.frame(r, "calls")
	if err != nil {
		c.failed(w, r, err)
		return
	}
	behind := number.CallCursor(cursorOf(r.URL.Query()))
	body := callPage{Newest: behind == number.CallCursor{}}
	body.callForm = callFormOf(r.URL.Query())
	filter := body.filter(f, c.now())
	if body.Newest = body.Newest && body.callForm == (callForm{}); body.Newest {
		f.Stream = f.streamAddress("calls", f.SiteID)
	}
	calls, err := c.Calls.List(r.Context(), filter, behind, maxCalls+1)
	if err == nil && behind == (number.CallCursor{}) {
		body.Figures, err = c.callFigures(r.Context(), f.Words, filter)
	}
	if err != nil {
		c.failed(w, r, err)
		return
	}
	if len(calls) > maxCalls {
		calls = calls[:maxCalls]
		body.Older = behindAddress("/calls", lead.Cursor(calls[maxCalls-1].Cursor())) + body.query()
	}
	body.Rows = rowsOf(f, calls, callRowOf)
	f.Body = body
	allowRecordings(w.Header())
	c.show(w, r, http.StatusOK, f)
}

// allowRecordings lets the page play recordings, which stand on the hosts of telephone
// platforms. Nothing is loaded before somebody presses the button.
func allowRecordings(h http.Header) {
	const policy = "Content-Security-Policy"
	h.Set(policy, h.Get(policy)+"; media-src http: https:")
}

// seesUnattributed tells whether the operator sees calls to numbers of no site.
func seesUnattributed(o operator.Operator) bool { return o.Role == operator.Admin && o.Sites.All() }

// callsOf adds the visitor's calls to the card, in its list and among the steps of visits.
func (c *Console) callsOf(ctx context.Context, f frame, siteID int64, shown *card) error {
	calls, err := c.Calls.OfVisitor(ctx, siteID, visit.ID(shown.ID), maxCardCalls)
	if err != nil {
		return err
	}
	rows := rowsOf(f, calls, callRowOf)
	shown.Calls = fold(rows, firstCalls)
	for _, row := range rows {
		shown.add(row.Session, step{Kind: "call", At: row.At, Call: row})
	}
	return nil
}
