// Package twostep is the second step of signing in: the codes of an authenticator (RFC 6238), and recovery codes for those
// who have lost it. The console's door asks it after a right password.
package twostep

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// Mistakes of those who call.
var (
	// ErrCode is returned for a code that is wrong, or has been used.
	ErrCode = errors.New("the code is wrong or has been used")
	// ErrOn and ErrOff are returned where the account signs in with two steps already, or does not.
	ErrOn  = errors.New("this account signs in with two steps already")
	ErrOff = errors.New("this account does not sign in with two steps")
)

// Steps keeps the second steps of accounts. It is safe for concurrent use.
type Steps struct {
	db  *db.DB
	now func() time.Time

	mu  sync.Mutex
	key []byte // read when it is first needed
}

// New returns the second steps of the database's accounts.
func New(d *db.DB, now func() time.Time) *Steps { return &Steps{db: d, now: now} }

// Setup is what an authenticator has to know.
type Setup struct {
	Secret  string // in base32, for those who type it
	Address string // otpauth://…, for a QR code
}

// Begin returns the secret that an authenticator is to be given, the same until [Steps.Confirm] in the session of that name:
// in another one it is another, since somebody else may have seen it there. issuer is the name under which the
// authenticator shows the account. The error may be [ErrOn].
func (s *Steps) Begin(ctx context.Context, o operator.Operator, session, issuer string) (Setup, error) {
	fresh := make([]byte, secretSize)
	rand.Read(fresh)
	sealer, err := s.sealer(ctx)
	if err != nil {
		return Setup{}, err
	}
	sealed := seal(sealer, fresh, o.ID)
	var kept authenticator
	err = s.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO operator_authenticators (operator_id, secret, session, confirmed, used) VALUES ($1, $2, $3, FALSE, 0)
			ON CONFLICT (operator_id) DO UPDATE SET secret = EXCLUDED.secret, session = EXCLUDED.session
			WHERE NOT operator_authenticators.confirmed AND operator_authenticators.session <> EXCLUDED.session`, o.ID, sealed, session)
		if err != nil {
			return fmt.Errorf("storing the secret of an authenticator: %w", err)
		}
		kept, err = read(ctx, tx, o.ID)
		return err
	})
	if err != nil {
		return Setup{}, err
	}
	if kept.confirmed {
		return Setup{}, ErrOn
	}
	secret, err := unseal(sealer, kept.sealed, o.ID)
	if err != nil {
		return Setup{}, err
	}
	written := base.EncodeToString(secret)
	return Setup{written, address(written, issuer, o.Login)}, nil
}

// Confirm has the account sign in with two steps from now on, if the code is one of the authenticator that was given the
// secret of [Steps.Begin]. It returns recovery codes, which nobody can be shown again. The error may be [ErrCode], [ErrOn]
// or [ErrOff], before Begin.
func (s *Steps) Confirm(ctx context.Context, o operator.Operator, code string) (recovery []string, err error) {
	kept, step, err := s.look(ctx, o.ID, code)
	switch {
	case err != nil:
		return nil, err
	case kept.confirmed:
		return nil, ErrOn
	case step == 0:
		return nil, ErrCode
	}
	recovery, hashes := newRecoveryCodes()
	err = s.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		// Of two that come at once, one confirms, and no other secret than that of the code.
		confirmed, err := tx.Exec(ctx, `UPDATE operator_authenticators SET confirmed = TRUE, used = $1
			WHERE operator_id = $2 AND secret = $3 AND NOT confirmed`, step, o.ID, kept.sealed)
		switch {
		case err != nil:
			return fmt.Errorf("confirming an authenticator: %w", err)
		case confirmed == 0:
			return ErrCode
		}
		if err := storeRecovery(ctx, tx, o.ID, hashes); err != nil {
			return err
		}
		return operator.Note(ctx, tx, operator.TwoStepOn, s.now(), o.Login, o)
	})
	if err != nil {
		return nil, err
	}
	return recovery, nil
}

// Check uses a code of the account's authenticator, or a recovery code, up. The error may be [ErrCode], or [ErrOff].
func (s *Steps) Check(ctx context.Context, o operator.Operator, code string) error {
	kept, step, err := s.look(ctx, o.ID, code)
	if err == nil && !kept.confirmed {
		err = ErrOff
	}
	if err != nil {
		return err
	}
	hash := hashOf(folded(code))
	return s.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		if step != 0 {
			used, err := tx.Exec(ctx, `UPDATE operator_authenticators SET used = $1 WHERE operator_id = $2 AND secret = $3 AND confirmed AND used < $1`, step, o.ID, kept.sealed)
			return done(used, err)
		}
		used, err := tx.Exec(ctx, `DELETE FROM operator_recovery_codes WHERE operator_id = $1 AND hash = $2`, o.ID, hash)
		if err := done(used, err); err != nil {
			return err
		}
		return operator.Note(ctx, tx, operator.RecoveryUsed, s.now(), o.Login, o)
	})
}

// done is [ErrCode] if no row was changed.
func done(changed int64, err error) error {
	if err != nil {
		return fmt.Errorf("using a code up: %w", err)
	}
	if changed == 0 {
		return ErrCode
	}
	return nil
}

// Renew replaces the account's recovery codes. The error may be [ErrOff].
func (s *Steps) Renew(ctx context.Context, o operator.Operator) (recovery []string, err error) {
	recovery, hashes := newRecoveryCodes()
	err = s.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		if kept, err := read(ctx, tx, o.ID); err != nil || !kept.confirmed {
			return errors.Join(err, off(kept))
		}
		if err := storeRecovery(ctx, tx, o.ID, hashes); err != nil {
			return err
		}
		return operator.Note(ctx, tx, operator.RecoveryRenewed, s.now(), o.Login, o)
	})
	if err != nil {
		return nil, err
	}
	return recovery, nil
}

func off(kept authenticator) error {
	if !kept.confirmed {
		return ErrOff
	}
	return nil
}

// TurnOff has the account sign in with its password alone, and forgets its secret and its recovery codes. The actor is the
// account's owner, or has all of its sites. The error may be [operator.ErrUnknown], [operator.ErrForbidden] or [ErrOff].
func (s *Steps) TurnOff(ctx context.Context, actor operator.Actor, id int64) error {
	return s.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		o, err := operator.Within(ctx, tx, id)
		switch {
		case err != nil:
			return err
		case !actor.Sites.Covers(o.Sites):
			return operator.ErrForbidden
		}
		gone, err := tx.Exec(ctx, `DELETE FROM operator_authenticators WHERE operator_id = $1 AND confirmed`, id)
		switch {
		case err != nil:
			return fmt.Errorf("forgetting an authenticator: %w", err)
		case gone == 0:
			return ErrOff
		}
		if err := storeRecovery(ctx, tx, id, nil); err != nil {
			return err
		}
		return operator.Note(ctx, tx, operator.TwoStepOff, s.now(), actor.By, o)
	})
}

// authenticator is a row of the table.
type authenticator struct {
	sealed    []byte
	confirmed bool
}

// read is the account's authenticator; one that is not confirmed where there is none.
func read(ctx context.Context, from db.Queries, id int64) (authenticator, error) {
	kept, _, err := db.One(ctx, from, func(a *authenticator) []any { return []any{&a.sealed, &a.confirmed} },
		`SELECT secret, confirmed FROM operator_authenticators WHERE operator_id = $1`, id)
	if err != nil {
		return kept, fmt.Errorf("reading an authenticator: %w", err)
	}
	return kept, nil
}

// folded is a code as it is compared: people type it with blanks and hyphens.
func folded(code string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "-", "", "\u00a0", "").Replace(code))
}

// look returns the account's authenticator, and the step whose code it is; 0 for none. The error may be [ErrOff].
func (s *Steps) look(ctx context.Context, id int64, code string) (kept authenticator, step int64, err error) {
	kept, err = read(ctx, s.db.Read(), id)
	if err != nil {
		return kept, 0, err
	}
	if kept.sealed == nil {
		return kept, 0, ErrOff
	}
	sealer, err := s.sealer(ctx)
	if err != nil {
		return kept, 0, err
	}
	secret, err := unseal(sealer, kept.sealed, id)
	if err != nil {
		return kept, 0, err
	}
	step, _ = matches(secret, folded(code), s.now())
	return kept, step, nil
}

// sealer encrypts secrets with the installation's key. The key is in the same database, in another table: see docs/access.md.
func (s *Steps) sealer(ctx context.Context) (cipher.AEAD, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.key == nil {
		key, err := s.db.Secret(ctx, "operator.authenticators")
		if err != nil {
			return nil, err
		}
		s.key = key
	}
	block, err := aes.NewCipher(s.key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// seal encrypts the secret for the account alone.
func seal(sealer cipher.AEAD, secret []byte, id int64) []byte {
	return sealer.Seal(nil, nil, secret, strconv.AppendInt(nil, id, 10))
}

func unseal(sealer cipher.AEAD, sealed []byte, id int64) ([]byte, error) {
	secret, err := sealer.Open(nil, nil, sealed, strconv.AppendInt(nil, id, 10))
	if err != nil {
		return nil, fmt.Errorf("reading the secret of an authenticator: %w", err)
	}
	return secret, nil
}
