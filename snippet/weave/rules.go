package weave

import (
	"maps"
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/snippet/phone"
	"github.com/seed-3405227d/frontdesk/snippet/phone/plan"
	"github.com/seed-3405227d/frontdesk/snippet/weave/selector"
	"github.com/seed-3405227d/frontdesk/snippet/weave/sweep"
)

// Number says where a page shows a number of a set other than by its writings in text.
type Number struct {
	// Targets are elements whose content is the number: "#id", ".class" or "[name=value]". Selectors are CSS selectors
	// of such elements.
	Targets, Selectors []string
	// Pictures are images of the number, each given by a target or a selector.
	Pictures []string
}

// Tracking is a number that replaces another one. Its text also replaces the content of a target that shows no writing
// of the other number.
type Tracking struct {
	*plan.Number
	// Pictures are the addresses of the number's images, in the order of [Number.Pictures].
	Pictures []string
}

// Shown are the tracking numbers that a visitor sees, in the order of the rules' numbers. It may be shorter. A number
// whose entry is nil or missing stays as it is printed.
type Shown []*Tracking

// of returns what replaces the number, or nil.
func (s Shown) of(number int) *Tracking {
	if number < len(s) {
		return s[number]
	}
	return nil
}

// appendNumbers appends the numbers in the form that package phone needs.
func (s Shown) appendNumbers(numbers phone.Shown) phone.Shown {
	for _, t := range s {
		var n *plan.Number
		if t != nil {
			n = t.Number
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// Rules are a compiled set of numbers and their places. They are immutable and may be shared.
type Rules struct {
	set     *phone.Set
	ids     []string // "number=DIGITS" by number
	places  []place
	byID    map[string]int // index in places
	byName  map[string]int
	classes []class
	program selector.Program
	search  *sweep.Search

	messengers bool // links that write to a number change, too
}

// place is a kind of element whose content is a number.
type place struct {
	number  int
	id      string // as configured
	picture int    // index among the number's pictures, or -1 for a place of text
}

type class struct {
	name  string
	place int
}

// Compile prepares the places of numbers, which are in the order of the set. messengers says that links which write to
// a number change as those do that call it. It returns the error of the first selector that does not parse.
func Compile(set *phone.Set, numbers []Number, messengers bool) (*Rules, error) {
	r := &Rules{set: set, byID: make(map[string]int), byName: make(map[string]int), messengers: messengers}
	for i, n := range numbers {
		r.ids = append(r.ids, "number="+set.Number(i).Digits())
		for _, target := range append(slices.Clip(n.Targets), n.Selectors...) {
			if err := r.add(place{number: i, id: target, picture: -1}); err != nil {
				return nil, err
			}
		}
		for k, id := range n.Pictures {
			if err := r.add(place{number: i, id: id, picture: k}); err != nil {
				return nil, err
			}
		}
	}
	r.program.Prepare()
	r.search = r.newSearch(set.LeastInText())
	return r, nil
}

// always is what every sweep stops at: to make it takes longer than all else of a site.
var always = sweep.NewSearch("contenteditable", "data-svc-noswap", "itemprop")

// newSearch says what a sweep of a page stops at.
func (r *Rules) newSearch(least int) *sweep.Search {
	words := r.program.Words()
	words = slices.AppendSeq(words, maps.Keys(r.byID))
	words = slices.AppendSeq(words, maps.Keys(r.byName))
	for _, c := range r.classes {
		words = append(words, c.name)
	}
	return always.With(least, words, r.program.Keys())
}

func (r *Rules) add(p place) error {
	i := len(r.places)
	r.places = append(r.places, p)
	switch kind, name := Target(p.id); kind {
	case '#':
		r.byID[name] = i
	case '.':
		r.classes = append(r.classes, class{name, i})
	case '[':
		r.byName[name] = i
	default:
		return r.program.Add(p.id, i)
	}
	return nil
}

// Target splits a place that a single tag shows into its kind, "#", "." or "[", and its id, class or name. For any
// other place, kind is 0.
func Target(place string) (kind byte, name string) {
	switch {
	case strings.HasPrefix(place, "#"), strings.HasPrefix(place, "."):
		kind, name = place[0], place[1:]
	case strings.HasPrefix(place, "[name=") && strings.HasSuffix(place, "]"):
		kind, name = '[', strings.Trim(place[len("[name="):len(place)-1], `"'`)
	}
	if name == "" || strings.ContainsAny(name, " \t\r\n\f.#[]()>+~:,*\"'=<>&\\") {
		return 0, ""
	}
	return kind, name
}

// ID returns the name of number i in [Replaced.ID]: "number=DIGITS".
func (r *Rules) ID(i int) string { return r.ids[i] }

// Scripts returns a function for the browser's script. The function appends number i of shown as
// [phone.Set.AppendScript] does.
func (r *Rules) Scripts(shown Shown) func(b []byte, i int) []byte {
	numbers := shown.appendNumbers(nil)
	return func(b []byte, i int) []byte { return r.set.AppendScript(b, i, numbers) }
}

// NeedsWhole says whether a shown number has a selector that the stream cannot follow. [Replacer.Choose] finds the
// elements of such selectors in the whole page.
func (r *Rules) NeedsWhole(shown Shown) bool {
	return r.program.NeedsWhole(func(place int) bool { return r.shows(shown, place) })
}

// shows says whether the number of a place is replaced.
func (r *Rules) shows(shown Shown, place int) bool { return shown.of(r.places[place].number) != nil }

// placeByClass returns the place of a shown number for an element with this class attribute, or -1.
func (r *Rules) placeByClass(value []byte, shown Shown) int {
	for _, c := range r.classes {
		if r.shows(shown, c.place) && selector.Includes(value, c.name) {
			return c.place
		}
	}
	return -1
}
