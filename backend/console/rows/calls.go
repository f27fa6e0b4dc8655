package rows

import (
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/callback"
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
	Visit      visit.ID
	Caller     string
	Before     string // whether this number has called the site before, in words; empty when it is withheld
	Called     string
	Replaces   string // the printed number, if another was called
	Site       string
	Source     *Source // nil when it is not known
	State      call.State
	Lost       bool // over, and nobody has spoken
	Talk, Wait string
	Why        string // the confidence and its reason, in words
	Doubts     []string
	Work       string       // address that makes a lead of it; empty for a call of no site
	Back       string       // where the caller can be called back, or a telephone link; empty for a number that is withheld
	Lead       *LeadRow     // nil when it is none
	Changed    bool         // only the lead has; the row is on the list already, or is not to be there
	Recording  template.URL // with http or https; empty for one that is longer than maxLink
	Price      string
}

// WhoseCall says why the call is taken for its visitor's, and how sure that is.
func WhoseCall(w *words.Tongue, c call.Call) string {
	why := w.Text("call.reason." + string(c.Reason))
	if c.Confidence != call.None {
		why = w.Text("call.confidence."+string(c.Confidence)) + ": " + why
	}
	return why
}

func CallRowOf(f frame.Page, c call.Call) CallRow {
	w := f.Words
	row := CallRow{
		Key: fmt.Sprintf("call-%d", c.ID), At: c.StartedAt, Visit: c.Visit, Called: words.Phone(c.Called, ""), Site: f.SiteKey(c.SiteID),
		State: c.State(w.Now()), Caller: w.Text("call.withheld"),
	}
	if words.Links(c.Recording) {
		row.Recording = template.URL(c.Recording) // of which telephony takes no other kinds
	}
	if c.SiteID == 0 {
		row.Site = ""
	} else {
		row.Work = fmt.Sprintf("/calls/%d/%d/lead", c.SiteID, c.ID)
	}
	if c.Caller != "" {
		row.Back = "tel:+" + c.Caller
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
	}
	if s := c.SourceOrCampaign(); s.Kind != "" {
		row.Source = new(SourceOf(w, s))
	}
	row.Lost = c.Lost()
	if talked, known := c.Talked(); known && !row.Lost {
		row.Talk = words.ClockOf(talked)
	}
	if waited, known := c.Waited(); known {
		row.Wait = w.Text("call.waited", "time", words.ClockOf(waited))
	}
	row.Why = WhoseCall(w, c)
	for note := range strings.FieldsSeq(c.Notes) {
		row.Doubts = append(row.Doubts, w.Text("call.note."+note))
	}
	if c.Price != "" {
		row.Price = strings.TrimSpace(w.Money(c.Price) + " " + c.Currency)
	}
	return row
}

// CallbackRow is a callback as a row of a list.
type CallbackRow struct {
	callback.Callback
	Key   string // of the row
	Link  string
	Who   string // the number to call
	Card  string // link to the visitor's; empty when nobody is known
	Site  string
	Page  words.Address
	First string // the number that is called first; empty when there is none
	Tried string // how often, in words
	Why   string // in words: how the last attempt has ended, or why there is none
	Talk  string // for how long they talked
}

// Lost tells whether nobody was reached.
func (r CallbackRow) Lost() bool { return r.State == callback.NoAnswer || r.State == callback.Failed }

// May are the names of what can be done with it, with blanks between them.
func (r CallbackRow) May() string {
	var may []string
	if !r.State.Calling() {
		may = append(may, "call")
		if r.State != callback.Done && r.Operator != "" && r.Platform != "" {
			may = append(may, "postpone")
		}
	}
	if r.State != callback.Done && r.State != callback.Closed {
		may = append(may, "close")
	}
	return strings.Join(may, " ")
}

func CallbackLink(siteID, id int64) string { return fmt.Sprintf("/callbacks/%d/%d", siteID, id) }

func CallbackRowOf(f frame.Page, b callback.Callback) CallbackRow {
	w := f.Words
	row := CallbackRow{Callback: b, Key: fmt.Sprintf("callback-%d-%d", b.SiteID, b.ID), Link: CallbackLink(b.SiteID, b.ID), Who: words.Phone(b.Phone, ""), Site: f.SiteKey(b.SiteID)}
	if b.URL != "" {
		row.Page = words.AddressOf(b.URL)
	}
	if b.Visitor != 0 {
		row.Card = CardLink(b.SiteID, int64(b.Visitor))
	}
	if b.Operator != "" {
		row.First = words.Phone(b.Operator, "")
	}
	if b.Attempts > 0 {
		row.Tried = w.Text("callback.tried", "at", b.Attempts, "most", max(b.Attempts, b.Most))
	}
	if b.Reason != "" && b.Reason != string(telephony.Talked) {
		row.Why = w.Text("callback.reason." + b.Reason)
	}
	if b.State == callback.Done && b.Talk != telephony.Untold {
		row.Talk = words.ClockOf(time.Duration(b.Talk) * time.Second)
	}
	return row
}
