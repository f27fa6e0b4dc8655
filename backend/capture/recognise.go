// Package capture knows what a form says that a visitor has sent to a site: which of its fields name the sender and the
// request, and by which rule of the site it is kept. The edge gives it the forms, which package posted has read on their way;
// lead stores what it recognises.
package capture

import (
	"regexp"
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/capture/naming"
	"github.com/seed-3405227d/frontdesk/backend/capture/posted"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
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
func Recognise(f posted.Form, region string, page Markup) Recognised {
	if slices.ContainsFunc(f.Fields, func(field posted.Field) bool { return field.Name == naming.Review }) {
		return Recognised{Empty: true}
	}
	r := recognising{Recognised: Recognised{FormName: nameOf(f), Empty: true}, phones: &phones{region: region}, marks: page.of(f), taken: make(map[naming.Meaning]string), others: make(map[string][]string)}
	speaks, signsIn := false, false // to a program, of which it is asked what to do; with a password
	for _, field := range f.Fields {
		field.Value = strings.TrimSpace(field.Value)
		speaks = speaks || field.Value != "" && naming.IsAsked(field.Name, field.Value)
		switch {
		case field.Value == "":
		case credentials[field.Name]:
			if r.Credentials == nil {
				r.Credentials = make(map[string]string)
			}
			r.Credentials[field.Name] = field.Value
		case r.marks[field.Name].Hidden, naming.IsTrap(field.Name) && !r.isPhoneField(field):
			r.Trapped = true
			r.trapped = append(r.trapped, field)
		case naming.IsSecret(field.Name), r.marks[field.Name].Secret, naming.IsTechnical(field.Name), slices.ContainsFunc(names, func(n namedBy) bool { return n.field == field.Name }):
			signsIn = signsIn || naming.IsPassword(field.Name)
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
	r.Email, r.Phone, r.Message = r.taken[naming.Email], r.taken[naming.Phone], r.taken[naming.Message]
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
	taken   map[naming.Meaning]string
	rest    []unnamed
	trapped []posted.Field      // which people do not see
	others  map[string][]string // the user fields, with the values of each
}

// unnamed is a field whose name says nothing.
type unnamed struct {
	posted.Field
	number bool // its number is no telephone: that is what it is called, or the page has filled it
}

// name returns the name with its parts. If a first name or a last name is in another field, this one is the other part.
func (r *recognising) name() string {
	parts := []string{r.taken[naming.First], r.taken[naming.Middle], r.taken[naming.Last]}
	if whole := r.taken[naming.Name]; whole != "" {
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
func (r *recognising) isPhoneField(field posted.Field) bool {
	return strings.EqualFold(field.Name, "hp") && looksLikePhone(field.Value)
}

// numbered are the parts of a name in forms of programs that number their fields: input_1.3.
var numbered = map[string]naming.Meaning{"3": naming.First, "4": naming.Middle, "6": naming.Last}

var inputOfParts = regexp.MustCompile(`^input_\d+[._](3|4|6)$`)

// textOfForm is a line of text in the forms of others, which are called by their kinds: of what, they do not say.
var textOfForm = regexp.MustCompile(`^(form_)?text[-_]\d+$`)

func (r *recognising) take(field posted.Field) {
	words := naming.Words(field.Name)
	says := naming.MeaningOf(words)
	if part := inputOfParts.FindStringSubmatch(field.Name); part != nil {
		says = numbered[part[1]]
	} else if textOfForm.MatchString(field.Name) {
		says = ""
	}
	if says == "" {
		says = r.marks[field.Name].Says
	}
	// Such a field must also look like one: "mail" may be a choice between mail and telephone.
	if says == naming.Email && !isEmail(field.Value) || says == naming.Phone && !hasDigits(field.Value, 5) || says.IsName() && strings.Trim(field.Value, "0123456789") == "" {
		says = ""
	}
	switch {
	case says == "" && r.takeAccount(field, words):
	case says == "":
		r.rest = append(r.rest, unnamed{field, r.marks[field.Name].Preset || naming.IsNumber(words)})
	case r.taken[says] == "":
		r.taken[says] = r.without(field.Value, says)
	default:
		r.other(field, says)
	}
}

// takeAccount takes a field with somebody's account of a messenger.
func (r *recognising) takeAccount(field posted.Field, words []string) bool {
	called, dialled := naming.MessengerOf(words)
	if label := r.marks[field.Name].Label; called == "" && label != "" {
		called, dialled = naming.MessengerOf(naming.LabelWords(label))
	}
	of, linked := naming.AccountIn(field.Value)
	if called == "" {
		called = of
	}
	number := ""
	if (dialled || of == "WhatsApp" || of == "Viber") && hasDigits(field.Value, 7) {
		number = contact.FindPhone(field.Value, r.phones.region, r.phones.try)
	}
	switch {
	case number != "" && r.taken[naming.Phone] == "":
		r.taken[naming.Phone] = number
		if number == field.Value {
			return true
		}
	case number == "" && !linked && (called == "" || !naming.IsAccount(field.Value)):
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

func (r *recognising) other(field posted.Field, says naming.Meaning) {
	called := field.Name
	if words := strings.FieldsFunc(called, func(r rune) bool { return r == '[' || r == ']' }); len(words) == 2 && words[0] == "form_fields" {
		called = words[1]
	}
	if label := r.marks[field.Name].Label; label != "" && naming.IsGeneric(called) {
		called = label
	}
	r.others[called] = append(r.others[called], r.without(field.Value, says))
}

// without returns a value without the numbers of cards. A phone, as the form says, has none.
func (r *recognising) without(value string, says naming.Meaning) string {
	if says == naming.Phone {
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
	return p.try() && contact.ReadPhone(text, p.region).Digits != ""
}

// has reports whether the digits are a telephone number, with the code of any country, or of the region without a code.
func (p *phones) has(digits string) bool {
	return p.reads(digits) || p.try() && contact.ReadPhone(digits, contact.RegionOf(digits)).Digits != ""
}

func (p *phones) try() bool {
	p.tried++
	return p.tried <= maxTried
}

// namedBy is a field that names a form, with the text before the name.
type namedBy struct{ field, called string }

// names are the fields in which the forms of common programs give their names.
var names = []namedBy{
	{"form_name", ""}, {"formname", ""}, {"tildaspec-formname", ""},
	{"_wpcf7", "Contact Form 7"}, {"wpforms[id]", "WPForms"}, {"gform_submit", "Gravity Forms"}, {"form_id", ""},
	{"formid", ""}, {"WEB_FORM_ID", ""}, {"comment_post_ID", "comment"},
}

func nameOf(f posted.Form) string {
	for _, n := range names {
		for _, field := range f.Fields {
			if field.Name == n.field && field.Value != "" {
				return strings.TrimSpace(n.called + " " + field.Value)
			}
		}
	}
	return ""
}
