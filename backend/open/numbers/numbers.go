// Package numbers is the part of the public API about the numbers of sites: those that are printed on pages, the
// tracking numbers in their places, and pools.
package numbers

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/site/foresight"
	"github.com/seed-3405227d/frontdesk/backend/site/numbering"
)

// Subjects are what the operations tell of.
type Subjects struct {
	Numbers   *inventory.Inventory
	Leases    *lease.Leases
	Foresight *foresight.Foresight
	// Configured is what this server's configuration says for the site of a key, and Pools are the pools of it.
	Configured func(key string) (site.Settings, bool)
	Pools      func() number.ConfiguredPools
}

type room struct {
	*frame.Frame
	Subjects
}

type numbersOutput struct {
	ETag string `header:"ETag"`
	Body struct {
		Own        []Number        `json:"own" nullable:"false" doc:"The site's own numbers, which stand above the configuration's."`
		Configured []Number        `json:"configured" nullable:"false" doc:"Those of this server's configuration."`
		OwnPools   map[string]Pool `json:"own_pools" nullable:"false" doc:"The site's own pools, by their names."`
		Pools      []string        `json:"pools" nullable:"false" doc:"The names of the configuration's pools, which the site's numbers may use."`
		Conflict   string          `json:"conflict" doc:"Why the site's own numbers are not in effect; empty if they are."`
	}
}

type printedOutput struct {
	Body struct {
		Numbers []Printed `json:"numbers" nullable:"false"`
	}
}

type numberInput struct {
	frame.SiteInput
	Number string `path:"number" pattern:"^[0-9]{5,15}$" doc:"The printed number: digits in international form."`
}

type putNumberInput struct {
	frame.SiteInput
	Number string `path:"number" pattern:"^[0-9]{5,15}$" doc:"The printed number: digits in international form."`
	frame.Match
	Body NumberRules
}

type poolInput struct {
	frame.SiteInput
	Pool string `path:"pool" minLength:"1" maxLength:"100" doc:"The pool's name at the site."`
}

type putPoolInput struct {
	frame.SiteInput
	Pool string `path:"pool" minLength:"1" maxLength:"100" doc:"The pool's name at the site."`
	frame.Match
	Body Pool
}

var (
	errNumber = errors.New("the site has no number of its own of these digits")
	errPool   = errors.New("the site has no pool of its own of this name")
)

// Mount adds the operations.
func Mount(f *frame.Frame, s Subjects) {
	r := &room{f, s}
	r.mountUse()
	r.mountForeseen()
	add := func(method, path, id string, opens token.Scope, summary, description string) frame.Operation {
		return frame.Operation{
			Method: method, Path: "sites/{site}/" + path, ID: id, Subject: "Numbers", Opens: opens, Summary: summary, Description: description,
			Mistakes: frame.Mistakes{errNumber: http.StatusNotFound, errPool: http.StatusNotFound},
		}
	}
	frame.Add(f, add("GET", "numbers", "getNumbers", token.ReadNumbers, "Get the numbers of a site", "The numbers and pools of a site: its own, and those of the configuration."), r.get)
	frame.Add(f, add("GET", "printed-numbers", "listPrinted", token.ReadNumbers, "List the numbers on a site's pages", "The numbers that were seen on the pages as visitors opened them, whether something is done with them or not."), r.printed)
	frame.Add(f, add("PUT", "numbers/{number}", "setNumber", token.WriteNumbers, "Set a number", "Visitors see what is said here in place of the printed number, on new pages of all servers within a second."),
		func(ctx context.Context, in *putNumberInput) (*numbersOutput, error) {
			return r.change(ctx, in.Site, in.Match, in.Number, func(own *number.Own) error {
				set := in.Body.number(in.Number)
				if at := numberAt(own.Numbers, in.Number); at >= 0 {
					own.Numbers[at] = set
				} else {
					own.Numbers = append(own.Numbers, set)
				}
				return nil
			})
		})
	frame.Add(f, add("DELETE", "numbers/{number}", "removeNumber", token.WriteNumbers, "Remove a number", "What the configuration says of it holds again. Calls and their history stay."),
		func(ctx context.Context, in *numberInput) (*numbersOutput, error) {
			return r.change(ctx, in.Site, frame.Match{IfMatch: "*"}, in.Number, func(own *number.Own) error {
				at := numberAt(own.Numbers, in.Number)
				if at < 0 {
					return errNumber
				}
				own.Numbers = slices.Delete(own.Numbers, at, at+1)
				return nil
			})
		})
	frame.Add(f, add("POST", "numbers-table", "importNumbers", token.WriteNumbers, "Add numbers from a table",
		"Adds the numbers and pools of another service's export, all at once or none. The columns are known by their names: number, name, pool, source and the like."), r.take)
	frame.Add(f, add("PUT", "pools/{pool}", "setPool", token.WriteNumbers, "Set a pool", "A number belongs to one pool of one site. Then a number's tracking names the pool."),
		func(ctx context.Context, in *putPoolInput) (*numbersOutput, error) {
			return r.change(ctx, in.Site, in.Match, in.Pool, func(own *number.Own) error {
				own.Pools[in.Pool] = number.DeclaredPool{
					Numbers: in.Body.Numbers, Hold: time.Duration(in.Body.HoldSeconds) * time.Second, Exhausted: number.Exhausted(in.Body.Exhausted), Reserve: in.Body.Reserve,
				}
				return nil
			})
		})
	frame.Add(f, add("DELETE", "pools/{pool}", "removePool", token.WriteNumbers, "Remove a pool", "It is refused while a number uses the pool."),
		func(ctx context.Context, in *poolInput) (*numbersOutput, error) {
			return r.change(ctx, in.Site, frame.Match{IfMatch: "*"}, in.Pool, func(own *number.Own) error {
				if _, is := own.Pools[in.Pool]; !is {
					return errPool
				}
				delete(own.Pools, in.Pool)
				return nil
			})
		})
}

