package calls

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
)

const (
	// maxCallbacks is how many callbacks a page of the list has.
	maxCallbacks = 50
)

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
func (f callbackForm) Tabs(w *words.Tongue) (tabs []frame.Tab) {
	for _, t := range callbackTabs {
		one := callbackForm{t.name, f.Number}
		text := w.Text("callbacks.all")
		if t.name != "" {
			text = w.Text("callbacks." + t.name)
		}
		tabs = append(tabs, frame.Tab{Option: frame.Option{Value: t.name, Name: text}, Link: strings.TrimSuffix("/callbacks?"+one.query(), "?"), Current: f.State == t.name})
	}
	return tabs
}

// callbackPage is a part of the list of callbacks.
type callbackPage struct {
	callbackForm
	Rows   []rows.CallbackRow
	Older  string // address of the next part; empty at the end
	Newest bool   // this is the first part of all callbacks, which grows
}

func (c *room) showCallbacks(w http.ResponseWriter, r *http.Request, f frame.Page) error {
	behind := frame.CursorOf(r.URL.Query())
	body := callbackPage{callbackForm: callbackFormOf(r.URL.Query())}
	if body.Newest = behind == (frame.Cursor{}) && !body.Filtered(); body.Newest {
		f.Stream = f.StreamAddress("callbacks", f.SiteID)
	}
	list, err := c.Callbacks.List(r.Context(), callback.Filter{
		Sites: f.Scope, States: body.states(), Digits: body.Number, Behind: callback.Cursor(behind),
	}, maxCallbacks+1)
	if err != nil {
		return err
	}
	if len(list) > maxCallbacks {
		list = list[:maxCallbacks]
		last := list[maxCallbacks-1].Cursor()
		body.Older = strings.TrimSuffix(frame.Cursor(last).Behind("/callbacks")+"&"+body.query(), "&")
	}
	body.Rows = frame.Rows(f, list, rows.CallbackRowOf)
	f.Body = body
	return c.Show(w, http.StatusOK, f)
}
