package console

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

const (
	// maxCallbacks is how many callbacks a page of the list has.
	maxCallbacks = 50
	// maxCardCallbacks is how many callbacks a visitor's card shows.
	maxCardCallbacks = 50
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

// callbackTabs are the choices of callbacks by what has become of them.
var callbackTabs = []struct {
	name   string
	states []callback.State
}{
	{"", nil},
	{"open", []callback.State{callback.Waiting, callback.CallingOperator, callback.CallingVisitor, callback.Talking}},
	{"missed", []callback.State{callback.NoAnswer, callback.Failed}},
	{"done", []callback.State{callback.Done}},
	{"closed", []callback.State{callback.Closed}},
}

// callbackForm says which callbacks are shown, as the address has it.
type callbackForm struct{ State, Number string }

func callbackFormOf(query url.Values) callbackForm {
	form := callbackForm{State: query.Get("state"), Number: strings.TrimSpace(query.Get("number"))}
	if form.states() == nil {
		form.State = ""
	}
	return form
}

func (f callbackForm) states() []callback.State {
	for _, t := range callbackTabs {
		if t.name == f.State {
			return t.states
		}
	}
	return nil
}

// Filtered tells whether not all callbacks are shown.
func (f callbackForm) Filtered() bool { return f != (callbackForm{}) }

// query is what the address has of it, without a question mark.
func (f callbackForm) query() string {
	values := url.Values{}
	for name, value := range map[string]string{"state": f.State, "number": f.Number} {
		if value != "" {
			values.Set(name, value)
		}
	}
	return values.Encode()
}

// Tabs are the choices by what has become of callbacks.
func (f callbackForm) Tabs(w *words) (tabs []tab) {
	for _, t := range callbackTabs {
		one := callbackForm{t.name, f.Number}
		text := w.text("callbacks.all")
		if t.name != "" {
			text = w.text("callbacks." + t.name)
		}
		tabs = append(tabs, tab{option{t.name, text}, strings.TrimSuffix("/callbacks?"+one.query(), "?"), f.State == t.name})
	}
	return tabs
}

// callbackPage is a part of the list of callbacks.
type callbackPage struct {
	callbackForm
	Rows   []callbackRow
	Older  string // address of the next part; empty at the end
	Newest bool   // this is the first part of all callbacks, which grows
}

func (c *Console) showCallbacks(w http.ResponseWriter, r *http.Request) {
	f, err := c.frame(r, "callbacks")
	if err != nil {
		c.failed(w, r, err)
		return
	}
	behind := cursorOf(r.URL.Query())
	body := callbackPage{callbackForm: callbackFormOf(r.URL.Query())}
	if body.Newest = behind == (lead.Cursor{}) && !body.Filtered(); body.Newest {
		f.Stream = f.streamAddress("callbacks", f.SiteID)
	}
	list, err := c.Callbacks.List(r.Context(), callback.Filter{
		Sites: f.Scope, States: body.states(), Digits: body.Number, Before: callback.Place{CreatedAt: behind.At, ID: behind.ID},
	}, maxCallbacks+1)
	if err != nil {
		c.failed(w, r, err)
		return
	}
	if len(list) > maxCallbacks {
		list = list[:maxCallbacks]
		last := list[maxCallbacks-1]
		body.Older = strings.TrimSuffix(behindAddress("/callbacks", lead.Cursor{At: last.CreatedAt, ID: last.ID})+"&"+body.query(), "&")
	}
	body.Rows = rowsOf(f, list, callbackRowOf)
	f.Body = body
	c.show(w, r, http.StatusOK, f)
}

// callbacksOf adds the visitor's callbacks to the card, in its list and among the steps of visits.
func (c *Console) callbacksOf(ctx context.Context, f frame, siteID int64, shown *card) error {
	list, err := c.Callbacks.List(ctx, callback.Filter{Sites: scope.Of(siteID), Visitor: visit.ID(shown.ID)}, maxCardCallbacks)
	if err != nil {
		return err
	}
	rows := rowsOf(f, list, callbackRowOf)
	shown.Callbacks = fold(rows, firstCalls)
	for _, row := range rows {
		shown.add(row.Session, step{Kind: "callback", At: row.CreatedAt, Callback: row})
	}
	return nil
}

// callbackView is the page of one callback, which shows each step as it happens.
type callbackView struct {
	arrivals
	siteID, id int64
}

// callbackViewOf is the view for the stream that the request asks for, or nil.
func callbackViewOf(r *http.Request, base arrivals) view {
	id, err := strconv.ParseInt(r.URL.Query().Get("callback"), 10, 64)
	sites := permitted(r).IDs()
	if err != nil || len(sites) != 1 {
		return nil
	}
	return &callbackView{arrivals: base, siteID: sites[0], id: id}
}

func (v *callbackView) news(ctx context.Context, entries []journal.Entry) ([][]byte, error) {
	data, err := v.arrivals.news(ctx, entries)
	if err != nil {
		return nil, err
	}
	changed := func(e journal.Entry) bool {
		return e.Kind == callback.Changed && e.SiteID == v.siteID && e.SubjectID == v.id
	}
	if !slices.ContainsFunc(entries, changed) {
		return data, nil
	}
	told, err := v.console.callbackTold(ctx, frame{Words: v.words}, v.siteID, v.id)
	if errors.Is(err, callback.ErrUnknown) { // erased since
		return data, nil
	}
	if err != nil {
		return nil, err
	}
	more, err := v.console.render(v.words, "callback-event", told)
	return append(data, more...), err
}
