package operator

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"database/sql"
	"errors"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// Authenticate returns the account of the login and password, or
// [ErrCredentials], whatever of the two is wrong; finding out takes as long for
// a login that does not exist. Only a few passwords are tried at a time: the
// call waits for its turn until ctx ends.
func (o *Operators) Authenticate(ctx context.Context, login, password string) (Operator, error) {
	if len(password) > MaxPassword {
		return Operator{}, ErrCredentials
	}
	hash, known := o.verifier.decoy, record{}
	login, err := foldLogin(login)
	if err == nil {
		known, err = o.find(ctx, "login = ?", login)
	}
	switch {
	case err == nil && !known.Disabled:
		if hash, err = parseHash(known.hash); err != nil {
			return Operator{}, fmt.Errorf("reading password of operator %d: %w", known.ID, err)
		}
	case err != nil && !errors.Is(err, ErrUnknown) && !errors.Is(err, ErrLogin):
		return Operator{}, err
	}
	right, err := o.verifier.verify(ctx, hash, password)
	if err != nil {
		return Operator{}, fmt.Errorf("checking password: %w", err)
	}
	if !right || known.ID == 0 || known.Disabled {
		return Operator{}, ErrCredentials
	}
	return known.operator(), nil
}

// SetupToken returns the token by which the first admin is made, on every node
// and after every restart the same until that has happened. While there are
// operators, none is needed.
func (o *Operators) SetupToken(ctx context.Context) (token string, needed bool, err error) {
	fresh := rand.Text()
	err = o.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		token, needed = "", false
		if some, err := exist(ctx, tx); some || err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO operator_setup (id, token) VALUES (1, ?) ON CONFLICT (id) DO NOTHING`, fresh); err != nil {
			return err
		}
		needed = true
		return tx.NewRaw(`SELECT token FROM operator_setup WHERE id = 1`).Scan(ctx, &token)
	})
	if err != nil {
		return "", false, fmt.Errorf("reading setup token: %w", err)
	}
	return token, needed, nil
}

// CheckSetup returns [ErrSetupToken] when the token does not let anybody make
// the first account.
func (o *Operators) CheckSetup(ctx context.Context, token string) error {
	return checkSetup(ctx, o.db.Read(), token)
}

// Setup makes the first admin and uses the token up. The role of the account is
// not read. Beside the errors of [Operators.Create], it may be [ErrSetupToken].
func (o *Operators) Setup(ctx context.Context, token string, a Account) (Operator, error) {
	if err := o.CheckSetup(ctx, token); err != nil {
		return Operator{}, err
	}
	a.Role = Admin
	return o.create(ctx, a, func(ctx context.Context, tx db.Tx) error {
		if err := checkSetup(ctx, tx, token); err != nil {
			return err
		}
		// Of two that come at once, the one that deletes the row has the token.
		result, err := tx.ExecContext(ctx, `DELETE FROM operator_setup WHERE token = ?`, token)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, ErrSetupToken)
		}
		return nil
	})
}

type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func checkSetup(ctx context.Context, q querier, token string) error {
	var stored string
	err := q.QueryRowContext(ctx, `SELECT token FROM operator_setup WHERE id = 1`).Scan(&stored)
	if errors.Is(err, sql.ErrNoRows) {
		return ErrSetupToken
	}
	if err != nil {
		return fmt.Errorf("reading setup token: %w", err)
	}
	some, err := exist(ctx, q)
	if err != nil {
		return fmt.Errorf("reading setup token: %w", err)
	}
	if some || subtle.ConstantTimeCompare([]byte(stored), []byte(token)) != 1 {
		return ErrSetupToken
	}
	return nil
}

func exist(ctx context.Context, q querier) (bool, error) {
	var some bool
	err := q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM operators)`).Scan(&some)
	return some, err
}
