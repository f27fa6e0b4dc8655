package signature

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	id     = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	body   = `{"test": 2432232314}`
	right  = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
)

// The vector is that of Standard Webhooks' own libraries.
func TestVectorOfStandardWebhooks(t *testing.T) {
	keys, err := Parse(secret)
	require.NoError(t, err)
	require.True(t, keys.Signed(id, "1614265330", right, []byte(body)))
	require.False(t, keys.Signed(id, "1614265331", right, []byte(body)))
	header := make(http.Header)
	keys.Sign(header, id, time.Unix(1614265330, 500), []byte(body))
	require.Equal(t, http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {"1614265330"}, "Webhook-Signature": {right}}, header)
}

// While one secret takes the other's place, those who know either are right.
func TestTwoSecretsHold(t *testing.T) {
	fresh := NewSecret()
	both, err := Parse(fresh, secret)
	require.NoError(t, err)
	header := make(http.Header)
	both.Sign(header, id, time.Unix(1614265330, 0), []byte(body))
	require.Contains(t, strings.Fields(header.Get(Signature)), right)
	require.Len(t, strings.Fields(header.Get(Signature)), 2)
	for _, one := range []string{fresh, secret} {
		keys, err := Parse(one)
		require.NoError(t, err)
		require.True(t, keys.Signed(id, "1614265330", header.Get(Signature), []byte(body)))
	}
	other, err := Parse(NewSecret())
	require.NoError(t, err)
	require.False(t, other.Signed(id, "1614265330", header.Get(Signature), []byte(body)))
}

func TestNewSecretsDiffer(t *testing.T) {
	require.NotEqual(t, NewSecret(), NewSecret())
}
