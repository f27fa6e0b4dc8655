package operator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator/passwords"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// Declared is an account of an admin as a configuration has it.
type Declared struct {
	Login        string
	PasswordHash string // argon2id in PHC string form
	Sites        scope.Sites
}

// declaration is what is declared of an account.
type declaration struct {
	hash  string
	sites scope.Sites
}

// Check returns [ErrLogin], [passwords.ErrHash] or [ErrSites] for what no account can have.
func (d Declared) Check() error {
	if _, err := FoldLogin(d.Login); err != nil {
		return err
	}
	if d.Sites.None() {
		return ErrSites
	}
	return passwords.CheckHash(d.PasswordHash)
}

// Declare replaces what the declarer has declared by these accounts. Each is made, or taken over from the console. An
// account that nobody declares any more is disabled, which ends its sessions; an admin may then enable it and give it a
// password.
//
// Where declarers differ in the password or the sites of an account, those hold that were declared last: a node that
// declares the same as before changes nothing. The error may be [ErrLogin], [passwords.ErrHash] or [ErrSites].
func (o *Operators) Declare(ctx context.Context, tx db.Tx, declarer string, accounts []Declared) error {
	wanted := make(map[string]declaration, len(accounts))
	for _, a := range accounts {
		if err := a.Check(); err != nil {
			return fmt.Errorf("declaring operator %q: %w", a.Login, err)
		}
		login, _ := FoldLogin(a.Login)
		wanted[login] = declaration{a.PasswordHash, a.Sites}
	}
	stored, err := declarationsOf(ctx, tx, declarer)
	if err != nil {
		return err
	}
	for login := range stored {
		if _, stays := wanted[login]; stays {
			continue
		}
		if err := withdraw(ctx, tx, login, declarer); err != nil {
			return err
		}
		if err := o.settle(ctx, tx, login, false); err != nil {
			return err
		}
	}
	for _, login := range slices.Sorted(maps.Keys(wanted)) { // in one order on all nodes
		if err := o.declare(ctx, tx, login, declarer, wanted[login], stored[login]); err != nil {
			return err
		}
		if err := o.settle(ctx, tx, login, false); err != nil {
			return err
		}
	}
	return nil
}

// Settle makes the accounts that the declarer has declared what their declarations say, if somebody else has changed
// them, such as an earlier program.
func (o *Operators) Settle(ctx context.Context, tx db.Tx, declarer string) error {
	stored, err := declarationsOf(ctx, tx, declarer)
	if err != nil {
		return err
	}
	for _, login := range slices.Sorted(maps.Keys(stored)) {
		if err := o.settle(ctx, tx, login, false); err != nil {
			return err
		}
	}
	return nil
}

// Forget ends what a declarer that is gone has declared. The last admin who can sign in stays: nobody has said that
// this account is to be closed.
func (o *Operators) Forget(ctx context.Context, tx db.Tx, declarer string) error {
	stored, err := declarationsOf(ctx, tx, declarer)
	if err != nil {
		return err
	}
	for _, login := range slices.Sorted(maps.Keys(stored)) {
		if err := withdraw(ctx, tx, login, declarer); err != nil {
			return err
		}
		if err := o.settle(ctx, tx, login, true); err != nil {
			return err
		}
	}
	return nil
}

// declaredRow is a row of the declarations' table.
type declaredRow struct {
	declaration
	login string
	at    int64
}

// declarations are those of which the condition is true.
func declarations(ctx context.Context, tx db.Tx, condition string, arg string) ([]declaredRow, error) {
	rows, err := db.List(ctx, tx, func(r *declaredRow) []any { return []any{&r.login, &r.hash, &r.at, &r.sites} }, `SELECT login, password_hash, at, `+
		scope.Column("all_sites", "operator_declared_sites s WHERE s.login = d.login AND s.declarer = d.declarer")+` FROM operator_declarations d WHERE `+condition, arg)
	if err != nil {
		return nil, fmt.Errorf("reading declared operators: %w", err)
	}
	return rows, nil
}

// declarationsOf is what the declarer has declared, by login.
func declarationsOf(ctx context.Context, tx db.Tx, declarer string) (map[string]declaration, error) {
	rows, err := declarations(ctx, tx, "declarer = $1", declarer)
	stored := make(map[string]declaration, len(rows))
	for _, r := range rows {
		stored[r.login] = r.declaration
	}
	return stored, err
}

