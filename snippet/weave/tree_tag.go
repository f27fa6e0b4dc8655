package weave

import (
	"bytes"

	a "golang.org/x/net/html/atom"

	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// begin begins the tag g, whose "<" is at offset at.
func (t *tree) begin(at int64, g *token.Tag) {
	if t.passed = at < t.done; t.lost || t.passed {
		return
	}
	t.settle()
	t.endText()
	t.tag = tag{end: g.End}
	if !g.Cut {
		t.tag.atom = a.Lookup(g.Name)
	}
	t.seen = 0
}

// attribute takes an attribute of the tag. If several have the same name, the first counts.
func (t *tree) attribute(at *token.Attribute) {
	if t.lost || t.passed {
		return
	}
	k := &t.tag
	name := string(at.Name)
	if at.ValueCut || at.NameCut || bytes.IndexByte(at.Value, '&') >= 0 {
		k.traits |= unlike
	}
	k.attrs += at.Hash()
	switch k.atom {
	case a.Input:
		if name == "type" && t.seen&1 == 0 {
			t.seen |= 1
			value, ok := at.Plain()
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
			value, ok := at.Plain()
			if bytes.EqualFold(value, []byte("text/html")) || bytes.EqualFold(value, []byte("application/xhtml+xml")) {
				k.traits |= holdsHTML
			}
			if !ok {
				t.lose()
			}
		}
	}
	if at.Bare && len(at.Value) > 0 && at.Value[len(at.Value)-1] == '/' && t.top().space != htmlSpace {
		t.lose() // parsers do not agree on whether the slash belongs to the value
	}
	t.program.attribute(k, at, &t.seen)
}

// finish takes the tag, which ends before the offset after. raw says whether the tokenizer reads its content as raw
// text, f whether it reads on as in SVG or MathML. Where the tree expects something else it is lost.
func (t *tree) finish(after int64, g *token.Tag, raw bool, f *token.Foreign) {
	if t.told = (parts{}); t.lost || t.passed {
		return
	}
	t.tag.name, t.tag.closing, t.after = g.Number(), g.Closing, after
	t.program.judge(&t.tag)
	inert := t.inert
	t.take()
	if inert > 0 || t.inert > 0 {
		if f.Inside() && readsRaw(t.tag.atom) {
			t.lose() // the drawing may have ended, and this may be text
		}
		return
	}
	expected := t.mode == inTextOnly || t.tag.atom == a.Plaintext && t.top().space == htmlSpace
	if !g.End && raw != expected || f.Inside() == t.top().holdsStart() || f.Unsure {
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
