package number

import (
	"encoding/binary"
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Plan holds a site's numbers with their tracking numbers by source. After all numbers are added, it may be shared.
// Digits are in international form.
type Plan struct {
	numbers  []planned
	printed  map[string]bool
	tracking map[string]string // the printed number that each tracking number stands for
	pools    map[string]*Pool  // by name
	pooled   map[string]string // by number, the name of its pool
	static   bool              // there is a static tracking number
	everyone Choice
	direct   bool // conditions may hold for direct visits
	sources  bool // there are conditions
}

// planned is a printed number and its rules.
type planned struct {
	digits string
	rules  []rule
}

// rule says what visitors of some sources see: one tracking number for all of them, or one of a pool for each.
type rule struct {
	digits string
	pool   *Pool // nil for a tracking number
	when   Conditions
}

// String returns the rule as it is configured.
func (r rule) String() string {
	if r.pool != nil {
		return "dynamic " + r.pool.Title()
	}
	return "static " + r.digits
}

// maxRules bounds the rules of one number.
const maxRules = 1000

// Add adds a printed number.
func (p *Plan) Add(digits string) error {
	if p.printed == nil {
		p.printed, p.tracking = make(map[string]bool), make(map[string]string)
		p.pools, p.pooled = make(map[string]*Pool), make(map[string]string)
	}
	switch {
	case p.pooled[digits] != "":
		return About("pooled", "number %s is one of pool %s: expected another", digits, PoolTitle(p.pooled[digits]))
	case p.printed[digits]:
		return About("twice", "number %s is given already: expected it once", digits)
	case p.tracking[digits] != "":
		return About("tracking", "number %s is a tracking number for %s: expected another", digits, p.tracking[digits])
	}
	p.printed[digits] = true
	p.numbers = append(p.numbers, planned{digits: digits})
	p.everyone = p.choose(source.Source{})
	return nil
}

// AddStatic adds a tracking number to the last printed number, after its other rules. The first rule whose conditions
// hold decides.
func (p *Plan) AddStatic(digits string, when Conditions) error {
	n := &p.numbers[len(p.numbers)-1]
	switch {
	case digits == n.digits:
		return About("itself", "static %s is the number itself: expected a tracking number", digits)
	case p.printed[digits]:
		return About("printed", "static %s is a printed number: expected a tracking number", digits)
	case p.tracking[digits] != "":
		return About("given", "static %s is given already, for %s: expected it once, with its conditions on one line", digits, p.tracking[digits])
	case p.pooled[digits] != "":
		return About("pooled", "static %s is a number of pool %s: expected another", digits, PoolTitle(p.pooled[digits]))
	}
	if err := p.add(rule{digits: digits, when: when}); err != nil {
		return err
	}
	p.tracking[digits] = n.digits
	p.static = true
	return nil
}

// AddDynamic adds a pool to the last printed number, after its other rules. The pool is complete, or has only a name
// while its numbers are not known. Several numbers may have the same pool.
func (p *Plan) AddDynamic(pool *Pool, when Conditions) error {
	if err := p.refuse(pool); err != nil {
		return err
	}
	if err := p.add(rule{pool: pool, when: when}); err != nil {
		return err
	}
	p.pools[pool.Name] = pool
	for _, digits := range pool.All() {
		p.pooled[digits] = pool.Name
	}
	return nil
}

// refuse returns an error if the pool conflicts with what has been added.
func (p *Plan) refuse(pool *Pool) error {
	if known := p.pools[pool.Name]; known != nil && known != pool {
		return About("pool_name_taken", "dynamic %s: another pool has that name; expected one", pool.Title())
	}
	for _, digits := range pool.All() {
		switch {
		case p.printed[digits]:
			return About("pool_printed", "dynamic %s: %s is a printed number; expected tracking numbers", pool.Title(), digits)
		case p.tracking[digits] != "":
			return About("pool_static", "dynamic %s: %s is a static tracking number for %s; expected others", pool.Title(), digits, p.tracking[digits])
		case p.pooled[digits] != "" && p.pooled[digits] != pool.Name:
			return About("pools", "dynamic %s: %s is a number of pool %s; expected each number in one pool", pool.Title(), digits, PoolTitle(p.pooled[digits]))
		}
	}
	return nil
}

// add adds a rule to the last printed number.
func (p *Plan) add(r rule) error {
	n := &p.numbers[len(p.numbers)-1]
	if len(n.rules) == maxRules {
		return About("rules", "number %s: expected at most %s tracking numbers", n.digits, strconv.Itoa(maxRules))
	}
	for i, before := range n.rules {
		at := []string{strconv.Itoa(i + 1)}
		switch {
		case len(before.when) == 0:
			return wrong("behind_all", at, "%s is never shown: %s before it is for all visitors; put that one last", r, before)
		case before.when.String() == r.when.String():
			return wrong("same", at, "%s is never shown: %s before it has the same conditions", r, before)
		case before.when.cover(r.when):
			return wrong("covered", at, "%s is never shown: %s before it is for all these visitors and more; put that one after it", r, before)
		}
	}
	n.rules = append(n.rules, r)
	p.everyone = p.choose(source.Source{})
	p.direct = p.direct || len(r.when) > 0 && r.when.forDirect()
	p.sources = p.sources || len(r.when) > 0
	return nil
}

// Pool returns the pool of the name, or nil if no rule has it.
func (p *Plan) Pool(name string) *Pool { return p.pools[name] }

// AllPools returns the pools of all rules, sorted by name.
func (p *Plan) AllPools() (all []*Pool) {
	for _, name := range slices.Sorted(maps.Keys(p.pools)) {
		all = append(all, p.pools[name])
	}
	return all
}

// HasStatic says whether there is a static tracking number.
func (p *Plan) HasStatic() bool { return p.static }

// HasTracking says whether a visitor may see another number than the printed one.
func (p *Plan) HasTracking() bool { return p.static || len(p.pools) > 0 }

// BySource says whether the numbers depend on the source.
func (p *Plan) BySource() bool { return p.sources }

// ForDirect says whether conditions may hold for direct visits.
func (p *Plan) ForDirect() bool { return p.direct }

// Choice says which numbers a visitor sees. Equal choices of one plan mean the same numbers. The empty Choice leaves
// all numbers as they are printed.
type Choice string // for each number, two bytes: the position of its rule, from 1

// Choose returns the choice for visitors of a source. The zero source is for visitors of whom nothing is known.
func (p *Plan) Choose(of source.Source) Choice {
	if of.Kind == "" || of.Kind == source.Direct && !p.direct {
		return p.everyone
	}
	return p.choose(of)
}

func (p *Plan) choose(source source.Source) Choice {
	f := factsOf(source)
	var chosen []byte
	for i, n := range p.numbers {
		for place, r := range n.rules {
			if r.when.hold(&f) {
				if chosen == nil {
					chosen = make([]byte, 2*len(p.numbers))
				}
				binary.BigEndian.PutUint16(chosen[2*i:], uint16(place+1))
				break
			}
		}
	}
	return Choice(chosen)
}

// Shown returns the digits that the choice shows for each printed number, in their order. They are empty for a number
// that stays as it is, or that a number of a pool replaces.
func (p *Plan) Shown(c Choice) []string {
	shown := make([]string, len(p.numbers))
	for i, r := range p.rules(c) {
		shown[i] = r.digits
	}
	return shown
}

// Pools returns the pools of the choice, by the index of the printed number. It is nil if there are none.
func (p *Plan) Pools(c Choice) map[int]*Pool {
	var pools map[int]*Pool
	for i, r := range p.rules(c) {
		if r.pool != nil {
			if pools == nil {
				pools = make(map[int]*Pool)
			}
			pools[i] = r.pool
		}
	}
	return pools
}

// Printed returns the digits of the printed number with the index place.
func (p *Plan) Printed(place int) string { return p.numbers[place].digits }

// rules returns the rules of the choice, by the index of the printed number.
func (p *Plan) rules(c Choice) iter.Seq2[int, *rule] {
	return func(yield func(int, *rule) bool) {
		for i := 0; 2*i+1 < len(c); i++ {
			if place := int(c[2*i])<<8 | int(c[2*i+1]); place > 0 && !yield(i, &p.numbers[i].rules[place-1]) {
				return
			}
		}
	}
}
