package weave

import "strings"

// traits are what counts of an element when text is read.
type traits uint8

const (
	breaks    traits = 1 << iota // a line ends at its tags
	void                         // has no content and no end tag
	control                      // what stands in it is sent, not read
	special                      // its tag has to be read, whatever its attributes
	structure                    // holds elements alone, no text
)

// word is a name of at most eight bytes, lower case, as a number.
type word uint64

func wordOf(name string) (w word) {
	for i := len(name) - 1; i >= 0; i-- {
		w = w<<8 | word(lower(name[i]))
	}
	return w
}

// String is the name.
func (w word) String() string {
	var b []byte
	for ; w != 0; w >>= 8 {
		b = append(b, byte(w))
	}
	return string(b)
}

// maxWord is how long a name may be to be a word.
const maxWord = 8

// elements finds the traits of the elements that have any. The few whose names
// are no words are in longElements.
var elements, longElements = gatherElements()

// elementTable is a hash table with one slot for each name and no collisions.
type elementTable [1 << elementBits]struct {
	name   word
	traits traits
}

const (
	elementBits = 9
	elementHash = 0xb4facecca5bfcd61 // found by trial: it leaves no two names in one slot
)

func (w word) slot() int { return int(uint64(w) * elementHash >> (64 - elementBits)) }

// of gives the traits of the element, none for one that is unknown.
func (t *elementTable) of(w word) traits {
	if e := &t[w.slot()]; e.name == w {
		return e.traits
	}
	return 0
}

func gatherElements() (*elementTable, map[string]traits) {
	all := make(map[string]traits)
	for t, names := range map[traits]string{
		breaks: `address article aside audio blockquote body button canvas caption center col colgroup dd details
			dialog dir div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head
			header hgroup html legend li main map marquee menu meter nav object ol p picture pre progress search
			section slot summary table tbody td template text tfoot th thead tr ul video select option optgroup datalist
			script style title textarea xmp iframe noembed noframes noscript plaintext svg math foreignobject desc annotation-xml
			img input hr br frame embed source track link meta base param area`,
		void:      "area base br col embed hr img input link meta param source track wbr frame keygen basefont bgsound",
		structure: "table thead tbody tfoot tr colgroup ul ol dl menu select datalist picture video audio object svg math map template html head",
		control:   "select option optgroup datalist",
		special: `select option optgroup datalist script style title textarea xmp iframe noembed noframes noscript plaintext
			svg math foreignobject desc annotation-xml mi mo mn ms mtext picture`,
	} {
		for name := range strings.FieldsSeq(names) {
			all[name] |= t
		}
	}
	table, long := new(elementTable), make(map[string]traits)
	for name, t := range all {
		if len(name) > maxWord {
			long[name] = t
			continue
		}
		w := wordOf(name)
		e := &table[w.slot()]
		if e.name != 0 {
			panic("weave: two elements in one slot: " + name) // it is part of the program
		}
		e.name, e.traits = w, t
	}
	return table, long
}

// traits gives those of the tag's element.
func (t *tag) traits() traits {
	switch {
	case t.cut:
		return 0
	case len(t.name) > maxWord:
		return longElements[string(t.name)]
	}
	var w word
	for i := len(t.name) - 1; i >= 0; i-- {
		w = w<<8 | word(t.name[i])
	}
	return elements.of(w)
}

// BreaksLine says whether a line ends at the tags of the element, whose name is in lower
// case. A number may go on behind the tags of all others.
func BreaksLine(name string) bool {
	t := tag{name: []byte(name)}
	return t.traits()&breaks != 0
}

// formatting elements do not end at the end tag of another element: a stray end tag
// of one of them means nothing to what is open (HTML standard, 13.2.4.3).
func isFormatting(name string) bool {
	switch name {
	case "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u", "span", "p", "br":
		return true
	}
	return false
}
