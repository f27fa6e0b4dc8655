package number

import (
	"fmt"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
)

// Declaration holds the numbers of a site as somebody declares them. Each part is checked when it is added, so that an
// error can name the line of a configuration file. A Declaration may be shared when nothing is added any more.
type Declaration struct {
	list   []Number
	plan   Plan
	places map[string]string // by place, the number that it belongs to
	named  map[string]*Pool  // the pools that have names; nil while they are not known
}

// Numbers returns the numbers that were added, with their digits in international form.
func (d *Declaration) Numbers() []Number { return d.list }

// Plan returns who sees which number.
func (d *Declaration) Plan() *Plan { return &d.plan }

// Set replaces the numbers by those of the list. The named pools stay.
func (d *Declaration) Set(list []Number) error {
	*d = Declaration{named: d.named}
	for _, n := range list {
		if err := d.add(n); err != nil {
			return err
		}
	}
	return nil
}

func (d *Declaration) add(n Number) error {
	at := func(field string, index int, err error) error {
		if err != nil {
			return &FieldError{Number: n.Number, Field: field, Index: index, Err: err}
		}
		return nil
	}
	if err := at("number", 0, d.AddNumber(n.Number)); err != nil {
		return err
	}
	if err := at("template", 0, d.SetTemplate(n.Template)); err != nil {
		return err
	}
	for i, target := range n.Targets {
		if err := at("targets", i, d.AddTarget(target)); err != nil {
			return err
		}
	}
	for i, selector := range n.Selectors {
		if err := at("selectors", i, d.AddSelector(selector)); err != nil {
			return err
		}
	}
	for i, p := range n.Pictures {
		if err := at("pictures", i, d.AddPicture(p.Place)); err != nil {
			return err
		}
		if err := at("pictures", i, p.Check()); err != nil {
			return err
		}
		*d.LastPicture() = p
	}
	for i, t := range n.Tracking {
		if err := at("tracking", i, d.addTracking(t)); err != nil {
			return err
		}
	}
	return nil
}

// AddNumber begins a number, in any writing. Later calls add to this number.
func (d *Declaration) AddNumber(written string) error {
	digits, err := TrackingNumber(written) // a printed number is read in the same way
	if err != nil {
		return err
	}
	d.list = append(d.list, Number{Number: digits})
	return d.plan.Add(digits)
}

func (d *Declaration) addTracking(t Tracking) (err error) {
	given := 0
	for _, is := range []bool{t.Static != "", len(t.Dynamic) > 0, t.Pool != ""} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return About("one_of", "tracking of number %s: expected one of static, dynamic and pool", d.lastNumber().Number)
	case t.Static != "":
		err = d.addStatic(t.Static, t.When, TrackingNumber)
	case t.Pool != "":
		err = d.AddPool(t.Pool, t.When)
	default:
		err = d.addDynamic(t.Dynamic, t.When, TrackingNumber)
	}
	if added := d.lastNumber().Tracking; err == nil {
		added[len(added)-1].Name = t.Name
	}
	return err
}

// AddStatic adds a tracking number for visitors for whom the conditions hold. It is read as [Beside] reads it.
func (d *Declaration) AddStatic(written string, when []string) error {
	return d.addStatic(written, when, d.besideLast)
}

// besideLast reads a tracking number of the last printed number, as somebody has written it.
func (d *Declaration) besideLast(written string) (string, error) {
	return Beside(d.lastNumber().Number, written)
}

func (d *Declaration) addStatic(written string, when []string, read func(string) (string, error)) error {
	digits, err := read(written)
	if err != nil {
		return fmt.Errorf("static: %w", err)
	}
	conditions, err := ParseConditions(when)
	if err != nil {
		return fmt.Errorf("static %s: %w", digits, err)
	}
	n := d.lastNumber()
	if err := n.checkTemplate(digits); err != nil {
		return fmt.Errorf("static %s: %w", digits, err)
	}
	n.Tracking = append(n.Tracking, Tracking{Static: digits, When: when})
	return d.plan.AddStatic(digits, conditions)
}

