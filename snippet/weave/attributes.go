package weave

import (
	"bytes"
	"html"

	"github.com/seed-3405227d/frontdesk/snippet/phone"
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
	if s.follow {
		s.tree.attribute(a)
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
			s.hydrating = s.hydrating || namesFramework(a.Value)
		}
	case "content":
		if e.kind == metadata {
			e.keep(contentValue, a)
		}
	case "id":
		if e.kind == codeElement {
			e.data = e.data || isDataID(a.Value)
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
			s.hydrating = s.hydrating || namesFramework(a.Value)
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
	if p, ok := places[string(a.Value)]; ok && s.shown.of(s.rules.places[p].number) != nil {
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
	if s.follow {
		place = s.rules.program.place(&s.tree.told, func(place int) bool { return s.shown.of(s.rules.places[place].number) != nil })
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

// changeValues changes the attributes of the element, whose tag ends before the offset after.
func (s *scanner) changeValues(after int64) {
	e := &s.element
	var p *place
	var fresh *Tracking
	if e.place >= 0 {
		p = &s.rules.places[e.place]
		fresh = s.shown.of(p.number)
	}
	pictured := p != nil && p.picture >= 0 && e.kind == image && !s.hydrating
	named := false
	for _, v := range e.values {
		b := e.buf[v.from:v.to]
		end := v.at + int64(len(b))
		switch v.kind {
		case wordsValue:
			s.changeValue(v, b, phone.Text)
		case contentValue:
			if e.described {
				s.changeValue(v, b, phone.Text)
			}
		case linkValue:
			s.changeLink(v, b, p)
		case altValue:
			if named = true; pictured {
				s.changeWritten(v.at, end, fresh.Text(), v.bare)
				s.records.place(p, readable(b, s.charset), fresh.Text())
			} else {
				s.changeValue(v, b, phone.Text)
			}
		case srcValue, srcsetValue:
			if pictured {
				url := fresh.Pictures[p.picture]
				s.changeWritten(v.at, end, url, v.bare)
				if v.kind == srcValue {
					s.records.place(p, string(b), url)
				}
			}
		}
	}
	if pictured {
		s.changeSources(after, fresh.Pictures[p.picture])
		if !named {
			at := e.at + int64(len("<img"))
			s.change(at, at, []byte(` alt="`+html.EscapeString(fresh.Text())+`"`))
		}
	}
}

// changeLink changes the number in a link. If p is not nil, the link is in the place p, and changeLink replaces any
// number, unless a framework takes the page over. In a link that dials, an international number gets a plus sign.
func (s *scanner) changeLink(v value, b []byte, p *place) {
	from, to := NumberInLink(b)
	if from < 0 {
		return
	}
	s.dials = b[from-1] == ':'
	dials := s.dials
	b, v.at = b[from:to], v.at+int64(from)
	found := s.changeValue(v, b, phone.Link)
	s.dials = false
	if found || p == nil || s.hydrating {
		return
	}
	row := otherWriting.FindIndex(b)
	if row == nil {
		return
	}
	begin, end := row[0], row[1]
	for _, sign := range plusSigns {
		if at := begin - len(sign); at >= 0 && token.HasPrefixFold(b[at:], sign) {
			begin = at
		}
	}
	number := s.shown[p.number]
	form, same := number.Spells(html.UnescapeString(string(b[row[0]:end])))
	signed := begin < row[0] || b[begin] == '+'
	if same && (form != phone.International || signed || !dials) {
		return // the link already calls this number
	}
	fresh := number.Digits()
	if dials {
		fresh = "+" + fresh
	}
	s.records.place(p, string(b[begin:end]), fresh)
	s.changeWritten(v.at+int64(begin), v.at+int64(end), fresh, v.bare)
}

// plusSigns are the forms of a plus sign in links, besides "+".
var plusSigns = [...]string{"%2b", "&#43;", "&#x2b;", "&plus;"}

// changeValue changes the numbers in a value, and says whether it found any.
func (s *scanner) changeValue(v value, b []byte, kind phone.Place) (found bool) {
	s.values.Reset(kind)
	s.bare = v.bare
	for _, matches := range [...]func() []phone.Match{
		func() []phone.Match { return s.values.Text(v.at, b) },
		s.values.Break,
	} {
		m := matches()
		found = found || len(m) > 0
		s.takeValue(m)
	}
	s.bare = false
	return found
}

// The beginnings of links with a number: schemes (RFC 3966, RFC 5724) and addresses of WhatsApp.
var (
	numberSchemes = [...]string{"tel:", "sms:", "callto:"}
	numberLinks   = [...]string{"//wa.me/", "//api.whatsapp.com/send?phone=", "//api.whatsapp.com/send/?phone=", "whatsapp://send?phone="}
)

// NumberInLink finds the number in a link that calls or writes to it: b[from:to]. from is negative if there is none.
func NumberInLink(b []byte) (from, to int) {
	for from < len(b) && b[from] <= ' ' {
		from++
	}
	rest := b[from:]
	for _, scheme := range numberSchemes {
		if token.HasPrefixFold(rest, scheme) {
			from += len(scheme)
			return from, endOfNumber(b, from)
		}
	}
	for _, scheme := range [...]string{"https:", "http:"} {
		if token.HasPrefixFold(rest, scheme) {
			rest = rest[len(scheme):]
			break
		}
	}
	for _, link := range numberLinks {
		if token.HasPrefixFold(rest, link) {
			from = len(b) - len(rest) + len(link)
			return from, endOfNumber(b, from)
		}
	}
	return -1, -1
}

// endOfNumber returns the end of the number that begins at from. A query, or the next parameter of a query, ends it. A
// character reference does not.
func endOfNumber(b []byte, from int) int {
	for i := from; i < len(b); i++ {
		switch b[i] {
		case '?':
			return i
		case '&':
			if i+1 == len(b) || b[i+1] != '#' && bytes.IndexByte(b[i:min(len(b), i+token.MaxName)], ';') < 0 ||
				bytes.HasPrefix(b[i:], []byte("&amp;")) {
				return i
			}
		}
	}
	return len(b)
}
