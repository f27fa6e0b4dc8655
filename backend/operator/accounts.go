package operator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
)

// Kinds of the journal's entries about accounts. Their subject is the account,
// and their data is {"login"}.
const (
	Added           = "operator.added"
	PasswordChanged = "operator.password_changed"
	Disabled        = "operator.disabled"
	Enabled         = "operator.enabled"
)

// Account is what a new account is made from.
type Account struct {
	Login, Name, Password string
	Role                  Role
}

// Add makes an account without a name; see [Operators.Create].
func (o *Operators) Add(ctx context.Context, login, password string, role Role) error {
	_, err := o.Create(ctx, Account{Login: login, Password: password, Role: role})
	return err
}

// Create makes an account. The error may be [ErrLogin], [ErrName], [ErrRole],
// [ErrPassword] or [ErrTaken].
func (o *Operators) Create(ctx context.Context, a Account) (Operator, error) {
	return o.create(ctx, a, func(ctx context.Context, tx db.Tx) error {
		// Whoever makes the first account from elsewhere closes the setup link.
		_, err := tx.Exec(ctx, `DELETE FROM operator_setup`)
		return err
	})
}

// create adds the account in one transaction with what comes first.
func (o *Operators) create(ctx context.Context, a Account, first func(context.Context, db.Tx) error) (Operator, error) {
	login, err := foldLogin(a.Login)
	if err != nil {
		return Operator{}, err
	}
	name, err := checkName(a.Name)
	if err != nil {
		return Operator{}, err
	}
	if err := checkRole(a.Role); err != nil {
		return Operator{}, err
	}
	hash, err := o.verifier.hash(ctx, a.Password)
	if err != nil {
		return Operator{}, err
	}
	id, err := o.ids.Next(ctx)
	if err != nil {
		return Operator{}, err
	}
	account := Operator{ID: id, Login: login, Name: name, Role: a.Role, CreatedAt: o.now(), Epoch: 1}
	err = o.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		if err := first(ctx, tx); err != nil {
			return err
		}
		return o.insert(ctx, tx, account, hash)
	})
	return account, adding(err)
}

func adding(err error) error {
	if err == nil || errors.Is(err, ErrTaken) || errors.Is(err, ErrSetupToken) {
		return err
	}
	return fmt.Errorf("adding operator: %w", err)
}

func (o *Operators) insert(ctx context.Context, tx db.Tx, a Operator, hash string) error {
	added, err := tx.Exec(ctx, `INSERT INTO operators
		(id, login, name, role, password_hash, epoch, provisioned, disabled, away, language, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, FALSE, FALSE, '', $8) ON CONFLICT (login) DO NOTHING`,
		a.ID, a.Login, a.Name, string(a.Role), hash, a.Epoch, a.Provisioned, a.CreatedAt.UnixMilli())
	if err != nil {
		return err
	}
	if added == 0 {
		return ErrTaken
	}
	return o.note(ctx, tx, Added, a)
}

func (o *Operators) note(ctx context.Context, tx db.Tx, kind string, a Operator) error {
	data, err := json.Marshal(map[string]string{"login": a.Login})
	if err != nil {
		return err
	}
	tx.Wake(Topic)
	return journal.Append(ctx, tx, journal.Entry{At: o.now(), Kind: kind, SubjectID: a.ID, Data: data})
}

// Passwd gives the account a new password and ends its sessions. The error may
// be [ErrUnknown], [ErrProvisioned] or [ErrPassword].
func (o *Operators) Passwd(ctx context.Context, login, password string) error {
	login, err := foldLogin(login)
	if err != nil {
		return ErrUnknown
	}
	account, err := find(ctx, o.db.Read(), "login = $1", login)
	if err != nil {
		return err
	}
	if account.Provisioned {
		return ErrProvisioned
	}
	hash, err := o.verifier.hash(ctx, password)
	if err != nil {
		return err
	}
	return o.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		changed, err := tx.Exec(ctx, `UPDATE operators SET password_hash = $1, epoch = epoch + 1 WHERE id = $2 AND NOT provisioned`, hash, account.ID)
		if err != nil {
			return fmt.Errorf("changing password: %w", err)
		}
		if changed == 0 {
			return ErrProvisioned
		}
		return o.note(ctx, tx, PasswordChanged, account.Operator)
	})
}

// SetDisabled forbids the account to sign in, which ends its sessions, or lets
// it in again. The last admin who can sign in stays: [ErrLastAdmin].
func (o *Operators) SetDisabled(ctx context.Context, id int64, disabled bool) error {
	account, err := o.Get(ctx, id)
	if err != nil {
		return err
	}
	if account.Provisioned {
		return ErrProvisioned
	}
	if account.Disabled == disabled {
		return nil
	}
	kind := Enabled
	if disabled {
		kind = Disabled
	}
	return o.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		if _, err := tx.Exec(ctx, `UPDATE operators SET disabled = $1, epoch = epoch + 1 WHERE id = $2`, disabled, id); err != nil {
			return fmt.Errorf("changing operator: %w", err)
		}
		admins, _, err := db.One(ctx, tx, db.Only[int], `SELECT COUNT(*) FROM operators WHERE role = $1 AND NOT disabled`, string(Admin))
		if err != nil {
			return fmt.Errorf("counting admins: %w", err)
		}
		if admins == 0 {
			return ErrLastAdmin
		}
		return o.note(ctx, tx, kind, account)
	})
}

// SetAway says whether the operator counts as there while the console is open.
func (o *Operators) SetAway(ctx context.Context, id int64, away bool) error {
	defer o.online.found.Store(nil)
	return o.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		tx.Wake(Topic)
		_, err := tx.Exec(ctx, `UPDATE operators SET away = $1 WHERE id = $2`, away, id)
		return err
	})
}

// SetLanguage keeps the language that the operator chose for the console.
func (o *Operators) SetLanguage(ctx context.Context, id int64, language string) error {
	return o.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE operators SET language = $1 WHERE id = $2`, language, id)
		return err
	})
}
