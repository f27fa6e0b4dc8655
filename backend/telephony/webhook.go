package telephony

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/signature"
	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

// Webhook reads calls of any platform, as JSON that is signed according to Standard Webhooks 1.0
// (https://www.standardwebhooks.com). docs/calls.md describes it.
type Webhook struct{ keys signature.Keys }

// Tolerance is how far the time of a signature may be from the service's clock.
const Tolerance = 5 * time.Minute

// MaxSecrets is how many secrets are valid at once, while one replaces the other.
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

// told is the body of a webhook, as in docs/calls.schema.json. Other fields are ignored: platforms send fields of their
// own.
type told struct {
	CallID    field `json:"call_id"`
	Event     field `json:"event"`
	Time      field `json:"time"`
	Called    field `json:"called"`
	Caller    field `json:"caller"`
	Status    field `json:"status"`
	Talk      field `json:"talk_seconds"`
	Wait      field `json:"wait_seconds"`
	Recording field `json:"recording_url"`
	Price     field `json:"price"`
	Currency  field `json:"currency"`
}

// field is a text or a number: platforms may write the same value as either. No other value can be used.
type field struct {
	text  string
	there bool // not missing, null or empty
	other bool // neither a text nor a number
}

// UnmarshalJSON implements [json.Unmarshaler]. It accepts every value: a call does not fail because of other fields.
func (f *field) UnmarshalJSON(value []byte) error {
	switch c := value[0]; {
	case c == 'n':
		*f = field{}
	case c == '"':
		*f = field{}
		err := json.Unmarshal(value, &f.text)
		f.there = f.text != ""
		return err
	case c == '-' || c >= '0' && c <= '9':
		*f = field{there: true, text: string(value)}
	default:
		*f = field{there: true, other: true}
	}
	return nil
}

// readCall reads the body of a webhook.
func readCall(body []byte) (Event, error) {
	if !utf8.Valid(body) {
		return Event{}, errors.New("the body is not valid UTF-8")
	}
	var t told
	if err := json.Unmarshal(body, &t); err != nil {
		if _, is := errors.AsType[*json.UnmarshalTypeError](err); is {
			return Event{}, errors.New("the body must be a JSON object")
		}
		return Event{}, errors.New("the body is not well-formed JSON")
	}
	e := Event{Call: t.CallID.text, Kind: Kind(t.Event.text), Talk: Untold, Wait: Untold}
	if e.Call == "" || len(e.Call) > maxCallID || !plain(e.Call) {
		return Event{}, fmt.Errorf("call_id must be 1 to %d bytes without control characters", maxCallID)
	}
	if !slices.Contains([]Kind{Start, Answer, End, Record}, e.Kind) {
		return Event{}, errors.New("event must be start, answer, end or recording")
	}
	var err error
	if e.At, err = time.Parse(time.RFC3339, t.Time.text); err != nil {
		return Event{}, errors.New("time must be a time with its zone (RFC 3339), such as 2026-11-22T10:00:00+03:00")
	}
	if err := e.numbers(&t); err != nil {
		return Event{}, err
	}
	if err := e.outcome(&t); err != nil {
		return Event{}, err
	}
	return e, e.beside(&t)
}

// note says that something was left out.
func (e *Event) note(note string) {
	if !slices.Contains(e.Notes, note) {
		e.Notes = append(e.Notes, note)
	}
}

// numbers reads who called whom.
func (e *Event) numbers(t *told) error {
	e.Called = digitsOf(t.Called.text)
	switch {
	case e.Kind == Start && !t.Called.there:
		return errors.New("called is missing: a start tells which number was called")
	case e.Kind == Start && e.Called == "":
		return fmt.Errorf("called must be a number in international form, of %d to %d digits", minDigits, maxDigits)
	case t.Called.there && e.Called == "":
		e.note(NoteCalled)
	}
	var readable bool
	if e.Caller, readable = callerOf(t.Caller.text); !readable || t.Caller.other {
		e.note(NoteCaller)
	}
	return nil
}

// outcome reads how the call went.
func (e *Event) outcome(t *told) error {
	if e.Kind == End {
		e.Status = Status(t.Status.text)
		switch {
		case !t.Status.there:
			return errors.New("status is missing: an end tells how the call has ended")
		case !slices.Contains([]Status{Answered, Missed, Busy, Failed}, e.Status):
			return errors.New("status must be answered, missed, busy or failed")
		}
	}
	e.Talk, e.Wait = e.seconds(t.Talk), e.seconds(t.Wait)
	return nil
}

// seconds reads a time in whole seconds.
func (e *Event) seconds(f field) int64 {
	if !f.there {
		return Untold
	}
	seconds, err := strconv.ParseInt(f.text, 10, 64)
	if err != nil || seconds < 0 || seconds > maxSeconds {
		e.note(NoteSeconds)
		return Untold
	}
	return seconds
}

// beside reads the other fields. It leaves out what cannot be used: the call counts.
func (e *Event) beside(t *told) error {
	if e.Kind == Record && !t.Recording.there {
		return errors.New("recording_url is missing: a recording tells its address")
	}
	if e.Recording = recordingOf(t.Recording.text); e.Recording == "" && t.Recording.there {
		e.note(NoteRecording)
	}
	amount, code := t.Price.text, t.Currency.text
	if t.Price.other || t.Currency.other || amount != "" && !price.MatchString(amount) || code != "" && !currency.MatchString(code) {
		e.note(NotePrice)
	} else {
		e.Price, e.Currency = amount, code
	}
	return nil
}
