package weave

import "github.com/seed-3405227d/frontdesk/snippet/weave/token"

// scopes holds the open elements from the outermost spared element or target inwards. It does not hold the elements
// around that.
type scopes struct {
	open     []openElement
	lost     int // elements that are nested too deeply to be held
	skipping int // how many of the open elements are spared
	target   target
}

type openElement struct {
	name     [token.MaxName]byte
	length   uint8
	spared   bool
	targeted bool
}

// maxOpen bounds how many elements are held.
const maxOpen = 512

func (o *openElement) is(name []byte) bool { return string(o.name[:o.length]) == string(name) }

func (sc *scopes) reset() {
	*sc = scopes{open: sc.open[:0], target: sc.target.reset()}
}

// push opens the element of a start tag.
func (sc *scopes) push(t *token.Tag, e *element, closed, targeted bool) {
	if e.traits&token.Void != 0 || closed {
		return
	}
	if len(sc.open) == maxOpen {
		sc.lost++
		return
	}
	o := openElement{length: uint8(len(t.Name)), spared: e.spared, targeted: targeted}
	copy(o.name[:], t.Name)
	sc.open = append(sc.open, o)
	if o.spared {
		sc.skipping++
	}
}

// imply closes the elements that the start tag closes without an end tag (HTML standard, 13.1.2.4).
func (sc *scopes) imply(t *token.Tag, endTarget func()) {
	for len(sc.open) > 0 && sc.lost == 0 && closes(t, &sc.open[len(sc.open)-1]) {
		sc.pop(endTarget)
	}
}

func (sc *scopes) pop(endTarget func()) {
	last := sc.open[len(sc.open)-1]
	sc.open = sc.open[:len(sc.open)-1]
	if last.spared {
		sc.skipping--
	}
	if last.targeted {
		endTarget()
	}
}

// closeTag closes the element of the end tag, and those that are open in it. An end tag of an element that scopes does
// not hold closes all of them, since it belongs to an element around them.
func (s *scanner) closeTag(at int64, t *token.Tag) {
	sc := &s.scopes
	if len(sc.open) == 0 {
		return
	}
	if sc.lost > 0 {
		sc.lost--
		return
	}
	down := len(sc.open) - 1
	for down >= 0 && !sc.open[down].is(t.Name) {
		down--
	}
	if down < 0 {
		if isFormatting(string(t.Name)) {
			return
		}
		down = 0
	}
	for len(sc.open) > down {
		sc.pop(func() { s.endTarget(at) })
	}
}

// closes says whether the start tag implies the end of the open element.
func closes(t *token.Tag, o *openElement) bool {
	if t.Cut {
		return false
	}
	name := string(t.Name)
	switch string(o.name[:o.length]) {
	case "li":
		return name == "li"
	case "dt", "dd":
		return name == "dt" || name == "dd"
	case "option":
		return name == "option" || name == "optgroup"
	case "optgroup":
		return name == "optgroup"
	case "td", "th":
		return name == "td" || name == "th" || name == "tr" || name == "tbody" || name == "tfoot"
	case "tr":
		return name == "tr" || name == "tbody" || name == "tfoot"
	case "p":
		return t.Traits()&token.Breaks != 0 && !phrasing(name)
	}
	return false
}

// phrasing says whether an element that breaks a line may stand in a paragraph.
func phrasing(name string) bool {
	switch name {
	case "br", "img", "input", "button", "select", "textarea", "video", "audio", "canvas", "iframe", "object", "svg", "math",
		"picture", "source", "embed", "meter", "progress", "script", "noscript", "template", "link", "meta", "datalist", "map", "area",
		"option", "optgroup", "slot", "track", "param", "text", "desc":
		return true
	}
	return false
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
