package token

import (
	"bytes"
	"strings"
)

// MaxDoctype is how many bytes of a document type declaration are kept. The longest public identifiers in use are
// shorter.
const MaxDoctype = 256

// readMarkup reads declarations, comments and CDATA sections, which begin with "<!" or "<?". It also reads "</" without
// a name.
func (z *Tokenizer) readMarkup(p []byte, i int) int {
	c := p[i]
	switch z.state {
	case declaration:
		return z.readDeclaration(c, i)
	case bogusComment:
		return z.skipTo(p, i, '>', inText)
	case commentStart, commentStartDash, inComment, commentEndDash, commentEnd, commentEndBang:
		return z.readComment(p, i)
	case inDoctype:
		// A ">" ends the declaration even inside its quoted identifiers.
		n := bytes.IndexByte(p[i:], '>')
		if n < 0 {
			z.addDoctype(p[i:])
			return len(p)
		}
		z.addDoctype(p[i : i+n])
		z.state = inText
		z.sink.Doctype(z.content)
		return i + n + 1
	case inCDATA:
		return z.skipTo(p, i, ']', cdataBracket)
	case cdataBracket:
		if c == ']' {
			z.state = cdataEnd
		} else {
			z.state = inCDATA
		}
	case cdataEnd:
		switch c {
		case '>':
			z.state = inText
		case ']':
		default:
			z.state = inCDATA
		}
	}
	return i + 1
}

// readComment reads a comment behind its "<!--".
func (z *Tokenizer) readComment(p []byte, i int) int {
	c := p[i]
	switch z.state {
	case commentStart:
		switch c {
		case '-':
			z.state = commentStartDash
		case '>':
			z.state = inText
		default:
			z.state = inComment
			return i
		}
	case commentStartDash:
		switch c {
		case '-':
			z.state = commentEnd
		case '>':
			z.state = inText
		default:
			z.state = inComment
		}
	case inComment:
		return z.skipTo(p, i, '-', commentEndDash)
	case commentEndDash:
		if c == '-' {
			z.state = commentEnd
		} else {
			z.state = inComment
		}
	case commentEnd:
		switch c {
		case '>':
			z.state = inText
		case '!':
			z.state = commentEndBang
		case '-':
		default:
			z.state = inComment
		}
	case commentEndBang:
		switch c {
		case '>':
			z.state = inText
		case '-':
			z.state = commentEndDash
		default:
			z.state = inComment
		}
	}
	return i + 1
}

// readDeclaration finds out what the "<!" begins.
func (z *Tokenizer) readDeclaration(c byte, i int) int {
	z.word[z.matched] = c
	z.matched++
	seen := string(z.word[:z.matched])
	doctype := strings.EqualFold(seen, "doctype"[:min(len(seen), len("doctype"))])
	switch {
	case seen == "--":
		z.state = commentStart
	case doctype && len(seen) == len("doctype"):
		z.content = z.content[:0]
		z.state = inDoctype
	case seen == "[CDATA[" && z.Foreign.Inside():
		z.state = inCDATA
	case seen == "[CDATA[" && z.Foreign.Open():
		z.Foreign.Unsure = true
		z.state = bogusComment
	case seen == "-", doctype, z.Foreign.Open() && strings.HasPrefix("[CDATA[", seen):
	default:
		z.state = bogusComment
		return i
	}
	return i + 1
}

func (z *Tokenizer) skipTo(p []byte, i int, c byte, then state) int {
	n := bytes.IndexByte(p[i:], c)
	if n < 0 {
		return len(p)
	}
	z.state = then
	return i + n + 1
}

func (z *Tokenizer) addDoctype(b []byte) {
	z.content = append(z.content, b[:min(len(b), MaxDoctype-len(z.content))]...)
}
