// Package number knows the numbers that are printed on a site's pages and which
// tracking number stands for them, depending on where the visitor came from.
package number

import (
	"encoding/binary"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Plan is a site's numbers with their tracking numbers by source. It is built
// number by number; afterwards it may be shared. Digits are in international form.
type Plan struct {
	numbers  []number
	printed  map[string]bool
	tracking map[string]string // the printed number that each stands for
	everyone Choice
	direct   bool // whether conditions may hold for direct visits
	sources  bool // whether there are conditions at all
}

// number is one that is printed on pages, and what may stand for it.
type number struct {
	digits string
	static []static
}

// static is a tracking number for the visitors of some sources.
type static struct {
	digits string
	when   Conditions
}

// maxStatic bounds the tracking numbers of one number.
const maxStatic = 1000

// Add adds a number that is printed on the pages.
func (p *Plan) Add(digits string) error {
	if p.printed == nil {
		p.printed, p.tracking = make(map[string]bool), make(map[string]string)
	}
	switch {
	case p.printed[digits]:
		return fmt.Errorf("number %s is given already: expected it once", digits)
	case p.tracking[digits] != "":
		return fmt.Errorf("number %s is a tracking number for %s: expected another", digits, p.tracking[digits])
	}
	p.printed[digits] = true
	p.numbers = append(p.numbers, number{digits: digits})
	p.everyone = p.choose(visit.Source{})
	return nil
}

// AddStatic adds a tracking number to the number that was added last, behind those
// it has. The first whose conditions hold is the one to show.
func (p *Plan) AddStatic(digits string, when Conditions) error {
	n := &p.numbers[len(p.numbers)-1]
	switch {
	case digits == n.digits:
		return fmt.Errorf("static %s is the number itself: expected a tracking number", digits)
	case p.printed[digits]:
		return fmt.Errorf("static %s is a number of the pages: expected a tracking number", digits)
	case p.tracking[digits] != "":
		return fmt.Errorf("static %s is given already, for %s: expected it once, with its conditions on one line", digits, p.tracking[digits])
	case len(n.static) == maxStatic:
		return fmt.Errorf("number %s: expected at most %d tracking numbers", n.digits, maxStatic)
	}
	for _, s := range n.static {
		switch {
		case len(s.when) == 0:
			return fmt.Errorf("static %s is never shown: %s before it is for all visitors; expected that one last", digits, s.digits)
		case s.when.String() == when.String():
			return fmt.Errorf("static %s is never shown: %s before it has the same conditions", digits, s.digits)
		case s.when.cover(when):
			return fmt.Errorf("static %s is never shown: %s before it is for all these visitors and more; expected that one behind it", digits, s.digits)
		}
	}
	p.tracking[digits] = n.digits
	n.static = append(n.static, static{digits, when})
	p.everyone = p.choose(visit.Source{})
	p.direct = p.direct || len(when) > 0 && when.forDirect()
	p.sources = p.sources || len(when) > 0
	return nil
}

// HasStatic tells whether there is any tracking number.
func (p *Plan) HasStatic() bool { return len(p.tracking) > 0 }

// BySource tells whether it depends on the source which numbers are shown.
func (p *Plan) BySource() bool { return p.sources }

// Choice says which numbers a visitor sees. Equal choices of one plan are the same
// numbers; the empty one leaves all numbers as they are printed.
type Choice string // for each number, two bytes: the place of its tracking number, from 1

// Choose finds the numbers for visitors of a source. The zero source is that of
// visitors of whom nothing is known.
func (p *Plan) Choose(source visit.Source) Choice {
	if source.Kind == "" || source.Kind == visit.Direct && !p.direct {
		return p.everyone
	}
	return p.choose(source)
}

func (p *Plan) choose(source visit.Source) Choice {
	f := factsOf(source)
	var chosen []byte
	for i, n := range p.numbers {
		for place, s := range n.static {
			if s.when.hold(&f) {
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

// Shown are the digits that the choice shows for each number, in the order in
// which these were added; empty for a number that stays.
func (p *Plan) Shown(c Choice) []string {
	shown := make([]string, len(p.numbers))
	for i := 0; 2*i+1 < len(c); i++ {
		if place := int(c[2*i])<<8 | int(c[2*i+1]); place > 0 {
			shown[i] = p.numbers[i].static[place-1].digits
		}
	}
	return shown
}
