package capture

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"

	"github.com/seed-3405227d/frontdesk/backend/capture/naming"
	"github.com/seed-3405227d/frontdesk/backend/capture/posted"
)

// Markup is what the forms of a page say about their fields beside the names: by the kind of the input, by what
// browsers should fill in, and by the words that people read there.
type Markup []formMarkup

// formMarkup is what one form of a page says. It is stored as JSON.
type formMarkup struct {
	// Charset is the character set in which the browser sends the form, as a label of the Encoding Standard.
	Charset string `json:"charset,omitempty"`
	// Fields are by their names.
	Fields map[string]mark `json:"fields"`
}

// mark is what the page says about a field.
type mark struct {
	Says   naming.Meaning `json:"says,omitempty"`
	Label  string         `json:"label,omitempty"`  // as people read it
	Hidden bool           `json:"hidden,omitempty"` // people do not see it, and it is there for programs to fill
	Secret bool           `json:"secret,omitempty"` // it protects an account, or pays
	Preset bool           `json:"preset,omitempty"` // the page fills it
}

// Limits of reading a page.
const (
	maxForms = 20
	maxMarks = 100 // of a form; fields with names longer than posted.MaxName are left out
	maxLabel = 100 // bytes of a label
	// maxLooked is how many nodes of a label and bytes of its text are looked at: it may hold the whole page, and be empty.
	maxLooked = 4 << 10
)

// ReadMarkup reads the forms of a page as its origin sent it. It costs some milliseconds for a large page.
func ReadMarkup(page []byte, contentType string) Markup {
	set, label, _ := charset.DetermineEncoding(page[:min(len(page), 1024)], contentType) // as far as browsers look
	document, err := html.Parse(transform.NewReader(bytes.NewReader(page), set.NewDecoder()))
	if err != nil {
		return nil
	}
	read := pageReader{labels: make(map[string]*html.Node), trapped: make(map[*html.Node]bool)}
	for n := range document.Descendants() {
		if id, has := attribute(n, "for"); has && n.DataAtom == atom.Label {
			read.labels[id] = n
		}
	}
	var markup Markup
	for form := range document.Descendants() {
		if form.DataAtom != atom.Form {
			continue
		}
		if marks := read.form(form); len(marks) > 0 {
			markup = append(markup, formMarkup{sentIn(form, label), marks})
		}
		if len(markup) == maxForms {
			break
		}
	}
	return markup
}

// sentIn returns the character set in which browsers send the form of a page with the label (HTML Standard, section
// 4.10.21.5).
func sentIn(form *html.Node, page string) string {
	charsets, _ := attribute(form, "accept-charset")
	for label := range strings.FieldsFuncSeq(charsets, func(r rune) bool { return r == ' ' || r == ',' }) {
		if set, err := htmlindex.Get(label); err == nil {
			page, _ = htmlindex.Name(set)
			break
		}
	}
	return page
}

// of returns the marks of the form that has most of the fields that were sent.
func (m Markup) of(f posted.Form) map[string]mark {
	best, _ := m.best(f)
	return best.Fields
}

// maxKnown limits the fields that are compared with the forms of a page.
const maxKnown = 30

// Knows returns how many of the first 30 fields that were sent belong to one form of the page.
func (m Markup) Knows(f posted.Form) int {
	_, most := m.best(f)
	return most
}

// IsOf reports whether a form of the page is the one that was sent: it has at least two of the fields, and half of
// them.
func (m Markup) IsOf(f posted.Form) bool {
	known := m.Knows(f)
	return known >= 2 && 2*known >= min(len(f.Fields), maxKnown)
}

func (m Markup) best(f posted.Form) (best formMarkup, most int) {
	for _, form := range m {
		n := 0
		for _, field := range f.Fields[:min(len(f.Fields), maxKnown)] {
			if _, has := form.Fields[field.Name]; has {
				n++
			}
		}
		if n > most {
			best, most = form, n
		}
	}
	return best, most
}

// Charset is the character set in which the page's forms are sent, which may be empty.
func (m Markup) Charset() string {
	if len(m) == 0 {
		return ""
	}
	return m[0].Charset
}

// Size returns about how many bytes of memory the markup takes.
func (m Markup) Size() int {
	n := 0
	for _, form := range m {
		for name, mark := range form.Fields {
			n += len(name) + len(mark.Label) + 100
		}
	}
	return n
}
