package token

import "bytes"

// escape is the state of a script inside of "<!--", which hid scripts from the oldest browsers. In an escaped script,
// "<script" makes the next "</script" part of the script.
type escape uint8

const (
	notEscaped escape = iota
	escaped
	doubleEscaped
)

// chooseContent chooses how the tokenizer reads the content of the element just opened (HTML standard, 13.2.6: the
// insertion modes that switch the tokenizer).
func (z *Tokenizer) chooseContent() {
	if z.Foreign.follow(&z.tag) || z.tag.End {
		return
	}
	switch string(z.tag.Name) {
	case "plaintext":
		z.state = plainText
		z.rawNameLen = 0
	case "script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes", "noscript":
		z.state = rawText
		z.rawNameLen = copy(z.rawName[:], z.tag.Name)
		z.escape, z.dashes = notEscaped, 0
	}
}

// ReadsRaw says, at the end of a start tag, whether the element's content is read as text.
func (z *Tokenizer) ReadsRaw() bool { return z.state == rawText || z.state == plainText }

const scriptName = "script"

func (z *Tokenizer) inScript() bool { return string(z.rawName[:z.rawNameLen]) == scriptName }

// readRaw reads the content of elements without markup, up to their end tag.
func (z *Tokenizer) readRaw(p []byte, i int, base int64) int {
	c := p[i]
	switch z.state {
	case plainText:
		z.sink.Raw(base+int64(i), p[i:])
		return len(p)
	case rawText:
		if z.escape != notEscaped {
			return z.readEscaped(p, i, base)
		}
		n := bytes.IndexByte(p[i:], '<')
		if n < 0 {
			z.sink.Raw(base+int64(i), p[i:])
			return len(p)
		}
		if n > 0 {
			z.sink.Raw(base+int64(i), p[i:i+n])
		}
		z.TagAt = base + int64(i+n)
		z.state = rawLess
		return i + n + 1
	case rawLess:
		z.matched = 0
		switch {
		case c == '/':
			z.state = rawEndName
		case c == '!' && z.escape == notEscaped && z.inScript():
			z.state = rawBang
		case IsLetter(c) && z.escape == escaped:
			z.state = rawDoubleName
			return i
		default:
			return z.backToRaw("<", nil, i)
		}
	case rawBang:
		if c != '-' {
			return z.backToRaw("<!", nil, i)
		}
		z.state = rawBangDash
	case rawBangDash:
		if c != '-' {
			return z.backToRaw("<!-", nil, i)
		}
		z.escape, z.dashes = escaped, 2
		return z.backToRaw("<!--", nil, i+1)
	case rawEndName:
		return z.readRawEnd(c, i)
	case rawDoubleName:
		if z.matched < len(scriptName) {
			if Lower(c) != scriptName[z.matched] {
				return z.backToRaw("<", z.rawName[:z.matched], i)
			}
			z.matched++
			break
		}
		if EndsName(c) {
			z.escape = doubleEscaped
		}
		return z.backToRaw("<", z.rawName[:z.rawNameLen], i)
	}
	return i + 1
}

// backToRaw gives the text since the last "<" to the sink and goes on at i. The letters of name are in lower case.
func (z *Tokenizer) backToRaw(begin string, name []byte, i int) int {
	z.state = rawText
	z.again = append(append(z.again[:0], begin...), name...)
	z.sink.Raw(z.TagAt, z.again)
	return i
}

// readRawEnd compares the bytes behind "</" with the name of the open element.
func (z *Tokenizer) readRawEnd(c byte, i int) int {
	if z.matched < z.rawNameLen {
		if Lower(c) != z.rawName[z.matched] {
			return z.backToRaw("</", z.rawName[:z.matched], i)
		}
		z.matched++
		return i + 1
	}
	if !EndsName(c) {
		return z.backToRaw("</", z.rawName[:z.rawNameLen], i)
	}
	if z.escape == doubleEscaped {
		z.escape = escaped
		return z.backToRaw("</", z.rawName[:z.rawNameLen], i)
	}
	z.tag = Tag{Name: append(z.tag.Name[:0], z.rawName[:z.rawNameLen]...), End: true}
	z.named, z.wanted = false, false
	z.nameTag()
	z.state = beforeAttributeName
	return i
}

// readEscaped reads a script inside of "<!--". "-->" ends the escape.
func (z *Tokenizer) readEscaped(p []byte, i int, base int64) int {
	start := i
	for ; i < len(p); i++ {
		switch p[i] {
		case '-':
			z.dashes = min(z.dashes+1, 2)
			continue
		case '>':
			if z.dashes == 2 {
				z.escape, z.dashes = notEscaped, 0
				z.sink.Raw(base+int64(start), p[start:i+1])
				return i + 1
			}
		case '<':
			z.dashes = 0
			if i > start {
				z.sink.Raw(base+int64(start), p[start:i])
			}
			z.TagAt = base + int64(i)
			z.state = rawLess
			return i + 1
		}
		z.dashes = 0
	}
	z.sink.Raw(base+int64(start), p[start:])
	return len(p)
}
