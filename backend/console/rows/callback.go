package rows

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
)

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
