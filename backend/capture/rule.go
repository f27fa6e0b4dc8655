package capture

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/capture/naming"
	"github.com/seed-3405227d/frontdesk/backend/capture/posted"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
)

// Rule says which posts of a site are kept, and as what.
type Rule struct {
	// The path to which the form is sent, with `*` for any text, such as `/contact.php` or `/wp-json/contact-form-7/*`.
	Path string `json:"path"`

	// The methods. Default: `["POST"]`.
	Methods []string `json:"methods,omitempty"`

	// The form's name in the console. Default: the name that the form gives itself.
	FormName string `json:"form_name,omitempty"`

	// The fields with the sender's name, phone, e-mail and message. The first one that is filled in counts. If none is
	// named, the fields are recognised.
	Name    []string `json:"name,omitempty"`
	Phone   []string `json:"phone,omitempty"`
	Email   []string `json:"email,omitempty"`
	Message []string `json:"message,omitempty"`

	// Further fields to keep, if fields are named. Default: all, if none is named.
	UserFields []string `json:"user_fields,omitempty"`

	// What the form becomes: `lead`, or `visitor`, data about the visitor. Default: `lead`.
	Kind string `json:"kind,omitempty"`

	// Whether the form counts after an error of the site, which is a status of 400 or more: with `contact`, if it is a
	// lead with a phone or an e-mail, or of a known visitor; with `success`, never; with `always`, always. Default:
	// `contact`.
	On string `json:"on,omitempty"`

	path *regexp.Regexp
}

// The values of [Rule.Kind] and of [Rule.On].
const (
	KindLead    = "lead"
	KindVisitor = "visitor"
	OnContact   = "contact"
	OnSuccess   = "success"
	OnAlways    = "always"
)

const (
	// maxRuleFields limits the fields that a rule names.
	maxRuleFields = 100
	// maxPath limits the length of a path that a rule matches, in bytes.
	maxPath = 2048
)

// Complete checks the rule and fills in the defaults. The error says what was expected.
func (r *Rule) Complete() error {
	if r.Kind == "" {
		r.Kind = KindLead
	}
	if r.On == "" {
		r.On = OnContact
	}
	if r.Methods == nil {
		r.Methods = []string{http.MethodPost}
	}
	switch {
	case !strings.HasPrefix(r.Path, "/") || len(r.Path) > 1024:
		return fmt.Errorf("capture %q: expected a path that begins with a slash, such as /contact.php", r.Path)
	case r.Kind != KindLead && r.Kind != KindVisitor:
		return fmt.Errorf("kind %q: expected lead or visitor", r.Kind)
	case r.On != OnContact && r.On != OnSuccess && r.On != OnAlways:
		return fmt.Errorf("on %q: expected contact, success or always", r.On)
	case len(r.Methods) == 0 || slices.ContainsFunc(r.Methods, func(m string) bool { return !slices.Contains(methods, m) }):
		return fmt.Errorf("methods %q: expected some of %s", strings.Join(r.Methods, " "), strings.Join(methods, ", "))
	}
	fields := slices.Concat(r.Name, r.Phone, r.Email, r.Message, r.UserFields)
	if len(fields) > maxRuleFields {
		return fmt.Errorf("capture %s: expected at most %d fields", r.Path, maxRuleFields)
	}
	for i, field := range fields {
		switch {
		case field == "":
			return errors.New("expected the name of a field")
		case slices.Contains(fields[:i], field):
			return fmt.Errorf("field %q is given already: expected it once", field)
		case naming.IsSecret(field):
			return fmt.Errorf("field %q: fields that protect an account, a form or a payment are never kept; expected another field", field)
		}
	}
	r.path = regexp.MustCompile(`^` + strings.ReplaceAll(regexp.QuoteMeta(r.Path), `\*`, `.*`) + `$`)
	return nil
}

// methods are the HTTP methods that may send forms.
var methods = []string{http.MethodPost, http.MethodPut, http.MethodPatch}

// Matches reports whether a request with the method and path may contain the form. No rule matches a path of more than
// 2,048 bytes.
func (r *Rule) Matches(method, path string) bool {
	return len(path) <= maxPath && slices.Contains(r.Methods, method) && r.path.MatchString(path)
}

// IsError reports whether the status means that the site has not accepted the form. 0 means no answer, which is no
// error.
func IsError(status int) bool { return status >= 400 }

// Counts reports whether a form counts that the site has answered with the status. reachable means that the form says
// how to reach its sender, or that the sender is known. Data about a visitor do not count if the site may have refused
// them.
func (r *Rule) Counts(status int, reachable bool) bool {
	return !IsError(status) || r.On == OnAlways || r.On == OnContact && r.Kind == KindLead && reachable
}

// Read returns what the form says by the rule. The region and the markup are as for [Recognise]. A name, a phone
// or an e-mail from a field of the rule stays as it was sent. If no field of the rule is filled in, the rule is for
// another form than this one, which is then recognised.
func (r *Rule) Read(f posted.Form, region string, page Markup) Recognised {
	said := Recognise(f, region, page)
	if r.maps() {
		if mapped := r.read(f, region); mapped.Says() || mapped.Name != "" || len(mapped.UserFields) > 0 {
			mapped.FormName, mapped.Credentials, mapped.Trapped = said.FormName, said.Credentials, said.Trapped
			said = mapped
		}
	}
	if r.FormName != "" {
		said.FormName = r.FormName
	}
	return said
}

// maps reports whether the rule names fields.
func (r *Rule) maps() bool {
	return len(r.Name)+len(r.Phone)+len(r.Email)+len(r.Message)+len(r.UserFields) > 0
}

// read returns what the fields of the rule say.
func (r *Rule) read(f posted.Form, region string) (said Recognised) {
	phones := phones{region: region}
	said.Name, said.Phone, said.Email = first(f, r.Name), first(f, r.Phone), first(f, r.Email)
	said.Message = hideCards(first(f, r.Message), phones.has)
	if said.Phone == "" {
		said.Phone = contact.FindPhone(said.Message, region, phones.try)
	}
	for _, name := range r.UserFields {
		value := hideCards(first(f, []string{name}), phones.has)
		if value == "" {
			continue
		}
		if said.UserFields == nil {
			said.UserFields = make(map[string]string)
		}
		said.UserFields[name] = value
		called, _ := naming.MessengerOf(naming.Words(name))
		_, linked := naming.AccountIn(value)
		said.Messenger = said.Messenger || linked || called != "" && naming.IsAccount(value)
	}
	return said
}

// first returns the value of the first field that is filled in.
func first(f posted.Form, names []string) string {
	for _, name := range names {
		name = posted.Shortened(name)
		for _, field := range f.Fields {
			if value := strings.TrimSpace(field.Value); field.Name == name && value != "" {
				return value
			}
		}
	}
	return ""
}
