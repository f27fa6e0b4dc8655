package operator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// Kinds of the journal's entries about accounts. Their subject is the account, and their data is {"by", "login"}: by
// whom, a login or empty for whoever runs the server, and whose. Those of Renamed and RoleChanged have "from" and "to"
// besides. There is an entry at each site that the account sees, and one at no site for an account of all sites; Given
// and Withdrawn are at the sites that they are about.
const (
	Added           = "operator.added"
	PasswordChanged = "operator.password_changed"
	PasswordReset   = "operator.password_reset"
	Renamed         = "operator.renamed"
	EmailChanged    = "operator.email_changed"
	Invited         = "operator.invited"
	TwoStepOn       = "operator.two_step_on"
	TwoStepOff      = "operator.two_step_off"
	RecoveryUsed    = "operator.recovery_used"
	RecoveryRenewed = "operator.recovery_renewed"
	FaceChanged     = "operator.face_changed"
	RoleChanged     = "operator.role_changed"
	Given           = "operator.site_given"
	Withdrawn       = "operator.site_withdrawn"
	Disabled        = "operator.disabled"
	Enabled         = "operator.enabled"
	Removed         = "operator.removed"
)

// Actor is who changes accounts: those of which all sites are among the Actor's.
type Actor struct {
	// By is the login, for the journal; empty for whoever runs the server.
	By    string
	Sites scope.Sites
}

// Server is whoever runs the server.
func Server() Actor { return Actor{Sites: scope.All()} }

// Actor is the account as one that changes others.
func (o Operator) Actor() Actor { return Actor{By: o.Login, Sites: o.Sites} }

// Account is what a new account is made from.
type Account struct {
	Login, Name, Password string
	// Email is where links for a new password are mailed; it may be empty.
	Email string
	Role  Role
	Sites scope.Sites
}

// Add makes an account of all sites without a name; see [Operators.Create].
func (o *Operators) Add(ctx context.Context, login, password string, role Role) error {
	_, err := o.Create(ctx, Server(), Account{Login: login, Password: password, Role: role, Sites: scope.All()})
	return err
}

// Create makes an account. The error may be [ErrLogin], [ErrName], [ErrEmail], [ErrRole], [ErrSites], one of
// [passwords.Check], [ErrTaken], or [ErrForbidden] when the actor does not have all of its sites.
func (o *Operators) Create(ctx context.Context, actor Actor, a Account) (Operator, error) {
	if !actor.Sites.Covers(a.Sites) {
		return Operator{}, ErrForbidden
	}
	return o.create(ctx, actor.By, a, closeSetup)
}

// closeSetup ends the setup link: there is a first account from elsewhere.
func closeSetup(ctx context.Context, tx db.Tx) error {
	_, err := tx.Exec(ctx, `DELETE FROM operator_setup`)
	return err
}

// checked is the account with its texts as they are stored, if they are right.
func (a Account) checked() (_ Account, err error) {
	if a.Login, err = FoldLogin(a.Login); err != nil {
		return a, err
	}
	if a.Name, err = CheckName(a.Name); err != nil {
		return a, err
	}
	if a.Email, err = CheckEmail(a.Email); err != nil {
		return a, err
	}
	if err := checkRole(a.Role); err != nil {
		return a, err
	}
	if a.Sites.None() {
		return a, ErrSites
	}
	return a, nil
}

// create adds the account in one transaction with what comes first.
func (o *Operators) create(ctx context.Context, by string, a Account, first func(context.Context, db.Tx) error) (Operator, error) {
	a, err := a.checked()
	if err != nil {
		return Operator{}, err
	}
	hash, err := o.verifier.Hash(ctx, a.Password, a.Login, a.Name)
	if err != nil {
		return Operator{}, err
	}
	return store(ctx, o, by, a, hash, func(ctx context.Context, tx db.Tx, _ Operator) error { return first(ctx, tx) })
}

