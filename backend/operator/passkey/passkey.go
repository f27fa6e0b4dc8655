// Package passkey is signing in with passkeys (https://www.w3.org/TR/webauthn-3): keys that a device or a password manager
// keeps, each for one account at the host of one console. The server keeps their public halves. The console's door asks it.
package passkey

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

const (
	// Max is how many passkeys an account may have.
	Max = 20
	// MaxAnswer bounds what a browser answers to a challenge, in bytes.
	MaxAnswer = 16 << 10
	// Life is how long a challenge waits for its answer.
	Life = 5 * time.Minute
	// maxID bounds the id of a passkey in bytes, as WebAuthn does, and maxKey its public key: the largest is RSA's.
	maxID, maxKey = 1023, 2048
)

// Kinds of the journal's entries about passkeys; see [operator.Added]. Their data have the passkey's "name" besides. Copied is
// for one whose count of signatures went back: somebody may have a copy of it.
const (
	Added   = "operator.passkey_added"
	Removed = "operator.passkey_removed"
	Copied  = "operator.passkey_copied"
)

// Mistakes of those who call.
var (
	// ErrPlace is returned where browsers have no passkeys: without TLS, and at an address that is no name.
	ErrPlace = errors.New("passkeys need HTTPS and a host with a name")
	// ErrRefused is returned for an answer that does not open the account. The three below are such errors, too.
	ErrRefused = errors.New("the passkey was not accepted")
	// ErrChallenge is returned for an answer that comes too late, a second time, or from another browser.
	ErrChallenge = fmt.Errorf("%w: the challenge has ended or was answered", ErrRefused)
	// ErrUnknown is returned for a passkey that no account has at this host.
	ErrUnknown = fmt.Errorf("%w: there is no such passkey", ErrRefused)
	// ErrCopied is returned for a passkey whose count of signatures went back.
	ErrCopied = fmt.Errorf("%w: its count of signatures went back", ErrRefused)
	// ErrKnown, ErrMany and ErrName are returned for a passkey that is there already, for one above [Max], and for one without
	// a name.
	ErrKnown = errors.New("this passkey is there already")
	ErrMany  = errors.New("an account has at most 20 passkeys")
	ErrName  = errors.New("a passkey has a name of at most 100 characters")
)

// Passkeys keeps the passkeys of accounts. It is safe for concurrent use.
type Passkeys struct {
	db        *db.DB
	operators *operator.Operators
	now       func() time.Time

	mu  sync.Mutex
	key []byte // signs challenges; read when it is first needed
}

// New returns the passkeys of the operators' accounts.
func New(d *db.DB, operators *operator.Operators, now func() time.Time) *Passkeys {
	return &Passkeys{db: d, operators: operators, now: now}
}

// Passkey is one of an account.
type Passkey struct {
	ID   string // in base64url
	Host string // at which it opens the account
	Name string
	// Synced tells that the passkey is kept at more than one device.
	Synced bool
	Made   time.Time
	Used   time.Time // zero for never
}

// Of are the passkeys of the account, the first made first.
func (p *Passkeys) Of(ctx context.Context, account int64) ([]Passkey, error) {
	rows, err := read(ctx, p.db.Read(), `operator_id = $1`, account)
	if err != nil {
		return nil, err
	}
	keys := make([]Passkey, len(rows))
	for i, r := range rows {
		keys[i] = Passkey{ID: base64.RawURLEncoding.EncodeToString(r.id), Host: r.host, Name: r.name, Synced: r.backedUp, Made: time.UnixMilli(r.madeAt)}
		if r.usedAt != 0 {
			keys[i].Used = time.UnixMilli(r.usedAt)
		}
	}
	return keys, nil
}

// Remove takes the passkey of the id from the account. The actor is the account's owner, or has all of its sites. The error
// may be [operator.ErrUnknown], [operator.ErrForbidden] or [ErrUnknown].
func (p *Passkeys) Remove(ctx context.Context, actor operator.Actor, account int64, id string) error {
	raw, err := base64.RawURLEncoding.DecodeString(id)
	if err != nil {
		return ErrUnknown
	}
	return p.remove(ctx, actor, account, `operator_id = $1 AND id = $2`, account, raw)
}

// RemoveAll is [Passkeys.Remove] for all passkeys of the account.
func (p *Passkeys) RemoveAll(ctx context.Context, actor operator.Actor, account int64) error {
	return p.remove(ctx, actor, account, `operator_id = $1`, account)
}

func (p *Passkeys) remove(ctx context.Context, actor operator.Actor, account int64, condition string, args ...any) error {
	return p.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		o, err := operator.Within(ctx, tx, account)
		switch {
		case err != nil:
			return err
		case !actor.Sites.Covers(o.Sites):
			return operator.ErrForbidden
		}
		rows, err := read(ctx, tx, condition, args...)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM operator_passkeys WHERE `+condition, args...); err != nil {
			return fmt.Errorf("removing passkeys: %w", err)
		}
		for _, r := range rows {
			if err := operator.NoteNamed(ctx, tx, Removed, p.now(), actor.By, o, r.name); err != nil {
				return err
			}
		}
		if len(rows) == 0 {
			return ErrUnknown
		}
		return nil
	})
}

// row is one of the table.
type row struct {
	id, publicKey            []byte
	account, signCount       int64
	host, name, transports   string
	backupEligible, backedUp bool
	madeAt, usedAt           int64
}

func (r *row) fields() []any {
	return []any{&r.id, &r.account, &r.host, &r.name, &r.publicKey, &r.signCount, &r.transports, &r.backupEligible, &r.backedUp, &r.madeAt, &r.usedAt}
}

// read are the passkeys of which the condition is true.
func read(ctx context.Context, from db.Queries, condition string, args ...any) ([]row, error) {
	rows, err := db.List(ctx, from, (*row).fields, `SELECT id, operator_id, host, name, public_key, sign_count, transports, backup_eligible, backed_up, made_at, used_at
		FROM operator_passkeys WHERE `+condition+` ORDER BY made_at, id`, args...)
	if err != nil {
		return nil, fmt.Errorf("reading passkeys: %w", err)
	}
	return rows, nil
}
