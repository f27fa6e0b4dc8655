package operator

import (
	"context"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// changing is an account while it is being changed, in a transaction.
type changing struct {
	*Operators
	tx    db.Tx
	actor Actor
	Operator
}

// change has f change the account. Nobody is changed who is declared in the configuration; by an actor nobody of whose
// sites some are not the actor's, who gets [ErrForbidden], or [ErrUnknown] when none of them is. The last admin of all
// sites who can sign in stays: [ErrLastAdmin].
func (o *Operators) change(ctx context.Context, actor Actor, condition string, arg any, f func(context.Context, *changing) error) error {
	return o.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		// The rows are locked: nobody else changes the account or the last admins, on any node.
		if _, err := tx.Exec(ctx, `UPDATE operators SET epoch = epoch WHERE role = 'admin' OR `+condition, arg); err != nil {
			return fmt.Errorf("changing operator: %w", err)
		}
		found, err := find(ctx, tx, condition, arg)
		switch {
		case err != nil:
			return err
		case !actor.sees(found.Operator):
			return ErrUnknown
		case found.Provisioned:
			return ErrProvisioned
		}
		c := &changing{Operators: o, tx: tx, actor: actor, Operator: found.operator()}
		admins, err := c.admins(ctx)
		if err != nil {
			return err
		}
		if err := f(ctx, c); err != nil {
			return err
		}
		left, err := c.admins(ctx)
		if err == nil && left == 0 && admins > 0 {
			err = ErrLastAdmin
		}
		return err
	})
}

func (a Actor) sees(o Operator) bool {
	return a.Sites.All() || !a.Sites.Common(o.Sites).None() || o.Sites.All()
}

// Administers reports whether the actor may change all of the account.
func (a Actor) Administers(o Operator) bool {
	return !o.Provisioned && a.Sites.Covers(o.Sites) && a.sees(o)
}

// whole returns [ErrForbidden] unless the actor has all sites of the account, and [ErrSelf] for the actor's own
// account.
func (c *changing) whole() error {
	switch {
	case c.Login == c.actor.By:
		return ErrSelf
	case !c.actor.Sites.Covers(c.Sites):
		return ErrForbidden
	}
	return nil
}

// admins counts the admins of all sites who can sign in.
func (c *changing) admins(ctx context.Context) (int, error) {
	admins, _, err := db.One(ctx, c.tx, db.Only[int], `SELECT COUNT(*) FROM operators
		WHERE role = $1 AND NOT disabled AND all_sites AND password_hash <> ''`, string(Admin))
	if err != nil {
		return 0, fmt.Errorf("counting admins: %w", err)
	}
	return admins, nil
}

// set changes columns of the account; arguments begin with $2.
func (c *changing) set(ctx context.Context, columns string, args ...any) error {
	if _, err := c.tx.Exec(ctx, `UPDATE operators SET `+columns+` WHERE id = $1`, append([]any{c.ID}, args...)...); err != nil {
		return fmt.Errorf("changing operator: %w", err)
	}
	return nil
}

func (c *changing) noted(ctx context.Context, kind string, at scope.Sites, more map[string]string) error {
	return c.note(ctx, c.tx, kind, c.actor.By, c.Operator, at, more)
}

// Passwd gives the account a new password and ends its sessions. Somebody else than its owner takes its passkeys, too. The error may be [ErrUnknown], [ErrProvisioned],
// [ErrForbidden] or one of [passwords.Check].
func (o *Operators) Passwd(ctx context.Context, actor Actor, login, password string) error {
	login, err := FoldLogin(login)
	if err != nil {
		return ErrUnknown
	}
	known, err := o.named(ctx, login)
	if err != nil {
		return err
	}
	hash, err := o.verifier.Hash(ctx, password, login, known.Name)
	if err != nil {
		return err
	}
	return o.change(ctx, actor, "login = $1", login, func(ctx context.Context, c *changing) error {
		switch err := c.whole(); {
		case err == nil:
			if err := c.takePasskeys(ctx); err != nil {
				return err
			}
		case err != ErrSelf:
			return err
		}
		return c.newPassword(ctx, hash)
	})
}

