// Package staff is the part of the public API about the accounts of operators, and the history of what was changed.
package staff

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/passwords"
	"github.com/seed-3405227d/frontdesk/backend/operator/signin"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/operator/twostep"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// Subjects are what the operations tell of.
type Subjects struct {
	Operators *operator.Operators
	SignIns   *signin.SignIns
	TwoStep   *twostep.Steps
	Journal   *journal.Journal
}

type room struct {
	*frame.Frame
	Subjects
}

// Account is what is said of an account.
type Account struct {
	Name  string   `json:"name,omitempty" maxLength:"100" doc:"What others see; empty for the login."`
	Role  string   `json:"role" enum:"admin,operator,analyst" doc:"An analyst sees figures, and nobody who visited."`
	Sites []string `json:"sites" nullable:"false" maxItems:"10000" doc:"The keys of the sites that the account sees. Of an account of all sites it is empty."`
	All   bool     `json:"all_sites,omitempty" doc:"The account sees all sites. Only a token for all sites sets it."`
}

// Operator is an account of the console.
type Operator struct {
	ID    int64  `json:"id"`
	Login string `json:"login"`
	Account
	HasFace       bool      `json:"has_face" doc:"There is a picture, which visitors see in the chat."`
	IsPresent     bool      `json:"is_present" doc:"A console of the account is open. It is told in lists alone."`
	IsAway        bool      `json:"is_away" doc:"The operator does not want to be counted as there."`
	IsDisabled    bool      `json:"is_disabled"`
	IsWaiting     bool      `json:"is_waiting" doc:"The account has no password yet."`
	IsProvisioned bool      `json:"is_provisioned" doc:"It is declared in a configuration, and is changed there."`
	CreatedAt     time.Time `json:"created_at"`
}

type operatorsOutput struct {
	Body struct {
		Operators []Operator `json:"operators" nullable:"false" doc:"In the order of their logins: those who see one of the token's sites at least."`
	}
}

type operatorInput struct {
	ID int64 `path:"id" minimum:"1" doc:"The operator's number."`
}

type operatorOutput struct {
	ETag string `header:"ETag"`
	Body Operator
}

type newOperatorInput struct {
	Body struct {
		Login    string `json:"login" minLength:"1" maxLength:"64"`
		Password string `json:"password" minLength:"1" maxLength:"1000" doc:"Give it to the operator in a safe way."`
		Account
	}
}

type putOperatorInput struct {
	ID int64 `path:"id" minimum:"1" doc:"The operator's number."`
	frame.Match
	Body Account
}

type disabledInput struct {
	ID   int64 `path:"id" minimum:"1" doc:"The operator's number."`
	Body struct {
		IsDisabled bool `json:"is_disabled"`
	}
}

type passwordInput struct {
	ID   int64 `path:"id" minimum:"1" doc:"The operator's number."`
	Body struct {
		Password string `json:"password" minLength:"1" maxLength:"1000"`
	}
}

const (
	notFound  = http.StatusNotFound
	conflict  = http.StatusConflict
	forbidden = http.StatusForbidden
	wrong     = http.StatusUnprocessableEntity
)

// Mount adds the operations.
func Mount(f *frame.Frame, s Subjects) {
	r := &room{f, s}
	add := func(method, path, id string, opens token.Scope, summary, description string) frame.Operation {
		return frame.Operation{
			Method: method, Path: "operators" + path, ID: id, Subject: "Operators", Opens: opens, Summary: summary, Description: description,
			Mistakes: frame.Mistakes{
				operator.ErrUnknown: notFound, operator.ErrTaken: conflict, operator.ErrProvisioned: conflict, operator.ErrLastAdmin: conflict,
				operator.ErrForbidden: forbidden, operator.ErrChanged: http.StatusPreconditionFailed, operator.ErrLogin: wrong, operator.ErrName: wrong, operator.ErrRole: wrong, operator.ErrSites: wrong,
				passwords.ErrLength: wrong, passwords.ErrCommon: wrong, passwords.ErrOwn: wrong, passwords.ErrPlain: wrong,
			},
		}
	}
	frame.Add(f, add("GET", "", "listOperators", token.ReadOperators, "List operators", "The accounts that see one of the token's sites at least."), r.list)
	frame.Add(f, add("GET", "/{id}", "getOperator", token.ReadOperators, "Get an operator", "One account."),
		func(ctx context.Context, in *operatorInput) (*operatorOutput, error) { return r.answer(ctx, in.ID) })
	frame.Add(f, add("POST", "", "addOperator", token.WriteOperators, "Add an operator", "The account can sign in at once. A token adds accounts for its own sites alone."), r.add)
	frame.Add(f, add("PUT", "/{id}", "setOperator", token.WriteOperators, "Change an operator", "Name, role and sites are as they are said here afterwards."), r.set)
	frame.Add(f, add("PUT", "/{id}/disabled", "disableOperator", token.WriteOperators, "Disable an operator, or let them in again", "A disabled account cannot sign in, and its sessions end."),
		func(ctx context.Context, in *disabledInput) (*operatorOutput, error) {
			if err := r.Operators.SetDisabled(ctx, frame.Actor(ctx), in.ID, in.Body.IsDisabled); err != nil {
				return nil, err
			}
			return r.answer(ctx, in.ID)
		})
	frame.Add(f, add("PUT", "/{id}/password", "setPassword", token.WriteOperators, "Set a password", "The account's sessions end."),
		func(ctx context.Context, in *passwordInput) (*struct{}, error) {
			o, err := r.operator(ctx, in.ID)
			if err != nil {
				return nil, err
			}
			return nil, r.Operators.Passwd(ctx, frame.Actor(ctx), o.Login, in.Body.Password)
		})
	frame.Add(f, add("DELETE", "/{id}", "removeOperator", token.WriteOperators, "Remove an operator", "It is gone for good. What it did stays in the history."),
		func(ctx context.Context, in *operatorInput) (*struct{}, error) {
			return nil, r.Operators.Remove(ctx, frame.Actor(ctx), in.ID)
		})
	r.mountAccess(add)
	r.mountHistory()
}

