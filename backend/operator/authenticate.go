package operator

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator/passwords"
)

// Authenticate returns the account of the login and password, or [ErrCredentials], whatever of the two is wrong, or
// [ErrDisabled] when both are right; finding out takes the same work for every login, whether it exists or not. Only a
// few passwords are tried at a time: the call waits for its turn until ctx ends.
func (o *Operators) Authenticate(ctx context.Context, login, password string) (Operator, error) {
	if len(password) > passwords.Max {
		return Operator{}, ErrCredentials
	}
	known, err := o.named(ctx, login)
	if err != nil && !errors.Is(err, ErrUnknown) {
		return Operator{}, err
	}
	if known.Waiting { // no password is right
		known = record{}
	}
	all, err := db.List(ctx, o.db.Read(), db.Only[string], `SELECT password_hash FROM operators ORDER BY id`)
	if err != nil {
		return Operator{}, fmt.Errorf("reading passwords: %w", err)
	}
	right, err := o.verifier.Matches(ctx, password, known.hash, all)
	if err != nil {
		return Operator{}, fmt.Errorf("checking password: %w", err)
	}
	if !right {
		return Operator{}, ErrCredentials
	}
	if known.Disabled {
		return Operator{}, ErrDisabled
	}
	return known.operator(), nil
}

// Holder is the account of the login when it may sign in, or [ErrUnknown].
func (o *Operators) Holder(ctx context.Context, login string) (Operator, error) {
	known, err := o.named(ctx, login)
	if err == nil && (known.Disabled || known.Waiting) {
		return Operator{}, ErrUnknown
	}
	return known.operator(), err
}

// named is the account of the login, or [ErrUnknown].
func (o *Operators) named(ctx context.Context, login string) (record, error) {
	login, err := FoldLogin(login)
	if err != nil {
		return record{}, ErrUnknown
	}
	return find(ctx, o.db.Read(), "login = $1", login)
}

// Named is the account of the login, or [ErrUnknown].
func Named(ctx context.Context, o *Operators, login string) (Operator, error) {
	known, err := o.named(ctx, login)
	return known.operator(), err
}
