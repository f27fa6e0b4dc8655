package capture

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"
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
)

// ReadMarkup reads the forms of a page as its origin sent it. It costs some milliseconds for a large page.
func ReadMarkup(page []byte, contentType string) Markup {
	set, label, _ := charset.DetermineEncoding(page[:min(len(page), 1024)], contentType) // as far as browsers look
	document, err := goquery.NewDocumentFromReader(transform.NewReader(bytes.NewReader(page), set.NewDecoder()))
	if err != nil {
		return nil
	}
	labels := make(map[string]string) // by the ids of the fields
	document.Find("label[for]").Each(func(_ int, s *goquery.Selection) { labels[s.AttrOr("for", "")] = words(s) })
	var markup Markup
	document.Find("form").EachWithBreak(func(_ int, form *goquery.Selection) bool {
		marks := make(map[string]mark)
		form.Find("input[name], textarea[name], select[name]").EachWithBreak(func(_ int, field *goquery.Selection) bool {
			name := field.AttrOr("name", "")
			if _, twice := marks[name]; !twice && name != "" && len(name) <= posted.MaxName {
				marks[name] = markOf(field, labels)
			}
			return len(marks) < maxMarks
		})
		if len(marks) > 0 {
			markup = append(markup, formMarkup{sentIn(form, label), marks})
		}
		return len(markup) < maxForms
	})
	return markup
}

// sentIn returns the character set in which browsers send the form of a page with the label (HTML Standard, section
// 4.10.21.5).
func sentIn(form *goquery.Selection, page string) string {
	for _, label := range strings.FieldsFunc(form.AttrOr("accept-charset", ""), func(r rune) bool { return r == ' ' || r == ',' }) {
		if set, err := htmlindex.Get(label); err == nil {
			page, _ = htmlindex.Name(set)
			break
		}
	}
	return page
}

// words returns the visible words of an element, cut.
func words(s *goquery.Selection) string {
	if s.Length() == 0 {
		return ""
	}
	s = s.Clone()
	s.Find("select, textarea, script, style").Remove()
	text := strings.Trim(strings.Join(strings.Fields(s.Text()), " "), " *:")
	if len(text) > maxLabel {
		cut := maxLabel
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut]
	}
	return text
}

// filled are the values of autocomplete that say who somebody is (HTML Standard, section 4.10.18.7).
var filled = map[string]naming.Meaning{
	"email": naming.Email, "tel": naming.Phone, "tel-national": naming.Phone, "name": naming.Name, "given-name": naming.First, "additional-name": naming.Middle, "family-name": naming.Last,
}

func markOf(field *goquery.Selection, labels map[string]string) mark {
	kind := strings.ToLower(field.AttrOr("type", "text"))
	switch kind {
	case "hidden", "submit", "button", "image", "reset", "file":
		return mark{Preset: true}
	case "password":
		return mark{Secret: true}
	}
	var m mark
	if m.Label = labels[field.AttrOr("id", "")]; m.Label == "" {
		m.Label = words(field.ParentsUntil("form").Filter("label").First())
	}
	if m.Label == "" { // forms in tables and lists have none
		before := field.Prev()
		if before.Length() == 0 {
			before = field.Parent().Filter("td, dd").Prev()
		}
		m.Label = words(before.Not("input, select, textarea, button"))
	}
	if kind == "checkbox" || kind == "radio" {
		m.Label = "" // of one choice: the field has others
		return m
	}
	m.Hidden = !field.Is("select") && isHidden(field)
	for token := range strings.FieldsSeq(strings.ToLower(field.AttrOr("autocomplete", ""))) {
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
	for _, text := range []string{m.Label, field.AttrOr("aria-label", ""), field.AttrOr("placeholder", ""), field.AttrOr("title", "")} {
		if m.Label == "" && len(text) <= maxLabel {
			m.Label = text
		}
		if m.Says == "" && !field.Is("select") {
			m.Says = naming.MeaningOf(naming.LabelWords(text))
		}
	}
	if m.Says == "" && field.Is("textarea") {
		m.Says = naming.Message
	}
	return m
}

// isHidden reports whether a program of forms hides the field for good, or the field's own style hides it in a form of
// such a program. A field that is hidden otherwise may be a later step of the form, or be filled in by a script of the
// page.
func isHidden(field *goquery.Selection) bool {
	style := strings.ReplaceAll(field.AttrOr("style", ""), " ", "")
	return strings.HasPrefix(field.AttrOr("name", ""), "form_fields[") && field.Is("input") && strings.Contains(style, "display:none") ||
		field.ParentsUntil("form").FilterFunction(func(_ int, s *goquery.Selection) bool {
			classes := strings.Fields(s.AttrOr("class", "") + " " + s.AttrOr("id", ""))
			return slices.ContainsFunc(classes, func(class string) bool { return class == "gform_validation_container" || naming.IsTrap(class) })
		}).Length() > 0
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
