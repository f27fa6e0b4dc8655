package weave

import (
	"bytes"
	"slices"
)

// program is what the selectors are compiled to that can be told while the page streams by. Each selector is a row of
// parts, "footer", ".contacts" and "a.tel" of "footer .contacts a.tel". A part has a number, and the parts of a selector
// have numbers that follow each other; so what has been met around an element is shifted by one to find out which parts may be
// met by the element itself.
type program struct {
	words      int // of parts that are in use
	parts      []part
	conditions []condition
	keys       []string // the attributes that conditions are about
	begins     parts    // the first parts of their selectors
	below      parts    // parts that are anywhere below the one before
	childs     parts    // parts that are children of the one before
	firstChild parts    // parts that are the first children of their parents
	ends       parts    // the last parts, which name the elements themselves

	named    []bare // by name, what elements without a condition met are
	unnamed  parts  // and those of all other names
	bares    parts  // all of these
	alone    uint64 // the tellers where no part has been met
	presence bool   // an attribute without a value may meet a condition
}

// bare is what an element of a name is by itself when it meets no condition.
type bare struct {
	name uint64
	own  parts
}

// prepare finds out what elements are that meet no condition.
func (p *program) prepare() {
	own := func(name uint64) parts {
		t := token{name: name}
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
	p.presence = slices.ContainsFunc(p.conditions, func(c condition) bool { return c.operator == "" })
}

// bare gives what an element is by itself that meets no condition.
func (p *program) bare(name uint64) parts {
	for i := range p.named {
		if p.named[i].name == name {
			return p.named[i].own
		}
	}
	return p.unnamed
}

// tellers are the names of which an element may be told that meets no condition, and around which up to some that
// meet none are open. Around these, above has been met. One name may stand for others.
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
			names |= word(b.name).teller()
		}
	}
	return names
}

// tells says whether an element to which these parts lead is named by a selector.
func (p *program) tells(here *parts) bool {
	for i := range here {
		if here[i]&p.ends[i] != 0 {
			return true
		}
	}
	return false
}

// teller is the name's bit among tellers.
func (w word) teller() uint64 { return 1 << (w.slot() >> (elementBits - 6)) }

// minds says whether an attribute may meet a condition.
func (p *program) minds(name, value []byte) bool {
	for i := range p.conditions {
		c := &p.conditions[i]
		if len(c.key) != len(name) || !hasPrefixFold(name, c.key) {
			continue
		}
		if c.meets(value) || bytes.IndexByte(value, '&') >= 0 || len(value) > maxValue {
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

// part is a part of a selector.
type part struct {
	kind
	not   []kind
	place int // that the selector tells, in its last part
}

// kind is a kind of element: of one name, unless that is 0, whose attributes meet conditions.
type kind struct {
	name uint64
	need parts
}

func (k *kind) has(t *token) bool {
	return (k.name == 0 || k.name == t.name) && t.met.holds(&k.need)
}

// condition is one on an attribute.
type condition struct {
	key      string
	operator string // as CSS writes it, or nothing
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

// includes says whether a word is in a list with spaces between.
func includes(list []byte, word string) bool {
	for from := 0; ; {
		i := bytes.Index(list[from:], []byte(word))
		if i < 0 {
			return false
		}
		start := from + i
		end := start + len(word)
		if (start == 0 || isSpace(list[start-1])) && (end == len(list) || isSpace(list[end])) {
			return true
		}
		from = start + 1
	}
}

// attribute finds the conditions that an attribute meets. Of several with a name, the first counts: seen has a bit for each key.
func (p *program) attribute(t *token, at *attribute, seen *uint64) {
	if at.nameCut {
		return
	}
	key := -1
	for i, k := range p.keys {
		if k == string(at.name) {
			key = i
		}
	}
	if key < 0 || *seen&(2<<key) != 0 {
		return
	}
	*seen |= 2 << key
	value, known := plainValue(at)
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

// judge finds the parts that the token meets by itself.
func (p *program) judge(t *token) {
	t.own = parts{}
	for i := range p.parts {
		c := &p.parts[i]
		if c.has(t) && !slices.ContainsFunc(c.not, func(k kind) bool { return k.has(t) }) {
			t.own.set(i)
		}
	}
}

// place gives the first place that an element is to which these parts lead, and that number shows, or -1.
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

// add compiles a selector for the place. It says whether it could: no others mean the same in the stream
// as in a parsed page, and there is room for so many.
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

// condition gives the number of a condition, or -1 where there is no room for it.
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
