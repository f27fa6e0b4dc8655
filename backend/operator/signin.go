package operator

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator/passwords"
	"github.com/seed-3405227d/frontdesk/backend/scope"
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

// holder is the account of the login when it may sign in, or [ErrUnknown].
func (o *Operators) holder(ctx context.Context, login string) (record, error) {
	known, err := o.named(ctx, login)
	if err == nil && (known.Disabled || known.Waiting) {
		return record{}, ErrUnknown
	}
	return known, err
}

// named is the account of the login, or [ErrUnknown].
func (o *Operators) named(ctx context.Context, login string) (record, error) {
	login, err := foldLogin(login)
	if err != nil {
		return record{}, ErrUnknown
	}
	return find(ctx, o.db.Read(), "login = $1", login)
}

// SetupTime is how long a setup token lasts.
const SetupTime = 24 * time.Hour

// SetupToken returns the token by which the first admin is made. It is the same on every node and after every restart
// until it is used, or [SetupTime] has passed: then there is another. While there are operators, none is needed.
func (o *Operators) SetupToken(ctx context.Context) (token string, needed bool, err error) {
	err = o.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		token, needed = "", false
		if some, err := exist(ctx, tx); some || err != nil {
			return err
		}
		needed = true
		stored, found, err := setupToken(ctx, tx)
		if err != nil {
			return err
		}
		if found && o.now().Before(setupEnd(stored)) {
			token = stored
			return nil
		}
		// Of nodes that start together, one makes the token; the others read it.
		fresh := newSetupToken(o.now())
		if _, err := tx.Exec(ctx, `INSERT INTO operator_setup (id, token) VALUES (1, $1)
			ON CONFLICT (id) DO UPDATE SET token = EXCLUDED.token WHERE operator_setup.token = $2`, fresh, stored); err != nil {
			return err
		}
		token, _, err = setupToken(ctx, tx)
		return err
	})
	if err != nil {
		return "", false, fmt.Errorf("reading setup token: %w", err)
	}
	return token, needed, nil
}

// newSetupToken begins with the moment at which it ends, in seconds since 1970.
func newSetupToken(now time.Time) string {
	return strconv.FormatInt(now.Add(SetupTime).Unix(), 10) + "-" + rand.Text()
}

// setupEnd is when the token ends: long ago for one that does not say.
func setupEnd(token string) time.Time {
	end, _, _ := strings.Cut(token, "-")
	seconds, err := strconv.ParseInt(end, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}

// SetUp reports whether there are accounts already, so that no setup token is good for anything. It asks the database
// until there are.
func (o *Operators) SetUp(ctx context.Context) (bool, error) {
	if o.setUp.Load() { // the last admin is never removed
		return true, nil
	}
	some, err := exist(ctx, o.db.Read())
	if err != nil {
		return false, fmt.Errorf("looking for operators: %w", err)
	}
	if some {
		o.setUp.Store(true)
	}
	return some, nil
}

// CheckSetup returns [ErrSetupToken] when the token does not let anybody make the first account.
func (o *Operators) CheckSetup(ctx context.Context, token string) error {
	return o.checkSetup(ctx, o.db.Read(), token)
}

// Setup makes the first admin, of all sites, and uses the token up. The role and the sites of the account are not read.
// Beside the errors of [Operators.Create], it may be [ErrSetupToken].
func (o *Operators) Setup(ctx context.Context, token string, a Account) (Operator, error) {
	if err := o.CheckSetup(ctx, token); err != nil {
		return Operator{}, err
	}
	a.Role, a.Sites = Admin, scope.All()
	return o.create(ctx, a.Login, a, func(ctx context.Context, tx db.Tx) error {
		if err := o.checkSetup(ctx, tx, token); err != nil {
			return err
		}
		// Of two that come at once, the one that deletes the row has the token.
		used, err := tx.Exec(ctx, `DELETE FROM operator_setup WHERE token = $1`, token)
		if err != nil {
			return err
		}
		if used == 0 {
			return ErrSetupToken
		}
		return nil
	})
}

func (o *Operators) checkSetup(ctx context.Context, from db.Queries, token string) error {
	stored, found, err := setupToken(ctx, from)
	if err != nil {
		return fmt.Errorf("reading setup token: %w", err)
	}
	if !found {
		return ErrSetupToken
	}
	some, err := exist(ctx, from)
	if err != nil {
		return fmt.Errorf("reading setup token: %w", err)
	}
	if some || subtle.ConstantTimeCompare([]byte(stored), []byte(token)) != 1 || !o.now().Before(setupEnd(stored)) {
		return ErrSetupToken
	}
	return nil
}

func setupToken(ctx context.Context, from db.Queries) (token string, found bool, err error) {
	return db.One(ctx, from, db.Only[string], `SELECT token FROM operator_setup WHERE id = 1`)
}

func exist(ctx context.Context, from db.Queries) (bool, error) {
	some, _, err := db.One(ctx, from, db.Only[bool], `SELECT EXISTS (SELECT 1 FROM operators)`)
	return some, err
}
