package console

import (
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend/number"
)

const (
	// maxCalls is how many calls a page of the list has.
	maxCalls = 50
)

// callPage is a part of the list of calls.
type callPage struct {
	Rows   []callRow
	Older  string // address of the next part; empty at the end
	Newest bool   // this is the first part of all calls, which grows
	callForm
	Figures *callFigures // of the first part
}

func (c *callsRoom) showCalls(w http.ResponseWriter, r *http.Request) error {
	f, err := c.page(r, "calls")
	if err != nil {
		return err
	}
	behind := number.CallCursor(cursorOf(r.URL.Query()))
	body := callPage{Newest: behind == number.CallCursor{}}
	body.callForm = callFormOf(r.URL.Query())
	filter := body.filter(f, c.now())
	if body.Newest = body.Newest && body.callForm == (callForm{}); body.Newest {
		f.Stream = f.StreamAddress("calls", f.SiteID)
	}
	calls, err := c.Calls.List(r.Context(), filter, behind, maxCalls+1)
	if err == nil && behind == (number.CallCursor{}) {
		body.Figures, err = c.callFigures(r.Context(), f.Words, filter)
	}
	if err != nil {
		return err
	}
	if len(calls) > maxCalls {
		calls = calls[:maxCalls]
		body.Older = cursor(calls[maxCalls-1].Cursor()).behind("/calls") + body.query()
	}
	body.Rows = rowsOf(f, calls, callRowOf)
	f.Body = body
	allowRecordings(w.Header())
	return c.show(w, r, http.StatusOK, f)
}
