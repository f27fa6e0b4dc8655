package token

import (
	"bytes"
	"html"
)

// How many bytes of names and values are kept. All names that matter are shorter. A longer value is marked as cut.
const (
	MaxName  = 16
	MaxValue = 8 << 10
)

// Tag is a start or end tag. Its name is in lower case, and cut at MaxName.
type Tag struct {
	Name    []byte
	Cut     bool
	End     bool
	Closing bool   // written as <name/>
	rest    uint64 // a hash of the name behind the cut, or 0
}

// Is says whether the tag has this name, which is in lower case.
func (t *Tag) Is(name string) bool { return !t.Cut && string(t.Name) == name }

// Attribute is an attribute of a tag. Its name is in lower case, and cut at MaxName. Its value has its character
// references as written, and is cut at MaxValue. At is the offset of the value, or 0 if there is none.
type Attribute struct {
	At       int64
	Name     []byte
	Value    []byte
	NameCut  bool
	ValueCut bool
	Bare     bool // the value has no quotation marks
}

// Is says whether the attribute has this name, which is in lower case.
func (a *Attribute) Is(name string) bool { return !a.NameCut && string(a.Name) == name }

// Plain returns the value with its character references decoded. ok is false if the value is not known for sure.
func (a *Attribute) Plain() (value []byte, ok bool) {
	if a.ValueCut {
		return nil, false
	}
	i := bytes.IndexByte(a.Value, '&')
	if i < 0 {
		return a.Value, true
	}
	for rest := a.Value[i:]; ; {
		n := 1
		for n < len(rest) && (IsLetter(rest[n]) || '0' <= rest[n] && rest[n] <= '9' || rest[n] == '#' && n == 1) {
			n++
		}
		// A reference without a semicolon may stand for itself (HTML standard, 13.2.5.73).
		if n < len(rest) && rest[n] == ';' {
			n++
		} else if html.UnescapeString(string(rest[:n])) != string(rest[:n]) {
			return nil, false
		}
		next := bytes.IndexByte(rest[n:], '&')
		if next < 0 {
			return []byte(html.UnescapeString(string(a.Value))), true
		}
		rest = rest[n+next:]
	}
}

// readTag reads up to the end of a tag, or until the sink calls Stop.
func (z *Tokenizer) readTag(p []byte, i int, base int64) int {
	for ; i < len(p) && z.state > inText && z.state < declaration && !z.stopped; z.Bound.Take("token.readTag") {
		c := p[i]
		switch z.state {
		case tagOpen, endTagOpen:
			i = z.openTag(c, i)
		case tagName:
			i = z.readName(p, i)
		case beforeAttributeName:
			switch {
			case IsSpace(c):
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
			case IsSpace(c):
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
			case IsSpace(c):
			case c == '"':
				z.state = valueDoubleQuoted
				z.attr.At = base + int64(i) + 1
			case c == '\'':
				z.state = valueSingleQuoted
				z.attr.At = base + int64(i) + 1
			case c == '>':
				z.endAttribute()
				return z.endTag(i, base)
			default:
				z.state = valueUnquoted
				z.attr.At, z.attr.Bare = base+int64(i), true
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
				z.tag.Closing = true
				return z.endTag(i, base)
			}
			z.state = beforeAttributeName
		}
	}
	return i
}

// openTag reads the byte behind "<" or "</".
func (z *Tokenizer) openTag(c byte, i int) int {
	end := z.state == endTagOpen
	switch {
	case IsLetter(c):
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
		z.sink.Text(z.TagAt, lessThan)
		return i
	}
	return i + 1
}

func (z *Tokenizer) readName(p []byte, i int) int {
	for ; i < len(p); i++ {
		c := p[i]
		if EndsName(c) {
			z.nameTag()
			if !z.stopped {
				z.state = beforeAttributeName
			}
			return i
		}
		if len(z.tag.Name) < MaxName {
			z.tag.Name = append(z.tag.Name, Lower(c))
			continue
		}
		if z.tag.rest == 0 {
			z.tag.rest = hashBegin
		}
		z.tag.rest = (z.tag.rest ^ uint64(Lower(c))) * hashPrime
		z.tag.Cut = true
		if z.nameTag(); z.stopped {
			return i
		}
	}
	return i
}

func (z *Tokenizer) beginAttribute(c byte) {
	z.state = attributeName
	if z.wanted {
		z.attr = Attribute{Name: append(z.attr.Name[:0], Lower(c)), Value: z.attr.Value[:0]}
	}
}

func (z *Tokenizer) readAttributeName(p []byte, i int) int {
	for ; i < len(p); i++ {
		c := p[i]
		switch {
		case c > '>':
		case IsSpace(c):
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

func (z *Tokenizer) addName(c byte) {
	if len(z.attr.Name) == MaxName {
		z.attr.NameCut = true
		return
	}
	z.attr.Name = append(z.attr.Name, Lower(c))
}

func (z *Tokenizer) readUnquoted(p []byte, i int) int {
	start := i
	for ; i < len(p); i++ {
		if c := p[i]; IsSpace(c) || c == '>' {
			z.addValue(p[start:i])
			z.endAttribute()
			z.state = beforeAttributeName
			return i
		}
	}
	z.addValue(p[start:i])
	return i
}

func (z *Tokenizer) beginTag(end bool) {
	z.tag = Tag{Name: z.tag.Name[:0], End: end}
	z.named, z.wanted = false, false
	z.state = tagName
}

// nameTag gives the tag's name to the sink, once.
func (z *Tokenizer) nameTag() {
	if z.named {
		return
	}
	z.named = true
	z.wanted = z.sink.Tag(z.TagAt, &z.tag)
}

func (z *Tokenizer) readQuoted(p []byte, i int, quote byte) int {
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

func (z *Tokenizer) addValue(b []byte) {
	if !z.wanted {
		return
	}
	if room := MaxValue - len(z.attr.Value); len(b) > room {
		b = b[:room]
		z.attr.ValueCut = true
	}
	z.attr.Value = append(z.attr.Value, b...)
}

func (z *Tokenizer) endAttribute() {
	if z.wanted {
		z.sink.Attribute(&z.attr)
	}
}
