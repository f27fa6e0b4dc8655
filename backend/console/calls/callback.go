package calls

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/live"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
)

// callbackTold is what changes on the page of a callback.
type callbackTold struct {
	rows.CallbackRow
	Story []callbackStep
}

// callbackStep is what has happened to a callback.
type callbackStep struct {
	At   time.Time
	By   string
	Text string // in words
	Said string // by the platform; may be empty
}

// callbackDetail is a callback whole.
type callbackDetail struct {
	callbackTold
	Group string            // its name; empty for none
	Until string            // the time of a postponement that was not accepted
	Wrong map[string]string // by field
}

func (c *room) callbackTold(ctx context.Context, f frame.Page, siteID, id int64) (told callbackTold, err error) {
	b, err := c.Callbacks.Get(ctx, siteID, id)
	if err != nil {
		return told, err
	}
	steps, err := c.Callbacks.Steps(ctx, siteID, id)
	if err != nil {
		return told, err
	}
	told.CallbackRow = rows.CallbackRowOf(f, b)
	for _, s := range steps {
		told.Story = append(told.Story, callbackStepOf(f.Words, s))
	}
	return told, nil
}

// callbackReasons are the codes that stand in details of steps and that have words.
var callbackReasons = []string{
	string(telephony.Talked), string(telephony.OperatorBusy), string(telephony.OperatorNoAnswer), string(telephony.VisitorBusy), string(telephony.VisitorNoAnswer),
	string(telephony.OrderFailed), string(telephony.OrderCancelled), callback.Off, callback.NoPlatform, callback.NobodyToCall, callback.CountryNotAllowed,
	callback.TypeNotAllowed, callback.PlatformError, callback.PlatformSilent,
}

// reasonOf is a step's detail in words, and what the platform has said of it.
func reasonOf(w *words.Tongue, detail string) (text, said string) {
	code, said, _ := strings.Cut(detail, ": ")
	if slices.Contains(callbackReasons, code) {
		return w.Text("callback.reason." + code), said
	}
	return "", detail
}

// callbackStepOf is the step in words.
func callbackStepOf(w *words.Tongue, s callback.Step) callbackStep {
	step := callbackStep{At: s.At, By: s.By, Text: w.Text("callback.step." + s.Kind)}
	switch s.Kind {
	case callback.StepPlaced:
		step.Text = w.Text("callback.step.placed", "at", s.Attempt, "platform", s.Detail)
	case callback.StepAsked, string(telephony.Ended):
		if s.By != "" {
			step.Text = w.Text("callback.step.made")
		}
		var reason string
		if reason, step.Said = reasonOf(w, s.Detail); reason != "" {
			step.Text += ": " + reason
		}
	default:
		step.Said = s.Detail
	}
	return step
}

func (c *room) showCallback(w http.ResponseWriter, r *http.Request) error {
	return c.callbackPage(w, r, http.StatusOK, callbackProblem{})
}

// callbackPage shows the callback of the request, with what was wrong in what was asked for.
func (c *room) callbackPage(w http.ResponseWriter, r *http.Request, status int, problem callbackProblem) error {
	siteID, id, err := frame.IDs(r, frame.SiteField, "callback")
	if err != nil {
		return err
	}
	f, err := c.Page(r, "callback")
	if err != nil {
		return err
	}
	var d callbackDetail
	if d.callbackTold, err = c.callbackTold(r.Context(), f, siteID, id); err == nil {
		d.Group, err = rows.GroupName(r.Context(), c.Frame, siteID, d.GroupID)
	}
	if err != nil {
		return err
	}
	if problem.Field == "" {
		f.Problem = problem.text(f.Words)
	} else {
		d.Until, d.Wrong = r.PostFormValue(problem.Field), map[string]string{problem.Field: problem.text(f.Words)}
	}
	f.Stream = f.StreamAddress("callback", siteID) + "&callback=" + r.PathValue("callback")
	f.Here, f.SiteID = d.Link, siteID
	f.Title, f.Body = f.Words.Text("callback.to", "phone", d.Who), d
	return c.Show(w, status, f)
}

// callbackFeed is the page of one callback, which shows each step as it happens.
type callbackFeed struct {
	*live.Listener
	room       *room
	siteID, id int64
}

func (c *room) openCallback(r *http.Request, to *live.Listener) (live.Feed, live.Watch) {
	id, err := strconv.ParseInt(r.URL.Query().Get("callback"), 10, 64)
	sites := frame.Permitted(r).IDs()
	if err != nil || len(sites) != 1 {
		return nil, nil
	}
	return &callbackFeed{to, c, sites[0], id}, nil
}

// News tells what has become of the callback.
func (v *callbackFeed) News(ctx context.Context, entries []journal.Entry) ([][]byte, error) {
	changed := func(e journal.Entry) bool {
		return e.Kind == callback.Changed && e.SiteID == v.siteID && e.SubjectID == v.id
	}
	if !slices.ContainsFunc(entries, changed) {
		return nil, nil
	}
	told, err := v.room.callbackTold(ctx, frame.Page{Words: v.Words}, v.siteID, v.id)
	if errors.Is(err, callback.ErrUnknown) { // erased since
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return v.room.Render(v.Words, "callback-event", told)
}
