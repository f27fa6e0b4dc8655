package thread

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
)

// event is one of a trace. Times are in microseconds. CPU is time of the thread's own clock, which stands while others run.
type event struct {
	Name     string  `json:"name"`
	Category string  `json:"cat"`
	Phase    string  `json:"ph"`
	Process  int     `json:"pid"`
	Thread   int     `json:"tid"`
	At       float64 `json:"ts"`
	Took     float64 `json:"dur"`
	CPU      float64 `json:"tdur"`
	Args     struct {
		Data struct {
			URL         string  `json:"url"`
			Duration    float64 `json:"duration"` // of an interaction, in milliseconds
			Interaction int     `json:"interactionId"`
		} `json:"data"`
	} `json:"args"`
}

func (e event) end() float64 { return e.At + e.Took }

// categories are those of the events that are read.
var categories = []string{"loading", "devtools.timeline", "disabled-by-default-devtools.timeline", "v8.compile"}

// record gives the trace of what is done.
func record(tab context.Context, do func() error) ([]event, error) {
	var raw [][]byte
	complete := make(chan struct{})
	listening, cancel := context.WithCancel(tab)
	defer cancel()
	if err := chromedp.Listen(listening, func(e any) {
		switch e := e.(type) {
		case *tracing.EventDataCollected:
			for _, one := range e.Value {
				raw = append(raw, []byte(one))
			}
		case *tracing.EventTracingComplete:
			close(complete)
		}
	}); err != nil {
		return nil, err
	}
	config := &tracing.TraceConfig{ExcludedCategories: []string{"*"}, IncludedCategories: categories}
	if _, err := chromedp.Call(tab, tracing.Start, tracing.StartParams{TransferMode: tracing.StartTransferModeReportEvents, TraceConfig: config}); err != nil {
		return nil, err
	}
	if err := do(); err != nil {
		return nil, err
	}
	if _, err := chromedp.Call(tab, tracing.End, cdp.Empty{}); err != nil {
		return nil, err
	}
	select {
	case <-complete:
	case <-tab.Done():
		return nil, tab.Err()
	}
	events := make([]event, len(raw))
	for i, one := range raw {
		// What an argument is differs from event to event: those that are read are as declared.
		if err := json.Unmarshal(one, &events[i]); err != nil && events[i].Name == "" {
			return nil, fmt.Errorf("reading %.100s: %w", one, err)
		}
	}
	return events, nil
}
