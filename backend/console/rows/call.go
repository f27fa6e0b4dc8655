package rows

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// CallRow is a call as a row of a list.
type CallRow struct {
	Key        string // of the row
	Link       string // to the visitor's card; empty when the visitor is not known
	At         time.Time
	Session    visit.ID
	Caller     string
	Before     string // whether this number has called the site before, in words; empty when it is withheld
	Called     string
	Replaces   string // the printed number, if another was called
	Site       string
	Source     *Source // nil when it is not known
	Conditions string  // of a number that stands for a source; where Source is nil
	State      call.State
	Lost       bool // over, and nobody has spoken
	Talk, Wait string
	Why        string // the confidence and its reason, in words
	Doubts     []string
	Recording  template.URL // with http or https; empty for one that is longer than maxLink
	Price      string
}

func CallRowOf(f frame.Page, c call.Call) CallRow {
	w := f.Words
	row := CallRow{
		Key: fmt.Sprintf("call-%d", c.ID), At: c.StartedAt, Session: c.Session, Called: words.Phone(c.Called, ""), Site: f.SiteKey(c.SiteID),
		State: c.State(w.Now()), Caller: w.Text("call.withheld"),
	}
	if words.Links(c.Recording) {
		row.Recording = template.URL(c.Recording) // of which telephony takes no other kinds
	}
	if c.SiteID == 0 {
		row.Site = ""
	}
	if c.Caller != "" {
		row.Caller, row.Before = words.Phone(c.Caller, ""), w.Text("call.again")
		if c.First {
			row.Before = w.Text("call.first")
		}
	}
	if row.Called == "" {
		row.Called = w.Text("call.untold")
	}
	if c.Replaces != "" && c.Replaces != c.Called {
		row.Replaces = words.Phone(c.Replaces, "")
	}
	if c.Visitor != 0 {
		row.Link = CardLink(c.SiteID, int64(c.Visitor))
		row.Source = new(SourceOf(w, c.Source))
	} else {
		row.Conditions = c.Conditions
	}
	row.Lost = slices.Contains([]call.State{call.State(telephony.Missed), call.State(telephony.Busy), call.State(telephony.Failed)}, row.State)
	if talked, known := c.Talked(); known && !row.Lost {
		row.Talk = words.ClockOf(talked)
	}
	if waited, known := c.Waited(); known {
		row.Wait = w.Text("call.waited", "time", words.ClockOf(waited))
	}
	row.Why = w.Text("call.reason." + string(c.Reason))
	if c.Confidence != call.None {
		row.Why = w.Text("call.confidence."+string(c.Confidence)) + ": " + row.Why
	}
	for note := range strings.FieldsSeq(c.Notes) {
		row.Doubts = append(row.Doubts, w.Text("call.note."+note))
	}
	if c.Price != "" {
		row.Price = strings.TrimSpace(w.Money(c.Price) + " " + c.Currency)
	}
	return row
}
