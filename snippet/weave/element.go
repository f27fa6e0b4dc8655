package weave

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
	return elements.of(w).traits
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
