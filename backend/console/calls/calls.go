package calls

import (
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
)

const (
	// maxCalls is how many calls a page of the list has.
	maxCalls = 50
)

// callPage is a part of the list of calls.
type callPage struct {
	Rows   []rows.CallRow
	Older  string // address of the next part; empty at the end
	Newest bool   // this is the first part of all calls, which grows
	callForm
	Figures *callFigures // of the first part
}

func (c *room) showCalls(w http.ResponseWriter, r *http.Request, f frame.Page) error {
	behind := call.Cursor(frame.CursorOf(r.URL.Query()))
	body := callPage{Newest: behind == call.Cursor{}}
	body.callForm = callFormOf(r.URL.Query())
	filter := body.filter(f, c.Now())
	if body.Newest = body.Newest && body.callForm == (callForm{}); body.Newest {
		f.Stream = f.StreamAddress("calls", f.SiteID)
	}
	calls, err := c.Calls.List(r.Context(), filter, behind, maxCalls+1)
	if err == nil && behind == (call.Cursor{}) {
		body.Figures, err = c.callFigures(r.Context(), f.Words, filter)
	}
	if err != nil {
		return err
	}
	if len(calls) > maxCalls {
		calls = calls[:maxCalls]
		body.Older = frame.Cursor(calls[maxCalls-1].Cursor()).Behind("/calls") + body.query()
	}
	body.Rows = frame.Rows(f, calls, rows.CallRowOf)
	f.Body = body
	frame.AllowRecordings(w.Header())
	return c.Show(w, http.StatusOK, f)
}
