package capture

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

// Recognised is what a form says.
type Recognised struct {
	Name, Email, Phone, Message string
	// FormName is the name that the form gives itself, or empty.
	FormName string
	// UserFields are the other fields that are filled in, by name.
	UserFields map[string]string
	// Messenger is true if one of them is an account of a messenger.
	Messenger bool
	// Empty is true if nobody has filled in anything.
	Empty bool
	// Credentials are those of the page, as far as the form has them (browser interface, section
	// 2.1). Nobody has looked yet whether they are right.
	Credentials map[string]string
	// Trapped is true if a field that people do not see is filled in.
	Trapped bool
}

// Reachable reports whether the form says how to reach somebody.
func (r Recognised) Reachable() bool { return r.Email != "" || r.Phone != "" || r.Messenger }

// Says reports whether the form names a sender or a request.
func (r Recognised) Says() bool { return r.Reachable() || r.Message != "" }

// credentials are the names of those fields.
var credentials = map[string]bool{
	"site_key": true, "key": true, "uri": true, "visitor_id": true, "hit_id": true, "session_id": true, "consultant_server_url": true,
}

// Recognise recognises the fields of a form by their names, and if these say nothing, by their values. A phone without
// a country code belongs to the region (ISO 3166-1 alpha-2), which may be empty. The markup is that of the form's page,
// and may be nil. Fields that protect the form, an account or a payment are left out, and so are fields with which the
// form speaks to its own program.
func (f Form) Recognise(region string, page Markup) Recognised {
	if slices.ContainsFunc(f.Fields, func(field Field) bool { return field.Name == review }) {
		return Recognised{Empty: true}
	}
	r := recognising{Recognised: Recognised{FormName: f.name(), Empty: true}, phones: &phones{region: region}, marks: page.of(f), taken: make(map[meaning]string), others: make(map[string][]string)}
	speaks, signsIn := false, false // to a program, of which it is asked what to do; with a password
	for _, field := range f.Fields {
		field.Value = strings.TrimSpace(field.Value)
		speaks = speaks || field.Value != "" && isCall(field)
		switch {
		case field.Value == "":
		case credentials[field.Name]:
			if r.Credentials == nil {
				r.Credentials = make(map[string]string)
			}
			r.Credentials[field.Name] = field.Value
		case r.marks[field.Name].Hidden, isTrap(field.Name) && !r.isPhoneField(field):
			r.Trapped = true
			r.trapped = append(r.trapped, field)
		case IsSecret(field.Name), r.marks[field.Name].Secret, isTechnical(field.Name), slices.ContainsFunc(names, func(n naming) bool { return n.field == field.Name }):
			signsIn = signsIn || isPassword(field.Name)
		default:
			r.Empty = r.Empty && r.marks[field.Name].Preset
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
	r.Name = r.name()
	if r.Says() || r.Name != "" {
		r.Empty = false
	} else if speaks && !r.introduces() || signsIn { // a page speaks so without anybody's doing
		r.Empty = true
	}
	return r.Recognised
}

// recognising is a form whose fields are being recognised.
type recognising struct {
	Recognised
	phones  *phones
	marks   map[string]mark // of the fields, by their names
	taken   map[meaning]string
	rest    []unnamed
	trapped []Field             // which people do not see
	others  map[string][]string // the user fields, with the values of each
}

// unnamed is a field whose name says nothing.
type unnamed struct {
	Field
	number bool // its number is no telephone: that is what it is called, or the page has filled it
}

// name returns the name with its parts. If a first name or a last name is in another field, this one is the other part.
func (r *recognising) name() string {
	parts := []string{r.taken[first], r.taken[middle], r.taken[last]}
	if whole := r.taken[name]; whole != "" {
		has := func(part string) bool {
			return part == "" || strings.Contains(strings.ToLower(whole), strings.ToLower(part))
		}
		switch {
		case has(parts[0]) && has(parts[2]):
			parts = []string{whole}
		case parts[0] == "":
			parts[0] = whole
		case parts[2] == "":
			parts[2] = whole
		default:
			parts = []string{whole}
		}
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

// isPhoneField reports whether the field hp is a mobile phone.
func (r *recognising) isPhoneField(field Field) bool {
	return strings.EqualFold(field.Name, "hp") && looksLikePhone(field.Value)
}

// numbered are the parts of a name in forms of programs that number their fields: input_1.3.
var numbered = map[string]meaning{"3": first, "4": middle, "6": last}

var inputOfParts = regexp.MustCompile(`^input_\d+[._](3|4|6)$`)

// textOfForm is a line of text in the forms of others, which are called by their kinds: of what, they do not say.
var textOfForm = regexp.MustCompile(`^(form_)?text[-_]\d+$`)

func (r *recognising) take(field Field) {
	words := withPairs(wordsOf(field.Name))
	says := meaningOf(words)
	if part := inputOfParts.FindStringSubmatch(field.Name); part != nil {
		says = numbered[part[1]]
	} else if textOfForm.MatchString(field.Name) {
		says = ""
	}
	if says == "" {
		says = r.marks[field.Name].Says
	}
	// Such a field must also look like one: "mail" may be a choice between mail and telephone.
	if says == email && !isEmail(field.Value) || says == phone && !hasDigits(field.Value, 5) || says.isName() && strings.Trim(field.Value, "0123456789") == "" {
		says = ""
	}
	switch {
	case says == "" && r.takeAccount(field, words):
	case says == "":
		r.rest = append(r.rest, unnamed{field, r.marks[field.Name].Preset || isNumber(words)})
	case r.taken[says] == "":
		r.taken[says] = r.without(field.Value, says)
	default:
		r.other(field, says)
	}
}

// takeAccount takes a field with somebody's account of a messenger.
func (r *recognising) takeAccount(field Field, words []string) bool {
	called, dialled := messengerOf(words)
	if label := r.marks[field.Name].Label; called == "" && label != "" {
		called, dialled = messengerOf(withPairs(splitWords(label)))
	}
	of, linked := accountIn(field.Value)
	if called == "" {
		called = of
	}
	number := ""
	if (dialled || of == "WhatsApp" || of == "Viber") && hasDigits(field.Value, 7) {
		number = visit.FindPhone(field.Value, r.phones.region, r.phones.try)
	}
	switch {
	case number != "" && r.taken[phone] == "":
		r.taken[phone] = number
		if number == field.Value {
			return true
		}
	case number == "" && !linked && (called == "" || !isAccount(field.Value)):
		return false
	}
	r.Messenger = true
	if called == "" {
		r.other(field, "")
	} else {
		r.others[called] = append(r.others[called], r.without(field.Value, ""))
	}
	return true
}

func (r *recognising) other(field Field, says meaning) {
	called := field.Name
	if words := strings.FieldsFunc(called, func(r rune) bool { return r == '[' || r == ']' }); len(words) == 2 && words[0] == "form_fields" {
		called = words[1]
	}
	if label := r.marks[field.Name].Label; label != "" && isGeneric(called) {
		called = label
	}
	r.others[called] = append(r.others[called], r.without(field.Value, says))
}

// without returns a value without the numbers of cards. A phone, as the form says, has none.
func (r *recognising) without(value string, says meaning) string {
	if says == phone {
		return value
	}
	return hideCards(value, r.phones.has)
}

// phones reads telephone numbers of a region, and numbers with the code of any country.
type phones struct {
	region string
	tried  int
}

// maxTried limits how many texts of a form are tried as telephone numbers. Each takes some 15 µs.
const maxTried = 40

// reads reports whether the text is a telephone number. It returns false once maxTried texts have been tried.
func (p *phones) reads(text string) bool {
	return p.try() && visit.ReadPhone(text, p.region).Digits != ""
}

// has reports whether the digits are a telephone number, with the code of any country, or of the region without a code.
func (p *phones) has(digits string) bool {
	return p.reads(digits) || p.try() && visit.ReadPhone(digits, visit.RegionOf(digits)).Digits != ""
}

func (p *phones) try() bool {
	p.tried++
	return p.tried <= maxTried
}

// guess takes the fields whose names say nothing by their values.
func (r *recognising) guess() {
	r.guessed(email, func(f unnamed) bool { return isEmail(f.Value) })
	r.guessed(phone, func(f unnamed) bool {
		return looksLikePhone(f.Value) && !f.number && (f.Value[0] == '+' || r.phones.reads(f.Value))
	})
	for _, field := range r.rest {
		if !field.number {
			r.find(field.Value, true)
		}
	}
	for _, value := range r.said() {
		r.find(value, false)
	}
	r.guessed(message, func(f unnamed) bool { return isText(f.Value) })
	if !r.named() && (r.taken[email]+r.taken[phone] != "" || r.Messenger) {
		r.guessed(name, func(f unnamed) bool { return isName(f.Value) })
	}
	for _, field := range r.rest {
		r.other(field.Field, "")
	}
}

// introduces reports whether the fields whose names say nothing may contain a name and a number.
func (r *recognising) introduces() bool {
	has := func(like func(string) bool) bool {
		return slices.ContainsFunc(r.rest, func(f unnamed) bool { return !f.number && like(f.Value) })
	}
	return has(looksLikePhone) && has(isName)
}

// named reports whether the form has a name.
func (r *recognising) named() bool { return r.taken[name]+r.taken[first]+r.taken[last] != "" }

// numbers are words in the names of fields whose numbers are not telephone numbers.
var numbers = called(`id uid cid guid time timestamp ts hash key ip inn ogrn kpp order price sum total amount code index zip postcode plz cep date
	version gclid yclid fbclid инн огрн кпп заказ цена сумма код индекс дата`)

// isNumber reports whether the number in a field of that name is not a telephone number. A property may be anything.
func isNumber(words []string) bool {
	return !slices.Contains(words, "prop") && slices.ContainsFunc(words, func(word string) bool { return numbers[word] })
}

// guessed takes the first field with such a value, if no field has been recognised yet.
func (r *recognising) guessed(says meaning, like func(unnamed) bool) {
	if r.taken[says] != "" {
		return
	}
	for i, field := range r.rest {
		if like(field) {
			r.taken[says] = r.without(field.Value, says)
			r.rest = slices.Delete(r.rest, i, i+1)
			return
		}
	}
}

// said are the values of fields whose names say something, and of fields that people do not see. They may contain a
// number or an address too.
func (r *recognising) said() []string {
	values := []string{r.taken[message], r.taken[name], r.taken[first], r.taken[last]}
	for _, called := range slices.Sorted(maps.Keys(r.others)) {
		values = append(values, r.others[called]...)
	}
	for _, field := range r.trapped {
		values = append(values, field.Value)
	}
	return values
}

// find finds a phone and an e-mail within the value, if none has been found yet. The value stays as it is. If its field
// has no name, the rest of the value may be somebody's name.
func (r *recognising) find(value string, unnamed bool) {
	if r.taken[email] != "" && r.taken[phone] != "" {
		return
	}
	text := r.without(value, "")
	beside := text
	if r.taken[email] == "" {
		r.taken[email] = emailIn(text)
		beside = without(beside, r.taken[email])
	}
	if r.taken[phone] == "" {
		r.taken[phone] = visit.FindPhone(text, r.phones.region, r.phones.try)
		beside = without(beside, r.taken[phone])
	}
	if beside = strings.Trim(beside, " ,.;:-–—\n\t()"); unnamed && len(beside) < len(text) && !r.named() && isName(beside) {
		r.taken[name] = beside
	}
}

// without returns the text without the first occurrence of a part.
func without(text, part string) string {
	if part == "" {
		return text
	}
	return strings.Replace(text, part, " ", 1)
}

var emailForm = regexp.MustCompile(`^[^\s@<>()",;:]{1,64}@[^\s@<>()",;:]+\.[^\s@<>()",;:]{2,}$`)

func isEmail(v string) bool { return len(v) <= maxEmail && emailForm.MatchString(v) }

// maxEmail is the longest address in bytes (RFC 5321, section 4.5.3.1).
const maxEmail = 254

// emailIn returns the first e-mail address in the text, or "". It takes time in proportion to the text.
func emailIn(text string) string {
	steps.Walk(len(text))
	isOf := func(c byte) bool {
		return c >= utf8.RuneSelf || isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' || strings.IndexByte("._-+", c) >= 0
	}
	for at := range len(text) {
		if text[at] != '@' {
			continue
		}
		from, to := at, at+1
		for from > 0 && at-from < maxEmail && isOf(text[from-1]) {
			from--
		}
		for to < len(text) && to-at < maxEmail && isOf(text[to]) {
			to++
		}
		if address := strings.Trim(text[from:to], "._-+"); isEmail(address) && utf8.ValidString(address) {
			return address
		}
	}
	return ""
}

func hasDigits(v string, n int) bool {
	for i := 0; i < len(v) && n > 0; i++ {
		if isDigit(v[i]) {
			n--
		}
	}
	return n <= 0
}

var phoneForm = regexp.MustCompile(`^\+?[\d\s().\-\x{2010}-\x{2015}\x{00a0}]{7,30}$`)

// looksLikePhone reports whether the text is written as telephone numbers are. Bare digits may be anything.
func looksLikePhone(v string) bool {
	return len(v) <= 100 && phoneForm.MatchString(v) && hasDigits(v, 7)
}

// isText reports whether the text is some words that somebody has written.
func isText(v string) bool {
	return utf8.RuneCountInString(v) >= 20 && len(firstWords(v, 4)) == 4 || strings.Contains(v, "\n")
}

// firstWords returns the first n words of a text.
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

// isName reports whether the text may be somebody's name: up to four words of letters.
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

// naming is a field that names a form, with the text before the name.
type naming struct{ field, called string }

// names are the fields in which the forms of common programs give their names.
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
