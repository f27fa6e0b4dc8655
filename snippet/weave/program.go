package weave

import (
	"bytes"
	"slices"
	"strings"
)

// program is what the selectors are compiled to that can be told while the page streams by. Each selector is a row of
// parts, "footer", ".contacts" and "a.tel" of "footer .contacts a.tel". A part has a number, and the parts of a selector
// have numbers that follow each other; so what has been met around an element is shifted by one to find out which parts may be
// met by the element itself.
type program struct {
	words      int // of parts that are in use
	count      int
	parts      []part
	conditions []condition
	keys       []string // the attributes that conditions are about
	begins     parts    // the first parts of their selectors
	below      parts    // parts that are anywhere below the one before
	childs     parts    // parts that are children of the one before
	firstChild parts    // parts that are the first children of their parents
	ends       parts    // the last parts, which name the elements themselves
}

// parts is a set of parts or of conditions.
type parts [4]uint64

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

// selectorReader reads the selectors that are compiled: it knows less of CSS than goquery, and nothing that goquery
// would read in another way.
type selectorReader struct {
	text    string
	at      int
	program *program
	place   int
}

func (r *selectorReader) rest() string { return r.text[r.at:] }

func (r *selectorReader) take(s string) bool {
	if !strings.HasPrefix(r.rest(), s) {
		return false
	}
	r.at += len(s)
	return true
}

func (r *selectorReader) spaces() bool {
	from := r.at
	for r.at < len(r.text) && isSpace(r.text[r.at]) {
		r.at++
	}
	return r.at > from
}

// selector reads a row of parts, up to a comma or to the end.
func (r *selectorReader) selector() bool {
	p := r.program
	set := &p.begins
	r.spaces()
	for {
		n := len(p.parts)
		if n == maxParts {
			return false
		}
		c := part{place: r.place}
		if !r.compound(&c.kind, &c) {
			return false
		}
		p.parts = append(p.parts, c)
		p.words = n/64 + 1
		set.set(n)
		space := r.spaces()
		switch {
		case r.take(">"):
			set = &p.childs
			r.spaces()
		case r.rest() == "", r.text[r.at] == ',':
			p.ends.set(n)
			return true
		case space:
			set = &p.below
		default:
			return false
		}
	}
}

// compound reads conditions on one element. whole is nil within a :not().
func (r *selectorReader) compound(k *kind, whole *part) bool {
	from := r.at
	if !r.take("*") {
		if name := r.identifier(); name != "" {
			k.name = nameOf(strings.ToLower(name))
		}
	}
	for {
		c := condition{}
		switch {
		case r.take("#"):
			c = condition{"id", "=", r.identifier()}
		case r.take("."):
			c = condition{"class", "~=", r.identifier()}
		case r.take("["):
			if !r.attribute(&c) {
				return false
			}
		case whole != nil && r.take(":first-child"):
			if r.identifierFollows() {
				return false
			}
			r.program.firstChild.set(len(r.program.parts))
			continue
		case whole != nil && r.take(":not("):
			if !r.nots(whole) {
				return false
			}
			continue
		default:
			return r.at > from
		}
		if c.operator != "" && c.value == "" {
			return false
		}
		if c.operator == "!=" {
			if whole == nil {
				return false
			}
			c.operator = "="
			n := r.program.condition(c)
			if n < 0 {
				return false
			}
			var not kind
			not.need.set(n)
			whole.not = append(whole.not, not)
			continue
		}
		n := r.program.condition(c)
		if n < 0 {
			return false
		}
		k.need.set(n)
	}
}

// nots reads what an element is not to be.
func (r *selectorReader) nots(whole *part) bool {
	for {
		var not kind
		r.spaces()
		if !r.compound(&not, nil) {
			return false
		}
		whole.not = append(whole.not, not)
		r.spaces()
		if r.take(")") {
			return true
		}
		if !r.take(",") {
			return false
		}
	}
}

// attribute reads a condition behind its bracket.
func (r *selectorReader) attribute(c *condition) bool {
	r.spaces()
	if c.key = strings.ToLower(r.identifier()); c.key == "" || len(c.key) > maxName {
		return false
	}
	r.spaces()
	if r.take("]") {
		return true
	}
	for _, operator := range [...]string{"=", "!=", "~=", "|=", "^=", "$=", "*="} {
		if r.take(operator) {
			c.operator = operator
			break
		}
	}
	r.spaces()
	quote := ""
	for _, q := range [...]string{`"`, `'`} {
		if r.take(q) {
			quote = q
		}
	}
	if quote == "" {
		c.value = r.identifier()
	} else {
		n := strings.Index(r.rest(), quote)
		if n < 0 || strings.ContainsAny(r.rest()[:n], "\\\n\r\f\x00") {
			return false
		}
		c.value = r.rest()[:n]
		r.at += n + 1
	}
	r.spaces()
	return c.operator != "" && !(c.operator == "~=" && strings.ContainsAny(c.value, " \t")) && r.take("]")
}

// identifier reads a name of the usual letters.
func (r *selectorReader) identifier() string {
	from := r.at
	for r.identifierFollows() {
		r.at++
	}
	name := r.text[from:r.at]
	if first := strings.TrimLeft(name, "-"); first == "" || '0' <= first[0] && first[0] <= '9' || len(name)-len(first) > 1 {
		r.at = from
		return ""
	}
	return name
}

func (r *selectorReader) identifierFollows() bool {
	if r.at == len(r.text) {
		return false
	}
	c := r.text[r.at]
	return isLetter(c) || '0' <= c && c <= '9' || c == '-' || c == '_'
}
