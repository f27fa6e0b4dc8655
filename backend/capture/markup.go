package capture

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html/charset"
)

// Markup is what the forms of a page say of their fields beside the names: by the kind of the
// input, by what browsers are to fill in, by the words that people read there.
type Markup []map[string]mark // of each form, by the fields' names

// mark is what is known of a field.
type mark struct {
	says   meaning
	label  string // as people read it; may be empty
	hidden bool   // people do not see it, and it is there for programs to fill
	secret bool   // it protects an account, or pays
	preset bool   // the page fills it
}

// What is read of a page.
const (
	maxForms = 20
	maxMarks = 100 // of a form; fields with names longer than maxName are left out
	maxLabel = 100 // bytes of a label
)

// ReadMarkup reads the forms of a page as its origin sent it. It costs some milliseconds for a large page.
func ReadMarkup(page []byte, contentType string) Markup {
	reader, err := charset.NewReader(bytes.NewReader(page), contentType)
	if err != nil {
		return nil
	}
	document, err := goquery.NewDocumentFromReader(reader)
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
			if _, twice := marks[name]; !twice && name != "" && len(name) <= maxName {
				marks[name] = markOf(field, labels)
			}
			return len(marks) < maxMarks
		})
		if len(marks) > 0 {
			markup = append(markup, marks)
		}
		return len(markup) < maxForms
	})
	return markup
}

// words are what stands in an element for people, cut.
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
var filled = map[string]meaning{
	"email": email, "tel": phone, "tel-national": phone, "name": name, "given-name": first, "additional-name": middle, "family-name": last,
}

func markOf(field *goquery.Selection, labels map[string]string) mark {
	kind := strings.ToLower(field.AttrOr("type", "text"))
	switch kind {
	case "hidden", "submit", "button", "image", "reset", "file":
		return mark{preset: true}
	case "password":
		return mark{secret: true}
	}
	var m mark
	if m.label = labels[field.AttrOr("id", "")]; m.label == "" {
		m.label = words(field.ParentsUntil("form").Filter("label").First())
	}
	if m.label == "" { // forms in tables and lists have none
		before := field.Prev()
		if before.Length() == 0 {
			before = field.Parent().Filter("td, dd").Prev()
		}
		m.label = words(before.Not("input, select, textarea, button"))
	}
	if kind == "checkbox" || kind == "radio" {
		m.label = "" // of one choice: the field has others
		return m
	}
	m.hidden = !field.Is("select") && isHidden(field)
	for token := range strings.FieldsSeq(strings.ToLower(field.AttrOr("autocomplete", ""))) {
		if m.says == "" {
			m.says = filled[token]
		}
		m.secret = m.secret || strings.HasPrefix(token, "cc-") || strings.HasSuffix(token, "-password") || token == "one-time-code"
	}
	switch {
	case m.says != "":
	case kind == "email":
		m.says = email
	case kind == "tel":
		m.says = phone
	}
	for _, text := range []string{m.label, field.AttrOr("aria-label", ""), field.AttrOr("placeholder", ""), field.AttrOr("title", "")} {
		if m.label == "" && len(text) <= maxLabel {
			m.label = text
		}
		if m.says == "" && !field.Is("select") {
			m.says = meaningOf(withPairs(splitWords(text)))
		}
	}
	if m.says == "" && field.Is("textarea") {
		m.says = message
	}
	return m
}

// isHidden tells whether the field stands in what a program of forms hides for good, or is hidden by its own style in
// a form of one that does it so. What is hidden otherwise may be a later step of the form, or be filled by a script
// of the page.
func isHidden(field *goquery.Selection) bool {
	style := strings.ReplaceAll(field.AttrOr("style", ""), " ", "")
	return strings.HasPrefix(field.AttrOr("name", ""), "form_fields[") && field.Is("input") && strings.Contains(style, "display:none") ||
		field.ParentsUntil("form").FilterFunction(func(_ int, s *goquery.Selection) bool {
			classes := strings.Fields(s.AttrOr("class", "") + " " + s.AttrOr("id", ""))
			return slices.ContainsFunc(classes, func(class string) bool { return class == "gform_validation_container" || isTrap(class) })
		}).Length() > 0
}

// of are the marks of the form that has most of the fields that were sent.
func (m Markup) of(f Form) map[string]mark {
	var best map[string]mark
	most := 0
	for _, marks := range m {
		n := 0
		for _, field := range f.Fields {
			if _, has := marks[field.Name]; has {
				n++
			}
		}
		if n > most {
			best, most = marks, n
		}
	}
	return best
}

// Size is about what the markup takes in memory, in bytes.
func (m Markup) Size() int {
	n := 0
	for _, marks := range m {
		for name, mark := range marks {
			n += len(name) + len(mark.label) + 100
		}
	}
	return n
}

// generic are words in names that programs make for fields, of which they say nothing.
var generic = strings.Fields("input field fields form text textarea wpforms checkbox radio select menu number date dropdown property item f")

// isGeneric tells whether the name of a field says nothing to people.
func isGeneric(field string) bool {
	for _, word := range splitWords(field) {
		if utf8.RuneCountInString(word) > 3 && !slices.Contains(generic, word) {
			return false
		}
	}
	return true
}
