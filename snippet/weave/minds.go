package weave

import (
	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/weave/link"
)

// minder says which attributes matter to the numbers that are shown.
type minder struct {
	rules  *Rules
	shown  Shown
	follow bool // selectors need the page's tree
	wide   bool // some digits begin with a byte above ASCII
}

// Minds says whether a tag has to be read because of this attribute.
func (m *minder) Minds(name, value []byte) bool {
	if m.follow && m.rules.program.Minds(name, value) {
		return true
	}
	switch len(name) {
	case 2: // id
		if len(m.rules.byID) > 0 && name[0]|0x20 == 'i' {
			_, known := m.rules.byID[string(value)]
			return known
		}
	case 3: // alt
		return name[0]|0x20 == 'a' && m.figures(value)
	case 4: // href, name
		switch name[0] | 0x20 {
		case 'h':
			return m.mindsLink(value)
		case 'n':
			return len(m.rules.byName) > 0
		}
	case 5: // title, class
		switch name[0] | 0x20 {
		case 't':
			return m.figures(value)
		case 'c':
			return len(m.rules.classes) > 0 && m.rules.placeByClass(value, m.shown) >= 0
		}
	case 7: // content
		return name[0]|0x20 == 'c' && m.figures(value)
	case 8: // itemprop
		return name[0]|0x20 == 'i'
	case 10: // aria-label
		return name[0]|0x20 == 'a' && m.figures(value)
	case 15: // contenteditable, data-svc-noswap
		c := name[0] | 0x20
		return c == 'c' || c == 'd'
	}
	return false
}

// figures says whether a value has enough digits for a number.
func (m *minder) figures(value []byte) bool {
	n := 0
	for i, c := range value {
		if '0' <= c && c <= '9' || c >= 0xD9 && m.wide && char.IsWideDigit(value[i:]) {
			n++
		}
	}
	return n >= m.rules.search.Least()
}

// mindsLink says whether an address has a number that may change. Addresses on the same site hold none.
func (m *minder) mindsLink(value []byte) bool {
	if len(value) < 4 {
		return false
	}
	switch c := value[0] | 0x20; {
	case c == '/' && value[1] != '/', c == 'h' && !m.figures(value):
		return false
	case c == 't', c == 's', c == 'c', c == 'w', c == 'v', c == '/', c == 'h', value[0] <= ' ':
		l, found := link.Find(value)
		return found && (!l.Writes || m.rules.messengers)
	}
	return false
}
