package weave

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"

	"github.com/seed-3405227d/frontdesk/snippet/phone"
)

// Number says where a number of a set stands, beside its writings in the text.
type Number struct {
	// Targets are elements whose content is the number: "#id", ".class" or
	// "[name=value]". Selectors tell such elements by CSS.
	Targets, Selectors []string
	// Pictures are the images of the number, each a target or a selector.
	Pictures []string
}

// Tracking is a number that is shown in the place of another one. What a target
// shows becomes its text where that is no writing of the number.
type Tracking struct {
	*phone.Number
	// Pictures are the addresses of its pictures, in the order of [Number.Pictures].
	Pictures []string
}

// Shown are the tracking numbers that a visitor sees, in the order of the rules'
// numbers; nil for a number that stays as it is printed.
type Shown []*Tracking

// of is what stands for the number, or nil.
func (s Shown) of(number int) *Tracking {
	if number < len(s) {
		return s[number]
	}
	return nil
}

// appendNumbers appends them as package phone takes them.
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

// Rules are what is searched in pages: a compiled set of numbers, with their places.
// They are immutable and may be shared.
type Rules struct {
	set       *phone.Set
	ids       []string // by number: "number=DIGITS"
	places    []place
	byID      map[string]int // into places
	byName    map[string]int
	classes   []class
	program   program      // the selectors that are found as the page streams by
	selectors []selector   // the others, for which a page is parsed
	least     int          // digits that a number in text has
	prints    fingerprints // of what is of account in tags
	marks     []trigram    // those of words
}

// place is a kind of element whose content is a number.
type place struct {
	number  int
	id      string // as it is configured
	picture int    // which of the number's pictures, or -1 for a place of text
}

type class struct {
	name  string
	place int
}

type selector struct {
	goquery.Matcher
	place int
}

// Compile prepares the places of numbers, which are those of the set in its order. The
// error says which selector does not parse.
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

// fingerprint prepares to find tags that may be of account.
func (r *Rules) fingerprint() {
	r.prints = *specialPrints
	words := []string{"contenteditable", "data-svc-noswap", "itemprop"}
	words = slices.AppendSeq(words, maps.Keys(r.byID))
	words = slices.AppendSeq(words, maps.Keys(r.byName))
	for _, c := range r.classes {
		words = append(words, c.name)
	}
	for _, c := range r.program.conditions {
		switch c.operator {
		case "=", "~=":
			words = append(words, c.value)
		default: // the value may stand within a word
			words = append(words, c.key)
		}
	}
	slices.Sort(words)
	for _, word := range slices.Compact(words) {
		r.marks = append(r.marks, r.prints.add(groupsNames, groupsAll, ofValue(word), usualValues))
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

// Target splits a place that can be told by one tag alone into its kind, which is
// its first byte, and the id, class or name. For any other place the kind is 0.
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

// ID names number i in what has been [Replaced]: "number=DIGITS".
func (r *Rules) ID(i int) string { return r.ids[i] }

// Scripts gives what appends number i of those that are shown for the browser's script, as
// [phone.Set.AppendScript] does.
func (r *Rules) Scripts(shown Shown) func(b []byte, i int) []byte {
	numbers := shown.appendNumbers(nil)
	return func(b []byte, i int) []byte { return r.set.AppendScript(b, i, numbers) }
}

// NeedsWhole says whether there are places of what is shown that cannot be told before
// the whole page is known: those of selectors that cannot be told as the page streams by. They are found by [Replacer.Choose].
func (r *Rules) NeedsWhole(shown Shown) bool {
	return slices.ContainsFunc(r.selectors, func(s selector) bool { return shown.of(r.places[s.place].number) != nil })
}

// follows says whether there are places of what is shown that are told by selectors as the page streams by.
func (r *Rules) follows(shown Shown) bool {
	return slices.ContainsFunc(r.program.parts, func(p part) bool { return shown.of(r.places[p.place].number) != nil })
}

// placeByClass finds the place of what is shown for an element with this class
// attribute, or -1.
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
			if (start == 0 || isSpace(value[start-1])) && (end == len(value) || isSpace(value[end])) {
				return c.place
			}
			from = start + 1
		}
	}
	return -1
}
