// Package token cuts an HTML page into tokens as it streams by, as the tokenizer of the HTML standard does (13.2.5). It
// owns the syntax of tags, attributes, raw text and character references, and the names of elements with what is known
// of each by its name alone. Who searches a page is its [Sink].
//
// The page may come in pieces of any size. The tokens do not depend on how it was cut, but that a run of text may come
// in several pieces.
package token

import (
	"bytes"

	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

// Sink receives the tokens of a page, in their order. Offsets count bytes from the beginning of the page. Slices and
// pointers are valid during the call only.
type Sink interface {
	// Text receives text; a run of text may come in several pieces.
	Text(at int64, b []byte)
	// Raw receives text of an element whose content is not markup.
	Raw(at int64, b []byte)
	// Tag receives a tag as soon as its name is known; at is the offset of its "<". It returns whether it wants the
	// tag's attributes.
	Tag(at int64, t *Tag) bool
	// Attribute receives each attribute of a tag whose attributes are wanted.
	Attribute(a *Attribute)
	// TagEnd is called behind a tag's ">", at offset after.
	TagEnd(after int64, t *Tag)
	// Doctype receives the content of a document type declaration as it is written, up to MaxDoctype bytes.
	Doctype(content []byte)
}

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

// Tokenizer cuts a page into text, tags and other markup. Reset makes it ready for a page.
type Tokenizer struct {
	// Offset is that of the next byte. It may be set before the first piece.
	Offset int64
	// TagAt is the offset of the "<" of the tag that was begun last.
	TagAt int64
	// Bound is what is left of the steps of all loops over the page.
	Bound steps.Bound
	// Foreign says whether the page is inside of SVG or MathML.
	Foreign Foreign
	// Skim, if it is not nil, skips bytes of p from i on that mean nothing to the sink. It is called where text may stand.
	// It returns the index of the first byte that has to be read. base is the offset of p[0].
	Skim func(p []byte, i int, base int64) int

	sink    Sink
	state   state
	stopped bool

	tag        Tag
	attr       Attribute
	wanted     bool // the sink wants the attributes of this tag
	named      bool // the sink has received the tag's name
	matched    int  // how many bytes of an expected word have been read
	word       [8]byte
	content    []byte // of a document type declaration
	escape     escape // inside a script
	dashes     uint8  // how many dashes stand in a row, inside of an escaped script
	rawName    [MaxName]byte
	rawNameLen int
	again      []byte // text that looked like the beginning of a tag
}

// Reset makes the tokenizer ready for a page, whose tokens s receives. Skim stays as it is.
func (z *Tokenizer) Reset(s Sink) {
	*z = Tokenizer{
		sink:    s,
		Skim:    z.Skim,
		tag:     Tag{Name: z.tag.Name[:0]},
		attr:    Attribute{Name: z.attr.Name[:0], Value: z.attr.Value[:0]},
		content: z.content[:0],
		again:   z.again[:0],
	}
}

// Stop makes Feed return before the end of its piece. The sink calls it.
func (z *Tokenizer) Stop() { z.stopped = true }

// Feed reads the next piece of the page, or as much of it as stands before the sink calls Stop.
func (z *Tokenizer) Feed(p []byte) {
	base := z.Offset // offset of p[0]
	z.stopped = false
	z.Bound.Add(len(p))
	for i := 0; i < len(p) && !z.stopped; z.Bound.Take("token.Feed") {
		switch {
		case z.state == inText:
			if z.Skim != nil {
				if i = z.Skim(p, i, base); i == len(p) {
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
		z.Offset = base + int64(i)
	}
}

func (z *Tokenizer) readText(p []byte, i int, base int64) int {
	n := bytes.IndexByte(p[i:], '<')
	if n < 0 {
		z.sink.Text(base+int64(i), p[i:])
		return len(p)
	}
	if n > 0 {
		z.sink.Text(base+int64(i), p[i:i+n])
		if z.stopped {
			return i + n
		}
	}
	z.TagAt = base + int64(i+n)
	z.state = tagOpen
	return i + n + 1
}

// endTag takes a tag's ">" at p[i], and chooses how the content is read.
func (z *Tokenizer) endTag(i int, base int64) int {
	after := base + int64(i) + 1
	z.state = inText
	if !z.tag.Cut {
		z.chooseContent()
	}
	z.sink.TagEnd(after, &z.tag)
	return i + 1
}

// InTag says whether the page so far ends inside of a tag, or of what may become one.
func (z *Tokenizer) InTag() bool { return z.state > inText && z.state < declaration }

// Undecided says whether a "<" has been read that may still turn out to be text, or a tag whose name is not known
// yet.
func (z *Tokenizer) Undecided() bool {
	return z.state == tagOpen || z.state == endTagOpen || z.state == tagName && !z.named
}

// InsideMarkup says whether the page so far ends inside of markup or of raw text, where nothing can be added.
func (z *Tokenizer) InsideMarkup() bool { return z.state != inText }

var lessThan = []byte("<")
