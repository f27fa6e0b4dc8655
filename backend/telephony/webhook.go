package telephony

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

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
