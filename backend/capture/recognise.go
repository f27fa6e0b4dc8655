package capture

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Recognised is what a form says.
type Recognised struct {
	Name, Email, Phone, Message string
	// FormName is what the form calls itself, if it does.
	FormName string
	// UserFields are the other fields that somebody has filled in, by their names.
	UserFields map[string]string
	// Credentials are those of the page, as far as the form has them (browser interface, section
	// 2.1). Nobody has looked yet whether they are right.
	Credentials map[string]string
	// Trapped tells that a field was filled that people do not see.
	Trapped bool
}

// Says tells whether there is anybody who asks, or anything that is asked.
func (r Recognised) Says() bool { return r.Email != "" || r.Phone != "" || r.Message != "" }

// credentials are the names of those fields.
var credentials = map[string]bool{
	"site_key": true, "key": true, "uri": true, "visitor_id": true, "hit_id": true, "session_id": true, "consultant_server_url": true,
}

// Recognise tells the fields of a form apart by their names, and where these say nothing by
// their values. A phone without its country's code is one of the region's (ISO 3166-1 alpha-2), which may be empty.
// The markup is that of the page of the form, and may be nil. What protects the form, an account or a payment is
// left out, and so are the fields in which the form speaks to its own program.
func (f Form) Recognise(region string, page Markup) Recognised {
	r := recognising{Recognised: Recognised{FormName: f.name()}, phones: &phones{region: region}, marks: page.of(f), taken: make(map[meaning]string), others: make(map[string][]string)}
	for _, field := range f.Fields {
		field.Value = strings.TrimSpace(field.Value)
		switch {
		case field.Value == "":
		case credentials[field.Name]:
			if r.Credentials == nil {
				r.Credentials = make(map[string]string)
			}
			r.Credentials[field.Name] = field.Value
		case isTrap(field.Name), r.marks[field.Name].hidden:
			r.Trapped = true
		case IsSecret(field.Name), r.marks[field.Name].secret, isTechnical(field.Name), slices.ContainsFunc(names, func(n naming) bool { return n.field == field.Name }):
		default:
			r.take(field)
		}
	}
	r.guess()
	if len(r.others) > 0 {
		r.UserFields = make(map[string]string, len(r.others))
	}
	for called, values := range r.others { // there are several where boxes are ticked
		r.UserFields[called] = strings.Join(values, ", ")
	}
	r.Email, r.Phone, r.Message = r.taken[email], r.taken[phone], r.taken[message]
	parts := strings.Join([]string{r.taken[first], r.taken[middle], r.taken[last]}, " ")
	r.Name = cmp.Or(r.taken[name], strings.Join(strings.Fields(parts), " "))
	return r.Recognised
}

// recognising is a form that is being told apart.
type recognising struct {
	Recognised
	phones *phones
	marks  map[string]mark // of the fields, by their names
	taken  map[meaning]string
	rest   []Field             // of which the names say nothing
	others map[string][]string // the user fields, with the values of each
}

// numbered are the parts of a name in the forms of a program that has numbers for names: input_1.3.
var numbered = map[string]meaning{"3": first, "4": middle, "6": last}

var inputOfParts = regexp.MustCompile(`^input_\d+[._](3|4|6)$`)

// textOfForm is a line of text in the forms of others, which are called by their kinds: of what, they do not say.
var textOfForm = regexp.MustCompile(`^(form_)?text[-_]\d+$`)

func (r *recognising) take(field Field) {
	says := meaningOf(field.Name)
	if part := inputOfParts.FindStringSubmatch(field.Name); part != nil {
		says = numbered[part[1]]
	} else if textOfForm.MatchString(field.Name) {
		says = ""
	}
	if says == "" {
		says = r.marks[field.Name].says
	}
	// What is called so must look so: "mail" may be a choice between mail and telephone.
	if says == email && !isEmail(field.Value) || says == phone && !hasDigits(field.Value, 5) {
		says = ""
	}
	if says == "" {
		r.rest = append(r.rest, field)
	} else if r.taken[says] == "" {
		r.taken[says] = r.without(field.Value, says)
	} else {
		r.other(field, says)
	}
}

func (r *recognising) other(field Field, says meaning) {
	called := field.Name
	if words := strings.FieldsFunc(called, func(r rune) bool { return r == '[' || r == ']' }); len(words) == 2 && words[0] == "form_fields" {
		called = words[1]
	}
	if label := r.marks[field.Name].label; label != "" && isGeneric(called) {
		called = label
	}
	r.others[called] = append(r.others[called], r.without(field.Value, says))
}

