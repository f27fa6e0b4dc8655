// Package passkeytest is a browser with an authenticator for tests, which knows nothing of package passkey.
package passkeytest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// The flags of an authenticator's data (WebAuthn, section 6.1).
const (
	present  = 0x01
	verified = 0x04
	eligible = 0x08
	backedUp = 0x10
	attested = 0x40
)

// Device keeps passkeys, and answers for a page of the origin.
type Device struct {
	Origin string
	// Lax has it not ask for a finger or a PIN.
	Lax bool
	// Synced has it keep passkeys elsewhere, too, for which it does not count signatures.
	Synced bool
	// Count is of all its signatures.
	Count uint32
	Keys  []*Key
}

// Key is a passkey.
type Key struct {
	ID, Handle []byte
	Host       string
	private    *ecdsa.PrivateKey
}

// bytes are written in base64url.
type bytes []byte

func (b bytes) MarshalJSON() ([]byte, error) {
	return json.Marshal(base64.RawURLEncoding.EncodeToString(b))
}

func (b *bytes) UnmarshalJSON(text []byte) (err error) {
	var written string
	if err := json.Unmarshal(text, &written); err != nil {
		return err
	}
	*b, err = base64.RawURLEncoding.DecodeString(written)
	return err
}

// Options are those of a challenge, as far as a device reads them.
type Options struct {
	Challenge bytes `json:"challenge"`
	RP        struct {
		ID string `json:"id"`
	} `json:"rp"`
	RPID string `json:"rpId"`
	User struct {
		ID   bytes  `json:"id"`
		Name string `json:"name"`
	} `json:"user"`
	Verification     string     `json:"userVerification"`
	Allow            []Named    `json:"allowCredentials"`
	Exclude          []Named    `json:"excludeCredentials"`
	Attestation      string     `json:"attestation"`
	AuthenticatorFor *Selection `json:"authenticatorSelection"`
}

// Selection says what a new passkey has to be.
type Selection struct {
	ResidentKey  string `json:"residentKey"`
	Verification string `json:"userVerification"`
}

// Named names a passkey.
type Named struct {
	ID bytes `json:"id"`
}

// Read reads the options of a challenge.
func Read(t testing.TB, options string) (o Options) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(options), &o), options)
	require.GreaterOrEqual(t, len(o.Challenge), 16)
	return o
}

// Create makes a passkey, as the options say, and returns what the browser answers.
func (d *Device) Create(t testing.TB, options string) string {
	t.Helper()
	o := Read(t, options)
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	key := &Key{ID: make([]byte, 32), Handle: o.User.ID, Host: o.RP.ID, private: private}
	rand.Read(key.ID)
	d.Keys = append(d.Keys, key)
	point, err := private.PublicKey.Bytes()
	require.NoError(t, err)

	data := d.data(o.RP.ID, attested)
	data = append(data, make([]byte, 16)...) // of no model
	data = binary.BigEndian.AppendUint16(data, uint16(len(key.ID)))
	data = append(data, key.ID...)
	data = append(data, 0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32) // a map of a key of P-256 for ES256, as CBOR
	data = append(data, point[1:33]...)
	data = append(append(data, 0x22, 0x58, 32), point[33:]...)
	object := append([]byte("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x59"), binary.BigEndian.AppendUint16(nil, uint16(len(data)))...)
	return d.answer(t, key, map[string]any{"clientDataJSON": d.said(t, "webauthn.create", o), "attestationObject": bytes(append(object, data...)), "transports": []string{"internal", "odd"}})
}

// Get signs the challenge with the first passkey that the options allow, and returns what the browser answers.
func (d *Device) Get(t testing.TB, options string) string {
	t.Helper()
	o := Read(t, options)
	for _, key := range d.Keys {
		if key.Host == o.RPID && (len(o.Allow) == 0 || allowed(o.Allow, key.ID)) {
			return d.Sign(t, key, o)
		}
	}
	require.Fail(t, "the device has no such passkey")
	return ""
}

func allowed(by []Named, id []byte) bool {
	for _, one := range by {
		if string(one.ID) == string(id) {
			return true
		}
	}
	return false
}

// Sign signs the challenge with the passkey, whatever the options allow.
func (d *Device) Sign(t testing.TB, key *Key, o Options) string {
	t.Helper()
	data, said := d.data(key.Host, 0), d.said(t, "webauthn.get", o)
	hash := sha256.Sum256(said)
	sum := sha256.Sum256(append(append([]byte{}, data...), hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, key.private, sum[:])
	require.NoError(t, err)
	return d.answer(t, key, map[string]any{"clientDataJSON": said, "authenticatorData": bytes(data), "signature": bytes(signature), "userHandle": bytes(key.Handle)})
}

// data is an authenticator's data for the host.
func (d *Device) data(host string, flags byte) []byte {
	hash := sha256.Sum256([]byte(host))
	flags |= present
	if !d.Lax {
		flags |= verified
	}
	count := uint32(0)
	if d.Synced {
		flags |= eligible | backedUp
	} else {
		d.Count++
		count = d.Count
	}
	return binary.BigEndian.AppendUint32(append(hash[:], flags), count)
}

func (d *Device) said(t testing.TB, kind string, o Options) bytes {
	t.Helper()
	said, err := json.Marshal(map[string]any{"type": kind, "challenge": o.Challenge, "origin": d.Origin, "crossOrigin": false})
	require.NoError(t, err)
	return said
}

func (d *Device) answer(t testing.TB, key *Key, response map[string]any) string {
	t.Helper()
	answer, err := json.Marshal(map[string]any{"id": bytes(key.ID), "rawId": bytes(key.ID), "type": "public-key", "clientExtensionResults": map[string]any{}, "response": response})
	require.NoError(t, err)
	return string(answer)
}
