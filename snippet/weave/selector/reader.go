package selector

import (
	"strings"

	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// reader compiles selectors. It knows less of CSS than goquery, and reads nothing in another way than goquery does.
type reader struct {
	text    string
	at      int
	program *Program
	place   int
}

func (r *reader) rest() string { return r.text[r.at:] }

func (r *reader) take(s string) bool {
	if !strings.HasPrefix(r.rest(), s) {
		return false
	}
	r.at += len(s)
	return true
}

func (r *reader) spaces() bool {
	from := r.at
	for r.at < len(r.text) && token.IsSpace(r.text[r.at]) {
		r.at++
	}
	return r.at > from
}

// selector reads a selector up to a comma or to the end of the text.
func (r *reader) selector() bool {
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

// compound reads the name and the conditions of one element. whole is nil inside a :not().
func (r *reader) compound(k *kind, whole *part) bool {
	from := r.at
	if !r.take("*") {
		if name := r.identifier(); name != "" {
			k.name = token.NumberOf(strings.ToLower(name))
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

// nots reads the arguments of a :not().
func (r *reader) nots(whole *part) bool {
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

// attribute reads a condition behind its "[".
func (r *reader) attribute(c *condition) bool {
	r.spaces()
	if c.key = strings.ToLower(r.identifier()); c.key == "" || len(c.key) > token.MaxName {
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

// identifier reads a CSS identifier of ASCII letters, digits, "-" and "_". It returns "" if there is none.
func (r *reader) identifier() string {
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

func (r *reader) identifierFollows() bool {
	if r.at == len(r.text) {
		return false
	}
	c := r.text[r.at]
	return token.IsLetter(c) || '0' <= c && c <= '9' || c == '-' || c == '_'
}
