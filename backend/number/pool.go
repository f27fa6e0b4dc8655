package number

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Pool is a set of tracking numbers. Each visitor gets one of them for a while. A Pool is immutable.
type Pool struct {
	// Name stays the same during the pool's life. A number that comes from another pool rests before it is leased
	// again.
	Name string
	// Digits are its numbers in international form.
	Digits []string
	// Hold is how long a visitor keeps the number after leaving.
	Hold time.Duration
	// Exhausted says what visitors see when all numbers are leased.
	Exhausted Exhausted
	// Reserve is the number for [ShowReserve], in international form.
	Reserve string

	list string // the digits as a JSON array
}

// Exhausted says what visitors see when a pool has no number left.
type Exhausted string

// The values of Exhausted.
const (
	ShowOriginal Exhausted = "original" // the number as it is printed
	ShowReserve  Exhausted = "reserve"  // another tracking number, the same for all of them
	ShareNumber  Exhausted = "shared"   // a number that another visitor has, too
)

// The bounds and the default of [Pool.Hold].
const (
	minHold     = time.Minute
	DefaultHold = 5 * time.Minute
	maxHold     = time.Hour
)

// MaxPool is how many numbers a pool has at most.
const MaxPool = 1000

// poolName matches the names of pools. They look neither like a number nor like a condition.
var poolName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,63}$`)

// isPoolName says whether a pool may have this name: a lower-case letter, and up to 63 lower-case letters, digits and
// hyphens behind it.
func isPoolName(name string) bool { return poolName.MatchString(name) }

// OwnPoolName returns the name of a site's own pool. No other site's pool and no configuration's has the same.
func OwnPoolName(siteID int64, name string) string { return strconv.FormatInt(siteID, 10) + "/" + name }

// Title returns the pool's name among those of its site.
func (p *Pool) Title() string { return PoolTitle(p.Name) }

// PoolTitle returns the name of a pool among those of a site, from its [Pool.Name]. The name of a pool that AddDynamic
// has made is the digits of its printed number.
func PoolTitle(name string) string { return name[strings.IndexByte(name, '/')+1:] }

// DeclaredPool is a pool as somebody declares it.
type DeclaredPool struct {
	// Numbers are its numbers, in any writing.
	Numbers []string `json:"numbers"`
	// Hold is as in [Pool]; 0 means the default.
	Hold time.Duration `json:"hold,omitempty"`
	// Exhausted is as in [Pool]; "" means the default.
	Exhausted Exhausted `json:"exhausted,omitempty"`
	// Reserve is the number for [ShowReserve], in any writing.
	Reserve string `json:"reserve,omitempty"`
}

// Resolve checks the pool and fills in the defaults. The error is a [FieldError].
func (p DeclaredPool) Resolve(name string) (*Pool, error) {
	if !isPoolName(name) {
		return nil, &FieldError{Pool: name, Field: "name", Err: About("pool_name", "pool %q: expected a name of a small letter, and small letters, digits and hyphens behind it", name)}
	}
	resolved := &Pool{Name: name, Hold: p.Hold, Exhausted: p.Exhausted}
	for i, written := range p.Numbers {
		digits, err := TrackingNumber(written)
		if err != nil {
			return nil, &FieldError{Pool: name, Field: "numbers", Index: i, Err: fmt.Errorf("pool %s: %w", name, err)}
		}
		resolved.Digits = append(resolved.Digits, digits)
	}
	if p.Reserve != "" {
		var err error
		if resolved.Reserve, err = TrackingNumber(p.Reserve); err != nil {
			return nil, &FieldError{Pool: name, Field: "reserve", Err: fmt.Errorf("pool %s: reserve: %w", name, err)}
		}
	}
	if err := resolved.Complete(); err != nil {
		return nil, &FieldError{Pool: name, Field: "numbers", Err: fmt.Errorf("pool %s: %w", name, err)}
	}
	return resolved, nil
}

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
		return About("pool_empty", "expected at least one number")
	case len(p.Digits) > MaxPool:
		return About("pool_many", "expected at most %s numbers, not %s", strconv.Itoa(MaxPool), strconv.Itoa(len(p.Digits)))
	case p.Hold < minHold || p.Hold > maxHold:
		return About("hold", "hold %s: expected from 1m to 60m", p.Hold.String())
	case !slices.Contains([]Exhausted{ShowOriginal, ShowReserve, ShareNumber}, p.Exhausted):
		return About("exhausted", "exhausted %q: expected original, shared or reserve NUMBER", string(p.Exhausted))
	case (p.Exhausted == ShowReserve) != (p.Reserve != ""):
		return About("reserve", "expected a number behind exhausted reserve, and there alone")
	}
	for i, digits := range p.Digits {
		if slices.Contains(p.Digits[:i], digits) {
			return About("twice", "number %s is given already: expected it once", digits)
		}
		if digits == p.Reserve {
			return About("reserve_pooled", "reserve %s is a number of the pool: expected another", digits)
		}
	}
	list, err := json.Marshal(p.Digits)
	p.list = string(list)
	return err
}

// List returns the digits as a JSON array, by which queries take them. It is empty before [Pool.Complete].
func (p *Pool) List() string { return p.list }

// All returns the numbers that the pool can show, with the reserve.
func (p *Pool) All() []string {
	if p.Reserve == "" {
		return p.Digits
	}
	return append(slices.Clip(p.Digits), p.Reserve)
}

// OfAnotherSite returns the error for a number of the site's own pool that is in another site's pool. The error is a
// [FieldError].
func (p *Pool) OfAnotherSite(digits string) error {
	return &FieldError{Pool: p.Title(), Field: "numbers", Index: slices.Index(p.Digits, digits),
		Err: About("pool_foreign", "dynamic %s: %s is a number of another site's pool; expected another", p.Title(), digits)}
}
