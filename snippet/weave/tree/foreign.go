package tree

import (
	a "golang.org/x/net/html/atom"

	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// takeForeign takes a tag in a foreign element (HTML standard, 13.2.6.5).
func (t *Tree) takeForeign() bool {
	k := &t.tag
	if k.end {
		for i := len(t.open) - 1; i >= 0; i-- {
			t.step()
			if t.open[i].name == k.name {
				t.popTo(i)
				return true
			}
			if i > 0 && t.open[i-1].space == htmlSpace {
				break
			}
		}
		return t.takeIn(t.mode)
	}
	if token.BreaksOut(k.atom) || k.traits&breaksFont != 0 {
		t.breakOut()
		return t.takeIn(t.mode)
	}
	t.addForeign(t.top().space)
	return true
}

// breakOut closes the foreign elements around a tag that cannot stand in them.
func (t *Tree) breakOut() {
	for len(t.open) > 0 && t.top().space != htmlSpace && !t.top().holdsStart() {
		t.step()
		t.pop()
	}
}

func (t *Tree) addForeign(s namespace) {
	n := t.make(&t.tag)
	if n.space = s; s == svgSpace && n.name == foreignObject {
		n.atom = a.ForeignObject // in SVG, this atom has a capital letter
	}
	t.add(n)
	if n.closing {
		t.pop()
	}
}

var foreignObject = token.NumberOf("foreignobject")

// inForeign says whether the tree takes the next tag by the rules of foreign content.
func (t *Tree) inForeign() bool {
	n, k := t.top(), &t.tag
	switch {
	case n.space == htmlSpace:
		return false
	case k.end:
		return true
	case n.space == mathSpace && isMathText(n.atom):
		return k.atom == a.Mglyph || k.atom == a.Malignmark
	case n.space == mathSpace && n.atom == a.AnnotationXml && k.atom == a.Svg:
		return false
	}
	return !n.holdsStart()
}

// holdsStart says whether HTML start tags may stand in the element.
func (n *node) holdsStart() bool {
	switch n.space {
	case mathSpace:
		return isMathText(n.atom) || n.traits&holdsHTML != 0
	case svgSpace:
		return n.atom == a.Desc || n.atom == a.ForeignObject || n.atom == a.Title
	}
	return true
}

func isMathText(x a.Atom) bool {
	switch x {
	case a.Mi, a.Mn, a.Mo, a.Ms, a.Mtext:
		return true
	}
	return false
}

// special says whether an element is special (HTML standard, 13.2.4.2).
func (n *node) special() bool {
	switch n.space {
	case mathSpace:
		return n.atom == a.AnnotationXml || isMathText(n.atom)
	case svgSpace:
		return n.atom == a.ForeignObject || n.atom == a.Desc || n.atom == a.Title
	}
	switch n.atom {
	case a.Address, a.Applet, a.Area, a.Article, a.Aside, a.Base, a.Basefont, a.Bgsound, a.Blockquote, a.Body, a.Br, a.Button, a.Caption,
		a.Center, a.Col, a.Colgroup, a.Dd, a.Details, a.Dir, a.Div, a.Dl, a.Dt, a.Embed, a.Fieldset, a.Figcaption, a.Figure, a.Footer, a.Form,
		a.Frame, a.Frameset, a.H1, a.H2, a.H3, a.H4, a.H5, a.H6, a.Head, a.Header, a.Hgroup, a.Hr, a.Html, a.Iframe, a.Img, a.Input, a.Keygen,
		a.Li, a.Link, a.Listing, a.Main, a.Marquee, a.Menu, a.Meta, a.Nav, a.Noembed, a.Noframes, a.Noscript, a.Object, a.Ol, a.P, a.Param,
		a.Plaintext, a.Pre, a.Script, a.Section, a.Select, a.Source, a.Style, a.Summary, a.Table, a.Tbody, a.Td, a.Template, a.Textarea,
		a.Tfoot, a.Th, a.Thead, a.Title, a.Tr, a.Track, a.Ul, a.Wbr, a.Xmp:
		return true
	}
	return false
}
