package passkey

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/go-webauthn/webauthn/protocol"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// Asked is a challenge for a browser.
type Asked struct {
	// Options are what navigator.credentials is called with, as JSON.
	Options []byte
	// Ticket comes back with the answer, from the browser that was asked, for [Life]. It is signed and not secret; nothing is
	// stored for it, so that strangers who ask cost nothing.
	Ticket string
}

// purpose is what a challenge was given for. One for another is none.
type purpose byte

const (
	adding purpose = 1 + iota
	comingIn
	secondStep
)

// A ticket says until when it is good, in milliseconds since 1970, and the challenge. The rest is in the signature alone.
const (
	challengeSize = 32
	ticketSaid    = 8 + challengeSize
	ticketSize    = ticketSaid + sha256.Size
)

// ceremony is what an answer must fit to.
type ceremony struct {
	Place
	purpose purpose
	account int64  // 0 for any
	session string // in which it was asked for; empty for none
}

// ticket signs the challenge for the ceremony.
func (p *Passkeys) ticket(ctx context.Context, c ceremony, challenge protocol.URLEncodedBase64) (string, error) {
	said := binary.BigEndian.AppendUint64(nil, uint64(p.now().Add(Life).UnixMilli()))
	said = append(said, challenge...)
	signature, err := p.sign(ctx, c, said)
	return base64.RawURLEncoding.EncodeToString(append(said, signature...)), err
}

// challenge is one that was given out.
type challenge struct {
	bytes []byte
	ends  time.Time
}

func (c challenge) text() string { return base64.RawURLEncoding.EncodeToString(c.bytes) }

// open is the challenge of a ticket for the ceremony, or [ErrChallenge].
func (p *Passkeys) open(ctx context.Context, c ceremony, ticket string) (challenge, error) {
	content, err := base64.RawURLEncoding.DecodeString(ticket)
	if err != nil || len(content) != ticketSize {
		return challenge{}, ErrChallenge
	}
	said := content[:ticketSaid:ticketSaid]
	signature, err := p.sign(ctx, c, said)
	if err != nil {
		return challenge{}, err
	}
	given := challenge{said[8:], time.UnixMilli(int64(binary.BigEndian.Uint64(said)))}
	if !hmac.Equal(signature, content[ticketSaid:]) || !p.now().Before(given.ends) {
		return challenge{}, ErrChallenge
	}
	return given, nil
}

func (p *Passkeys) sign(ctx context.Context, c ceremony, said []byte) ([]byte, error) {
	key, err := p.secret(ctx)
	mac := hmac.New(sha256.New, key)
	mac.Write(said)
	mac.Write(append(binary.BigEndian.AppendUint64(nil, uint64(c.account)), byte(c.purpose)))
	mac.Write([]byte(c.origin + " " + c.session))
	return mac.Sum(nil), err
}

// handle is by what a passkey names its account: the same on every node, and nothing that tells of the account.
func (p *Passkeys) handle(ctx context.Context, account int64) ([]byte, error) {
	key, err := p.secret(ctx)
	mac := hmac.New(sha256.New, key)
	mac.Write(binary.BigEndian.AppendUint64([]byte("handle "), uint64(account)))
	return mac.Sum(nil), err
}

func (p *Passkeys) secret(ctx context.Context) (key []byte, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.key == nil {
		p.key, err = p.db.Secret(ctx, "operator.passkeys")
	}
	return p.key, err
}

// useUp notes that the challenge was answered. The error is [ErrChallenge] if it was before, on any node.
func (p *Passkeys) useUp(ctx context.Context, tx db.Tx, given challenge) error {
	if _, err := tx.Exec(ctx, `DELETE FROM operator_passkey_challenges WHERE ends_at <= $1`, p.now().UnixMilli()); err != nil {
		return fmt.Errorf("clearing challenges away: %w", err)
	}
	fresh, err := tx.Exec(ctx, `INSERT INTO operator_passkey_challenges (challenge, ends_at) VALUES ($1, $2) ON CONFLICT (challenge) DO NOTHING`,
		given.bytes, given.ends.UnixMilli())
	switch {
	case err != nil:
		return fmt.Errorf("using a challenge up: %w", err)
	case fresh == 0:
		return ErrChallenge
	}
	return nil
}
