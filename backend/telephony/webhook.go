package telephony

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/signature"
	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

// Webhook takes calls from any platform, as JSON that is signed by Standard Webhooks
// 1.0 (https://www.standardwebhooks.com). docs/calls.md says what is sent.
type Webhook struct{ keys signature.Keys }

// Tolerance is how far the time of a signature may be from the service's clock.
const Tolerance = 5 * time.Minute

// MaxSecrets is how many secrets hold at once: while one takes the other's place.
const MaxSecrets = signature.MaxSecrets

// NewWebhook returns the webhook whose senders sign with any of the secrets, see
// [signature.Parse].
func NewWebhook(secrets ...string) (*Webhook, error) {
	keys, err := signature.Parse(secrets...)
	if err != nil {
		return nil, err
	}
	return &Webhook{keys}, nil
}

// Name implements [Platform].
func (*Webhook) Name() string { return "webhook" }

// Routes implements [Platform].
func (*Webhook) Routes() []string { return []string{"webhook"} }

// Read implements [Platform].
func (w *Webhook) Read(r *Request, now time.Time) (Event, error) {
	if err := w.verify(r, now); err != nil {
		return Event{}, err
	}
	p, err := readProgress(r.Body)
	if err != nil {
		return Event{}, Refusal{Malformed, err.Error()}
	}
	if p != nil {
		return Event{Platform: w.Name(), Progress: p}, nil
	}
	e, err := readCall(r.Body)
	if err != nil {
		return Event{}, Refusal{Malformed, err.Error()}
	}
	e.Platform = w.Name()
	return e, nil
}

// Reply implements [Platform].
func (*Webhook) Reply(_ *Request, e Event, _ string) Reply {
	body, err := json.Marshal(struct {
		Success bool     `json:"success"`
		Notes   []string `json:"notes,omitempty"`
	}{true, e.Notes})
	if err != nil { // texts do not fail
		panic(err)
	}
	return Reply{"application/json; charset=utf-8", body}
}

// verify checks the signature of the request.
func (w *Webhook) verify(r *Request, now time.Time) error {
	id, stamp, signatures := r.Header.Get(signature.ID), r.Header.Get(signature.Timestamp), r.Header.Get(signature.Signature)
	if id == "" || stamp == "" || signatures == "" {
		return Refusal{Forged, "expected the headers webhook-id, webhook-timestamp and webhook-signature"}
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return Refusal{Forged, "webhook-timestamp must be the seconds since 1970"}
	}
	steps.Walk(len(r.Body))
	if !w.keys.Signed(id, stamp, signatures, r.Body) {
		return Refusal{Forged, "no signature in webhook-signature is one of this service's secrets for this webhook-id, webhook-timestamp and body"}
	}
	if off := now.Sub(time.Unix(seconds, 0)); off > Tolerance || off < -Tolerance {
		return Refusal{Stale, fmt.Sprintf("webhook-timestamp is more than %d minutes from this service's clock", int(Tolerance.Minutes()))}
	}
	return nil
}

// told is the body of a webhook, as docs/calls.schema.json describes it. What it does
// not name is left alone: platforms send fields of their own.
type told struct {
	CallID    string      `json:"call_id"`
	Event     Kind        `json:"event"`
	Time      string      `json:"time"`
	Called    *string     `json:"called"`
	Caller    *string     `json:"caller"`
	Status    *Status     `json:"status"`
	Talk      *int64      `json:"talk_seconds"`
	Wait      *int64      `json:"wait_seconds"`
	Recording *string     `json:"recording_url"`
	Price     json.Number `json:"price"`
	Currency  *string     `json:"currency"`
}

// readCall reads the body of a webhook.
func readCall(body []byte) (Event, error) {
	if !utf8.Valid(body) {
		return Event{}, errors.New("the body is not valid UTF-8")
	}
	var t told
	if err := json.Unmarshal(body, &t); err != nil {
		if wrong, is := errors.AsType[*json.UnmarshalTypeError](err); is && wrong.Field != "" {
			return Event{}, fmt.Errorf("%s must not be of the type %s", wrong.Field, strings.Fields(wrong.Value)[0])
		} else if is {
			return Event{}, errors.New("the body must be a JSON object")
		}
		return Event{}, errors.New("the body is not well-formed JSON")
	}
	e := Event{Call: t.CallID, Kind: t.Event, Talk: Untold, Wait: Untold}
	if e.Call == "" || len(e.Call) > maxCallID || !plain(e.Call) {
		return Event{}, fmt.Errorf("call_id must be 1 to %d bytes without control characters", maxCallID)
	}
	if !slices.Contains([]Kind{Start, Answer, End, Record}, e.Kind) {
		return Event{}, errors.New("event must be start, answer, end or recording")
	}
	var err error
	if e.At, err = time.Parse(time.RFC3339, t.Time); err != nil {
		return Event{}, errors.New("time must be a time with its zone (RFC 3339), such as 2026-11-22T10:00:00+03:00")
	}
	if err := e.numbers(t); err != nil {
		return Event{}, err
	}
	if err := e.outcome(t); err != nil {
		return Event{}, err
	}
	return e, e.beside(t)
}

// numbers reads who called whom.
func (e *Event) numbers(t told) error {
	if t.Called != nil {
		if e.Called = digitsOf(*t.Called); e.Called == "" {
			return fmt.Errorf("called must be a number in international form, of %d to %d digits", minDigits, maxDigits)
		}
	} else if e.Kind == Start {
		return errors.New("called is missing: a start tells which number was called")
	}
	if t.Caller != nil {
		var readable bool
		if e.Caller, readable = callerOf(*t.Caller); !readable {
			e.Notes = append(e.Notes, NoteCaller)
		}
	}
	return nil
}

// outcome reads how the call went.
func (e *Event) outcome(t told) error {
	switch {
	case t.Status != nil && !slices.Contains([]Status{Answered, Missed, Busy, Failed}, *t.Status):
		return errors.New("status must be answered, missed, busy or failed")
	case t.Status == nil && e.Kind == End:
		return errors.New("status is missing: an end tells how the call has ended")
	case t.Status != nil && e.Kind == End:
		e.Status = *t.Status
	}
	for _, field := range []struct {
		name string
		told *int64
		to   *int64
	}{{"talk_seconds", t.Talk, &e.Talk}, {"wait_seconds", t.Wait, &e.Wait}} {
		if field.told == nil {
			continue
		}
		if *field.told < 0 || *field.told > maxSeconds {
			return fmt.Errorf("%s must be from 0 to %d", field.name, maxSeconds)
		}
		*field.to = *field.told
	}
	return nil
}

// beside reads what comes along. What cannot be used is left out: the call counts.
func (e *Event) beside(t told) error {
	if t.Recording != nil && *t.Recording != "" {
		if e.Recording = recordingOf(*t.Recording); e.Recording == "" {
			e.Notes = append(e.Notes, NoteRecording)
		}
	}
	if e.Kind == Record && t.Recording == nil {
		return errors.New("recording_url is missing: a recording tells its address")
	}
	code := ""
	if t.Currency != nil {
		code = *t.Currency
	}
	switch {
	case t.Price == "" && code == "":
	case t.Price != "" && !price.MatchString(string(t.Price)) || code != "" && !currency.MatchString(code):
		e.Notes = append(e.Notes, NotePrice)
	default:
		e.Price, e.Currency = string(t.Price), code
	}
	return nil
}
