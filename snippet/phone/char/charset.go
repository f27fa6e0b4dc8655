// Package char reads the characters of a page, in its charset, as character references and as escapes. It says what each
// of them means in the writing of a number, and writes digits in the same way. The matcher and the scanner ask it.
package char

import (
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// Charset says how bytes stand for characters.
type Charset struct {
	Kinds [256]Kind
	roles [256]role
	Runes [256]rune // of each byte that is a character by itself
	upper bool      // no byte from 0xC0 on is part of a writing
	wide  bool      // some digits begin with a byte above ASCII
	pairs bool      // a byte that looks like a letter may be the second byte of a character
}

// UTF8 is for pages in UTF-8.
var UTF8 = newUTF8()

// ASCII is for any other charset in which the bytes of ASCII mean themselves. Other bytes mean nothing, and neither
// does the byte behind one, which may be the second half of a character.
var ASCII = newPairs()

// CharsetOf returns the charset of a label of the Encoding Standard, as a page or its header states it. A charset with
// several bytes for a character, other than UTF-8, is read as [ASCII]: none of its characters ends with the byte of a
// digit, except the four-byte characters of gb18030. ok is false for unknown labels, and for UTF-16 and ISO-2022-JP,
// which cannot be read so.
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

// singles are the charsets with one byte for a character that have been asked for, by their *charmap.Charmap. There are
// about thirty.
var singles sync.Map

func newASCII() *Charset {
	c := &Charset{}
	for b := range 128 {
		r := rune(b)
		c.Runes[b] = r
		c.Kinds[b], _, _ = Classify(r)
	}
	c.Kinds['&'] = Ampersand
	c.Kinds['%'] = Percent
	c.Kinds['\\'] = Backslash
	for b := 128; b < 256; b++ {
		c.Runes[b] = utf8.RuneError
	}
	return c
}

func newUTF8() *Charset {
	c := newASCII()
	c.wide = true
	for b := 0xC2; b <= 0xF4; b++ {
		c.Kinds[b] = Leading
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
		c.Runes[b] = m.DecodeByte(byte(b))
		c.Kinds[b], _, _ = Classify(c.Runes[b])
	}
	c.sortRoles()
	return c
}

// RowEnder returns a test for bytes that surely end a row of digits, besides the letters of ASCII: b ends a row if
// b|mask == ender.
func (c *Charset) RowEnder() (mask, ender byte) {
	switch {
	case c.wide:
		return 0x01, 0xD1 // the first bytes of Cyrillic letters
	case c.upper:
		return 0x3F, 0xFF
	}
	return 1, 0
}

// Decode decodes bytes of the charset. Bytes that stand for no character become U+FFFD.
func (c *Charset) Decode(b []byte) string {
	if c.wide {
		return strings.ToValidUTF8(string(b), "\uFFFD")
	}
	text := make([]rune, len(b))
	for i, x := range b {
		text[i] = c.Runes[x]
	}
	return string(text)
}

// LastRune reads the last character of b. It decodes character references, and the escapes of strings if b has these.
func (c *Charset) LastRune(b []byte, escaped bool) (r rune, size int) {
	if len(b) == 0 {
		return 0, 0
	}
	if escaped {
		if r, size := lastEscape(b); size > 0 {
			return r, size
		}
	}
	last := b[len(b)-1]
	if last == ';' {
		for i := len(b) - 2; i >= 0 && i >= len(b)-MaxReference && b[i] != ';'; i-- {
			if b[i] == '&' {
				if t := ReadReference(b[i:], true); int(t.Size) == len(b)-i {
					return t.Char, int(t.Size)
				}
				break
			}
		}
	}
	if c.wide && last >= utf8.RuneSelf {
		return utf8.DecodeLastRune(b)
	}
	if c.pairs && len(b) > 1 && b[len(b)-2] >= utf8.RuneSelf && last != 0 {
		return utf8.RuneError, 2
	}
	return c.Runes[last], 1
}
