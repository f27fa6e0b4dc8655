// Package signature signs messages, and verifies their signatures, as Standard Webhooks
// 1.0 says (https://www.standardwebhooks.com).
package signature

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The headers of a message.
const (
	ID        = "Webhook-Id"
	Timestamp = "Webhook-Timestamp" // seconds since 1970
	Signature = "Webhook-Signature"
)

const (
	// MaxSecrets is how many secrets hold at once: while one takes the other's place.
	MaxSecrets = 2
	// encoded stands before a secret that is written in base64.
	encoded = "whsec_"
	// version stands before a signature.
	version = "v1"
	// MinKey and MaxKey bound the size in bytes of a secret's key.
	MinKey, MaxKey = 16, 256
	// newSecret is the size in bytes of the key of a secret that is made here.
	newSecret = 32
	// maxSignatures is how many signatures of a message are looked at.
	maxSignatures = 10
)

// Keys are those of one secret, or of two while one takes the other's place.
type Keys [][]byte

// NewSecret returns a secret that nobody can guess.
func NewSecret() string {
	key := make([]byte, newSecret)
	rand.Read(key) // which does not fail
	return encoded + base64.StdEncoding.EncodeToString(key)
}

// Parse returns the keys of the secrets. One that begins with "whsec_" is the key in
// base64; any other is the key itself. The error's text may be shown.
func Parse(secrets ...string) (Keys, error) {
	if len(secrets) == 0 || len(secrets) > MaxSecrets {
		return nil, fmt.Errorf("expected one secret, or %d while you replace it", MaxSecrets)
	}
	var keys Keys
	for _, secret := range secrets {
		key := []byte(secret)
		if text, is := strings.CutPrefix(secret, encoded); is {
			var err error
			if key, err = base64.StdEncoding.DecodeString(text); err != nil {
				return nil, errors.New("secret: expected base64 after whsec_")
			}
		}
		if len(key) < MinKey || len(key) > MaxKey {
			return nil, fmt.Errorf("a secret must have %d to %d bytes; make one with: openssl rand -base64 32", MinKey, MaxKey)
		}
		if slices.ContainsFunc(keys, func(other []byte) bool { return bytes.Equal(other, key) }) {
			return nil, errors.New("the secrets are the same: expected one, or two different ones")
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// Sign sets the three headers of the message: it has a signature of each key.
func (k Keys) Sign(h http.Header, id string, at time.Time, body []byte) {
	stamp := strconv.FormatInt(at.Unix(), 10)
	signatures := make([]string, len(k))
	for i, key := range k {
		signatures[i] = version + "," + base64.StdEncoding.EncodeToString(code(key, id, stamp, body))
	}
	h.Set(ID, id)
	h.Set(Timestamp, stamp)
	h.Set(Signature, strings.Join(signatures, " "))
}

// Signed tells whether any of the signatures, which stand apart by spaces, is that of
// one of the keys. id and stamp are the message's headers as they came.
func (k Keys) Signed(id, stamp, signatures string, body []byte) bool {
	var given [][]byte
	for text := range strings.FieldsSeq(signatures) {
		of, code, _ := strings.Cut(text, ",")
		if signature, err := base64.StdEncoding.DecodeString(code); err == nil && of == version && len(given) < maxSignatures {
			given = append(given, signature)
		}
	}
	if len(given) == 0 {
		return false
	}
	return slices.ContainsFunc(k, func(key []byte) bool {
		right := code(key, id, stamp, body)
		return slices.ContainsFunc(given, func(signature []byte) bool { return hmac.Equal(signature, right) })
	})
}

// code is the key's code of the message.
func code(key []byte, id, stamp string, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + stamp + "."))
	mac.Write(body)
	return mac.Sum(nil)
}
