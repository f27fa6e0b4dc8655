package telephony

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Webhook takes calls from any platform, as JSON that is signed by Standard Webhooks
// 1.0 (https://www.standardwebhooks.com). docs/calls.md says what is sent.
type Webhook struct{ keys [][]byte }

const (
	// Tolerance is how far the time of a signature may be from the service's clock.
	Tolerance = 5 * time.Minute
	// MaxSecrets is how many secrets hold at once: while one takes the other's place.
	MaxSecrets = 2
	// minSecret and maxSecret bound the size in bytes of a secret's key.
	minSecret, maxSecret = 16, 256
	// encoded stands before a secret that is written in base64.
	encoded = "whsec_"
	// maxSignatures is how many signatures of a request are looked at.
	maxSignatures = 10
)

// NewWebhook returns the webhook whose senders sign with any of the secrets. One that
// begins with "whsec_" is the key in base64; any other is the key itself.
func NewWebhook(secrets ...string) (*Webhook, error) {
	if len(secrets) == 0 || len(secrets) > MaxSecrets {
		return nil, fmt.Errorf("expected one secret, or %d while one takes the other's place", MaxSecrets)
	}
	w := new(Webhook)
	for _, secret := range secrets {
		key := []byte(secret)
		if text, is := strings.CutPrefix(secret, encoded); is {
			var err error
			if key, err = base64.StdEncoding.DecodeString(text); err != nil {
				return nil, errors.New("a secret that begins with whsec_ must go on in base64")
			}
		}
		if len(key) < minSecret || len(key) > maxSecret {
			return nil, fmt.Errorf("a secret must have %d to %d bytes; make one with: openssl rand -base64 32", minSecret, maxSecret)
		}
		if slices.ContainsFunc(w.keys, func(other []byte) bool { return bytes.Equal(other, key) }) {
			return nil, errors.New("the secrets are the same: expected one, or two that differ")
		}
		w.keys = append(w.keys, key)
	}
	return w, nil
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
	id, stamp, signatures := r.Header.Get("webhook-id"), r.Header.Get("webhook-timestamp"), r.Header.Get("webhook-signature")
	if id == "" || stamp == "" || signatures == "" {
		return Refusal{Forged, "expected the headers webhook-id, webhook-timestamp and webhook-signature"}
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return Refusal{Forged, "webhook-timestamp must be the seconds since 1970"}
	}
	if !w.signed(id, stamp, signatures, r.Body) {
		return Refusal{Forged, "no signature in webhook-signature is one of this service's secrets for this webhook-id, webhook-timestamp and body"}
	}
	if off := now.Sub(time.Unix(seconds, 0)); off > Tolerance || off < -Tolerance {
		return Refusal{Stale, fmt.Sprintf("webhook-timestamp is more than %d minutes from this service's clock", int(Tolerance.Minutes()))}
	}
	return nil
}

// signed tells whether any of the signatures, which stand apart by spaces, is that of
// one of the keys.
func (w *Webhook) signed(id, stamp, signatures string, body []byte) bool {
	var given [][]byte
	for text := range strings.FieldsSeq(signatures) {
		version, code, _ := strings.Cut(text, ",")
		if signature, err := base64.StdEncoding.DecodeString(code); err == nil && version == "v1" && len(given) < maxSignatures {
			given = append(given, signature)
		}
	}
	if len(given) == 0 {
		return false
	}
	for _, key := range w.keys {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + stamp + "."))
		mac.Write(body)
		if slices.ContainsFunc(given, func(signature []byte) bool { return hmac.Equal(signature, mac.Sum(nil)) }) {
			return true
		}
	}
	return false
}