// newPassword makes the hash the account's, and ends its sessions and its link.
func (c *changing) newPassword(ctx context.Context, hash string) error {
	if err := c.set(ctx, `password_hash = $2, epoch = epoch + 1`, hash); err != nil {
		return err
	}
	if _, err := c.tx.Exec(ctx, `DELETE FROM operator_resets WHERE operator_id = $1`, c.ID); err != nil {
		return fmt.Errorf("closing the link of an operator: %w", err)
	}
	return c.noted(ctx, PasswordChanged, c.Sites, nil)
}

// Edit gives the account another name and role, and, if wanted is given, other sites as [Operators.SetSites] does: all of
// it or nothing. The error may be that of [Operators.SetDisabled] and of SetSites, [ErrName] or [ErrRole]. Who edits the
// own account has its role stay. Whoever becomes an [Analyst] is signed out, and leaves all groups.
func (o *Operators) Edit(ctx context.Context, actor Actor, id int64, name string, role Role, wanted *scope.Sites) error {
	return edit(ctx, o, actor, id, name, role, wanted, func(Operator) error { return nil })
}

// Replace is [Operators.Edit] for an account of which the name, the role and the sites are still as the caller has seen
// them. The error is [ErrChanged] if they are not.
func Replace(ctx context.Context, o *Operators, actor Actor, seen Operator, name string, role Role, wanted scope.Sites) error {
	return edit(ctx, o, actor, seen.ID, name, role, &wanted, func(now Operator) error {
		if seen.Name != now.Name || seen.Role != now.Role || !seen.Sites.Covers(now.Sites) || !now.Sites.Covers(seen.Sites) {
			return ErrChanged
		}
		return nil
	})
}

func edit(ctx context.Context, o *Operators, actor Actor, id int64, name string, role Role, wanted *scope.Sites, allowed func(Operator) error) error {
	name, err := CheckName(name)
	if err == nil {
		err = checkRole(role)
	}
	if err != nil {
		return err
	}
	return o.change(ctx, actor, "id = $1", id, func(ctx context.Context, c *changing) error {
		if err := c.whole(); err != nil && (err != ErrSelf || role != c.Role) {
			return err
		}
		before := c.Operator
		if err := allowed(before); err != nil {
			return err
		}
		if err := c.set(ctx, `name = $2, role = $3`, name, string(role)); err != nil {
			return err
		}
		if name != before.Name {
			if err := c.noted(ctx, Renamed, c.Sites, map[string]string{"from": before.Name, "to": name}); err != nil {
				return err
			}
		}
		if role != before.Role {
			if err := c.noted(ctx, RoleChanged, c.Sites, map[string]string{"from": string(before.Role), "to": string(role)}); err != nil {
				return err
			}
		}
		if role == Analyst && before.Role != Analyst {
			if err := c.sendOut(ctx); err != nil {
				return err
			}
		}
		if wanted != nil {
			return c.setSites(ctx, *wanted)
		}
		return nil
	})
}

// sendOut ends the account's sessions, whose open pages show persons, and takes it from where visitors are answered.
func (c *changing) sendOut(ctx context.Context) error {
	if err := c.set(ctx, `epoch = epoch + 1`); err != nil {
		return err
	}
	for _, from := range []string{`operator_leases`, `operator_group_members`} {
		if _, err := c.tx.Exec(ctx, `DELETE FROM `+from+` WHERE operator_id = $1`, c.ID); err != nil {
			return fmt.Errorf("changing operator: %w", err)
		}
	}
	c.tx.Wake(GroupsTopic)
	return nil
}

