// Package operator keeps the accounts of those who work in the console: who they are, which sites they see, and their
// passwords. The rooms in it know who has signed in, who is there to answer, and in which groups.
package operator

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator/passwords"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// Topic is woken when an operator comes, goes or changes what they are, and GroupsTopic when a group changes.
const (
	Topic       = "operators"
	GroupsTopic = "operators.groups"
)

// Role says what an account may do.
type Role string

// An Admin may do what an Agent may, and keeps the sites that the account sees, and the accounts that see no others. An
// Analyst sees what was counted on the sites, and nobody who was there; see [Operator.SeesPersons].
const (
	Admin   Role = "admin"
	Agent   Role = "operator"
	Analyst Role = "analyst"
)

// Mistakes of those who call. Their texts may be shown.
var (
	ErrUnknown     = errors.New("there is no such operator")
	ErrTaken       = errors.New("there is an operator of that login already")
	ErrProvisioned = errors.New("this operator is declared in the configuration and is changed there")
	ErrCredentials = errors.New("the login or the password is wrong")
	ErrDisabled    = errors.New("this account is disabled")
	ErrSetupToken  = errors.New("this setup link is not valid, has ended or has been used")
	ErrLogin       = errors.New("a login has 1 to 64 letters, digits or the signs . _ - @ +")
	ErrName        = errors.New("a name has at most 100 characters")
	ErrEmail       = errors.New("an e-mail address looks like desk@shop.example")
	ErrRole        = errors.New(`a role is "admin", "operator" or "analyst"`)
	ErrLastAdmin   = errors.New("this is the last admin of all sites who can sign in")
	ErrSites       = errors.New("an operator sees one site at least")
	ErrForbidden   = errors.New("this operator also works for sites that you do not administer")
	ErrSelf        = errors.New("this is your own account")
	ErrChanged     = errors.New("the account has been changed by somebody else meanwhile")
)

// Operator is an account of the console.
type Operator struct {
	ID int64
	// Login is in lower case and unique.
	Login string
	// Name is what others see; empty when none was given.
	Name string
	// Email is where links for a new password are mailed; empty for nowhere.
	Email string
	Role  Role
	// Sites are those that the operator sees, and that an Admin administers.
	Sites scope.Sites
	// Provisioned accounts are declared in the configuration: their password, role and sites are not changed here.
	Provisioned bool
	// Disabled accounts cannot sign in.
	Disabled bool
	// Waiting accounts have no password: a link for a new one was made, see [Operators.Reset].
	Waiting bool
	// TwoStep accounts sign in with a code beside the password; see package twostep.
	TwoStep bool
	// Passkey accounts have passkeys; see package passkey.
	Passkey bool
	// Away is set by an operator who has the console open and does not want to be counted as there.
	Away bool
	// Language is the tag of the language chosen for the console, such as "ru"; empty for the browser's.
	Language  string
	CreatedAt time.Time
	// Face is the name of the operator's face, which changes with it; empty for none. See [Faces.Named].
	Face string
	// Present is filled by List: a console of this operator is open. Those who are disabled are not present.
	Present bool
	// Epoch grows when the password changes or the account is disabled, which ends the sessions that began in an
	// earlier one.
	Epoch int64
}

// Label is the name, or the login where there is none.
func (o Operator) Label() string {
	if o.Name != "" {
		return o.Name
	}
	return o.Login
}

// SeesPersons reports whether the account may see visitors and what they have sent, and so answer them. Whoever offers
// something of visitors to accounts asks it first.
func (o Operator) SeesPersons() bool { return o.Role == Admin || o.Role == Agent }

// Operators keeps the accounts. It is safe for concurrent use.
type Operators struct {
	db       *db.DB
	now      func() time.Time
	ids      *db.Sequence
	verifier *passwords.Verifier
	setUp    atomic.Bool // there are accounts
}

// New returns the operators of the database.
func New(d *db.DB, now func() time.Time) *Operators {
	return &Operators{db: d, now: now, ids: d.Sequence("operators", 1), verifier: passwords.NewVerifier()}
}

// loginForm says which signs a login has. How many these are is counted apart: a bound in the expression would repeat the
// classes of all languages that often.
var loginForm = regexp.MustCompile(`^[\p{L}\p{N}._@+-]+$`)

// FoldLogin is the form in which a login is stored and looked up, or [ErrLogin] when no account can have it.
func FoldLogin(login string) (string, error) {
	login = strings.ToLower(strings.TrimSpace(login))
	if utf8.RuneCountInString(login) > 64 || !loginForm.MatchString(login) {
		return "", ErrLogin
	}
	return login, nil
}

