package console

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
)

// callbackTold is what changes on the page of a callback.
type callbackTold struct {
	callbackRow
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

func (c *Console) callbackTold(ctx context.Context, f frame, siteID, id int64) (told callbackTold, err error) {
	b, err := c.Callbacks.Get(ctx, siteID, id)
	if err != nil {
		return told, err
	}
	steps, err := c.Callbacks.Steps(ctx, siteID, id)
	if err != nil {
		return told, err
	}
	told.callbackRow = callbackRowOf(f, b)
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
func reasonOf(w *words, detail string) (text, said string) {
	code, said, _ := strings.Cut(detail, ": ")
	for _, known := range callbackReasons {
		if code == known {
			return w.text("callback.reason." + code), said
		}
	}
	return "", detail
}

// callbackStepOf is the step in words.
func callbackStepOf(w *words, s callback.Step) callbackStep {
	step := callbackStep{At: s.At, By: s.By, Text: w.text("callback.step." + s.Kind)}
	switch s.Kind {
	case callback.StepPlaced:
		step.Text = w.text("callback.step.placed", "at", s.Attempt, "platform", s.Detail)
	case callback.StepAsked, string(telephony.Ended):
		if s.By != "" {
			step.Text = w.text("callback.step.made")
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

func (c *Console) showCallback(w http.ResponseWriter, r *http.Request) {
	c.callbackPage(w, r, http.StatusOK, callbackProblem{})
}

// callbackPage shows the callback of the request, with what was wrong in what was asked for.
func (c *Console) callbackPage(w http.ResponseWriter, r *http.Request, status int, problem callbackProblem) {
	siteID, id, ok := twoNumbers(r, siteField, "callback")
	if !ok {
		c.fail(w, r, http.StatusNotFound, "fail.notFound")
		return
	}
	f, err := c.frame(r, "callback")
	if err != nil {
		c.failed(w, r, err)
		return
	}
	var d callbackDetail
	if d.callbackTold, err = c.callbackTold(r.Context(), f, siteID, id); errors.Is(err, callback.ErrUnknown) {
		c.fail(w, r, http.StatusNotFound, "fail.noCallback")
		return
	}
	if err == nil {
		d.Group, err = c.groupName(r.Context(), siteID, d.GroupID)
	}
	if err != nil {
		c.failed(w, r, err)
		return
	}
	if problem.Field == "" {
		f.Problem = problem.text(f.Words)
	} else {
		d.Until, d.Wrong = r.PostFormValue(problem.Field), map[string]string{problem.Field: problem.text(f.Words)}
	}
	f.Stream = f.streamAddress("callback", siteID) + "&callback=" + r.PathValue("callback")
	f.Here, f.SiteID = d.Link, siteID
	f.Title, f.Body = f.Words.text("callback.to", "phone", d.Who), d
	c.show(w, r, status, f)
}

// groupName is the name of a group of the site; empty for 0, and for one that there is not.
func (c *Console) groupName(ctx context.Context, siteID, id int64) (string, error) {
	if id == 0 {
		return "", nil
	}
	g, err := c.Operators.Group(ctx, siteID, id)
	if errors.Is(err, operator.ErrGroup) {
		return "", nil
	}
	return g.Name, err
}

// callsBack tells whether somebody of the site can be called back now.
func (c *Console) callsBack(ctx context.Context, f frame, siteID int64) (bool, error) {
	s, _ := siteNumbered(f.Sites, siteID)
	return c.Callbacks.Possible(ctx, siteID, c.callbackSettings(s))
}

// callbackSettings are those in effect for the site.
func (c *Console) callbackSettings(s site.Site) callback.Settings {
	if set := c.effective(s).Callback; set != nil {
		return *set
	}
	return callback.Settings{}
}
