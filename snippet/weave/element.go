package weave

// traits are the properties of an element that matter when text is read.
type traits uint8

const (
	breaks    traits = 1 << iota // its tags end a line
	void                         // it has no content and no end tag
	control                      // its content is sent, not read
	special                      // its tag has to be read, whatever its attributes are
	structure                    // it holds elements, and no text of its own
)

// word is a lower-case name of at most eight bytes, as a number. Its first byte is the lowest.
type word uint64

func wordOf(name string) (w word) {
	for i := len(name) - 1; i >= 0; i-- {
		w = w<<8 | word(lower(name[i]))
	}
	return w
}

// String returns the name.
func (w word) String() string {
	var b []byte
	for ; w != 0; w >>= 8 {
		b = append(b, byte(w))
	}
	return string(b)
}

// maxWord is how many bytes a word may have.
const maxWord = 8

// traits returns the traits of the tag's element.
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

// BreaksLine says whether the tags of an element end a line. The name has to be in lower case. A number may go on
// behind the tags of all other elements.
func BreaksLine(name string) bool {
	t := tag{name: []byte(name)}
	return t.traits()&breaks != 0
}

// isFormatting says whether a stray end tag of the element leaves other elements open. The formatting elements of the
// HTML standard (13.2.4.3) do so, and span, p and br.
func isFormatting(name string) bool {
	switch name {
	case "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u", "span", "p", "br":
		return true
	}
	return false
}
