package operator

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

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
	return checkSetup(ctx, o.db.Read(), token, o.now())
}

// Setup makes the first admin, of all sites, and uses the token up. The role and the sites of the account are not read.
// Beside the errors of [Operators.Create], it may be [ErrSetupToken].
func (o *Operators) Setup(ctx context.Context, token string, a Account) (Operator, error) {
	if err := o.CheckSetup(ctx, token); err != nil {
		return Operator{}, err
	}
	a.Role, a.Sites = Admin, scope.All()
	return o.create(ctx, a.Login, a, func(ctx context.Context, tx db.Tx) error {
		if err := checkSetup(ctx, tx, token, o.now()); err != nil {
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

func checkSetup(ctx context.Context, from db.Queries, token string, now time.Time) error {
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
	if some || subtle.ConstantTimeCompare([]byte(stored), []byte(token)) != 1 || !now.Before(setupEnd(stored)) {
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
