// Package selector compiles CSS selectors of elements. It owns what they mean: for those that a stream can follow, a
// program that goes from an element to the elements in it, and for the others, a search of the whole page. The rules of
// a replacer compile them, and the tree asks the program at each tag.
package selector

import (
	"bytes"
	"slices"

	"github.com/andybalholm/cascadia"

	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// Program holds compiled selectors, each of a place, which is a number that means something to the caller. It does not
// change once it is prepared.
//
// Each selector that a stream can follow is a row of parts. "footer .contacts a.tel" has the parts "footer",
// ".contacts" and "a.tel". An element meets a part by itself if its name and its attributes fit. A part leads to an
// element if the element meets it by itself and the parts before it lead to elements around it. A selector chooses an
// element if its last part leads to it.
//
// Each part has a number, and the parts of a selector have consecutive numbers. So Program shifts the parts that lead
// to the elements around an element by one bit, and gets the parts that may lead to the element.
type Program struct {
	wholes []whole // the selectors that a stream cannot follow

	words      int // how many words of a set hold parts
	parts      []part
	conditions []condition
	keys       []string // names of the attributes that conditions are about
	begins     Parts    // the first parts of selectors
	below      Parts    // parts that have to be anywhere below the one before
	childs     Parts    // parts that have to be children of the one before
	firstChild Parts    // parts that have to be first children
	ends       Parts    // the last parts of selectors

	named   []bare // the parts that elements of a name meet by themselves if no condition is met
	unnamed Parts  // the same for all names that are not in named
	bares   Parts  // the union of named and unnamed
	alone   uint64 // tellers where no part leads to an open element
}

// bare holds the parts that an element of this name meets by itself if its attributes meet no condition.
type bare struct {
	name uint64
	own  Parts
}

// Parts is a set of parts or of conditions.
type Parts [2]uint64

// maxParts is how many parts and conditions there may be.
const maxParts = 64 * len(Parts{})

func (p *Parts) set(i int)      { p[i/64] |= 1 << (i % 64) }
func (p *Parts) has(i int) bool { return p[i/64]&(1<<(i%64)) != 0 }

func (p *Parts) holds(all *Parts) bool {
	for i := range p {
		if all[i]&^p[i] != 0 {
			return false
		}
	}
	return true
}

// Add compiles a selector of a place. It returns the error of a selector that does not parse.
func (p *Program) Add(text string, place int) error {
	parsed, err := cascadia.Compile(text)
	if err != nil {
		return err
	}
	if !p.add(text, place) {
		p.wholes = append(p.wholes, whole{parsed, place})
	}
	return nil
}

// add compiles a selector for the stream. It returns false if the stream cannot follow the selector exactly as goquery
// does, or if there is no room for it.
func (p *Program) add(text string, place int) bool {
	next := *p
	next.parts, next.conditions, next.keys = slices.Clip(p.parts), slices.Clip(p.conditions), slices.Clip(p.keys)
	r := reader{text: text, program: &next, place: place}
	for {
		if !r.selector() {
			return false
		}
		if r.rest() == "" {
			break
		}
		if !r.take(",") {
			return false
		}
	}
	*p = next
	return true
}

// Prepare has to be called when all selectors have been added. It fills in what the program knows of elements that meet
// no condition.
func (p *Program) Prepare() {
	name := func(k kind) {
		if k.name != 0 && !slices.ContainsFunc(p.named, func(b bare) bool { return b.name == k.name }) {
			p.named = append(p.named, bare{k.name, p.Own(k.name, &Parts{})})
		}
	}
	for _, c := range p.parts {
		name(c.kind)
		for _, k := range c.not {
			name(k)
		}
	}
	p.unnamed = p.Own(0, &Parts{})
	p.bares = p.unnamed
	for _, b := range p.named {
		for i := range b.own {
			p.bares[i] |= b.own[i]
		}
	}
	p.alone = p.Tellers(Parts{})
}

// Own returns the parts that an element meets by itself, by its [token.Tag.Number] and the conditions that its
// attributes meet.
func (p *Program) Own(name uint64, met *Parts) (own Parts) {
	for i := range p.parts {
		c := &p.parts[i]
		if c.has(name, met) && !slices.ContainsFunc(c.not, func(k kind) bool { return k.has(name, met) }) {
			own.set(i)
		}
	}
	return own
}

// Bare returns the parts that an element meets by itself if its attributes meet no condition.
func (p *Program) Bare(name uint64) Parts {
	for i := range p.named {
		if p.named[i].name == name {
			return p.named[i].own
		}
	}
	return p.unnamed
}

// Lead returns the parts that lead to an element. own are the parts that the element meets by itself. up are the parts
// that lead to its parent, and above those that lead to the parent or to an element around it.
func (p *Program) Lead(own, up, above *Parts, first bool) (here Parts) {
	var child, below uint64 // the highest bits of the word before
	for i := range p.words {
		found := own[i]
		if !first {
			found &^= p.firstChild[i]
		}
		here[i] = found & (p.begins[i] | p.below[i]&(above[i]<<1|below) | p.childs[i]&(up[i]<<1|child))
		child, below = up[i]>>63, above[i]>>63
	}
	return here
}

// Tellers returns the bits of the names of elements that a selector may choose even if no condition is met from here on,
// by them or by the elements around them; see [token.Word.Bit]. above are the parts that lead to the elements that are
// already open.
func (p *Program) Tellers(above Parts) (names uint64) {
	if above == (Parts{}) && p.alone != 0 {
		return p.alone
	}
	may := func(own Parts) (parts Parts) {
		carry := uint64(0)
		for i := range own {
			parts[i] = own[i] & (p.begins[i] | above[i]<<1 | carry)
			carry = above[i] >> 63
		}
		return parts
	}
	for met := may(p.bares); !above.holds(&met); met = may(p.bares) {
		for i := range met {
			above[i] |= met[i]
		}
	}
	led := may(p.unnamed)
	if p.Tells(&led) {
		return ^uint64(0)
	}
	for _, b := range p.named {
		if led = may(b.own); p.Tells(&led) {
			names |= token.Word(b.name).Bit()
		}
	}
	return names
}

// Tells says whether a selector chooses an element to which these parts lead.
func (p *Program) Tells(here *Parts) bool {
	for i := range here {
		if here[i]&p.ends[i] != 0 {
			return true
		}
	}
	return false
}

// Place returns the place of the first selector that chooses an element to which these parts lead and whose place is
// shown, or -1.
func (p *Program) Place(here *Parts, shown func(place int) bool) int {
	for i := range p.words {
		if here[i]&p.ends[i] == 0 {
			continue
		}
		for n := 64 * i; n < min(64*(i+1), len(p.parts)); n++ {
			if p.ends.has(n) && here.has(n) && shown(p.parts[n].place) {
				return p.parts[n].place
			}
		}
	}
	return -1
}

// Streams says whether a stream can follow a selector of a place that is shown.
func (p *Program) Streams(shown func(place int) bool) bool {
	return slices.ContainsFunc(p.parts, func(c part) bool { return shown(c.place) })
}

// Attribute adds to met the conditions that an attribute meets. If several attributes of a tag have the same name, the
// first counts. seen has a bit for each name but the lowest, which is the caller's. known is false if the value is not
// known for sure.
func (p *Program) Attribute(a *token.Attribute, met *Parts, seen *uint64) (known bool) {
	if a.NameCut {
		return true
	}
	key := -1
	for i, k := range p.keys {
		if k == string(a.Name) {
			key = i
		}
	}
	if key < 0 || *seen&(2<<key) != 0 {
		return true
	}
	*seen |= 2 << key
	value, known := a.Plain()
	if !known {
		return false
	}
	for i := range p.conditions {
		if c := &p.conditions[i]; c.key == p.keys[key] && c.meets(value) {
			met.set(i)
		}
	}
	return true
}

// Minds says whether an attribute may meet a condition.
func (p *Program) Minds(name, value []byte) bool {
	for i := range p.conditions {
		c := &p.conditions[i]
		if len(c.key) != len(name) || !token.HasPrefixFold(name, c.key) {
			continue
		}
		if c.meets(value) || bytes.IndexByte(value, '&') >= 0 || len(value) > token.MaxValue {
			return true
		}
	}
	return false
}

// Keys returns the names of the attributes that conditions are about.
func (p *Program) Keys() []string { return p.keys }

// Words returns for each condition a word that stands in every tag that meets it.
func (p *Program) Words() (words []string) {
	for _, c := range p.conditions {
		switch {
		case c.operator == "=", c.operator == "~=", len(c.value) > 2: // a shorter value may stand inside a word
			words = append(words, c.value)
		default:
			words = append(words, c.key)
		}
	}
	return words
}
