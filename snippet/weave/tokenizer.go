// Package weave reads an HTML page as it streams by. A [Finder] finds the one place where the insertion code belongs,
// and a [Replacer] replaces the telephone numbers that the page shows by others.
//
// The caller gives the page in pieces of any size. The output does not depend on how the page was cut. The package
// keeps only the bytes that may still change, and a few names and values.
package weave

import (
	"bytes"

	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

// sink receives the tokens of a page, in their order. Offsets count bytes from the beginning of the page. Slices are
// valid during the call only.
type sink interface {
	// text receives text; a run of text may come in several pieces.
	text(at int64, b []byte)
	// raw receives text of an element whose content is not markup.
	raw(at int64, b []byte)
	// tag receives a tag as soon as its name is known; at is the offset of its "<". It returns whether it wants the
	// tag's attributes.
	tag(at int64, t *tag) bool
	// attribute receives each attribute of a tag whose attributes are wanted.
	attribute(a *attribute)
	// tagEnd is called behind a tag's ">", at offset after.
	tagEnd(after int64, t *tag)
	// doctype receives the content of a document type declaration as it is written, up to maxDoctype bytes.
	doctype(content []byte)
}

// How many bytes of names and values are kept. All names that matter are shorter. A longer value is marked as cut.
const (
	maxName  = 16
	maxValue = 8 << 10
)

// tag is a start or end tag. Its name is in lower case, and cut at maxName.
type tag struct {
	name    []byte
	cut     bool
	end     bool
	closing bool   // written as <name/>
	rest    uint64 // a hash of the name behind the cut, or 0
}

func (t *tag) is(name string) bool { return !t.cut && string(t.name) == name }

// attribute is an attribute of a tag. Its name is in lower case, and cut at maxName. Its value has its character
// references as written, and is cut at maxValue. at is the offset of the value, or 0 if there is none.
type attribute struct {
	at       int64
	name     []byte
	value    []byte
	nameCut  bool
	valueCut bool
	bare     bool // the value has no quotation marks
}

func (a *attribute) is(name string) bool { return !a.nameCut && string(a.name) == name }

type state uint8

// The states are those of the HTML standard (13.2.5). States that differ only in the parse errors that they report are
// merged.
const (
	inText state = iota
	tagOpen
	endTagOpen
	tagName
	beforeAttributeName
	attributeName
	afterAttributeName
	beforeValue
	valueDoubleQuoted
	valueSingleQuoted
	valueUnquoted
	selfClosing

	declaration
	bogusComment
	commentStart
	commentStartDash
	inComment
	commentEndDash
	commentEnd
	commentEndBang
	inDoctype
	inCDATA
	cdataBracket
	cdataEnd

	rawText
	rawLess
	rawEndName
	rawBang
	rawBangDash
	rawDoubleName
	plainText
)

// tokenizer cuts a page into text, tags and other markup. reset makes it ready for a page.
type tokenizer struct {
	sink    sink
	offset  int64 // of the next byte
	tagAt   int64 // offset of the "<" of the tag being read
	state   state
	stopped bool
	bound   steps.Bound // of all loops over the page

	tag        tag
	attr       attribute
	wanted     bool // the sink wants the attributes of this tag
	named      bool // the sink has received the tag's name
	matched    int  // how many bytes of an expected word have been read
	word       [8]byte
	content    []byte // of a document type declaration
	escape     escape // inside a script
	dashes     uint8  // how many dashes stand in a row, inside of an escaped script
	rawName    [maxName]byte
	rawNameLen int
	again      []byte // text that looked like the beginning of a tag
	foreign    foreign

	// skim, if not nil, skips bytes of p from i on that mean nothing to the sink. It is called where text may stand. It
	// returns the index of the first byte that has to be read.
	skim func(p []byte, i int, base int64) int
}

func (z *tokenizer) reset(s sink) {
	*z = tokenizer{
		sink:    s,
		skim:    z.skim,
		tag:     tag{name: z.tag.name[:0]},
		attr:    attribute{name: z.attr.name[:0], value: z.attr.value[:0]},
		content: z.content[:0],
		again:   z.again[:0],
	}
}

// stop makes feed return before the end of its piece.
func (z *tokenizer) stop() { z.stopped = true }

// feed reads the next piece of the page.
func (z *tokenizer) feed(p []byte) {
	base := z.offset // offset of p[0]
	z.bound.Add(len(p))
	for i := 0; i < len(p) && !z.stopped; z.bound.Take("weave.feed") {
		switch {
		case z.state == inText:
			if z.skim != nil {
				if i = z.skim(p, i, base); i == len(p) {
					break
				}
			}
			i = z.readText(p, i, base)
		case z.state < declaration:
			i = z.readTag(p, i, base)
		case z.state < rawText:
			i = z.readMarkup(p, i)
		default:
			i = z.readRaw(p, i, base)
		}
		z.offset = base + int64(i)
	}
}

func (z *tokenizer) readText(p []byte, i int, base int64) int {
	n := bytes.IndexByte(p[i:], '<')
	if n < 0 {
		z.sink.text(base+int64(i), p[i:])
		return len(p)
	}
	if n > 0 {
		z.sink.text(base+int64(i), p[i:i+n])
		if z.stopped {
			return i + n
		}
	}
	z.tagAt = base + int64(i+n)
	z.state = tagOpen
	return i + n + 1
}

// readTag reads up to the end of a tag, or until the sink calls stop.
func (z *tokenizer) readTag(p []byte, i int, base int64) int {
	for ; i < len(p) && z.state > inText && z.state < declaration && !z.stopped; z.bound.Take("weave.readTag") {
		c := p[i]
		switch z.state {
		case tagOpen, endTagOpen:
			i = z.openTag(c, i)
		case tagName:
			i = z.readName(p, i)
		case beforeAttributeName:
			switch {
			case isSpace(c):
			case c == '/':
				z.state = selfClosing
			case c == '>':
				return z.endTag(i, base)
			default:
				z.beginAttribute(c)
			}
			i++
		case attributeName:
			i = z.readAttributeName(p, i)
		case afterAttributeName:
			switch {
			case isSpace(c):
				i++
			case c == '=':
				z.state = beforeValue
				i++
			default:
				z.endAttribute()
				z.state = beforeAttributeName
			}
		case beforeValue:
			switch {
			case isSpace(c):
			case c == '"':
				z.state = valueDoubleQuoted
				z.attr.at = base + int64(i) + 1
			case c == '\'':
				z.state = valueSingleQuoted
				z.attr.at = base + int64(i) + 1
			case c == '>':
				z.endAttribute()
				return z.endTag(i, base)
			default:
				z.state = valueUnquoted
				z.attr.at, z.attr.bare = base+int64(i), true
				i-- // this byte belongs to the value
			}
			i++
		case valueDoubleQuoted:
			i = z.readQuoted(p, i, '"')
		case valueSingleQuoted:
			i = z.readQuoted(p, i, '\'')
		case valueUnquoted:
			i = z.readUnquoted(p, i)
		case selfClosing:
			if c == '>' {
				z.tag.closing = true
				return z.endTag(i, base)
			}
			z.state = beforeAttributeName
		}
	}
	return i
}

// openTag reads the byte behind "<" or "</".
func (z *tokenizer) openTag(c byte, i int) int {
	end := z.state == endTagOpen
	switch {
	case isLetter(c):
		z.beginTag(end)
		return i
	case end && c == '>':
		z.state = inText
	case end:
		z.state = bogusComment
		return i
	case c == '/':
		z.state = endTagOpen
	case c == '!':
		z.matched = 0
		z.state = declaration
	case c == '?':
		z.state = bogusComment
	default: // the "<" is text
		z.state = inText
		z.sink.text(z.tagAt, lessThan)
		return i
	}
	return i + 1
}

func (z *tokenizer) readName(p []byte, i int) int {
	for ; i < len(p); i++ {
		c := p[i]
		if endsName(c) {
			z.nameTag()
			if !z.stopped {
				z.state = beforeAttributeName
			}
			return i
		}
		if len(z.tag.name) < maxName {
			z.tag.name = append(z.tag.name, lower(c))
			continue
		}
		if z.tag.rest == 0 {
			z.tag.rest = hashBegin
		}
		z.tag.rest = (z.tag.rest ^ uint64(lower(c))) * hashPrime
		z.tag.cut = true
		if z.nameTag(); z.stopped {
			return i
		}
	}
	return i
}

func (z *tokenizer) beginAttribute(c byte) {
	z.state = attributeName
	if z.wanted {
		z.attr = attribute{name: append(z.attr.name[:0], lower(c)), value: z.attr.value[:0]}
	}
}

func (z *tokenizer) readAttributeName(p []byte, i int) int {
	for ; i < len(p); i++ {
		c := p[i]
		switch {
		case c > '>':
		case isSpace(c):
			z.state = afterAttributeName
			return i + 1
		case c == '=':
			z.state = beforeValue
			return i + 1
		case c == '/' || c == '>':
			z.endAttribute()
			z.state = beforeAttributeName
			return i
		}
		if z.wanted {
			z.addName(c)
		}
	}
	return i
}

func (z *tokenizer) addName(c byte) {
	if len(z.attr.name) == maxName {
		z.attr.nameCut = true
		return
	}
	z.attr.name = append(z.attr.name, lower(c))
}

func (z *tokenizer) readUnquoted(p []byte, i int) int {
	start := i
	for ; i < len(p); i++ {
		if c := p[i]; isSpace(c) || c == '>' {
			z.addValue(p[start:i])
			z.endAttribute()
			z.state = beforeAttributeName
			return i
		}
	}
	z.addValue(p[start:i])
	return i
}

func (z *tokenizer) beginTag(end bool) {
	z.tag = tag{name: z.tag.name[:0], end: end}
	z.named, z.wanted = false, false
	z.state = tagName
}

// nameTag gives the tag's name to the sink, once.
func (z *tokenizer) nameTag() {
	if z.named {
		return
	}
	z.named = true
	z.wanted = z.sink.tag(z.tagAt, &z.tag)
}

func (z *tokenizer) readQuoted(p []byte, i int, quote byte) int {
	n := bytes.IndexByte(p[i:], quote)
	if n < 0 {
		z.addValue(p[i:])
		return len(p)
	}
	z.addValue(p[i : i+n])
	z.endAttribute()
	z.state = beforeAttributeName
	return i + n + 1
}

func (z *tokenizer) addValue(b []byte) {
	if !z.wanted {
		return
	}
	if room := maxValue - len(z.attr.value); len(b) > room {
		b = b[:room]
		z.attr.valueCut = true
	}
	z.attr.value = append(z.attr.value, b...)
}

func (z *tokenizer) endAttribute() {
	if z.wanted {
		z.sink.attribute(&z.attr)
	}
}

// endTag takes a tag's ">" at p[i], and chooses how the content is read.
func (z *tokenizer) endTag(i int, base int64) int {
	after := base + int64(i) + 1
	z.state = inText
	if !z.tag.cut {
		z.chooseContent()
	}
	z.sink.tagEnd(after, &z.tag)
	return i + 1
}

// undecidedTag says whether a "<" has been read that may still turn out to be text, or a tag whose name is not known
// yet.
func (z *tokenizer) undecidedTag() bool {
	return z.state == tagOpen || z.state == endTagOpen || z.state == tagName && !z.named
}

// insideMarkup says whether the page so far ends inside of markup or of raw text, where nothing can be added.
func (z *tokenizer) insideMarkup() bool { return z.state != inText }

var lessThan = []byte("<")

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'
}

func isLetter(c byte) bool {
	c |= 0x20
	return 'a' <= c && c <= 'z'
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
