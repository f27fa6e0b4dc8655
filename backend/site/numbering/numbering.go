// Package numbering knows the numbers that are in effect for a site: what the configuration has, and what the site has of
// its own above it.
package numbering

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// Numbering is what there is of a site's numbers.
type Numbering struct {
	site.Site
	Known      bool // this server's configuration names the site
	Pools      number.ConfiguredPools
	Configured *number.Declaration
	Effective  *number.Declaration
	Conflict   error // why the site's own are not in effect
	// By are the numbers that are configured, by their digits, and the names of the servers whose configurations have each.
	By     map[string][]string
	Region string // that is set for the site; may be empty
}

// Of is what there is of the site's numbers. set is what this server's configuration says for the site, if known is
// true, and pools are those of the configuration.
func Of(ctx context.Context, numbers *inventory.Inventory, s site.Site, set site.Settings, known bool, pools number.ConfiguredPools) (*Numbering, error) {
	n := &Numbering{Site: s, Known: known, Pools: pools, Configured: new(number.Declaration)}
	if region := cmp.Or(s.Settings.Region, set.Region); region != nil {
		n.Region = *region
	}
	n.Configured.UsePools(n.Pools.Named)
	if err := n.Configured.Set(set.Numbers); err != nil {
		return nil, err // the configuration has been checked
	}
	n.Effective = n.Configured
	if own := s.Settings.Own(); !own.IsNone() {
		over, err := own.Over(n.Configured, s.ID, n.Pools)
		if n.Conflict = err; err == nil {
			n.Effective = over
		}
	}
	var err error
	n.By, err = numbers.ConfiguredBy(ctx, s.ID)
	return n, err
}

// Own is the site's own number of these digits.
func (n *Numbering) Own(digits string) (number.Number, bool) {
	return numberIn(n.Settings.Numbers, digits)
}

// ConfiguredNumber is the number of these digits as the configuration has it. Its pool without a
// name is called by the number's digits, as own rules call it.
func (n *Numbering) ConfiguredNumber(digits string) (number.Number, bool) {
	found, known := numberIn(n.Configured.Numbers(), digits)
	found.Tracking = slices.Clone(found.Tracking)
	for i := range found.Tracking {
		if t := &found.Tracking[i]; len(t.Dynamic) > 0 {
			t.Dynamic, t.Pool = nil, digits
		}
	}
	return found, known
}

func numberIn(list []number.Number, digits string) (number.Number, bool) {
	for _, n := range list {
		if number.Digits(n.Number) == digits {
			return n, true
		}
	}
	return number.Number{}, false
}

// With is the site's settings with other numbers and pools.
func (n *Numbering) With(own number.Own) site.Settings {
	set := n.Settings
	set.Numbers, set.Pools = own.Numbers, own.Pools
	if len(set.Numbers) == 0 {
		set.Numbers = nil
	}
	if len(set.Pools) == 0 {
		set.Pools = nil
	}
	return set
}

// Check tells what is wrong with numbers and pools of the site's own, beside what the
// configuration has, after the number or pool of that name was changed. What conflicted with
// the configuration before can be mended one after another.
func (n *Numbering) Check(own number.Own, name string) error {
	if err := own.Check(); err != nil {
		return err
	}
	_, err := own.Over(n.Configured, n.ID, n.Pools)
	var wrong *number.FieldError
	if n.Conflict != nil && errors.As(err, &wrong) && wrong.Pool != name && number.Digits(wrong.Number) != name {
		return nil
	}
	return err
}

// Beside is a number of the site for reading others that are written for it: the first that uses the pool of the name,
// or else the first of all. It is empty if there is none.
func (n *Numbering) Beside(pool string) (digits string) {
	for _, known := range n.Effective.Numbers() {
		if digits == "" {
			digits = known.Number
		}
		if slices.ContainsFunc(known.Tracking, func(t number.Tracking) bool { return t.Pool == pool }) {
			return known.Number
		}
	}
	return digits
}

// PoolOf is the pool that the site knows by the name: its own, one of the configuration that
// its numbers use, or that of a printed number alone.
func (n *Numbering) PoolOf(name string) *number.Pool {
	if own, is := n.Settings.Pools[name]; is {
		if pool, err := own.Resolve(name); err == nil {
			pool.Name = number.OwnPoolName(n.ID, name)
			return pool
		}
	}
	for _, d := range []*number.Declaration{n.Effective, n.Configured} {
		if pool := d.Plan().Pool(name); pool != nil {
			return pool
		}
	}
	return nil
}
