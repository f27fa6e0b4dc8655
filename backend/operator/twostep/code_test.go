package twostep

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var rfcSecret = []byte("12345678901234567890")

// RFC 6238, appendix B, for SHA-1.
func TestCodesOfTheStandard(t *testing.T) {
	for at, code := range map[int64]string{
		59: "94287082", 1111111109: "07081804", 1111111111: "14050471", 1234567890: "89005924", 2000000000: "69279037", 20000000000: "65353130",
	} {
		require.Equal(t, code, codeOf(rfcSecret, stepOf(time.Unix(at, 0)), 8), "at %d", at)
	}
}

// RFC 4226, appendix D.
func TestCodesOfCounters(t *testing.T) {
	for i, code := range []string{"755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489"} {
		require.Equal(t, code, codeOf(rfcSecret, int64(i), 6))
	}
}

func TestClocksMayBeAStepWrong(t *testing.T) {
	now := time.Unix(1111111111, 0)
	for steps, good := range map[int64]bool{-2: false, -1: true, 0: true, 1: true, 2: false} {
		step, ok := matches(rfcSecret, codeOf(rfcSecret, stepOf(now)+steps, 6), now)
		require.Equal(t, good, ok, "%d steps", steps)
		if good {
			require.Equal(t, stepOf(now)+steps, step)
		}
	}
	for _, wrong := range []string{"", "05047", "0504711", "14050471"} {
		_, ok := matches(rfcSecret, wrong, now)
		require.False(t, ok, wrong)
	}
}

func TestAddressForAnAuthenticator(t *testing.T) {
	require.Equal(t, "otpauth://totp/Frontdesk%20desk.example:a+b?issuer=Frontdesk%20desk.example&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
		address(base.EncodeToString(rfcSecret), "Frontdesk desk.example", "a+b"))
}
