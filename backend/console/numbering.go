package console

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// numbering is what there is of a site's numbers: what the configuration has, what the site
// has of its own above it, and what is in effect.
type numbering struct {
	site.Site
	Known      bool // this server's configuration names the site
	Pools      number.ConfiguredPools
	Configured *number.Declaration
	Effective  *number.Declaration
	Conflict   error // why the site's own are not in effect
	By         map[string][]string
}

func (c *numbersRoom) numberingOf(ctx context.Context, s site.Site) (*numbering, error) {
	n := &numbering{Site: s, Configured: new(number.Declaration)}
	var set site.Settings
	set, n.Known = c.configuredOf(s.Key)
	if c.Pools != nil {
		n.Pools = c.Pools()
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
	n.By, err = c.Numbers.ConfiguredBy(ctx, s.ID)
	return n, err
}

// own is the site's own number of these digits.
func (n *numbering) own(digits string) (number.Number, bool) {
	return numberIn(n.Settings.Numbers, digits)
}

// configured is the number of these digits as the configuration has it. Its pool without a
// name is called by the number's digits, as own rules call it.
func (n *numbering) configured(digits string) (number.Number, bool) {
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

// choosable are the names of the pools that a number of the site can use.
func (n *numbering) choosable(digits string) (names []string) {
	for name := range n.Settings.Pools {
		names = append(names, name)
	}
	for name := range n.Pools.Named {
		names = append(names, name)
	}
	slices.Sort(names)
	if n.Configured.Plan().Pool(digits) != nil {
		names = append(names, digits)
	}
	return names
}

// with is the site's settings with other numbers and pools.
func (n *numbering) with(own number.Own) site.Settings {
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

// check tells what is wrong with numbers and pools of the site's own, beside what the
// configuration has, after the number or pool of that name was changed. What conflicted with
// the configuration before can be mended one after another.
func (n *numbering) check(own number.Own, name string) error {
	if err := own.Check(); err != nil {
		return err
	}
	_, err := own.Over(n.Configured, n.ID, n.Pools)
	var place *number.Place
	if n.Conflict != nil && errors.As(err, &place) && place.Pool != name && number.Digits(place.Number) != name {
		return nil
	}
	return err
}

// keep stores numbers and pools of the site's own in place of those of the version. wrong is what is wrong with them.
// The error is [site.ErrChanged] when there is another version by now.
func (c *numbersRoom) keep(r *http.Request, n *numbering, seen int64, own number.Own) (wrong, err error) {
	o, _ := current(r)
	_, err = c.Sites.Change(r.Context(), n.Key, seen, n.with(own), o.Login)
	var invalid *site.Invalid
	if errors.As(err, &invalid) {
		return invalid.Err, nil
	}
	return nil, err
}

// numberingAt begins the page of that name, about the numbers of the site that the address names.
func (c *numbersRoom) numberingAt(r *http.Request, page string) (f frame, n *numbering, err error) {
	f, named, err := c.servedAt(r, page)
	if err == nil {
		n, err = c.numberingOf(r.Context(), named)
	}
	return f, n, err
}

// mistakes are the names of the words for what can be wrong with numbers and pools.
var mistakes = map[string]string{
	"not_number": "mistake.notNumber", "country_code": "mistake.countryCode", "pooled": "mistake.pooled", "twice": "mistake.twice",
	"tracking": "mistake.tracking", "itself": "mistake.itself", "printed": "mistake.printed", "given": "mistake.given",
	"pool_printed": "mistake.poolPrinted", "pool_static": "mistake.poolStatic", "pools": "mistake.pools", "rules": "mistake.rules",
	"behind_all": "mistake.behindAll", "same": "mistake.same", "covered": "mistake.covered",
	"pool_empty": "mistake.poolEmpty", "pool_many": "mistake.poolMany", "hold": "mistake.hold", "exhausted": "mistake.exhausted",
	"reserve": "mistake.reserve", "reserve_pooled": "mistake.reservePooled", "pool_name": "mistake.poolName", "no_pool": "mistake.noPool",
	"condition": "mistake.condition", "impossible": "mistake.impossible", "conditions": "mistake.conditions", "place": "mistake.place",
	"place_taken": "mistake.placeTaken", "picture": "mistake.picture", "one_of": "mistake.oneOf", "name": "mistake.name",
	"many_numbers": "mistake.manyNumbers", "many_pools": "mistake.manyPools", "many_pooled": "mistake.manyPooled", "many_places": "mistake.manyPlaces",
	"large": "mistake.large", "pool_configured": "mistake.poolConfigured", "pool_taken": "mistake.poolTaken", "pool_elsewhere": "mistake.poolElsewhere",
	"pool_used": "mistake.poolUsed",
}

// mistakeOf is what is wrong, in words. What has none is said as configurations are told it.
func mistakeOf(w *words, err error) string {
	var m *number.Mistake
	if !errors.As(err, &m) || mistakes[m.Kind] == "" {
		return err.Error()
	}
	gaps := []any{"a", "", "b", "", "c", ""}
	for i, text := range m.Of {
		if i < 3 {
			gaps[2*i+1] = plainly(written(text))
		}
	}
	return w.text(mistakes[m.Kind], gaps...)
}
