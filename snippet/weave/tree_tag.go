package weave

import (
	"bytes"
	"html"

	a "golang.org/x/net/html/atom"
)

const (
	hashBegin = 0xcbf29ce484222325 // FNV-1a
	hashPrime = 0x100000001b3
)

func hashed(h uint64, b []byte) uint64 {
	for _, c := range b {
		h = (h ^ uint64(c)) * hashPrime
	}
	return h
}

// nameOf returns the number by which the tree compares element names. The name has to be in lower case.
func nameOf(name string) uint64 {
	t := tag{name: []byte(name)}
	if len(name) > maxName {
		t.name, t.cut = t.name[:maxName], true
		t.rest = hashed(hashBegin, []byte(name[maxName:]))
	}
	return t.number()
}

func (t *tag) number() uint64 {
	if len(t.name) <= maxWord && bytes.IndexByte(t.name, 0) < 0 {
		return uint64(wordOf(string(t.name)))
	}
	return (hashed(hashBegin, t.name)^t.rest)*hashPrime | 1<<63
}

// begin begins the tag g, whose "<" is at offset at.
func (t *tree) begin(at int64, g *tag) {
	if t.passed = at < t.done; t.lost || t.passed {
		return
	}
	t.settle()
	t.endText()
	t.token = token{end: g.end}
	if !g.cut {
		t.token.atom = a.Lookup(g.name)
	}
	t.seen = 0
}

// attribute takes an attribute of the tag. If several have the same name, the first counts.
func (t *tree) attribute(at *attribute) {
	if t.lost || t.passed {
		return
	}
	k := &t.token
	name := string(at.name)
	if at.valueCut || at.nameCut || bytes.IndexByte(at.value, '&') >= 0 {
		k.traits |= unlike
	}
	k.attrs += hashed(hashed(hashBegin, at.name)*hashPrime, at.value) | 1
	switch k.atom {
	case a.Input:
		if name == "type" && t.seen&1 == 0 {
			t.seen |= 1
			value, ok := plainValue(at)
			if bytes.EqualFold(value, []byte("hidden")) {
				k.traits |= hidden
			}
			if !ok {
				t.lose()
			}
		}
	case a.Font:
		if name == "color" || name == "face" || name == "size" {
			k.traits |= breaksFont
		}
	case a.AnnotationXml:
		if name == "encoding" && t.seen&1 == 0 {
			t.seen |= 1
			value, ok := plainValue(at)
			if bytes.EqualFold(value, []byte("text/html")) || bytes.EqualFold(value, []byte("application/xhtml+xml")) {
				k.traits |= holdsHTML
			}
			if !ok {
				t.lose()
			}
		}
	}
	if at.bare && len(at.value) > 0 && at.value[len(at.value)-1] == '/' && t.top().space != htmlSpace {
		t.lose() // parsers do not agree on whether the slash belongs to the value
	}
	t.program.attribute(k, at, &t.seen)
}

// finish takes the tag, which ends before the offset after. raw says whether the tokenizer reads its content as raw
// text, f whether it reads on as in SVG or MathML. Where the tree expects something else it is lost.
func (t *tree) finish(after int64, g *tag, raw bool, f *foreign) {
	if t.told = (parts{}); t.lost || t.passed {
		return
	}
	t.token.name, t.token.closing, t.after = g.number(), g.closing, after
	t.program.judge(&t.token)
	inert := t.inert
	t.take()
	if inert > 0 || t.inert > 0 {
		if f.inside() && readsRaw(t.token.atom) {
			t.lose() // the drawing may have ended, and this may be text
		}
		return
	}
	expected := t.mode == inTextOnly || t.token.atom == a.Plaintext && t.top().space == htmlSpace
	if !g.end && raw != expected || f.inside() == t.top().holdsStart() || f.unsure {
		t.lose()
	}
}

// readsRaw says whether the content of an element is raw text outside of SVG and MathML. A <title> is left out: drawings
// have one.
func readsRaw(x a.Atom) bool {
	switch x {
	case a.Iframe, a.Noembed, a.Noframes, a.Noscript, a.Plaintext, a.Script, a.Style, a.Textarea, a.Xmp:
		return true
	}
	return false
}

// plainValue returns an attribute's value with its character references decoded. ok is false if the value is not known
// for sure.
func plainValue(at *attribute) (value []byte, ok bool) {
	if at.valueCut {
		return nil, false
	}
	i := bytes.IndexByte(at.value, '&')
	if i < 0 {
		return at.value, true
	}
	for rest := at.value[i:]; ; {
		n := 1
		for n < len(rest) && (isLetter(rest[n]) || '0' <= rest[n] && rest[n] <= '9' || rest[n] == '#' && n == 1) {
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
			return []byte(html.UnescapeString(string(at.value))), true
		}
		rest = rest[n+next:]
	}
}
