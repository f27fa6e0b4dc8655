// Package credit shares a contact among the visits that came before it.
package credit

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// Model is a rule of sharing.
type Model string

// The models.
const (
	First         Model = "first"          // the first visit
	Last          Model = "last"           // the last visit
	LastNotDirect Model = "last_nondirect" // the last visit that had a source; if none had one, the last visit
	Linear        Model = "linear"         // all visits, each as much
	Position      Model = "position"       // 40% the first, 40% the last, 20% those between
	Decay         Model = "decay"          // all visits: half as much for each 7 days before the contact
)

// Models are all models. The default is [LastNotDirect].
var Models = []Model{LastNotDirect, Last, First, Linear, Position, Decay}

// half is in which time a visit's share falls by half in the model Decay.
const half = 7 * 24 * time.Hour

// MaxWindow is how long before a contact a visit may be that shares it.
const MaxWindow = 90 * 24 * time.Hour

// Rule is a model with its window.
type Rule struct {
	Model  Model
	Window time.Duration
}

// ErrRule is the error of a rule that there is none of.
var ErrRule = errors.New("no such attribution")

// Check returns an error for a model that there is none of, and for a window that is not of 1 to 90 days.
func (r Rule) Check() error {
	if !slices.Contains(Models, r.Model) {
		return fmt.Errorf("%w: %.20q", ErrRule, r.Model)
	}
	if r.Window < 24*time.Hour || r.Window > MaxWindow {
		return fmt.Errorf("%w: a window of 1 to 90 days is needed, not of %v", ErrRule, r.Window)
	}
	return nil
}

// Visit is a visit of whoever made the contact.
type Visit struct {
	At time.Time
	// Direct says that it had no source: neither a campaign nor another site led to it.
	Direct bool
}

// Shares are what each of the visits has of a contact at the time; together they are 1. The visits are in their order,
// the oldest first, and none is after the contact. Those before the window have nothing. A contact without a visit in the
// window is nobody's: all shares are 0.
func (r Rule) Shares(visits []Visit, contact time.Time) []float64 {
	shares := make([]float64, len(visits))
	from, _ := slices.BinarySearchFunc(visits, contact.Add(-r.Window), func(v Visit, t time.Time) int { return v.At.Compare(t) })
	if in := visits[from:]; len(in) > 0 {
		r.share(shares[from:], in)
	}
	return shares
}

func (r Rule) share(shares []float64, visits []Visit) {
	last := len(visits) - 1
	switch r.Model {
	case First:
		shares[0] = 1
	case Last:
		shares[last] = 1
	case Linear:
		for i := range shares {
			shares[i] = 1 / float64(len(shares))
		}
	case Position:
		byPosition(shares)
	case Decay:
		// The ages are counted from the last visit, so that the shares of old ones do not become too small to add.
		var all float64
		for i, v := range visits {
			shares[i] = math.Exp2(-float64(visits[last].At.Sub(v.At)) / float64(half))
			all += shares[i]
		}
		for i := range shares {
			shares[i] /= all
		}
	default:
		for i, v := range slices.Backward(visits) {
			if !v.Direct {
				shares[i] = 1
				return
			}
		}
		shares[last] = 1
	}
}

// byPosition gives two visits half each, since none is between them.
func byPosition(shares []float64) {
	switch n := len(shares); n {
	case 1:
		shares[0] = 1
	case 2:
		shares[0], shares[1] = 0.5, 0.5
	default:
		for i := range shares {
			shares[i] = 0.2 / float64(n-2)
		}
		shares[0], shares[n-1] = 0.4, 0.4
	}
}
