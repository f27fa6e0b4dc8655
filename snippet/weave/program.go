package weave

import (
	"bytes"
	"slices"

	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// program holds the compiled selectors that the stream can follow. Each selector is a row of parts. "footer .contacts
// a.tel" has the parts "footer", ".contacts" and "a.tel".
//
// An element meets a part by itself if its name and its attributes fit. A part leads to an element if the element meets
// it by itself and the parts before it lead to elements around it. A selector chooses an element if its last part leads
// to it.
//
// Each part has a number, and the parts of a selector have consecutive numbers. So program shifts the parts that lead
// to the elements around an element by one bit, and gets the parts that may lead to the element.
type program struct {
	words      int // how many words of a set hold parts
	parts      []part
	conditions []condition
	keys       []string // names of the attributes that conditions are about
	begins     parts    // the first parts of selectors
	below      parts    // parts that have to be anywhere below the one before
	childs     parts    // parts that have to be children of the one before
	firstChild parts    // parts that have to be first children
	ends       parts    // the last parts of selectors

	named   []bare // the parts that elements of a name meet by themselves if no condition is met
	unnamed parts  // the same for all names that are not in named
	bares   parts  // the union of named and unnamed
	alone   uint64 // tellers where no part leads to an open element
}

// bare holds the parts that an element of this name meets by itself if its attributes meet no condition.
type bare struct {
	name uint64
	own  parts
}

// prepare fills in what the program knows of elements that meet no condition.
func (p *program) prepare() {
	own := func(name uint64) parts {
		t := tag{name: name}
		p.judge(&t)
		return t.own
	}
	name := func(k kind) {
		if k.name != 0 && !slices.ContainsFunc(p.named, func(b bare) bool { return b.name == k.name }) {
			p.named = append(p.named, bare{k.name, own(k.name)})
		}
	}
	for _, c := range p.parts {
		name(c.kind)
		for _, k := range c.not {
			name(k)
		}
	}
	p.unnamed = own(0)
	p.bares = p.unnamed
	for _, b := range p.named {
		for i := range b.own {
			p.bares[i] |= b.own[i]
		}
	}
	p.alone = p.tellers(parts{})
}

// bare returns the parts that an element of this name meets by itself if its attributes meet no condition.
func (p *program) bare(name uint64) parts {
	for i := range p.named {
		if p.named[i].name == name {
			return p.named[i].own
		}
	}
	return p.unnamed
}

// tellers returns the names of elements that a selector may choose even if no condition is met from here on, by them or
// by the elements around them. above are the parts that lead to the elements that are already open. Several names may
// share a bit, so the result may hold more names.
func (p *program) tellers(above parts) (names uint64) {
	if above == (parts{}) && p.alone != 0 {
		return p.alone
	}
	may := func(own parts) (parts parts) {
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
	told := may(p.unnamed)
	if p.tells(&told) {
		return ^uint64(0)
	}
	for _, b := range p.named {
		if told = may(b.own); p.tells(&told) {
			names |= token.Word(b.name).Bit()
		}
	}
	return names
}

// tells says whether a selector chooses an element to which these parts lead.
func (p *program) tells(here *parts) bool {
	for i := range here {
		if here[i]&p.ends[i] != 0 {
			return true
		}
	}
	return false
}

// minds says whether an attribute may meet a condition.
func (p *program) minds(name, value []byte) bool {
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

// parts is a set of parts or of conditions.
type parts [2]uint64

// maxParts is how many parts and conditions there may be.
const maxParts = 64 * len(parts{})

func (p *parts) set(i int)      { p[i/64] |= 1 << (i % 64) }
func (p *parts) has(i int) bool { return p[i/64]&(1<<(i%64)) != 0 }

func (p *parts) holds(all *parts) bool {
	for i := range p {
		if all[i]&^p[i] != 0 {
			return false
		}
	}
	return true
}

// part is a part of a selector: a kind of element, and kinds that the element must not be.
type part struct {
	kind
	not   []kind
	place int // the place that the selector means, in its last part
}

// kind is a kind of element. The element has this name, unless the name is 0, and its attributes meet the conditions in
// need.
type kind struct {
	name uint64
	need parts
}

func (k *kind) has(t *tag) bool {
	return (k.name == 0 || k.name == t.name) && t.met.holds(&k.need)
}

// condition is a condition on an attribute.
type condition struct {
	key      string
	operator string // as CSS writes it; empty if the attribute only has to be there
	value    string
}

func (c *condition) meets(value []byte) bool {
	switch c.operator {
	case "":
		return true
	case "=":
		return string(value) == c.value
	case "~=":
		return includes(value, c.value)
	case "|=":
		rest, found := bytes.CutPrefix(value, []byte(c.value))
		return found && (len(rest) == 0 || rest[0] == '-')
	}
	if len(bytes.TrimSpace(value)) == 0 {
		return false
	}
	switch c.operator {
	case "^=":
		return bytes.HasPrefix(value, []byte(c.value))
	case "$=":
		return bytes.HasSuffix(value, []byte(c.value))
	}
	return bytes.Contains(value, []byte(c.value))
}

// includes says whether a word is in a list of words with spaces between.
func includes(list []byte, word string) bool {
	for from := 0; ; {
		i := bytes.Index(list[from:], []byte(word))
		if i < 0 {
			return false
		}
		start := from + i
		end := start + len(word)
		if (start == 0 || token.IsSpace(list[start-1])) && (end == len(list) || token.IsSpace(list[end])) {
			return true
		}
		from = start + 1
	}
}

// attribute adds the conditions that an attribute meets to the token. If several attributes have the same name, the
// first counts. seen has a bit for each name.
func (p *program) attribute(t *tag, at *token.Attribute, seen *uint64) {
	if at.NameCut {
		return
	}
	key := -1
	for i, k := range p.keys {
		if k == string(at.Name) {
			key = i
		}
	}
	if key < 0 || *seen&(2<<key) != 0 {
		return
	}
	*seen |= 2 << key
	value, known := at.Plain()
	if !known {
		t.dim = true
		return
	}
	for i := range p.conditions {
		if c := &p.conditions[i]; c.key == p.keys[key] && c.meets(value) {
			t.met.set(i)
		}
	}
}

// judge sets the parts that the token meets by itself.
func (p *program) judge(t *tag) {
	t.own = parts{}
	for i := range p.parts {
		c := &p.parts[i]
		if c.has(t) && !slices.ContainsFunc(c.not, func(k kind) bool { return k.has(t) }) {
			t.own.set(i)
		}
	}
}

// place returns the place of the first selector whose last part is in told and whose place is shown, or -1.
func (p *program) place(told *parts, shown func(place int) bool) int {
	for i := range p.words {
		if told[i]&p.ends[i] == 0 {
			continue
		}
		for n := 64 * i; n < min(64*(i+1), len(p.parts)); n++ {
			if p.ends.has(n) && told.has(n) && shown(p.parts[n].place) {
				return p.parts[n].place
			}
		}
	}
	return -1
}

// add compiles a selector for the place. It returns false if the stream cannot follow the selector exactly as goquery
// does, or if there is no room for it.
func (p *program) add(text string, place int) bool {
	next := *p
	next.parts, next.conditions, next.keys = slices.Clip(p.parts), slices.Clip(p.conditions), slices.Clip(p.keys)
	r := selectorReader{text: text, program: &next, place: place}
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

// condition returns the number of a condition, or -1 if there is no room for it.
func (p *program) condition(c condition) int {
	if i := slices.Index(p.conditions, c); i >= 0 {
		return i
	}
	if !slices.Contains(p.keys, c.key) {
		if len(p.keys) == maxKeys {
			return -1
		}
		p.keys = append(p.keys, c.key)
	}
	if p.conditions = append(p.conditions, c); len(p.conditions) > maxParts {
		return -1
	}
	return len(p.conditions) - 1
}

const maxKeys = 32