// operator is the account, if the caller sees one of its sites.
func (r *room) operator(ctx context.Context, id int64) (operator.Operator, error) {
	o, err := r.Operators.Get(ctx, id)
	if sites := frame.Caller(ctx).Sites; err == nil && !sites.All() && !o.Sites.All() && sites.Common(o.Sites).None() {
		err = operator.ErrUnknown
	}
	return o, err
}

func (r *room) answer(ctx context.Context, id int64) (*operatorOutput, error) {
	o, err := r.operator(ctx, id)
	if err != nil {
		return nil, err
	}
	told, err := r.told(ctx, o)
	return &operatorOutput{ETag: tagOf(told), Body: told}, err
}

// tagOf is the ETag of what may be changed of the account.
func tagOf(o Operator) string { return frame.Tag(o.Account) }

// told is what the caller is told of the account: of its sites those that the caller has, too.
func (r *room) told(ctx context.Context, o operator.Operator) (Operator, error) {
	told := Operator{
		ID: o.ID, Login: o.Login, Account: Account{Name: o.Name, Role: string(o.Role), Sites: []string{}, All: o.Sites.All()},
		HasFace: o.Face != "", IsPresent: o.Present, IsAway: o.Away, IsDisabled: o.Disabled, IsWaiting: o.Waiting, IsProvisioned: o.Provisioned, CreatedAt: o.CreatedAt.UTC(),
	}
	if told.All {
		return told, nil
	}
	for _, id := range frame.Caller(ctx).Sites.Common(o.Sites).IDs() {
		key, err := r.Key(ctx, id)
		if err != nil {
			return told, err
		}
		told.Sites = append(told.Sites, key)
	}
	slices.Sort(told.Sites)
	return told, nil
}

func (r *room) list(ctx context.Context, _ *struct{}) (*operatorsOutput, error) {
	list, err := r.Operators.List(ctx, frame.Caller(ctx).Sites)
	if err != nil {
		return nil, err
	}
	out := new(operatorsOutput)
	out.Body.Operators = make([]Operator, len(list))
	for i, o := range list {
		if out.Body.Operators[i], err = r.told(ctx, o); err != nil {
			return nil, err
		}
	}
	return out, nil
}

var errSites = errors.New("expected either all_sites or the keys of sites")

// sites are those of what is said of an account.
func (r *room) sites(ctx context.Context, t Account) (scope.Sites, error) {
	if t.All == (len(t.Sites) > 0) {
		return scope.Sites{}, frame.Wrong("body.sites", errSites, nil)
	}
	if t.All {
		return scope.All(), nil
	}
	var ids []int64
	for _, key := range t.Sites {
		s, err := r.Site(ctx, key)
		if err != nil {
			return scope.Sites{}, err
		}
		ids = append(ids, s.ID)
	}
	return scope.Of(ids...), nil
}

func (r *room) add(ctx context.Context, in *newOperatorInput) (*operatorOutput, error) {
	sites, err := r.sites(ctx, in.Body.Account)
	if err != nil {
		return nil, err
	}
	made, err := r.Operators.Create(ctx, frame.Actor(ctx), operator.Account{
		Login: in.Body.Login, Name: in.Body.Name, Password: in.Body.Password, Role: operator.Role(in.Body.Role), Sites: sites,
	})
	if err != nil {
		return nil, err
	}
	return r.answer(ctx, made.ID)
}

func (r *room) set(ctx context.Context, in *putOperatorInput) (*operatorOutput, error) {
	before, err := r.operator(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	told, err := r.told(ctx, before)
	if err == nil {
		err = in.Holds(tagOf(told))
	}
	if err != nil {
		return nil, err
	}
	sites, err := r.sites(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	if err := operator.Replace(ctx, r.Operators, frame.Actor(ctx), before, in.Body.Name, operator.Role(in.Body.Role), sites); err != nil {
		return nil, err
	}
	return r.answer(ctx, in.ID)
}
