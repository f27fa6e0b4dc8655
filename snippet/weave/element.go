package weave

import (
	"bytes"

	"github.com/seed-3405227d/frontdesk/snippet/weave/framework"
	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// element holds the parts of a start tag that matter, while the tag is read.
type element struct {
	at     int64
	traits token.Traits
	kind   elementKind
	place  int // index of its place, or -1
	values []value
	buf    []byte

	spared    bool // its content must not change
	item      bool // it has an itemprop
	scope     bool // it has an itemscope
	described bool // <meta name="description">
	data      bool // it is a script with a framework's data
	inline    bool // it is a script with its code in the page
}

type elementKind uint8

const (
	otherElement elementKind = iota
	anchor                   // <a> and <area>
	image
	metadata
	codeElement // <script>
	linked      // <link>
	sourced     // <source>
)

// value is an attribute's value that may change: element.buf[from:to], which stands at offset at.
type value struct {
	kind     valueKind
	at       int64
	from, to int
	bare     bool
}

type valueKind uint8

const (
	wordsValue valueKind = iota // text that people read
	contentValue
	linkValue
	srcValue
	srcsetValue
	altValue
)

func (e *element) begin(at int64, t *token.Tag, traits token.Traits) {
	*e = element{at: at, traits: traits, place: -1, values: e.values[:0], buf: e.buf[:0]}
	switch {
	case t.Cut:
	case t.Is("a"), t.Is("area"):
		e.kind = anchor
	case t.Is("img"):
		e.kind = image
	case t.Is("meta"):
		e.kind = metadata
	case t.Is("link"):
		e.kind = linked
	case t.Is("source"):
		e.kind = sourced
	case t.Is("script"):
		e.kind, e.inline = codeElement, true
	}
	e.spared = traits&token.Control != 0
}

func (e *element) keep(kind valueKind, a *token.Attribute) {
	if a.ValueCut || a.At == 0 {
		return // the attribute has no value
	}
	from := len(e.buf)
	e.buf = append(e.buf, a.Value...)
	e.values = append(e.values, value{kind, a.At, from, len(e.buf), a.Bare})
}

// Attribute notes an attribute that matters. Of the names that are cut, only data-sveltekit-fetched
// matters.
func (s *scanner) Attribute(a *token.Attribute) {
	if s.skimmer.Follow {
		s.skimmer.Tree.Attribute(a)
	}
	if s.scopes.skipping > 0 {
		return
	}
	e := &s.element
	switch string(a.Name) {
	case "title", "aria-label":
		e.keep(wordsValue, a)
	case "alt":
		e.keep(altValue, a)
	case "href":
		switch e.kind {
		case anchor:
			e.keep(linkValue, a)
		case linked:
			s.hydrating = s.hydrating || framework.Named(a.Value)
		}
	case "content":
		if e.kind == metadata {
			e.keep(contentValue, a)
		}
	case "id":
		if e.kind == codeElement {
			e.data = e.data || framework.IsDataID(a.Value)
		}
		s.see(s.rules.byID, a)
	case "name":
		e.described = e.kind == metadata && bytes.EqualFold(bytes.TrimSpace(a.Value), []byte("description"))
		s.see(s.rules.byName, a)
	case "class":
		if e.place < 0 && len(s.rules.classes) > 0 && !a.ValueCut {
			e.place = s.rules.placeByClass(a.Value, s.shown)
		}
	case "src":
		switch e.kind {
		case image:
			e.keep(srcValue, a)
		case codeElement:
			e.inline = false
			s.hydrating = s.hydrating || framework.Named(a.Value)
		}
	case "srcset", "data-src", "data-srcset": // scripts use the last two in the same way
		switch e.kind {
		case image:
			e.keep(srcsetValue, a)
		case sourced:
			s.picture.source(a)
		}
	case "type":
		if e.kind == codeElement && !isCode(a.Value) {
			e.inline = false
		}
	case "data-nuxt-data", "data-sveltekit-f": // the second is data-sveltekit-fetched, cut
		e.data = e.data || e.kind == codeElement
	case "data-svc-noswap":
		e.spared = true
	case "contenteditable":
		e.spared = e.spared || !bytes.EqualFold(a.Value, []byte("false"))
	case "itemprop":
		e.item = len(a.Value) > 0
	case "itemscope":
		e.scope = true
	}
}

// see notes the place that the attribute's value names.
func (s *scanner) see(places map[string]int, a *token.Attribute) {
	if len(places) == 0 || s.element.place >= 0 || a.ValueCut {
		return
	}
	if p, ok := places[string(a.Value)]; ok && s.shows(p) {
		s.element.place = p
	}
}

// isCode says whether browsers run a script of this type.
func isCode(typ []byte) bool {
	typ = bytes.TrimSpace(typ)
	const script = "javascript"
	return len(typ) == 0 || bytes.EqualFold(typ, []byte("module")) ||
		len(typ) >= len(script) && bytes.EqualFold(typ[len(typ)-len(script):], []byte(script))
}

// finishElement takes the whole start tag t, which ends before the offset after.
func (s *scanner) finishElement(after int64, t *token.Tag) {
	e := &s.element
	if e.place < 0 {
		e.place = s.selected()
	}
	if s.scopes.skipping > 0 {
		s.scopes.push(t, e, s.closed(t), false)
		return
	}
	// In foreign elements, scripts and styles hold markup.
	foreign := !s.ReadsRaw() && (e.kind == codeElement || t.Is("style"))
	spared := e.spared || foreign || e.item && !e.scope && e.place < 0
	if !spared && after-e.at <= maxTag {
		s.changeValues(after)
	}
	if e.kind == image {
		s.picture.open = false
	}
	targeted := false
	if e.place >= 0 && !spared && e.traits&token.Void == 0 && !s.closed(t) && !s.ReadsRaw() && s.rules.places[e.place].picture < 0 {
		targeted = s.scopes.target.begin(after, e, &s.rules.places[e.place])
	}
	if spared {
		s.breakLine()
	}
	if spared || targeted || len(s.scopes.open) > 0 {
		e.spared = spared
		s.scopes.push(t, e, s.closed(t), targeted)
	}
}

// selected returns the first place whose selectors choose the element that begins, or -1.
func (s *scanner) selected() int {
	place := -1
	if s.skimmer.Follow {
		place = s.rules.program.Place(&s.skimmer.Tree.Told, s.shows)
	}
	if chosen, ok := s.chosen[s.ordinal]; ok && (place < 0 || chosen < place) {
		place = chosen
	}
	return place
}

// closed says whether a tag also closes its element. A slash does so in foreign elements only.
func (s *scanner) closed(t *token.Tag) bool {
	return t.Closing && (s.Foreign.Inside() || t.Is("svg") || t.Is("math"))
}
