package number

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// ConfiguredPools are the pools of a configuration.
type ConfiguredPools struct {
	// Named are the pools that any site can use, by name.
	Named map[string]*Pool
	// Of are the pools' names by digits of their numbers. Pools of a single printed number are among them.
	Of map[string]string
}

// Own are the numbers and pools that a site has of its own. They stand above those of the configuration.
type Own struct {
	Numbers []Number
	// Pools are by their names at the site.
	Pools map[string]DeclaredPool
}

// Bounds of what a site may have of its own.
const (
	// MaxOwn is how many numbers, and how many pools.
	MaxOwn = 50
	// MaxOwnRules is how many rules a number may have, and MaxOwnPlaces how many further places.
	MaxOwnRules, MaxOwnPlaces = 50, 20
	// MaxOwnPooled is how many numbers all pools may have together.
	MaxOwnPooled = 500
	// maxOwnText is how many bytes a name, a place or a condition may have.
	maxOwnText = 500
	// maxOwnConditions is how many conditions a rule may have.
	maxOwnConditions = 30
	// maxOwnSize is how many bytes all of it may have as JSON.
	maxOwnSize = 128 << 10
)

// IsNone says whether the site has nothing of its own.
func (o Own) IsNone() bool { return len(o.Numbers) == 0 && len(o.Pools) == 0 }

// Check returns an error in the numbers and pools themselves, whatever the configuration has. The error is a
// [FieldError] or a [Mistake].
func (o Own) Check() error {
	if err := o.checkBounds(); err != nil {
		return err
	}
	pools, err := o.resolve(0)
	if err != nil {
		return err
	}
	d := Declaration{named: pools}
	for _, n := range o.Numbers {
		for _, t := range n.Tracking {
			if t.Pool != "" && pools[t.Pool] == nil { // it may be the configuration's
				pools[t.Pool] = &Pool{Name: t.Pool}
			}
		}
	}
	if err := d.Set(o.Numbers); err != nil {
		return err
	}
	return d.refusePools(o.Pools)
}

func (o Own) checkBounds() error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	pooled := 0
	for _, p := range o.Pools {
		pooled += len(p.Numbers)
	}
	switch {
	case len(o.Numbers) > MaxOwn:
		return About("many_numbers", "expected at most %s numbers", strconv.Itoa(MaxOwn))
	case len(o.Pools) > MaxOwn:
		return About("many_pools", "expected at most %s pools", strconv.Itoa(MaxOwn))
	case pooled > MaxOwnPooled:
		return About("many_pooled", "expected at most %s numbers in all pools", strconv.Itoa(MaxOwnPooled))
	case len(text) > maxOwnSize:
		return About("large", "expected less text in numbers and pools")
	}
	for _, n := range o.Numbers {
		if err := n.checkOwn(); err != nil {
			return err
		}
	}
	return nil
}

// checkOwn refuses fields that only a configuration may have, and numbers that exceed a bound.
func (n Number) checkOwn() error {
	at := func(field string, index int, err error) error {
		return &FieldError{Number: n.Number, Field: field, Index: index, Err: err}
	}
	switch {
	case len(n.Tracking) > MaxOwnRules:
		return at("tracking", MaxOwnRules, About("rules", "number %s: expected at most %s tracking numbers", n.Number, strconv.Itoa(MaxOwnRules)))
	case len(n.Targets)+len(n.Selectors)+len(n.Pictures) > MaxOwnPlaces:
		return at("targets", 0, About("many_places", "number %s: expected at most %s places", n.Number, strconv.Itoa(MaxOwnPlaces)))
	}
	for field, list := range map[string][]string{"targets": n.Targets, "selectors": n.Selectors} {
		for i, place := range list {
			if !isShort(place) {
				return at(field, i, About("place", "place %.80q: expected a shorter one, without control characters", place))
			}
		}
	}
	for i, p := range n.Pictures {
		switch {
		case p.Font != "":
			return at("pictures", i, About("font", "picture %q: expected no font: that of the server's configuration is a file", p.Place))
		case !isShort(p.Place) || !isShort(p.Color):
			return at("pictures", i, About("picture", "picture %.80q: expected less text", p.Place))
		}
	}
	for i, t := range n.Tracking {
		switch {
		case len(t.Dynamic) > 0:
			return at("tracking", i, About("own_dynamic", "number %s: expected the name of a pool", n.Number))
		case len(t.When) > maxOwnConditions:
			return at("tracking", i, About("conditions", "number %s: expected at most %s conditions", n.Number, strconv.Itoa(maxOwnConditions)))
		case !isShort(t.Name):
			return at("tracking", i, About("name", "number %s: expected a shorter name, without control characters", n.Number))
		}
	}
	return nil
}

func isShort(text string) bool {
	return len(text) <= maxOwnText && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' })
}

