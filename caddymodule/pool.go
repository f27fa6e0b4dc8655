package caddymodule

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"

	"github.com/seed-3405227d/frontdesk/backend/number"
)

// Pool are tracking numbers of which each visitor has another for a while.
type Pool struct {
	// The numbers, written in any way.
	Numbers []string `json:"numbers"`

	// For how long a visitor who has gone keeps the number, from one minute to an hour.
	// Default: five minutes.
	Hold caddy.Duration `json:"hold,omitempty"`

	// What visitors see when all numbers are taken: `original`, the number as it is
	// printed, `shared`, one that another visitor has, too, or `reserve`. Default:
	// `original`.
	Exhausted number.Exhausted `json:"exhausted,omitempty"`

	// The number for `reserve`.
	Reserve string `json:"reserve,omitempty"`
}

// resolve checks the pool and fills in the defaults.
func (p *Pool) resolve(name string) (*number.Pool, error) {
	return number.DeclaredPool{Numbers: p.Numbers, Hold: time.Duration(p.Hold), Exhausted: p.Exhausted, Reserve: p.Reserve}.Resolve(name)
}

func resolvePools(pools map[string]*Pool) (map[string]*number.Pool, error) {
	resolved := make(map[string]*number.Pool)
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		var err error
		if resolved[name], err = pools[name].resolve(name); err != nil {
			return nil, err
		}
	}
	return resolved, nil
}

// configuredPools are all pools, once the handlers are provisioned.
func (a *App) configuredPools() number.ConfiguredPools {
	return number.ConfiguredPools{Named: a.pools, Of: a.pooled}
}

// pooled says of each number in which pool it is.
type pooled map[string]string

// claim notes whose the pool's numbers are. A number in two pools could be two visitors'.
func (p pooled) claim(pool *number.Pool) error {
	for _, digits := range pool.Digits {
		if other, taken := p[digits]; taken && other != pool.Name {
			return fmt.Errorf("number %s is in pool %s and in pool %s: expected each number in one pool", digits, other, pool.Name)
		}
		p[digits] = pool.Name
	}
	return nil
}

func (a *App) claim(pool *number.Pool) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.pooled.claim(pool)
}

// writtenPools are the pools of a Caddyfile while it is adapted: those of the global option, and those of sites' numbers
// as they come.
type writtenPools struct {
	named  map[string]*number.Pool
	pooled pooled
}

// poolsOf returns the pools of the Caddyfile, which all its directives share.
func poolsOf(h httpcaddyfile.Helper) (*writtenPools, error) {
	const state = "frontdesk.pools"
	if shared, known := h.State[state].(*writtenPools); known {
		return shared, nil
	}
	var app App
	if option, given := h.Option("frontdesk").(httpcaddyfile.App); given {
		if err := json.Unmarshal(option.Value, &app); err != nil {
			return nil, err
		}
	}
	named, err := resolvePools(app.Pools)
	if err != nil {
		return nil, err
	}
	shared := &writtenPools{named, make(pooled)}
	for _, pool := range named {
		if err := shared.pooled.claim(pool); err != nil {
			return nil, err
		}
	}
	h.State[state] = shared
	return shared, nil
}

// readPool reads an option of the app:
//
//	pool <name> <number>... {
//		hold      <duration>
//		exhausted original|shared
//		exhausted reserve <number>
//	}
func readPool(a *App, d *caddyfile.Dispenser) error {
	var name string
	if !d.Args(&name) {
		return d.Err("expected: pool NAME NUMBER..., such as pool spring 74957650001 74957650002")
	}
	if a.Pools[name] != nil {
		return d.Errf("pool %s is configured already: expected it once", name)
	}
	p := &Pool{Numbers: d.RemainingArgs()}
	resolved, err := p.resolve(name)
	if err != nil {
		return d.Err(err.Error())
	}
	if a.pooled == nil {
		a.pooled = make(pooled)
	}
	if err := a.pooled.claim(resolved); err != nil {
		return d.Err(err.Error())
	}
	for d.NextBlock(1) {
		if err := p.readLine(d.Val(), d.RemainingArgs()); err != nil {
			return d.Err(err.Error())
		}
		if _, err := p.resolve(name); err != nil {
			return d.Err(err.Error())
		}
	}
	if a.Pools == nil {
		a.Pools = make(map[string]*Pool)
	}
	a.Pools[name] = p
	return nil
}

func (p *Pool) readLine(line string, values []string) error {
	switch line {
	case "hold":
		if len(values) == 1 {
			if hold, err := caddy.ParseDuration(values[0]); err == nil && hold > 0 {
				p.Hold = caddy.Duration(hold)
				return nil
			}
		}
		return errors.New("expected: hold DURATION, from 1m to 60m")
	case "exhausted":
		switch {
		case len(values) == 2 && values[0] == string(number.ShowReserve):
			p.Exhausted, p.Reserve = number.ShowReserve, values[1]
			return nil
		case len(values) == 1 && values[0] != string(number.ShowReserve):
			p.Exhausted = number.Exhausted(values[0])
			return nil
		}
		return errors.New("expected: exhausted original, exhausted shared, or: exhausted reserve NUMBER")
	}
	return fmt.Errorf("unknown line %q of pool: expected hold or exhausted", line)
}
