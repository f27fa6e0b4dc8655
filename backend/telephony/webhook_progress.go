package telephony

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"
)

// Steps are the steps that a platform may report.
var Steps = []Step{OperatorRings, VisitorRings, Talking, Ended}

// Outcomes are the outcomes of orders.
var Outcomes = []Outcome{Talked, OperatorBusy, OperatorNoAnswer, VisitorBusy, VisitorNoAnswer, OrderFailed, OrderCancelled}

const (
	// maxOrder bounds an order's id, in bytes.
	maxOrder = 64
	// maxReason bounds a platform's own word for the end of an order, in bytes.
	maxReason = 200
)

// toldProgress is the body of a webhook about an order, as in docs/callbacks.schema.json.
type toldProgress struct {
	Callback *string  `json:"callback"`
	Step     Step     `json:"step"`
	Outcome  *Outcome `json:"outcome"`
	Talk     *int64   `json:"talk_seconds"`
	Time     *string  `json:"time"`
	Reason   string   `json:"reason"`
}

// readProgress reads the body of a webhook about an order. It returns nil if the body is not about one.
func readProgress(body []byte) (*Progress, error) {
	var t toldProgress
	if !utf8.Valid(body) {
		return nil, nil // [readCall] returns the error
	}
	err := json.Unmarshal(body, &t)
	if t.Callback == nil {
		return nil, nil
	}
	if wrong, is := errors.AsType[*json.UnmarshalTypeError](err); is {
		return nil, fmt.Errorf("%s must not be of the type %s", wrong.Field, wrong.Value)
	}
	p := Progress{Order: *t.Callback, Step: t.Step, Talk: Untold, Reason: t.Reason}
	switch {
	case p.Order == "" || len(p.Order) > maxOrder || !plain(p.Order):
		return nil, fmt.Errorf("callback must be that of the order, of 1 to %d bytes", maxOrder)
	case !slices.Contains(Steps, p.Step):
		return nil, errors.New("step must be operator_rings, visitor_rings, talking or ended")
	case len(p.Reason) > maxReason || !plain(p.Reason):
		return nil, fmt.Errorf("reason must be at most %d bytes without control characters", maxReason)
	}
	if t.Time != nil {
		if p.At, err = time.Parse(time.RFC3339, *t.Time); err != nil {
			return nil, errors.New("time must be a time with its zone (RFC 3339), such as 2026-11-22T10:00:00+03:00")
		}
	}
	if p.Step != Ended {
		return &p, nil
	}
	if t.Outcome != nil {
		if p.Outcome = *t.Outcome; !slices.Contains(Outcomes, p.Outcome) {
			return nil, errors.New("outcome must be talked, operator_busy, operator_no_answer, visitor_busy, visitor_no_answer, failed or cancelled")
		}
	}
	if t.Talk != nil {
		if p.Talk = *t.Talk; p.Talk < 0 || p.Talk > maxSeconds {
			return nil, fmt.Errorf("talk_seconds must be from 0 to %d", maxSeconds)
		}
	}
	return &p, nil
}
