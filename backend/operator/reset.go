package operator

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// ResetTime is how long the link for a new password lasts.
const ResetTime = 24 * time.Hour

// Reset takes the account's password and its passkeys from it, ends its sessions, and returns the token of a link by which a
// new password is set, once and within [ResetTime]. An earlier link ends. The error may be that of [Operators.SetDisabled].
func (o *Operators) Reset(ctx context.Context, actor Actor, id int64) (token string, err error) {
	token, hash := newToken()
	err = o.change(ctx, actor, "id = $1", id, func(ctx context.Context, c *changing) error {
		if err := c.whole(); err != nil {
			return err
		}
		if err := c.shut(ctx); err != nil {
			return err
		}
		if err := storeLink(ctx, c.tx, id, hash, o.now()); err != nil {
			return err
		}
		return c.noted(ctx, PasswordReset, c.Sites, nil)
	})
	return token, err
}

// shut takes from the account what opens it by itself, and ends its sessions.
func (c *changing) shut(ctx context.Context) error {
	if err := c.set(ctx, `password_hash = '', epoch = epoch + 1`); err != nil {
		return err
	}
	return c.takePasskeys(ctx)
}

// takePasskeys is for accounts whose password somebody else sets or takes: a passkey opens an account without it.
func (c *changing) takePasskeys(ctx context.Context) error {
	if _, err := c.tx.Exec(ctx, `DELETE FROM operator_passkeys WHERE operator_id = $1`, c.ID); err != nil {
		return fmt.Errorf("taking passkeys: %w", err)
	}
	return nil
}

// newToken returns the token of a link, and how it is stored.
func newToken() (token, hash string) {
	token = rand.Text()
	return token, hashToken(token)
}

// storeLink makes the link of the token the account's only one.
func storeLink(ctx context.Context, tx db.Tx, id int64, hash string, now time.Time) error {
	_, err := tx.Exec(ctx, `INSERT INTO operator_resets (operator_id, token, expires_at) VALUES ($1, $2, $3)
		ON CONFLICT (operator_id) DO UPDATE SET token = EXCLUDED.token, expires_at = EXCLUDED.expires_at`,
		id, hash, now.Add(ResetTime).UnixMilli())
	if err != nil {
		return fmt.Errorf("making a link for a password: %w", err)
	}
	return nil
}

// ResetHolder is the account whose password the token sets, or [ErrSetupToken].
func (o *Operators) ResetHolder(ctx context.Context, token string) (Operator, error) {
	id, found, err := db.One(ctx, o.db.Read(), db.Only[int64], `SELECT r.operator_id FROM operator_resets r JOIN operators o ON o.id = r.operator_id
		WHERE r.token = $1 AND r.expires_at > $2 AND NOT o.disabled AND NOT o.provisioned`, hashToken(token), o.now().UnixMilli())
	switch {
	case err != nil:
		return Operator{}, fmt.Errorf("reading the link of an operator: %w", err)
	case !found:
		return Operator{}, ErrSetupToken
	}
	return o.Get(ctx, id)
}

// Redeem sets the password of the account that the token was given for, and uses it up. The error may be
// [ErrSetupToken], or one of [passwords.Check], after which the token goes on.
func (o *Operators) Redeem(ctx context.Context, token, password string) (Operator, error) {
	holder, err := o.ResetHolder(ctx, token)
	if err != nil {
		return Operator{}, err
	}
	hash, err := o.verifier.Hash(ctx, password, holder.Login, holder.Name)
	if err != nil {
		return Operator{}, err
	}
	err = o.change(ctx, holder.Actor(), "id = $1", holder.ID, func(ctx context.Context, c *changing) error {
		// Of two that come at once, the one that deletes the row has the token.
		used, err := c.tx.Exec(ctx, `DELETE FROM operator_resets WHERE operator_id = $1 AND token = $2`, holder.ID, hashToken(token))
		switch {
		case err != nil:
			return fmt.Errorf("using the link of an operator: %w", err)
		case used == 0 || c.Disabled:
			return ErrSetupToken
		}
		return c.newPassword(ctx, hash)
	})
	if err != nil {
		return Operator{}, err
	}
	return o.Get(ctx, holder.ID)
}

// hashToken is how a token is stored: a look at the table opens no account.
func hashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
