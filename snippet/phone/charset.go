package phone

import (
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// Charset is how a page's bytes stand for characters.
type Charset struct {
	kinds [256]kind
	roles [256]role
	runes [256]rune // of bytes that are a character each
	upper bool      // no byte from C0 on is in a writing
	wide  bool      // some digits begin with a byte that is not ASCII
	pairs bool      // what looks like a letter may be the second byte of a character
}

// UTF8 is for pages in UTF-8.
var UTF8 = newUTF8()

// ASCII is for any other charset in which the bytes of ASCII mean themselves.
// All that is not ASCII then stands for nothing in particular, and neither does a
// byte behind it: it may be the second half of a character.
var ASCII = newPairs()

// CharsetOf finds a charset by its label, as a page or its header names it: any
// label of the Encoding Standard. Charsets of several bytes a character other than
// UTF-8 are read as [ASCII], since none of their characters ends in a digit's byte
// but for the four-byte forms of gb18030. UTF-16 and ISO-2022-JP have no such
// reading: ok is false, as for unknown labels.
func CharsetOf(label string) (c *Charset, ok bool) {
	found, err := htmlindex.Get(label)
	if err != nil {
		return nil, false
	}
	switch found := found.(type) {
	case *charmap.Charmap:
		if c, ok := singles.Load(found); ok {
			return c.(*Charset), true
		}
		c, _ := singles.LoadOrStore(found, newSingle(found))
		return c.(*Charset), true
	default:
		name, err := htmlindex.Name(found)
		switch {
		case name == "utf-8":
			return UTF8, true
		case err != nil, name == "utf-16le", name == "utf-16be", name == "iso-2022-jp", name == "replacement":
			return nil, false
		}
		return ASCII, true
	}
}

// singles are the charsets of one byte a character that have been asked for, by
// their *charmap.Charmap. There are some thirty.
var singles sync.Map

func newASCII() *Charset {
	c := &Charset{}
	for b := range 128 {
		r := rune(b)
		c.runes[b] = r
		c.kinds[b], _, _ = classify(r)
	}
	c.kinds['&'] = ampersand
	c.kinds['%'] = percent
	c.kinds['\\'] = backslash
	for b := 128; b < 256; b++ {
		c.runes[b] = utf8.RuneError
	}
	return c
}

func newUTF8() *Charset {
	c := newASCII()
	c.wide = true
	for b := 0xC2; b <= 0xF4; b++ {
		c.kinds[b] = leading
	}
	c.sortRoles()
	return c
}

func newPairs() *Charset {
	c := newASCII()
	c.pairs = true
	c.sortRoles()
	return c
}

func newSingle(m *charmap.Charmap) *Charset {
	c := newASCII()
	for b := 128; b < 256; b++ {
		c.runes[b] = m.DecodeByte(byte(b))
		c.kinds[b], _, _ = classify(c.runes[b])
	}
	c.sortRoles()
	return c
}

// RowEnder tells which bytes besides the letters of ASCII surely end a row of digits:
// those that are ender once the bits of mask are set.
func (c *Charset) RowEnder() (mask, ender byte) {
	switch {
	case c.wide:
		return 0x01, 0xD1 // Cyrillic letters
	case c.upper:
		return 0x3F, 0xFF
	}
	return 1, 0
}

// Decode reads bytes of the charset. What stands for no character becomes U+FFFD.
func (c *Charset) Decode(b []byte) string {
	if c.wide {
		return strings.ToValidUTF8(string(b), "\uFFFD")
	}
	text := make([]rune, len(b))
	for i, x := range b {
		text[i] = c.runes[x]
	}
	return string(text)
}
