package weave

import (
	"bytes"
	"strings"

	a "golang.org/x/net/html/atom"
)

// maxDoctype is how many bytes of a document type declaration are kept. The longest public identifiers in use are
// shorter.
const maxDoctype = 256

// readMarkup reads declarations, comments and CDATA sections, which begin with "<!" or "<?". It also reads "</" without
// a name.
func (z *tokenizer) readMarkup(p []byte, i int) int {
	c := p[i]
	switch z.state {
	case declaration:
		return z.readDeclaration(c, i)
	case bogusComment:
		return z.skipTo(p, i, '>', inText)
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
	case inDoctype:
		// A ">" ends the declaration even inside its quoted identifiers.
		n := bytes.IndexByte(p[i:], '>')
		if n < 0 {
			z.addDoctype(p[i:])
			return len(p)
		}
		z.addDoctype(p[i : i+n])
		z.state = inText
		z.sink.doctype(z.content)
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

// readDeclaration finds out what the "<!" begins.
func (z *tokenizer) readDeclaration(c byte, i int) int {
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
	case seen == "[CDATA[" && z.foreign.inside():
		z.state = inCDATA
	case seen == "[CDATA[" && z.foreign.depth > 0:
		z.foreign.unsure = true
		z.state = bogusComment
	case seen == "-", doctype, z.foreign.depth > 0 && hasPrefix("[CDATA[", seen):
	default:
		z.state = bogusComment
		return i
	}
	return i + 1
}

func (z *tokenizer) skipTo(p []byte, i int, c byte, then state) int {
	n := bytes.IndexByte(p[i:], c)
	if n < 0 {
		return len(p)
	}
	z.state = then
	return i + n + 1
}

func (z *tokenizer) addDoctype(b []byte) {
	z.content = append(z.content, b[:min(len(b), maxDoctype-len(z.content))]...)
}

func hasPrefix(word, seen string) bool {
	return len(seen) <= len(word) && word[:len(seen)] == seen
}

// foreign says whether the page is inside of SVG or MathML. CDATA sections exist only there, and no element there has
// raw content. foreign is a stack of bits. A bit is set for a foreign element, and clear for an element in it that
// holds HTML.
type foreign struct {
	bits   uint64
	depth  uint8
	unsure bool // a CDATA section in a <desc> or the like was read as a comment, which it is in the HTML elements there
}

func (f *foreign) inside() bool { return f.depth > 0 && f.bits&1 == 1 }

func (f *foreign) push(inside bool) {
	if f.depth == 64 {
		return
	}
	f.depth++
	f.bits <<= 1
	if inside {
		f.bits |= 1
	}
}

func (f *foreign) pop(inside bool) {
	if f.depth > 0 && f.inside() == inside {
		f.depth--
		f.bits >>= 1
	}
}

// follow takes a tag. It says whether the tag is one of a foreign element, whose content is read as markup.
func (f *foreign) follow(t *tag) bool {
	switch string(t.name) {
	case "svg", "math":
		if t.end {
			f.pop(true)
		} else if !t.closing {
			f.push(true)
		}
		return true
	case "foreignobject", "desc", "title", "mi", "mo", "mn", "ms", "mtext", "annotation-xml":
		if f.depth == 0 {
			return false
		}
		if t.end {
			f.pop(false)
		} else if f.inside() && !t.closing {
			f.push(false)
			return true
		}
	}
	if f.inside() && breaksOut(t) {
		for f.inside() {
			f.pop(true)
		}
	}
	return f.inside()
}

// breaksOut says whether a tag closes all foreign elements around it (HTML standard, 13.2.6.5). A <font> does so only
// with some attributes, but breaksOut does not look at them.
func breaksOut(t *tag) bool {
	if t.cut {
		return false
	}
	if t.end {
		return t.is("p") || t.is("br")
	}
	x := a.Lookup(t.name)
	return x == a.Font || breaksOutOf(x)
}
