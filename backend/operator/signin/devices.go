package signin

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// DeviceLife is how long a browser is known after the last sign-in in it.
const DeviceLife = 400 * 24 * time.Hour

// A device token says to whom a browser is known: the account's epoch, the time of issue in seconds since 1970, and
// random bytes that tell browsers apart. The login is in the signature alone.
const (
	deviceSaid = 8 + 8 + 16
	deviceSize = deviceSaid + sha256.Size
)

// deviceKey signs device tokens. It is read when it is first needed.
type deviceKey struct {
	mu  sync.Mutex
	key []byte
}

// DeviceName is the same for every spelling of a login, and made of letters, digits and the signs - and _.
func DeviceName(login string) string {
	folded, err := operator.FoldLogin(login)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256([]byte(folded))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// NewDevice returns a token by which a browser in which the operator has signed in is known again; see
// [SignIns.Device].
func (s *SignIns) NewDevice(ctx context.Context, account operator.Operator) (token string, err error) {
	said := make([]byte, deviceSaid)
	binary.BigEndian.PutUint64(said, uint64(account.Epoch))
	binary.BigEndian.PutUint64(said[8:], uint64(s.now().Unix()))
	rand.Read(said[16:])
	signature, err := s.signDevice(ctx, account.Login, said)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(append(said, signature...)), nil
}

// Device names the browser that the token was given to, when an operator has signed in with the login in it within
// [DeviceLife]. It returns no name for any other token: changing the password, or disabling the account, makes browsers
// unknown.
func (s *SignIns) Device(ctx context.Context, login, token string) (name string, err error) {
	content, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(content) != deviceSize {
		return "", nil
	}
	folded, err := operator.FoldLogin(login)
	if err != nil {
		return "", nil
	}
	said := content[:deviceSaid]
	signature, err := s.signDevice(ctx, folded, said)
	if err != nil || !hmac.Equal(signature, content[deviceSaid:]) {
		return "", err
	}
	issued := time.Unix(int64(binary.BigEndian.Uint64(said[8:])), 0)
	if s.now().Sub(issued) > DeviceLife {
		return "", nil
	}
	known, err := s.operators.Holder(ctx, folded)
	// There may have been another account of that login.
	if errors.Is(err, operator.ErrUnknown) || err == nil && (uint64(known.Epoch) != binary.BigEndian.Uint64(said) || issued.Unix() < known.CreatedAt.Unix()) {
		return "", nil
	}
	return string(said[16:]), err
}

func (s *SignIns) signDevice(ctx context.Context, login string, said []byte) ([]byte, error) {
	key, err := s.devices.read(ctx, s.db)
	mac := hmac.New(sha256.New, key)
	mac.Write(said)
	mac.Write([]byte(login))
	return mac.Sum(nil), err
}

func (k *deviceKey) read(ctx context.Context, d *db.DB) (key []byte, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.key == nil {
		k.key, err = d.Secret(ctx, "operator.devices")
	}
	return k.key, err
}
