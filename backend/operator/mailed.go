package operator

import (
	"context"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// Tell notes in the transaction that the account is to be mailed a link for its password; see package invitation.
type Tell func(ctx context.Context, tx db.Tx, account Operator) error

// Invite makes an account that waits for a password, whose address is told. The error may be that of [Operators.Create],
// or [ErrEmail] for an account without an address.
func Invite(ctx context.Context, o *Operators, actor Actor, a Account, tell Tell) (Operator, error) {
	if !actor.Sites.Covers(a.Sites) {
		return Operator{}, ErrForbidden
	}
	a, err := a.checked()
	if err == nil && a.Email == "" {
		err = ErrEmail
	}
	if err != nil {
		return Operator{}, err
	}
	return store(ctx, o, actor.By, a, "", func(ctx context.Context, tx db.Tx, account Operator) error {
		if err := closeSetup(ctx, tx); err != nil {
			return err
		}
		if err := tell(ctx, tx, account); err != nil {
			return err
		}
		return o.note(ctx, tx, Invited, actor.By, account, account.Sites, nil)
	})
}

// ResetByMail takes the account's password and its passkeys from it, ends its sessions and its link, makes the address its
// own, and has it told. The error may be that of [Operators.SetDisabled], or [ErrEmail].
func ResetByMail(ctx context.Context, o *Operators, actor Actor, id int64, email string, tell Tell) error {
	email, err := CheckEmail(email)
	if err == nil && email == "" {
		err = ErrEmail
	}
	if err != nil {
		return err
	}
	return o.change(ctx, actor, "id = $1", id, func(ctx context.Context, c *changing) error {
		if err := c.whole(); err != nil {
			return err
		}
		if err := c.setEmail(ctx, email); err != nil {
			return err
		}
		if err := c.shut(ctx); err != nil {
			return err
		}
		if _, err := c.tx.Exec(ctx, `DELETE FROM operator_resets WHERE operator_id = $1`, id); err != nil {
			return fmt.Errorf("closing the link of an operator: %w", err)
		}
		if err := tell(ctx, c.tx, c.Operator); err != nil {
			return err
		}
		return c.noted(ctx, PasswordReset, c.Sites, nil)
	})
}

// SetEmail makes the address the account's, or takes it away. The actor may be its owner. An open link ends: it was mailed
// to another address. The error may be [ErrUnknown], [ErrProvisioned], [ErrForbidden] or [ErrEmail].
func SetEmail(ctx context.Context, o *Operators, actor Actor, id int64, email string) error {
	email, err := CheckEmail(email)
	if err != nil {
		return err
	}
	return o.change(ctx, actor, "id = $1", id, func(ctx context.Context, c *changing) error {
		if err := c.whole(); err != nil && err != ErrSelf {
			return err
		}
		return c.setEmail(ctx, email)
	})
}

func (c *changing) setEmail(ctx context.Context, email string) error {
	if email == c.Email {
		return nil
	}
	if err := c.set(ctx, `email = $2`, email); err != nil {
		return err
	}
	c.Email = email
	if _, err := c.tx.Exec(ctx, `DELETE FROM operator_resets WHERE operator_id = $1`, c.ID); err != nil {
		return fmt.Errorf("closing the link of an operator: %w", err)
	}
	return c.noted(ctx, EmailChanged, c.Sites, nil)
}

// NewLink returns the token of a link by which the account sets a password, once and within [ResetTime]; an earlier link
// ends. The password that it has goes on until then. The error is [ErrUnknown] if the account cannot have one.
func NewLink(ctx context.Context, o *Operators, id int64) (token string, err error) {
	token, hash := newToken()
	err = o.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		account, err := find(ctx, tx, "id = $1", id)
		if err != nil {
			return err
		}
		if account.Disabled || account.Provisioned {
			return ErrUnknown
		}
		return storeLink(ctx, tx, id, hash, o.now())
	})
	return token, err
}
