package tree

import (
	a "golang.org/x/net/html/atom"

	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// startInBody takes a start tag in the mode "in body". It returns false if the token has to be taken again.
func (t *Tree) startInBody() bool {
	k := &t.tag
	switch k.atom {
	case a.Html, a.Body:
		// The element that is open gets the attributes that it lacks. The tree does not follow this.
		if k.atom == a.Body && len(t.open) > 1 && t.open[1].atom == a.Body {
			t.framesetOK = false
		}
		if k.attrs != 0 || k.traits&unlike != 0 {
			t.lose()
		}
	case a.Base, a.Basefont, a.Bgsound, a.Link, a.Meta, a.Noframes, a.Script, a.Style, a.Template, a.Title:
		return t.takeInHead()
	case a.Frameset:
		if t.framesetOK && len(t.open) > 1 && t.open[1].atom == a.Body {
			t.lose()
		}
	case a.Address, a.Article, a.Aside, a.Blockquote, a.Center, a.Details, a.Dialog, a.Dir, a.Div, a.Dl, a.Fieldset, a.Figcaption, a.Figure,
		a.Footer, a.Header, a.Hgroup, a.Main, a.Menu, a.Nav, a.Ol, a.P, a.Search, a.Section, a.Summary, a.Ul, a.Plaintext:
		t.closeP()
		t.addToken()
	case a.H1, a.H2, a.H3, a.H4, a.H5, a.H6:
		t.closeP()
		if isHeading(t.top().atom) {
			t.pop()
		}
		t.addToken()
	case a.Pre, a.Listing:
		t.closeP()
		t.addToken()
		t.framesetOK = false
		t.afterPre = t.after
	case a.Form:
		if t.form != nil {
			return true
		}
		t.closeP()
		t.setForm(t.addToken())
	case a.Li, a.Dd, a.Dt:
		t.framesetOK = false
		t.closeItem(k.atom)
		t.closeP()
		t.addToken()
	case a.Button:
		if t.inScope(defaultScope, a.Button) >= 0 {
			t.implyEnds(0)
			t.popUntil(defaultScope, a.Button)
		}
		t.reconstruct()
		t.addToken()
		t.framesetOK = false
	case a.A:
		for i := len(t.formatting) - 1; i >= 0 && t.formatting[i] != nil; i-- {
			t.step()
			if n := t.formatting[i]; n.atom == a.A {
				n.holders++
				t.adopt()
				t.remove(n)
				t.unlistNode(n)
				t.release(n)
				break
			}
		}
		t.reconstruct()
		t.addFormatting()
	case a.B, a.Big, a.Code, a.Em, a.Font, a.I, a.S, a.Small, a.Strike, a.Strong, a.Tt, a.U:
		t.reconstruct()
		t.addFormatting()
	case a.Nobr:
		t.reconstruct()
		if t.inScope(defaultScope, a.Nobr) >= 0 {
			t.adopt()
			t.reconstruct()
		}
		t.addFormatting()
	case a.Applet, a.Marquee, a.Object:
		t.reconstruct()
		t.addToken()
		t.list(nil)
		t.framesetOK = false
	case a.Table:
		if t.inParagraph() && !t.inQuirks() {
			t.closeP()
		}
		t.addToken()
		t.framesetOK = false
		t.mode = inTable
	case a.Area, a.Br, a.Embed, a.Img, a.Keygen, a.Wbr:
		t.reconstruct()
		t.addVoid()
		t.framesetOK = false
	case a.Input:
		t.popUntil(defaultScope, a.Select)
		t.reconstruct()
		t.addVoid()
		if k.traits&hidden == 0 {
			t.framesetOK = false
		}
	case a.Param, a.Source, a.Track:
		t.addVoid()
	case a.Hr:
		if t.inParagraph() {
			t.implyEnds(a.P)
			t.popUntil(defaultScope, a.P)
		}
		if t.inScope(defaultScope, a.Select) >= 0 {
			t.implyEnds(0)
		}
		t.addVoid()
		t.framesetOK = false
	case a.Image:
		k.atom, k.name = a.Img, token.NumberOf("img")
		t.judge()
		return false
	case a.Textarea, a.Iframe:
		t.addRawText()
		t.framesetOK = false
	case a.Xmp:
		t.closeP()
		t.reconstruct()
		t.framesetOK = false
		t.addRawText()
	case a.Noembed, a.Noscript:
		t.addRawText()
	case a.Select:
		if t.popUntil(defaultScope, a.Select) {
			return true
		}
		t.reconstruct()
		t.addToken()
		t.framesetOK = false
	case a.Option, a.Optgroup:
		if t.inScope(defaultScope, a.Select) >= 0 {
			t.implyEnds(map[bool]a.Atom{true: a.Optgroup}[k.atom == a.Option])
		} else if t.top().atom == a.Option {
			t.pop()
		}
		t.reconstruct()
		t.addToken()
	case a.Rb, a.Rtc, a.Rp, a.Rt:
		if t.inScope(defaultScope, a.Ruby) >= 0 {
			t.implyEnds(map[bool]a.Atom{true: a.Rtc}[k.atom == a.Rp || k.atom == a.Rt])
		}
		t.addToken()
	case a.Math, a.Svg:
		t.reconstruct()
		t.addForeign(map[bool]namespace{true: mathSpace, false: svgSpace}[k.atom == a.Math])
	case a.Caption, a.Col, a.Colgroup, a.Frame, a.Head, a.Tbody, a.Td, a.Tfoot, a.Th, a.Thead, a.Tr:
	default:
		t.reconstruct()
		t.addToken()
	}
	return true
}

// endInBody takes an end tag in the mode "in body". It returns false if the token has to be taken again.
func (t *Tree) endInBody() bool {
	k := &t.tag
	switch k.atom {
	case a.Body, a.Html:
		if t.inScope(defaultScope, a.Body) < 0 {
			return true
		}
		t.mode = afterBody
		return k.atom == a.Body
	case a.Address, a.Article, a.Aside, a.Blockquote, a.Button, a.Center, a.Details, a.Dialog, a.Dir, a.Div, a.Dl, a.Fieldset, a.Figcaption,
		a.Figure, a.Footer, a.Header, a.Hgroup, a.Listing, a.Main, a.Menu, a.Nav, a.Ol, a.Pre, a.Search, a.Section, a.Select, a.Summary, a.Ul:
		if t.inScope(defaultScope, k.atom) >= 0 {
			t.implyEnds(0)
			t.popUntil(defaultScope, k.atom)
		}
	case a.Form:
		n := t.form
		i := t.inScope(defaultScope, a.Form)
		if n != nil && i >= 0 && t.open[i] == n {
			t.implyEnds(0)
			t.remove(n)
		}
		t.setForm(nil)
	case a.P:
		if !t.inParagraph() {
			if t.top().space != htmlSpace {
				t.breakOut()
			}
			t.addImplied(a.P)
		}
		t.closeP()
	case a.Li:
		t.popUntil(listItemScope, a.Li)
	case a.Dd, a.Dt:
		t.popUntil(defaultScope, k.atom)
	case a.H1, a.H2, a.H3, a.H4, a.H5, a.H6:
		t.popUntil(defaultScope, a.H1, a.H2, a.H3, a.H4, a.H5, a.H6)
	case a.A, a.B, a.Big, a.Code, a.Em, a.Font, a.I, a.Nobr, a.S, a.Small, a.Strike, a.Strong, a.Tt, a.U:
		t.adopt()
	case a.Applet, a.Marquee, a.Object:
		if t.popUntil(defaultScope, k.atom) {
			t.clearFormatting()
		}
	case a.Br:
		k.end = false
		t.judge()
		return false
	case a.Template:
	default:
		t.endOther()
	}
	return true
}

// endOther takes the end tag of an element that has no rules of its own.
func (t *Tree) endOther() {
	for i := len(t.open) - 1; i >= 0; i-- {
		t.step()
		n := t.open[i]
		if n.space == htmlSpace && n.name == t.tag.name {
			t.popTo(i)
			return
		}
		if n.special() {
			return
		}
	}
}

func isHeading(x a.Atom) bool {
	switch x {
	case a.H1, a.H2, a.H3, a.H4, a.H5, a.H6:
		return true
	}
	return false
}

func (t *Tree) inParagraph() bool { return t.paragraphs > 0 && t.inScope(buttonScope, a.P) >= 0 }

func (t *Tree) closeP() {
	if t.paragraphs > 0 {
		t.popUntil(buttonScope, a.P)
	}
}

// closeItem closes the open item that a new <li>, <dd> or <dt> ends.
func (t *Tree) closeItem(x a.Atom) {
	for i := len(t.open) - 1; i >= 0; i-- {
		t.step()
		n := t.open[i]
		switch {
		case n.atom == x, x != a.Li && (n.atom == a.Dd || n.atom == a.Dt):
			t.popTo(i)
			return
		case n.atom == a.Address, n.atom == a.Div, n.atom == a.P, !n.special():
		default:
			return
		}
	}
}
