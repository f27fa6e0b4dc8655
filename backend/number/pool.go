package number

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"
)

// Pool are tracking numbers of which each visitor gets one of his own for a while. It
// does not change.
type Pool struct {
	// Name is the same as long as the pool is: a number that comes from another pool
	// rests before it is leased again.
	Name string
	// Digits are its numbers in international form.
	Digits []string
	// Hold is for how long a visitor who has gone keeps the number.
	Hold time.Duration
	// Exhausted is what visitors see when all numbers are leased.
	Exhausted Exhausted
	// Reserve is the number for [ShowReserve], in international form.
	Reserve string

	list string // the digits as a JSON array
}

// Exhausted is what visitors see when a pool has no number left.
type Exhausted string

// What they may see.
const (
	ShowOriginal Exhausted = "original" // the number as it is printed
	ShowReserve  Exhausted = "reserve"  // another tracking number, the same for all of them
	ShareNumber  Exhausted = "shared"   // a number that another visitor has, too
)

// The bounds of [Pool.Hold], and what it is where nothing is said.
const (
	MinHold     = time.Minute
	DefaultHold = 5 * time.Minute
	MaxHold     = time.Hour
)

// MaxPool is how many numbers a pool has at most.
const MaxPool = 1000

// poolName is how pools are called: not like a number, nor like a condition.
var poolName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,63}$`)

// IsPoolName tells whether a pool may be called so: by a small letter, and up to 63 small
// letters, digits and hyphens.
func IsPoolName(name string) bool { return poolName.MatchString(name) }

// Complete checks the pool and fills in the defaults. The error says what was expected.
func (p *Pool) Complete() error {
	if p.Hold == 0 {
		p.Hold = DefaultHold
	}
	if p.Exhausted == "" {
		p.Exhausted = ShowOriginal
	}
	switch {
	case len(p.Digits) == 0:
		return errors.New("expected at least one number")
	case len(p.Digits) > MaxPool:
		return fmt.Errorf("expected at most %d numbers, not %d", MaxPool, len(p.Digits))
	case p.Hold < MinHold || p.Hold > MaxHold:
		return fmt.Errorf("hold %s: expected from 1m to 60m", p.Hold)
	case !slices.Contains([]Exhausted{ShowOriginal, ShowReserve, ShareNumber}, p.Exhausted):
		return fmt.Errorf("exhausted %q: expected original, shared or reserve NUMBER", string(p.Exhausted))
	case (p.Exhausted == ShowReserve) != (p.Reserve != ""):
		return errors.New("expected a number behind exhausted reserve, and there alone")
	}
	for i, digits := range p.Digits {
		if slices.Contains(p.Digits[:i], digits) {
			return fmt.Errorf("number %s is given already: expected it once", digits)
		}
		if digits == p.Reserve {
			return fmt.Errorf("reserve %s is a number of the pool: expected another", digits)
		}
	}
	list, err := json.Marshal(p.Digits)
	p.list = string(list)
	return err
}

// Lasting is for how long a lease counts after the last that was heard of its visitor.
func (p *Pool) Lasting() time.Duration { return stay + p.Hold }

// All are the numbers that the pool can show, the reserve included.
func (p *Pool) All() []string {
	if p.Reserve == "" {
		return p.Digits
	}
	return append(slices.Clip(p.Digits), p.Reserve)
}