// AddDynamic adds numbers for visitors for whom the conditions hold. Each visitor has another of these for a while. The
// numbers are a pool, which has the name of the printed number. They are read as [Beside] reads them.
func (d *Declaration) AddDynamic(written, when []string) error {
	return d.addDynamic(written, when, d.besideLast)
}

func (d *Declaration) addDynamic(written, when []string, read func(string) (string, error)) error {
	n := d.lastNumber()
	pool := &Pool{Name: n.Number}
	for _, other := range n.Tracking {
		if len(other.Dynamic) > 0 {
			return About("dynamic_twice", "number %s has dynamic numbers already: expected them once; a pool with a name can stand in several lines", n.Number)
		}
	}
	for _, w := range written {
		digits, err := read(w)
		if err != nil {
			return fmt.Errorf("dynamic: %w", err)
		}
		pool.Digits = append(pool.Digits, digits)
	}
	conditions, err := ParseConditions(when)
	if err == nil {
		err = pool.Complete()
	}
	if err == nil {
		err = n.checkTemplate(pool.All()...)
	}
	if err != nil {
		return fmt.Errorf("dynamic: %w", err)
	}
	n.Tracking = append(n.Tracking, Tracking{Dynamic: pool.Digits, When: when})
	return d.plan.AddDynamic(pool, conditions)
}

// AddPool adds the numbers of the named pool, as AddDynamic does. While no pools are known, any name is accepted.
func (d *Declaration) AddPool(name string, when []string) error {
	pool := d.named[name]
	switch {
	case pool == nil && !isPoolName(name):
		return About("pool_name", "dynamic %q: expected numbers, or the name of a pool: a small letter, and small letters, digits and hyphens behind it", name)
	case d.named == nil:
		if pool = d.plan.Pool(name); pool == nil {
			pool = &Pool{Name: name}
		}
	case pool == nil:
		return wrong("no_pool", []string{name}, "dynamic %s: there is no such pool; expected pool %s NUMBER... in the global options of frontdesk", name, name)
	}
	n := d.lastNumber()
	conditions, err := ParseConditions(when)
	if err == nil {
		err = n.checkTemplate(pool.All()...)
	}
	if err != nil {
		return fmt.Errorf("dynamic %s: %w", name, err)
	}
	n.Tracking = append(n.Tracking, Tracking{Pool: name, When: when})
	return d.plan.AddDynamic(pool, conditions)
}

// TrackingOf returns all numbers that visitors may see instead of n.
func (d *Declaration) TrackingOf(n Number) []string {
	var all []string
	for _, t := range n.Tracking {
		switch {
		case t.Static != "":
			all = append(all, t.Static)
		case t.Pool != "":
			all = append(all, d.named[t.Pool].All()...)
		default:
			all = append(all, t.Dynamic...)
		}
	}
	seen := make(map[string]bool, len(all)) // a pool may stand in several lines
	return slices.DeleteFunc(all, func(digits string) bool {
		defer func() { seen[digits] = true }()
		return seen[digits]
	})
}

// OwnPools returns the pools without a name of their own, which AddDynamic has made.
func (d *Declaration) OwnPools() (own []*Pool) {
	for _, n := range d.list {
		if pool := d.plan.Pool(n.Number); pool != nil {
			own = append(own, pool)
		}
	}
	return own
}

// UsePools sets the named pools, which are complete. Without a call, each name stands for a pool that is not known yet.
func (d *Declaration) UsePools(pools map[string]*Pool) {
	d.named = pools
	d.KnowPools()
}

// KnowPools says that there are no other named pools than those that are set.
func (d *Declaration) KnowPools() {
	if d.named == nil {
		d.named = make(map[string]*Pool)
	}
}

func (d *Declaration) lastNumber() *Number { return &d.list[len(d.list)-1] }

// Declared returns the numbers as they are stored.
func (d *Declaration) Declared() []Declared {
	var declared []Declared
	for _, n := range d.list {
		declared = append(declared, Declared{Digits: n.Number, Tracking: d.TrackingOf(n), Conditions: conditionsOf(n)})
	}
	return declared
}

// Region returns the region of the first number, or "".
func (d *Declaration) Region() string {
	if len(d.list) == 0 {
		return ""
	}
	return contact.RegionOf(d.list[0].Number)
}
