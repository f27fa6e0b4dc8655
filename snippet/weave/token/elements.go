package token

import (
	"encoding/binary"
	"slices"
	"strings"
)

// Traits are the properties of an element that matter when text is read.
type Traits uint8

const (
	Breaks    Traits = 1 << iota // its tags end a line
	Void                         // it has no content and no end tag
	Control                      // its content is sent, not read
	Special                      // its tag has to be read, whatever its attributes are
	Structure                    // it holds elements, and no text of its own
)

// elements holds the elements with traits, in a hash table with one slot for each name and without collisions.
// longElements holds the few whose names are longer than a word.
var elements, longElements = gatherElements()

type element struct {
	name   Word
	traits Traits
}

// Slots is how many slots a table by names of elements has.
const Slots = 1 << slotBits

const (
	slotBits = 10
	slotHash = 0xf39d846be9c062b7 // found by trial; no two names of known elements share a slot
)

// Slot returns the name's place in a table by names of elements.
func (w Word) Slot() int { return int(uint64(w) * slotHash >> (64 - slotBits)) }

// Bit returns the bit that stands for the name in a set of names. Several names share a bit, so a set may hold more names
// than were put into it.
func (w Word) Bit() uint64 { return 1 << (uint(w.Slot()) / (Slots / 64)) }

// Traits returns the traits of the element of this name.
func (w Word) Traits() Traits {
	if e := &elements[w.Slot()]; e.name == w {
		return e.traits
	}
	return 0
}

// Traits returns the traits of the tag's element.
func (t *Tag) Traits() Traits {
	switch {
	case t.Cut:
		return 0
	case len(t.Name) > maxWord:
		return longElements[string(t.Name)]
	}
	var w Word
	for i := len(t.Name) - 1; i >= 0; i-- {
		w = w<<8 | Word(t.Name[i])
	}
	return w.Traits()
}

// BreaksLine says whether the tags of an element end a line. The name has to be in lower case. A number may go on
// behind the tags of all other elements.
func BreaksLine(name string) bool {
	t := Tag{Name: []byte(name)}
	return t.Traits()&Breaks != 0
}

// TagBreaksLine says whether the tag whose "<" is at p[i] ends a line. It looks at eleven bytes from p[i] on.
func TagBreaksLine(p []byte, i int) bool {
	x := binary.LittleEndian.Uint64(p[i+1:])
	if byte(x) == '/' {
		x >>= 8
	}
	w, _, next := WordAt(x)
	e := &elements[w.Slot()]
	if e.name != w || !EndsName(next) {
		w, _, _ = TagWord(p, i+1)
		return w.Traits()&Breaks != 0
	}
	return e.traits&Breaks != 0
}

// Names returns the names of the elements with one of these traits, sorted.
func Names(traits Traits) (names []string) {
	for _, e := range elements {
		if e.traits&traits != 0 {
			names = append(names, e.name.String())
		}
	}
	for name, t := range longElements {
		if t&traits != 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func gatherElements() (*[Slots]element, map[string]Traits) {
	all := make(map[string]Traits)
	for t, names := range map[Traits]string{
		Breaks: `address article aside audio blockquote body button canvas caption center col colgroup dd details
			dialog dir div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head
			header hgroup html legend li main map marquee menu meter nav object ol p picture pre progress search
			section slot summary table tbody td template text tfoot th thead tr ul video select option optgroup datalist
			script style title textarea xmp iframe noembed noframes noscript plaintext svg math foreignobject desc annotation-xml
			img input hr br frame embed source track link meta base param area`,
		Void:      "area base br col embed hr img input link meta param source track wbr frame keygen basefont bgsound",
		Structure: "table thead tbody tfoot tr colgroup ul ol dl menu select datalist picture video audio object svg math map template html head",
		Control:   "select option optgroup datalist",
		Special: `select option optgroup datalist script style title textarea xmp iframe noembed noframes noscript plaintext
			svg math foreignobject desc annotation-xml mi mo mn ms mtext picture`,
	} {
		for name := range strings.FieldsSeq(names) {
			all[name] |= t
		}
	}
	table, long := new([Slots]element), make(map[string]Traits)
	for name, traits := range all {
		if len(name) > maxWord {
			long[name] = traits
			continue
		}
		e := element{WordOf(name), traits}
		slot := &table[e.name.Slot()]
		if slot.name != 0 {
			panic("token: two elements in one slot: " + name) // the names and the hash are part of the program
		}
		*slot = e
	}
	return table, long
}