// CheckName returns the name without spaces around it, or [ErrName].
func CheckName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if utf8.RuneCountInString(name) > 100 || strings.ContainsFunc(name, unicode.IsControl) {
		return "", ErrName
	}
	return name, nil
}

// maxEmail is how long an address may be, in bytes (RFC 5321).
const maxEmail = 254

// CheckEmail returns the address without spaces around it, or [ErrEmail]. An empty one is none.
func CheckEmail(address string) (string, error) {
	address = strings.TrimSpace(address)
	if address == "" {
		return "", nil
	}
	parsed, err := mail.ParseAddress(address)
	if err != nil || parsed.Address != address || len(address) > maxEmail || strings.ContainsFunc(address, func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r) || strings.ContainsRune(`"<>,;:\()`, r)
	}) {
		return "", ErrEmail
	}
	return address, nil
}

func checkRole(role Role) error {
	if role != Admin && role != Agent && role != Analyst {
		return ErrRole
	}
	return nil
}

// accountSites are those of the account, for [scope.Sites].
var accountSites = scope.Column("all_sites", "operator_sites WHERE operator_id = operators.id")

var columns = `id, login, name, email, role, ` + accountSites + `, password_hash = '',
	EXISTS (SELECT 1 FROM operator_authenticators a WHERE a.operator_id = operators.id AND a.confirmed),
	EXISTS (SELECT 1 FROM operator_passkeys p WHERE p.operator_id = operators.id), provisioned, disabled, away, language, created_at, epoch,
	COALESCE((SELECT f.name FROM operator_faces f WHERE f.operator_id = operators.id), '')`

// record is a row of the table in the order of columns.
type record struct {
	Operator
	hash      string
	createdAt int64
}

func (r *record) fields() []any {
	return []any{&r.ID, &r.Login, &r.Name, &r.Email, &r.Role, &r.Sites, &r.Waiting, &r.TwoStep, &r.Passkey, &r.Provisioned, &r.Disabled, &r.Away, &r.Language, &r.createdAt, &r.Epoch, &r.Face}
}

func (r *record) operator() Operator {
	r.CreatedAt = time.UnixMilli(r.createdAt)
	return r.Operator
}

// Get returns the account, or [ErrUnknown].
func (o *Operators) Get(ctx context.Context, id int64) (Operator, error) {
	r, err := find(ctx, o.db.Read(), "id = $1", id)
	return r.operator(), err
}

// Within is [Operators.Get] within a transaction.
func Within(ctx context.Context, tx db.Tx, id int64) (Operator, error) {
	r, err := find(ctx, tx, "id = $1", id)
	return r.operator(), err
}

// find returns the account of which the condition is true, or [ErrUnknown].
func find(ctx context.Context, from db.Queries, condition string, arg any) (record, error) {
	r, found, err := db.One(ctx, from, func(r *record) []any { return append(r.fields(), &r.hash) },
		`SELECT `+columns+`, password_hash FROM operators WHERE `+condition, arg)
	if err != nil {
		return record{}, fmt.Errorf("reading operator: %w", err)
	}
	if !found {
		return record{}, ErrUnknown
	}
	return r, nil
}

// atOnce bounds how many accounts one statement asks for.
const atOnce = 1024

// Enabled are those of the accounts that are not disabled, each once.
func (o *Operators) Enabled(ctx context.Context, ids []int64) (enabled []Operator, err error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	for some := range slices.Chunk(ids, atOnce) {
		values, args := db.Values(db.Padded(some), db.Only[int64])
		rows, err := db.List(ctx, o.db.Read(), (*record).fields, `SELECT `+columns+` FROM operators WHERE NOT disabled AND id IN (`+values+`)`, args...)
		if err != nil {
			return nil, fmt.Errorf("reading operators: %w", err)
		}
		for _, r := range rows {
			enabled = append(enabled, r.operator())
		}
	}
	return enabled, nil
}

// List returns by login the accounts that see one of the sites at least.
func (o *Operators) List(ctx context.Context, sites scope.Sites) ([]Operator, error) {
	rows, err := db.List(ctx, o.db.Read(), func(r *record) []any { return append(r.fields(), &r.Present) }, `SELECT `+columns+`,
		NOT disabled AND EXISTS (SELECT 1 FROM operator_leases l WHERE l.operator_id = operators.id AND l.expires_at > $1)
		FROM operators ORDER BY login`, o.now().UnixMilli())
	if err != nil {
		return nil, fmt.Errorf("listing operators: %w", err)
	}
	var list []Operator
	for _, r := range rows {
		if (Actor{Sites: sites}).sees(r.Operator) {
			list = append(list, r.operator())
		}
	}
	return list, nil
}
