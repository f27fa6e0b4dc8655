package capture

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/seed-3405227d/frontdesk/backend/capture/naming"
	"github.com/seed-3405227d/frontdesk/backend/capture/posted"
	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
)

// pageReader reads the fields of a page.
type pageReader struct {
	labels  map[string]*html.Node // by the ids of the fields
	trapped map[*html.Node]bool   // what is known of the elements around fields; see inTrap
}

// form returns what is said of the fields of a form.
func (p pageReader) form(form *html.Node) map[string]mark {
	marks := make(map[string]mark)
	for n := range form.Descendants() {
		if n.DataAtom != atom.Input && n.DataAtom != atom.Textarea && n.DataAtom != atom.Select {
			continue
		}
		name, _ := attribute(n, "name")
		if _, twice := marks[name]; !twice && name != "" && len(name) <= posted.MaxName {
			marks[name] = p.markOf(n)
		}
		if len(marks) == maxMarks {
			break
		}
	}
	return marks
}

// attribute returns the value of the attribute of that name.
func attribute(n *html.Node, name string) (value string, has bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// filled are the values of autocomplete that say who somebody is (HTML Standard, section 4.10.18.7).
var filled = map[string]naming.Meaning{
	"email": naming.Email, "tel": naming.Phone, "tel-national": naming.Phone, "name": naming.Name, "given-name": naming.First, "additional-name": naming.Middle, "family-name": naming.Last,
}

func (p pageReader) markOf(field *html.Node) mark {
	said := func(name string) string { value, _ := attribute(field, name); return value }
	kind := strings.ToLower(said("type"))
	switch kind {
	case "hidden", "submit", "button", "image", "reset", "file":
		return mark{Preset: true}
	case "password":
		return mark{Secret: true}
	case "checkbox", "radio":
		return mark{} // its label is of one choice: the field has others
	}
	m := mark{Label: p.labelOf(field, said("id"))}
	m.Hidden = field.DataAtom != atom.Select && p.isHidden(field)
	for token := range strings.FieldsSeq(strings.ToLower(said("autocomplete"))) {
		if m.Says == "" {
			m.Says = filled[token]
		}
		m.Secret = m.Secret || strings.HasPrefix(token, "cc-") || strings.HasSuffix(token, "-password") || token == "one-time-code"
	}
	switch {
	case m.Says != "":
	case kind == "email":
		m.Says = naming.Email
	case kind == "tel":
		m.Says = naming.Phone
	}
	for _, text := range []string{m.Label, said("aria-label"), said("placeholder"), said("title")} {
		if m.Label == "" && len(text) <= maxLabel {
			m.Label = text
		}
		if m.Says == "" && field.DataAtom != atom.Select {
			m.Says = naming.MeaningOf(naming.LabelWords(text))
		}
	}
	if m.Says == "" && field.DataAtom == atom.Textarea {
		m.Says = naming.Message
	}
	return m
}

// isHidden reports whether a program of forms hides the field for good, or the field's own style hides it in a form of
// such a program. A field that is hidden otherwise may be a later step of the form, or be filled in by a script of the
// page.
func (p pageReader) isHidden(field *html.Node) bool {
	name, _ := attribute(field, "name")
	style, _ := attribute(field, "style")
	return field.DataAtom == atom.Input && strings.HasPrefix(name, "form_fields[") && strings.Contains(strings.ReplaceAll(style, " ", ""), "display:none") ||
		p.inTrap(field.Parent)
}

// inTrap reports whether the element, or one around it within the form, is a trap for programs. It reads each once: an
// element may have many fields and many classes.
func (p pageReader) inTrap(n *html.Node) bool {
	if n == nil || n.DataAtom == atom.Form {
		return false
	}
	trapped, known := p.trapped[n]
	if !known {
		trapped = p.inTrap(n.Parent) || isTrap(n)
		p.trapped[n] = trapped
	}
	return trapped
}

func isTrap(n *html.Node) bool {
	return slices.ContainsFunc([]string{"class", "id"}, func(name string) bool {
		value, _ := attribute(n, name)
		for class := range strings.FieldsSeq(value) {
			if class == "gform_validation_container" || naming.IsTrap(class) {
				return true
			}
		}
		return false
	})
}

// labelOf returns the label of the field with the id.
func (p pageReader) labelOf(field *html.Node, id string) string {
	if text := words(p.labels[id]); text != "" {
		return text
	}
	for around := field.Parent; around != nil && around.DataAtom != atom.Form; around = around.Parent {
		if around.DataAtom == atom.Label {
			if text := words(around); text != "" {
				return text
			}
			break
		}
	}
	// Forms in tables and lists have none.
	before := previous(field)
	if cell := field.Parent; before == nil && (cell.DataAtom == atom.Td || cell.DataAtom == atom.Dd) {
		before = previous(cell)
	}
	if before == nil || before.DataAtom == atom.Input || before.DataAtom == atom.Button {
		return ""
	}
	return words(before)
}

// previous returns the element before another.
func previous(n *html.Node) *html.Node {
	for n = n.PrevSibling; n != nil && n.Type != html.ElementNode; n = n.PrevSibling {
	}
	return n
}

// words returns the visible words of an element, cut.
func words(n *html.Node) string {
	if n == nil {
		return ""
	}
	l := label{left: maxLooked}
	l.read(n)
	return strings.TrimRight(clip.Text(string(l.text), maxLabel), " *:")
}

// label is one that is being read.
type label struct {
	text []byte
	left int // nodes and bytes that may be looked at
}

// read adds the words of a node, as far as people see them.
func (l *label) read(n *html.Node) {
	if l.left--; l.left < 0 || len(l.text) > maxLabel {
		return
	}
	switch n.DataAtom {
	case atom.Select, atom.Textarea, atom.Script, atom.Style:
		return
	}
	if n.Type == html.TextNode {
		l.add(clip.Text(n.Data, l.left))
		l.left -= len(n.Data)
	}
	for n = n.FirstChild; n != nil && l.left > 0; n = n.NextSibling {
		l.read(n)
	}
}

// add adds the text, with one blank for each white space.
func (l *label) add(text string) {
	for _, r := range text {
		begun := len(l.text) > 0
		switch {
		case len(l.text) > maxLabel:
			return
		case unicode.IsSpace(r):
			if begun && l.text[len(l.text)-1] != ' ' {
				l.text = append(l.text, ' ')
			}
		case begun || r != '*' && r != ':': // signs that stand before a label
			l.text = utf8.AppendRune(l.text, r)
		}
	}
}