// store stores a new account, in one transaction with what comes first.
func store(ctx context.Context, o *Operators, by string, a Account, hash string, first func(context.Context, db.Tx, Operator) error) (Operator, error) {
	id, err := o.ids.Next(ctx)
	if err != nil {
		return Operator{}, err
	}
	account := Operator{ID: id, Login: a.Login, Name: a.Name, Email: a.Email, Role: a.Role, Sites: a.Sites, CreatedAt: o.now(), Epoch: 1, Waiting: hash == ""}
	err = o.db.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		if err := first(ctx, tx, account); err != nil {
			return err
		}
		return o.insert(ctx, tx, by, account, hash)
	})
	return account, adding(err)
}

func adding(err error) error {
	if err == nil || errors.Is(err, ErrTaken) || errors.Is(err, ErrSetupToken) {
		return err
	}
	return fmt.Errorf("adding operator: %w", err)
}

func (o *Operators) insert(ctx context.Context, tx db.Tx, by string, a Operator, hash string) error {
	added, err := tx.Exec(ctx, `INSERT INTO operators
		(id, login, name, email, role, all_sites, password_hash, epoch, provisioned, disabled, away, language, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, FALSE, FALSE, '', $10) ON CONFLICT (login) DO NOTHING`,
		a.ID, a.Login, a.Name, a.Email, string(a.Role), a.Sites.All(), hash, a.Epoch, a.Provisioned, a.CreatedAt.UnixMilli())
	if err != nil {
		return err
	}
	if added == 0 {
		return ErrTaken
	}
	if err := storeSites(ctx, tx, a.ID, a.Sites); err != nil {
		return err
	}
	return o.note(ctx, tx, Added, by, a, a.Sites, nil)
}

// storeSites stores the sites of a list as those of the account.
func storeSites(ctx context.Context, tx db.Tx, id int64, sites scope.Sites) error {
	if _, err := tx.Exec(ctx, `DELETE FROM operator_sites WHERE operator_id = $1`, id); err != nil {
		return err
	}
	for _, site := range sites.IDs() {
		if _, err := tx.Exec(ctx, `INSERT INTO operator_sites (site_id, operator_id) VALUES ($1, $2)`, site, id); err != nil {
			return err
		}
	}
	return nil
}

// Note appends to the journal what by has done to the account, in the transaction. See [Added] for what an entry is.
func Note(ctx context.Context, tx db.Tx, kind string, at time.Time, by string, a Operator) error {
	return note(ctx, tx, kind, at, by, a, a.Sites, nil)
}

// NoteNamed is [Note] for a thing of the account that has a name.
func NoteNamed(ctx context.Context, tx db.Tx, kind string, at time.Time, by string, a Operator, name string) error {
	return note(ctx, tx, kind, at, by, a, a.Sites, map[string]string{"name": name})
}

// note appends what happened to the account at the sites, with more of its data.
func (o *Operators) note(ctx context.Context, tx db.Tx, kind, by string, a Operator, at scope.Sites, more map[string]string) error {
	return note(ctx, tx, kind, o.now(), by, a, at, more)
}

func note(ctx context.Context, tx db.Tx, kind string, now time.Time, by string, a Operator, at scope.Sites, more map[string]string) error {
	said := map[string]string{"by": by, "login": a.Login}
	maps.Copy(said, more)
	data, err := json.Marshal(said)
	if err != nil {
		return err
	}
	sites := NotedAt(at)
	entries := make([]journal.Entry, len(sites))
	for i, site := range sites {
		entries[i] = journal.Entry{SiteID: site, At: now, Kind: kind, SubjectID: a.ID, Data: data}
	}
	tx.Wake(Topic)
	return journal.AppendAll(ctx, tx, entries)
}

// SetAway says whether the operator counts as there while the console is open.
func (o *Operators) SetAway(ctx context.Context, id int64, away bool) error {
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
