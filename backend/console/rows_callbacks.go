package console

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
)

// callbackRow is a callback as a row of a list.
type callbackRow struct {
	callback.Callback
	Key   string // of the row
	Link  string
	Who   string // the number to call
	Card  string // link to the visitor's; empty when nobody is known
	Site  string
	Page  page
	First string // the number that is called first; empty when there is none
	Tried string // how often, in words
	Why   string // in words: how the last attempt has ended, or why there is none
	Talk  string // for how long they talked
}

// Lost tells whether nobody was reached.
func (r callbackRow) Lost() bool { return r.State == callback.NoAnswer || r.State == callback.Failed }

// May are the names of what can be done with it, with blanks between them.
func (r callbackRow) May() string {
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

func callbackLink(siteID, id int64) string { return fmt.Sprintf("/callbacks/%d/%d", siteID, id) }

func callbackRowOf(f frame, b callback.Callback) callbackRow {
	w := f.Words
	row := callbackRow{Callback: b, Key: fmt.Sprintf("callback-%d-%d", b.SiteID, b.ID), Link: callbackLink(b.SiteID, b.ID), Who: phone(b.Phone, ""), Site: f.SiteKey(b.SiteID)}
	if b.URL != "" {
		row.Page = pageOf(b.URL)
	}
	if b.Visitor != 0 {
		row.Card = cardLink(b.SiteID, int64(b.Visitor))
	}
	if b.Operator != "" {
		row.First = phone(b.Operator, "")
	}
	if b.Attempts > 0 {
		row.Tried = w.text("callback.tried", "at", b.Attempts, "most", max(b.Attempts, b.Most))
	}
	if b.Reason != "" && b.Reason != string(telephony.Talked) {
		row.Why = w.text("callback.reason." + b.Reason)
	}
	if b.State == callback.Done && b.Talk != telephony.Untold {
		row.Talk = clockOf(time.Duration(b.Talk) * time.Second)
	}
	return row
}