// resolve checks the pools and returns them by name. Their own names are those of the site with the id.
func (o Own) resolve(siteID int64) (map[string]*Pool, error) {
	pools := make(map[string]*Pool, len(o.Pools))
	owner := make(map[string]string)
	for _, name := range slices.Sorted(maps.Keys(o.Pools)) {
		pool, err := o.Pools[name].Resolve(name)
		if err != nil {
			return nil, err
		}
		pool.Name = OwnPoolName(siteID, name)
		for i, digits := range pool.Digits {
			if other := owner[digits]; other != "" {
				return nil, &FieldError{Pool: name, Field: "numbers", Index: i,
					Err: About("pools", "dynamic %s: %s is a number of pool %s; expected each number in one pool", name, digits, other)}
			}
			owner[digits] = name
		}
		pools[name] = pool
	}
	return pools, nil
}

// Over returns the configured numbers with the site's own above them. siteID is the site's. If both have a number, the
// site's counts. The error is a [FieldError] or a [Mistake].
func (o Own) Over(configured *Declaration, siteID int64, pools ConfiguredPools) (*Declaration, error) {
	if err := o.checkBounds(); err != nil {
		return nil, err
	}
	named, err := o.resolve(siteID)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(o.Pools)) {
		if pools.Named[name] != nil {
			return nil, &FieldError{Pool: name, Field: "name", Err: About("pool_configured", "pool %s: the configuration has one of that name; expected another", name)}
		}
		for i, digits := range named[name].Digits {
			if other := pools.Of[digits]; other != "" {
				return nil, &FieldError{Pool: name, Field: "numbers", Index: i,
					Err: About("pool_taken", "dynamic %s: %s is a number of pool %s of the configuration; expected another", name, digits, other)}
			}
		}
	}
	maps.Copy(named, pools.Named)
	list := slices.Clone(configured.list)
	for _, n := range o.Numbers {
		digits := Digits(n.Number)
		at := slices.IndexFunc(list, func(known Number) bool { return known.Number == digits })
		if at < 0 {
			list = append(list, n)
			continue
		}
		list[at] = n
		if pool := configured.plan.Pool(digits); pool != nil { // this number can still use the pool
			named[digits] = pool
		}
	}
	d := &Declaration{named: named}
	if err := d.Set(list); err != nil {
		return nil, err
	}
	return d, d.refusePools(o.Pools)
}

// Declared returns the numbers as they are stored, and the pools by their names at the site. configured are the
// configuration's pools by name. A pool that is in neither is left out.
func (o Own) Declared(siteID int64, configured map[string]*Pool) (declared []Declared, pools map[string]*Pool, err error) {
	if pools, err = o.resolve(siteID); err != nil {
		return nil, nil, err
	}
	d := Declaration{named: make(map[string]*Pool)}
	maps.Copy(d.named, configured)
	maps.Copy(d.named, pools)
	for _, n := range o.Numbers {
		n.Tracking = slices.DeleteFunc(slices.Clone(n.Tracking), func(t Tracking) bool { return t.Pool != "" && d.named[t.Pool] == nil })
		declared = append(declared, Declared{Digits: Digits(n.Number), Tracking: d.TrackingOf(n), Conditions: conditionsOf(n)})
	}
	return declared, pools, nil
}

// refusePools returns an error if one of the named pools conflicts with the numbers, even if no number uses the pool.
func (d *Declaration) refusePools(pools map[string]DeclaredPool) error {
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		if err := d.plan.refuse(d.named[name]); err != nil {
			return &FieldError{Pool: name, Field: "numbers", Err: err}
		}
	}
	return nil
}

// Pools returns the named pools.
func (d *Declaration) Pools() map[string]*Pool { return d.named }

// Deeds are changes of things, by their names.
type Deeds struct {
	Added   []string `json:"added,omitempty"`
	Changed []string `json:"changed,omitempty"`
	Removed []string `json:"removed,omitempty"`
}

// Since returns the changes since before: of the numbers, by their digits, and of the pools.
func (o Own) Since(before Own) (numbers, pools Deeds) {
	byDigits := func(list []Number) map[string]Number {
		named := make(map[string]Number, len(list))
		for _, n := range list {
			named[Digits(n.Number)] = n
		}
		return named
	}
	return deeds(byDigits(before.Numbers), byDigits(o.Numbers)), deeds(before.Pools, o.Pools)
}

func deeds[T any](before, after map[string]T) (d Deeds) {
	for _, name := range slices.Sorted(maps.Keys(after)) {
		switch known, there := before[name]; {
		case !there:
			d.Added = append(d.Added, name)
		case !reflect.DeepEqual(known, after[name]):
			d.Changed = append(d.Changed, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, there := after[name]; !there {
			d.Removed = append(d.Removed, name)
		}
	}
	return d
}
