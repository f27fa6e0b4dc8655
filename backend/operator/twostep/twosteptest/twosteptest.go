// Package twosteptest is an authenticator for tests, which knows nothing of package twostep.
package twosteptest

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Secret is the secret that is written in base32.
func Secret(t testing.TB, written string) []byte {
	t.Helper()
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(written)
	require.NoError(t, err)
	return secret
}

// Code is what an authenticator shows at the time that was given the secret.
func Code(t testing.TB, written string, at time.Time) string {
	t.Helper()
	mac := hmac.New(sha1.New, Secret(t, written))
	require.NoError(t, binary.Write(mac, binary.BigEndian, at.Unix()/30))
	sum := mac.Sum(nil)
	return fmt.Sprintf("%06d", (binary.BigEndian.Uint32(sum[sum[19]&15:])&(1<<31-1))%1e6)
}
