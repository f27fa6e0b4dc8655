package token

import a "golang.org/x/net/html/atom"

// Foreign says whether the page is inside of SVG or MathML. CDATA sections exist only there, and no element there has
// raw content. Foreign is a stack of bits. A bit is set for a foreign element, and clear for an element in it that
// holds HTML.
type Foreign struct {
	// Unsure says that a CDATA section in a <desc> or the like was read as a comment, which it is in the HTML elements
	// there.
	Unsure bool

	bits  uint64
	depth uint8
}

// Open says whether a foreign element is open, and perhaps one in it that holds HTML.
func (f *Foreign) Open() bool { return f.depth > 0 }

// Inside says whether the innermost of these is a foreign element.
func (f *Foreign) Inside() bool { return f.depth > 0 && f.bits&1 == 1 }

func (f *Foreign) push(inside bool) {
	if f.depth == 64 {
		return
	}
	f.depth++
	f.bits <<= 1
	if inside {
		f.bits |= 1
	}
}

func (f *Foreign) pop(inside bool) {
	if f.depth > 0 && f.Inside() == inside {
		f.depth--
		f.bits >>= 1
	}
}

// follow takes a tag. It says whether the tag is one of a foreign element, whose content is read as markup.
func (f *Foreign) follow(t *Tag) bool {
	switch string(t.Name) {
	case "svg", "math":
		if t.End {
			f.pop(true)
		} else if !t.Closing {
			f.push(true)
		}
		return true
	case "foreignobject", "desc", "title", "mi", "mo", "mn", "ms", "mtext", "annotation-xml":
		if f.depth == 0 {
			return false
		}
		if t.End {
			f.pop(false)
		} else if f.Inside() && !t.Closing {
			f.push(false)
			return true
		}
	}
	if f.Inside() && endsForeign(t) {
		for f.Inside() {
			f.pop(true)
		}
	}
	return f.Inside()
}

// endsForeign says whether a tag closes all foreign elements around it. A <font> does so only with some attributes, but
// endsForeign does not look at them.
func endsForeign(t *Tag) bool {
	if t.Cut {
		return false
	}
	if t.End {
		return t.Is("p") || t.Is("br")
	}
	x := a.Lookup(t.Name)
	return x == a.Font || BreaksOut(x)
}

// BreaksOut says whether a start tag closes the foreign elements around it (HTML standard, 13.2.6.5).
func BreaksOut(x a.Atom) bool {
	switch x {
	case a.B, a.Big, a.Blockquote, a.Body, a.Br, a.Center, a.Code, a.Dd, a.Div, a.Dl, a.Dt, a.Em, a.Embed, a.H1, a.H2, a.H3, a.H4, a.H5, a.H6,
		a.Head, a.Hr, a.I, a.Img, a.Li, a.Listing, a.Menu, a.Meta, a.Nobr, a.Ol, a.P, a.Pre, a.Ruby, a.S, a.Small, a.Span, a.Strong, a.Strike,
		a.Sub, a.Sup, a.Table, a.Tt, a.U, a.Ul, a.Var:
		return true
	}
	return false
}
