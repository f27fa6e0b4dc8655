package twostep

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Codes are those that every authenticator makes: HMAC-SHA-1, of six digits, another one every 30 seconds.
const (
	secretSize = 20 // bytes, as RFC 4226 recommends
	digits     = 6
	stepTime   = 30 * time.Second
	skew       = 1 // steps by which the clock of an authenticator may be wrong
)

// base is how a secret is written.
var base = base32.StdEncoding.WithPadding(base32.NoPadding)

// stepOf is the number of the time's step (RFC 6238, section 4.2).
func stepOf(at time.Time) int64 { return at.Unix() / int64(stepTime/time.Second) }

// codeOf is the code of a step, of so many digits (RFC 4226, section 5.3).
func codeOf(secret []byte, step int64, digits int) string {
	mac := hmac.New(sha1.New, secret)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(step)))
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 0xf
	number := binary.BigEndian.Uint32(sum[at:]) & 0x7fffffff
	of := uint32(1)
	for range digits {
		of *= 10
	}
	return fmt.Sprintf("%0*d", digits, number%of)
}

// matches returns the step whose code it is, of those around the time. It compares all of them.
func matches(secret []byte, code string, at time.Time) (step int64, ok bool) {
	for i := int64(-skew); i <= skew; i++ {
		if now := stepOf(at) + i; subtle.ConstantTimeCompare([]byte(codeOf(secret, now, digits)), []byte(code)) == 1 {
			step, ok = now, true
		}
	}
	return step, ok
}

// address is what the QR code of a secret says to an authenticator.
func address(secret, issuer, login string) string {
	query := url.Values{"secret": {secret}, "issuer": {issuer}} // all else is as authenticators take it to be
	// Authenticators read a plus as a plus.
	return "otpauth://totp/" + url.PathEscape(issuer+":"+login) + "?" + strings.ReplaceAll(query.Encode(), "+", "%20")
}
