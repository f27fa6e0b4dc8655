package weave

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"

	"github.com/seed-3405227d/frontdesk/snippet/phone"
	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
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
	*phone.Number
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
		var n *phone.Number
		if t != nil {
			n = t.Number
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// Rules are a compiled set of numbers and their places. They are immutable and may be shared.
type Rules struct {
	set       *phone.Set
	ids       []string // "number=DIGITS" by number
	places    []place
	byID      map[string]int // index in places
	byName    map[string]int
	classes   []class
	program   program      // the selectors that the stream can follow
	selectors []selector   // the other selectors, which need the whole page
	least     int          // the least digits of a number in text
	prints    fingerprints // fingerprints of the words that matter in tags
	marks     []mark       // one for each of these words
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

type selector struct {
	goquery.Matcher
	place int
}

// Compile prepares the places of numbers, which are in the order of the set. It returns the error of the first selector
// that does not parse.
func Compile(set *phone.Set, numbers []Number) (*Rules, error) {
	r := &Rules{set: set, least: set.Least(), byID: make(map[string]int), byName: make(map[string]int)}
	for i, n := range numbers {
		r.ids = append(r.ids, "number="+set.Number(i).Digits())
		for _, target := range append(n.Targets[:len(n.Targets):len(n.Targets)], n.Selectors...) {
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
	r.program.prepare()
	r.fingerprint()
	return r, nil
}

// fingerprint prepares the search for tags that may matter.
func (r *Rules) fingerprint() {
	r.prints = *specialPrints
	words := []string{"contenteditable", "data-svc-noswap", "itemprop"}
	words = slices.AppendSeq(words, maps.Keys(r.byID))
	words = slices.AppendSeq(words, maps.Keys(r.byName))
	for _, c := range r.classes {
		words = append(words, c.name)
	}
	for _, c := range r.program.conditions {
		switch {
		case c.operator == "=", c.operator == "~=", len(c.value) > 2: // a shorter value may stand inside a word
			words = append(words, c.value)
		default:
			words = append(words, c.key)
		}
	}
	slices.Sort(words)
	for _, word := range slices.Compact(words) {
		found := r.prints.add(groupsNames, groupsAll, ofValue(word), usualValues)
		r.marks = append(r.marks, found.mark())
	}
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
		parsed, err := cascadia.Compile(p.id)
		if err != nil {
			return err
		}
		if !r.program.add(p.id, i) {
			r.selectors = append(r.selectors, selector{parsed, i})
		}
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
	return slices.ContainsFunc(r.selectors, func(s selector) bool { return shown.of(r.places[s.place].number) != nil })
}

// follows says whether a shown number has a selector that the stream follows.
func (r *Rules) follows(shown Shown) bool {
	return slices.ContainsFunc(r.program.parts, func(p part) bool { return shown.of(r.places[p.place].number) != nil })
}

// placeByClass returns the place of a shown number for an element with this class attribute, or -1.
func (r *Rules) placeByClass(value []byte, shown Shown) int {
	for _, c := range r.classes {
		if shown.of(r.places[c.place].number) == nil {
			continue
		}
		for from := 0; ; {
			i := bytes.Index(value[from:], []byte(c.name))
			if i < 0 {
				break
			}
			start := from + i
			end := start + len(c.name)
			if (start == 0 || token.IsSpace(value[start-1])) && (end == len(value) || token.IsSpace(value[end])) {
				return c.place
			}
			from = start + 1
		}
	}
	return -1
}