// inEffect is what of its declarations holds for the account. declared is false where there are none. A password is as
// old as its first declaration: whoever declares an old one anew does not bring it back.
func inEffect(ctx context.Context, tx db.Tx, login string) (wanted declaration, declared bool, err error) {
	rows, err := declarations(ctx, tx, "login = $1", login)
	if err != nil || len(rows) == 0 {
		return wanted, false, err
	}
	first := make(map[declaration]int64)
	for _, r := range rows {
		if at, known := first[r.declaration]; !known || r.at < at {
			first[r.declaration] = r.at
		}
	}
	return slices.MinFunc(slices.Collect(maps.Keys(first)), func(a, b declaration) int {
		return cmp.Or(cmp.Compare(first[b], first[a]), cmp.Compare(a.hash, b.hash), cmp.Compare(a.sites.String(), b.sites.String()))
	}), true, nil
}

func withdraw(ctx context.Context, tx db.Tx, login, declarer string) error {
	for _, table := range []string{"operator_declarations", "operator_declared_sites"} {
		if _, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE login = $1 AND declarer = $2`, login, declarer); err != nil {
			return fmt.Errorf("retiring operator %q: %w", login, err)
		}
	}
	return nil
}

// declare notes the declaration.
func (o *Operators) declare(ctx context.Context, tx db.Tx, login, declarer string, wanted, before declaration) error {
	if wanted == before {
		return nil
	}
	if err := withdraw(ctx, tx, login, declarer); err != nil {
		return err
	}
	// Later than all others, whatever the clocks of the nodes say.
	_, err := tx.Exec(ctx, `INSERT INTO operator_declarations (login, declarer, password_hash, all_sites, at)
		SELECT $1, $2, $3, $4, CASE WHEN COALESCE(MAX(at), 0) < $5 THEN $5 ELSE MAX(at) + 1 END FROM operator_declarations WHERE login = $1`,
		login, declarer, wanted.hash, wanted.sites.All(), o.now().UnixMilli())
	for _, site := range wanted.sites.IDs() {
		if err == nil {
			_, err = tx.Exec(ctx, `INSERT INTO operator_declared_sites (site_id, login, declarer) VALUES ($1, $2, $3)`, site, login, declarer)
		}
	}
	if err != nil {
		return fmt.Errorf("declaring operator %q: %w", login, err)
	}
	return nil
}

// settle makes the account what its declarations say. With spare, the last admin who can sign in stays when there are
// none.
func (o *Operators) settle(ctx context.Context, tx db.Tx, login string, spare bool) error {
	account, err := find(ctx, tx, "login = $1", login)
	missing := errors.Is(err, ErrUnknown)
	if err != nil && !missing {
		return err
	}
	wanted, declared, err := inEffect(ctx, tx, login)
	switch {
	case err != nil:
		return err
	case !declared:
		if missing || !account.Provisioned {
			return nil
		}
		return o.retire(ctx, tx, account.Operator, spare)
	case missing:
		return o.provision(ctx, tx, login, wanted)
	}
	c := &changing{Operators: o, tx: tx, actor: Server(), Operator: account.Operator}
	if !account.Provisioned || account.Role != Admin || account.Disabled || account.hash != wanted.hash {
		if err := c.set(ctx, `password_hash = $2, role = $3, provisioned = TRUE, disabled = FALSE, epoch = epoch + 1`, wanted.hash, string(Admin)); err != nil {
			return err
		}
		if !account.Provisioned || account.hash != wanted.hash {
			if err := c.takePasskeys(ctx); err != nil {
				return err
			}
		}
		if err := c.noted(ctx, PasswordChanged, c.Sites, nil); err != nil {
			return err
		}
	}
	if account.Sites == wanted.sites {
		return nil
	}
	return c.giveSites(ctx, wanted.sites)
}

func (o *Operators) provision(ctx context.Context, tx db.Tx, login string, wanted declaration) error {
	id, err := o.ids.Take(ctx, tx, 1)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM operator_setup`); err != nil {
		return fmt.Errorf("closing the setup link: %w", err)
	}
	return adding(o.insert(ctx, tx, Server().By, Operator{ID: id, Login: login, Role: Admin, Sites: wanted.sites, Provisioned: true, CreatedAt: o.now(), Epoch: 1}, wanted.hash))
}

func (o *Operators) retire(ctx context.Context, tx db.Tx, account Operator, spare bool) error {
	if spare {
		admins, err := db.List(ctx, tx, (*record).fields, `SELECT `+columns+` FROM operators WHERE role = $1 AND NOT disabled AND id <> $2`, string(Admin), account.ID)
		if err != nil {
			return fmt.Errorf("counting admins: %w", err)
		}
		others := slices.ContainsFunc(admins, func(r record) bool { return r.Sites.All() || r.Sites == account.Sites })
		if !others {
			return nil
		}
	}
	_, err := tx.Exec(ctx, `UPDATE operators SET provisioned = FALSE, disabled = TRUE, epoch = epoch + 1 WHERE id = $1`, account.ID)
	if err != nil {
		return fmt.Errorf("retiring operator %q: %w", account.Login, err)
	}
	return o.note(ctx, tx, Disabled, Server().By, account, account.Sites, nil)
}
