package key

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash"
	"strconv"
	"strings"
	"time"
)

// signatureBytes is how many bytes of each HMAC are kept.
const signatureBytes = 16

// VisitorString returns the visitor's id with the service's signature. It is the value of the visitor's cookie, and of
// the parameter ci in section 4.3 of the browser interface.
func (k *Keys) VisitorString(siteID int64, visitor ID) string {
	return strconv.FormatInt(int64(visitor), 10) + "." + k.signature("visitor", "", siteID, int64(visitor))
}

// StrangerString returns the string of a visitor of whom nothing is stored. A client that sends it back keeps cookies,
// and becomes a new visitor.
func (k *Keys) StrangerString(ctx context.Context, siteID int64) (string, error) {
	number, err := k.Next(ctx)
	if err != nil {
		return "", fmt.Errorf("making a visitor string: %w", err)
	}
	return k.VisitorString(siteID, k.Visitors.ID(number)), nil
}

// ParseVisitorString returns the visitor of a string that VisitorString has made for the site.
func (k *Keys) ParseVisitorString(siteID int64, s string) (visitor ID, valid bool) {
	number, signature, _ := strings.Cut(s, ".")
	if len(signature) != base64.RawURLEncoding.EncodedLen(signatureBytes) {
		return 0, false // strangers send many of these, so nothing is computed yet
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 || n >= 1<<idBits || strconv.FormatInt(n, 10) != number {
		return 0, false
	}
	if !hmac.Equal([]byte(signature), []byte(k.signature("visitor", "", siteID, n))) {
		return 0, false
	}
	return ID(n), true
}

// Sign returns the field key of a page's credentials (browser interface, section 2.1). It is the service's signature of
// the page view and of the page's address, in the characters A–Z, a–z, 0–9, "-" and "_".
func (k *Keys) Sign(siteID int64, uri string, ref Ref) string {
	return k.signature("page", uri, siteID, int64(ref.Visitor), int64(ref.Visit), int64(ref.View))
}

// Verify says whether Sign made the key of these. If so, the ids belong together.
func (k *Keys) Verify(siteID int64, uri string, ref Ref, key string) bool {
	return hmac.Equal([]byte(key), []byte(k.Sign(siteID, uri, ref)))
}

// BrowserString returns a token by which a browser that sends no cookies proves, for the duration, that it is the
// visitor's. Its characters are those of [Keys.Token].
func (k *Keys) BrowserString(siteID int64, visitor ID, lasting time.Duration) string {
	return k.token(siteID, "browser", "", int64(visitor), k.now().Add(lasting).Unix())
}

// ParseBrowserString returns the visitor of a token that BrowserString has made for the site and that is still valid.
func (k *Keys) ParseBrowserString(siteID int64, token string) (visitor ID, valid bool) {
	numbers, valid := k.parseToken(siteID, "browser", "", token, 2)
	if !valid {
		return 0, false
	}
	return ID(numbers[0]), true
}

// CrossingString returns a token by which a link brings the visitor to another host of the site, for the duration. It is
// good for browsers of that User-Agent alone. Its characters are those of [Keys.Token].
func (k *Keys) CrossingString(siteID int64, visitor ID, userAgent string, lasting time.Duration) string {
	return k.token(siteID, "crossing", userAgent, int64(visitor), k.now().Add(lasting).Unix())
}

// ParseCrossingString returns the visitor of a token that CrossingString has made for the site and the User-Agent and that
// is still valid, and until when it is, in seconds since 1970.
func (k *Keys) ParseCrossingString(siteID int64, token, userAgent string) (visitor ID, until int64, valid bool) {
	numbers, valid := k.parseToken(siteID, "crossing", userAgent, token, 2)
	if !valid {
		return 0, 0, false
	}
	return ID(numbers[0]), numbers[1], true
}

// Token returns a name of a page view for use in an address, where credentials have no place. It opens what opens says,
// and nothing else, for the duration. It has the characters A–Z, a–z, 0–9, "-", "_" and ".".
func (k *Keys) Token(siteID int64, ref Ref, opens string, lasting time.Duration) string {
	return k.token(siteID, "token "+opens, "", int64(ref.Visitor), int64(ref.Visit), int64(ref.View), k.now().Add(lasting).Unix())
}

// ParseToken returns the page view of a token that Token has made for the site and for what it opens, and that is still
// valid.
func (k *Keys) ParseToken(siteID int64, token, opens string) (ref Ref, valid bool) {
	numbers, valid := k.parseToken(siteID, "token "+opens, "", token, 4)
	if !valid {
		return Ref{}, false
	}
	return Ref{Visitor: ID(numbers[0]), Visit: ID(numbers[1]), View: ID(numbers[2])}, true
}

// ConversationToken returns a name of a conversation for use in an address: it opens what opens says, for the duration,
// and tells nothing of the visitor. Its characters are those of [Keys.Token].
func (k *Keys) ConversationToken(siteID, conversation int64, opens string, lasting time.Duration) string {
	return k.token(siteID, "conversation "+opens, "", conversation, k.now().Add(lasting).Unix())
}

// ParseConversationToken returns the conversation of a token that ConversationToken has made for the site and for what it
// opens, and that is still valid.
func (k *Keys) ParseConversationToken(siteID int64, token, opens string) (conversation int64, valid bool) {
	numbers, valid := k.parseToken(siteID, "conversation "+opens, "", token, 2)
	if !valid {
		return 0, false
	}
	return numbers[0], true
}

// SubscriptionToken returns a name of a subscription for use in an address, by which its reader ends it, for the duration.
// Its characters are those of [Keys.Token].
func (k *Keys) SubscriptionToken(siteID, subscription int64, lasting time.Duration) string {
	return k.token(siteID, "subscription", "", subscription, k.now().Add(lasting).Unix())
}

// ParseSubscriptionToken returns the subscription of a token that SubscriptionToken has made for the site and that is
// still valid.
func (k *Keys) ParseSubscriptionToken(siteID int64, token string) (subscription int64, valid bool) {
	numbers, valid := k.parseToken(siteID, "subscription", "", token, 2)
	if !valid {
		return 0, false
	}
	return numbers[0], true
}

// token writes the numbers, the last of which is when the token ends, in seconds since 1970, and signs them with the text.
func (k *Keys) token(siteID int64, purpose, text string, numbers ...int64) string {
	var token strings.Builder
	for _, n := range numbers {
		token.WriteString(strconv.FormatInt(n, 36))
		token.WriteByte('.')
	}
	token.WriteString(k.signature(purpose, text, append(numbers, siteID)...))
	return token.String()
}

// parseToken returns the numbers of a valid token that has as many.
func (k *Keys) parseToken(siteID int64, purpose, text, token string, fields int) (numbers []int64, valid bool) {
	if len(token) > 100 {
		return nil, false // nothing is computed yet
	}
	parts := strings.Split(token, ".")
	if len(parts) != fields+1 {
		return nil, false
	}
	for _, part := range parts[:fields] {
		n, err := strconv.ParseInt(part, 36, 64)
		if err != nil || n <= 0 || strconv.FormatInt(n, 36) != part {
			return nil, false
		}
		numbers = append(numbers, n)
	}
	signed := k.signature(purpose, text, append(numbers, siteID)...)
	return numbers, hmac.Equal([]byte(parts[fields]), []byte(signed)) && numbers[fields-1] > k.now().Unix()
}

// signer computes signatures, one at a time.
type signer struct {
	mac          hash.Hash
	message, sum []byte
}

func newSigner(secret []byte) *signer {
	return &signer{mac: hmac.New(sha256.New, secret)}
}

// signature signs numbers and a text behind them. Each purpose has a fixed count of numbers.
func (k *Keys) signature(purpose, text string, numbers ...int64) string {
	s := k.signers.Get().(*signer)
	defer k.signers.Put(s)
	s.message = append(append(s.message[:0], purpose...), 0)
	for _, n := range numbers {
		s.message = binary.BigEndian.AppendUint64(s.message, uint64(n))
	}
	s.mac.Reset()
	s.mac.Write(append(s.message, text...))
	s.sum = s.mac.Sum(s.sum[:0])
	return base64.RawURLEncoding.EncodeToString(s.sum[:signatureBytes])
}