func numberAt(list []number.Number, digits string) int {
	return slices.IndexFunc(list, func(n number.Number) bool { return number.Digits(n.Number) == digits })
}

func (r *room) numbering(ctx context.Context, s site.Site) (*numbering.Numbering, error) {
	set, known := r.Configured(s.Key)
	return numbering.Of(ctx, r.Numbers, s, set, known, r.Pools())
}

func (r *room) get(ctx context.Context, in *frame.SiteInput) (*numbersOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	n, err := r.numbering(ctx, s)
	if err != nil {
		return nil, err
	}
	return told(n), nil
}

func told(n *numbering.Numbering) *numbersOutput {
	out := &numbersOutput{ETag: frame.VersionTag(n.Version)}
	out.Body.Own, out.Body.Configured, out.Body.OwnPools, out.Body.Pools = []Number{}, []Number{}, map[string]Pool{}, []string{}
	for _, own := range n.Settings.Numbers {
		out.Body.Own = append(out.Body.Own, numberOf(own))
	}
	for _, configured := range n.Configured.Numbers() {
		out.Body.Configured = append(out.Body.Configured, numberOf(configured))
	}
	for name, pool := range n.Settings.Pools {
		out.Body.OwnPools[name] = poolOf(pool)
	}
	for name := range n.Pools.Named {
		out.Body.Pools = append(out.Body.Pools, name)
	}
	slices.Sort(out.Body.Pools)
	if n.Conflict != nil {
		out.Body.Conflict = n.Conflict.Error()
	}
	return out
}

// change changes the site's own numbers and pools, of which one of that name is meant.
func (r *room) change(ctx context.Context, key string, seen frame.Match, name string, do func(*number.Own) error) (*numbersOutput, error) {
	s, err := r.Site(ctx, key)
	if err != nil {
		return nil, err
	}
	if !s.RetiredAt.IsZero() {
		return nil, huma.Error409Conflict("the site is retired")
	}
	if err := seen.Holds(frame.VersionTag(s.Version)); err != nil {
		return nil, err
	}
	n, err := r.numbering(ctx, s)
	if err != nil {
		return nil, err
	}
	own := s.Settings.Own()
	own.Numbers = slices.Clone(own.Numbers)
	pools := make(map[string]number.DeclaredPool, len(own.Pools)+1)
	maps.Copy(pools, own.Pools)
	own.Pools = pools
	if err := do(&own); err != nil {
		return nil, err
	}
	if err := n.Check(own, name); err != nil {
		return nil, mistake(err)
	}
	s, err = r.Sites.Change(ctx, s.Key, s.Version, n.With(own), frame.Actor(ctx).By)
	var invalid *site.Invalid
	switch {
	case errors.As(err, &invalid):
		return nil, mistake(invalid.Err)
	case errors.Is(err, site.ErrChanged):
		return nil, frame.Changed()
	case err != nil:
		return nil, err
	}
	if n, err = r.numbering(ctx, s); err != nil {
		return nil, err
	}
	return told(n), nil
}

// mistake is the answer to wrong numbers or pools.
func mistake(err error) error {
	where := "body"
	if wrong, is := errors.AsType[*number.FieldError](err); is && wrong.Field != "" {
		where += "." + wrong.Field
	}
	return frame.Wrong(where, err, nil)
}

func (r *room) printed(ctx context.Context, in *frame.SiteInput) (*printedOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	list, err := r.Numbers.List(ctx, s.ID)
	out := new(printedOutput)
	out.Body.Numbers = make([]Printed, len(list))
	for i, n := range list {
		out.Body.Numbers[i] = Printed{Digits: n.Digits, Pages: n.Pages, Example: n.Example, FirstAt: n.FirstAt.UTC(), LastAt: n.LastAt.UTC()}
	}
	return out, err
}