// SetSites gives the account the sites that are wanted, and takes those from it that are not. Of both, what the actor
// does not have stays as it is. No account is left without a site: [ErrSites].
func (o *Operators) SetSites(ctx context.Context, actor Actor, id int64, wanted scope.Sites) error {
	return o.change(ctx, actor, "id = $1", id, func(ctx context.Context, c *changing) error { return c.setSites(ctx, wanted) })
}

func (c *changing) setSites(ctx context.Context, wanted scope.Sites) error {
	switch {
	case c.Login == c.actor.By:
		return ErrSelf
	case c.Sites.All() && !c.actor.Sites.All():
		return ErrForbidden
	}
	after := c.Sites.Within(c.actor.Sites, wanted)
	if after.None() {
		return ErrSites
	}
	return c.giveSites(ctx, after)
}

func (c *changing) giveSites(ctx context.Context, after scope.Sites) error {
	if err := c.set(ctx, `all_sites = $2`, after.All()); err != nil {
		return err
	}
	if err := storeSites(ctx, c.tx, c.ID, after); err != nil {
		return fmt.Errorf("changing operator: %w", err)
	}
	given, withdrawn := difference(c.Sites, after)
	if err := c.noted(ctx, Given, given, nil); err != nil {
		return err
	}
	return c.noted(ctx, Withdrawn, withdrawn, nil)
}

// difference are the sites that were given and withdrawn. All of them are one more, beside those of a list.
func difference(before, after scope.Sites) (given, withdrawn scope.Sites) {
	minus := func(a, b scope.Sites) scope.Sites {
		switch {
		case a == b:
			return scope.Sites{}
		case a.All(), b.All():
			return a
		}
		var ids []int64
		for _, id := range a.IDs() {
			if !b.Has(id) {
				ids = append(ids, id)
			}
		}
		return scope.Of(ids...)
	}
	return minus(after, before), minus(before, after)
}

// SetDisabled forbids the account to sign in, which ends its sessions and its link, or lets it in again. The error may be
// [ErrUnknown], [ErrProvisioned], [ErrForbidden], [ErrSelf] or [ErrLastAdmin].
func (o *Operators) SetDisabled(ctx context.Context, actor Actor, id int64, disabled bool) error {
	kind := Enabled
	if disabled {
		kind = Disabled
	}
	return o.change(ctx, actor, "id = $1", id, func(ctx context.Context, c *changing) error {
		if err := c.whole(); err != nil || c.Disabled == disabled {
			return err
		}
		if err := c.set(ctx, `disabled = $2, epoch = epoch + 1`, disabled); err != nil {
			return err
		}
		if _, err := c.tx.Exec(ctx, `DELETE FROM operator_resets WHERE operator_id = $1`, c.ID); err != nil {
			return fmt.Errorf("closing the link of an operator: %w", err)
		}
		return c.noted(ctx, kind, c.Sites, nil)
	})
}

// Remove removes the account for good, which ends its sessions. What it did stays in the journal. The error may be that
// of [Operators.SetDisabled].
func (o *Operators) Remove(ctx context.Context, actor Actor, id int64) error {
	return o.change(ctx, actor, "id = $1", id, func(ctx context.Context, c *changing) error {
		if err := c.whole(); err != nil {
			return err
		}
		for _, from := range []string{`operators WHERE id`, `operator_sites WHERE operator_id`, `operator_leases WHERE operator_id`, `operator_resets WHERE operator_id`, `operator_faces WHERE operator_id`, `operator_authenticators WHERE operator_id`, `operator_recovery_codes WHERE operator_id`,
			`operator_passkeys WHERE operator_id`,
			`lead_read WHERE operator_id`, `saved_reports WHERE operator_id`, `lead_opened WHERE operator_id`, `operator_group_members WHERE operator_id`} {
			if _, err := c.tx.Exec(ctx, `DELETE FROM `+from+` = $1`, id); err != nil {
				return fmt.Errorf("removing operator: %w", err)
			}
		}
		c.tx.Wake(GroupsTopic)
		return c.noted(ctx, Removed, c.Sites, nil)
	})
}
