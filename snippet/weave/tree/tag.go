package tree

import (
	"bytes"

	a "golang.org/x/net/html/atom"

	"github.com/seed-3405227d/frontdesk/snippet/weave/nest"
	"github.com/seed-3405227d/frontdesk/snippet/weave/selector"
	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// tag is a tag.
type tag struct {
	atom    a.Atom
	name    uint64 // [token.Tag.Number]
	closing bool
	end     bool
	traits  traits
	attrs   uint64         // a hash of the attributes
	met     selector.Parts // the conditions that the attributes meet
	own     selector.Parts // the parts that the tag meets by itself
	dim     bool           // met and own are not known
}

type traits uint8

const (
	hidden     traits = 1 << iota // <input type=hidden>
	breaksFont                    // a <font> that closes foreign elements
	holdsHTML                     // an <annotation-xml> that holds HTML
	unlike                        // its attributes cannot be compared with those of another tag
)

// Begin begins the tag g.
func (t *Tree) Begin(g *token.Tag) {
	if t.lost {
		return
	}
	t.endText()
	t.tag = tag{end: g.End}
	if !g.Cut {
		t.tag.atom = a.Lookup(g.Name)
	}
	t.seen = 0
}

// Attribute takes an attribute of the tag. If several have the same name, the first counts.
func (t *Tree) Attribute(at *token.Attribute) {
	if t.lost {
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
	if !t.program.Attribute(at, &k.met, &t.seen) {
		k.dim = true
	}
}

// Finish takes the tag, which ends before the offset after. raw says whether the tokenizer reads its content as raw
// text, f whether it reads on as in SVG or MathML. Where the tree expects something else it is lost.
func (t *Tree) Finish(after int64, g *token.Tag, raw bool, f *token.Foreign) {
	if t.Told = (selector.Parts{}); t.lost {
		return
	}
	t.tag.name, t.tag.closing, t.after = g.Number(), g.Closing, after
	t.judge()
	inert := len(t.inert) > 0
	t.take()
	if inert || len(t.inert) > 0 {
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

// judge sets the parts that the tag meets by itself.
func (t *Tree) judge() { t.tag.own = t.program.Own(t.tag.name, &t.tag.met) }

// TakeBare takes a tag whose attributes meet no condition. Unless the tag is plain, the tree cannot compare its
// attributes with those of another element.
func (t *Tree) TakeBare(name token.Word, end, plain bool) {
	t.tag = tag{atom: nest.Of(name).Atom, name: uint64(name), end: end}
	if !end {
		t.tag.own = t.program.Bare(uint64(name))
	}
	if !plain {
		t.tag.traits = unlike
	}
	t.take()
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
