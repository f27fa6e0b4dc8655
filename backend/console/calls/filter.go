package calls

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// callForm says which calls are shown, as the address has it. Values that it does not know
// are none.
type callForm struct{ Period, Outcome, Source, Confidence, Number string }

// callPeriods are the times that can be chosen, with the names of their words.
var callPeriods = []struct {
	value, name string
	length      time.Duration
}{{"day", "calls.day", 24 * time.Hour}, {"week", "calls.week", 7 * 24 * time.Hour}, {"month", "calls.month", 30 * 24 * time.Hour}}

// confidenceWords are the names of the words for how sure it is whose call it is.
var confidenceWords = []struct {
	value call.Confidence
	name  string
}{{call.High, "call.confidence.high"}, {call.Medium, "call.confidence.medium"}, {call.Low, "call.confidence.low"}, {call.None, "calls.unknown"}}

func callFormOf(query url.Values) callForm {
	form := callForm{Period: query.Get("period"), Outcome: query.Get("outcome"), Source: query.Get("source"), Confidence: query.Get("confidence"), Number: strings.TrimSpace(query.Get("number"))}
	if form.length() == 0 {
		form.Period = ""
	}
	if !slices.Contains([]call.Outcome{call.Answered, call.Lost}, call.Outcome(form.Outcome)) {
		form.Outcome = ""
	}
	if !slices.Contains(source.Kinds, form.Source) {
		form.Source = ""
	}
	if !slices.Contains([]call.Confidence{call.High, call.Medium, call.Low, call.None}, call.Confidence(form.Confidence)) {
		form.Confidence = ""
	}
	return form
}

func (f callForm) length() time.Duration {
	for _, p := range callPeriods {
		if p.value == f.Period {
			return p.length
		}
	}
	return 0
}

// Filtered tells whether not all calls are shown.
func (f callForm) Filtered() bool { return f != (callForm{}) }

// Narrowed tells whether one of the fields is in use that are folded away.
func (f callForm) Narrowed() bool { return f.Period+f.Source+f.Confidence != "" }

// Query is what the address has of it.
func (f callForm) Query() string {
	values := url.Values{}
	for name, value := range map[string]string{"period": f.Period, "outcome": f.Outcome, "source": f.Source, "confidence": f.Confidence, "number": f.Number} {
		if value != "" {
			values.Set(name, value)
		}
	}
	return values.Encode()
}

// Tabs are the choices by outcome.
func (f callForm) Tabs(w *words.Tongue) (tabs []frame.Tab) {
	current := f.Outcome
	for _, o := range []struct{ value, name string }{{"", "calls.everything"}, {string(call.Answered), "calls.answered"}, {string(call.Lost), "calls.lost"}} {
		link := "/calls"
		if f.Outcome = o.value; f.Query() != "" {
			link += "?" + f.Query()
		}
		tabs = append(tabs, frame.Tab{Option: frame.Option{Value: o.value, Name: w.Text(o.name)}, Link: link, Current: o.value == current})
	}
	return tabs
}

func (f callForm) filter(page frame.Page, now time.Time) call.Filter {
	filter := call.Filter{Sites: page.Scope, Unattributed: frame.IsChief(page.Operator), Outcome: call.Outcome(f.Outcome),
		Confidence: call.Confidence(f.Confidence), Source: f.Source, Number: f.Number}
	if length := f.length(); length > 0 {
		filter.Since = now.Add(-length)
	}
	return filter
}

// Sources are the kinds of sources.
func (callForm) Sources(w *words.Tongue) []frame.Option { return rows.Sources(w) }

// Confidences are how sure it can be whose call it is.
func (callForm) Confidences(w *words.Tongue) (options []frame.Option) {
	for _, c := range confidenceWords {
		options = append(options, frame.Option{Value: string(c.value), Name: w.Text(c.name)})
	}
	return options
}

// callFigures sum up the calls that are shown.
type callFigures struct {
	call.Figures
	Since          string // in words
	Waited, Talked string
}

// figuresOf is of how long a time calls are summed up where none is chosen.
const figuresOf = 30 * 24 * time.Hour

func (c *room) callFigures(ctx context.Context, w *words.Tongue, filter call.Filter) (*callFigures, error) {
	since := ""
	if filter.Since.IsZero() {
		filter.Since, since = c.Now().Add(-figuresOf), w.Text("calls.month")
	}
	figures, err := c.Calls.Figures(ctx, filter)
	if err != nil || figures.Calls == 0 {
		return nil, err
	}
	shown := &callFigures{Figures: figures, Since: since, Waited: "–", Talked: "–"}
	if figures.Wait > 0 {
		shown.Waited = words.ClockOf(figures.Wait)
	}
	if figures.Talk > 0 {
		shown.Talked = words.ClockOf(figures.Talk)
	}
	return shown, nil
}

// Periods are the times that can be chosen.
func (callForm) Periods(w *words.Tongue) (options []frame.Option) {
	for _, p := range callPeriods {
		options = append(options, frame.Option{Value: p.value, Name: w.Text(p.name)})
	}
	return options
}