// without is a value without the numbers of cards. What is a phone by the form has none.
func (r *recognising) without(value string, says meaning) string {
	if says == phone {
		return value
	}
	return hideCards(value, r.phones.has)
}

// phones reads telephone numbers of a region, and of countries whose code is written.
type phones struct {
	region string
	tried  int
}

// maxTried is how many texts of a form are tried as telephone numbers, which takes some 15 µs for each.
const maxTried = 20

// reads tells whether the text is a telephone's number. It is none where maxTried have been tried.
func (p *phones) reads(text string) bool {
	return p.try() && visit.ReadPhone(text, p.region).Digits != ""
}

// has tells whether the digits are a telephone's number, with the code of any country or of the region without one.
func (p *phones) has(digits string) bool {
	return p.reads(digits) || p.try() && visit.ReadPhone(digits, visit.RegionOf(digits)).Digits != ""
}

func (p *phones) try() bool {
	p.tried++
	return p.tried <= maxTried
}

// guess takes the fields of which the names say nothing by their values.
func (r *recognising) guess() {
	rest := r.rest
	r.rest = nil
	for _, says := range []struct {
		meaning meaning
		like    func(string) bool
	}{
		{email, isEmail}, {phone, func(v string) bool { return looksLikePhone(v) && (v[0] == '+' || r.phones.reads(v)) }}, {message, isText}, {name, isName},
	} {
		named := r.taken[name] + r.taken[first] + r.taken[last]
		for i, field := range rest {
			if r.taken[says.meaning] != "" || says.meaning == name && (named != "" || r.taken[email]+r.taken[phone] == "") {
				break
			}
			if says.like(field.Value) {
				r.taken[says.meaning] = r.without(field.Value, says.meaning)
				rest = append(rest[:i:i], rest[i+1:]...)
				break
			}
		}
	}
	for _, field := range rest {
		r.other(field, "")
	}
}

var emailForm = regexp.MustCompile(`^[^\s@<>()",;:]{1,64}@[^\s@<>()",;:]+\.[^\s@<>()",;:]{2,}$`)

func isEmail(v string) bool { return len(v) <= 254 && emailForm.MatchString(v) }

func hasDigits(v string, n int) bool {
	for i := 0; i < len(v) && n > 0; i++ {
		if isDigit(v[i]) {
			n--
		}
	}
	return n <= 0
}

var phoneForm = regexp.MustCompile(`^\+?[\d\s().\-\x{2010}-\x{2015}\x{00a0}]{7,30}$`)

// looksLikePhone tells whether it is written as numbers are. Bare digits may be anything.
func looksLikePhone(v string) bool {
	return len(v) <= 100 && phoneForm.MatchString(v) && hasDigits(v, 7)
}

// isText tells whether it is what somebody has written: some words.
func isText(v string) bool {
	return utf8.RuneCountInString(v) >= 20 && len(firstWords(v, 4)) == 4 || strings.Contains(v, "\n")
}

// firstWords are the first words of a text, n at most.
func firstWords(v string, n int) []string {
	words := make([]string, 0, n)
	for word := range strings.FieldsSeq(v) {
		if len(words) == n {
			break
		}
		words = append(words, word)
	}
	return words
}

// isName tells whether it may be somebody's name: up to four words of letters.
func isName(v string) bool {
	words := firstWords(v, 5)
	if len(words) == 0 || len(words) > 4 || utf8.RuneCountInString(v) > 60 {
		return false
	}
	for _, word := range words {
		letters := strings.TrimFunc(word, func(r rune) bool { return strings.ContainsRune(".-'’", r) })
		begins, _ := utf8.DecodeRuneInString(letters)
		if !unicode.IsUpper(begins) || strings.ContainsFunc(letters, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsMark(r) && !strings.ContainsRune("-'’.", r)
		}) {
			return false
		}
	}
	return true
}

// naming is a field that names a form, and what stands before the name.
type naming struct{ field, called string }

// names are the fields in which the forms of common programs say which of them it is.
var names = []naming{
	{"form_name", ""}, {"formname", ""}, {"tildaspec-formname", ""},
	{"_wpcf7", "Contact Form 7"}, {"wpforms[id]", "WPForms"}, {"gform_submit", "Gravity Forms"}, {"form_id", ""},
	{"formid", ""}, {"WEB_FORM_ID", ""}, {"comment_post_ID", "comment"},
}

func (f Form) name() string {
	for _, n := range names {
		for _, field := range f.Fields {
			if field.Name == n.field && field.Value != "" {
				return strings.TrimSpace(n.called + " " + field.Value)
			}
		}
	}
	return ""
}
