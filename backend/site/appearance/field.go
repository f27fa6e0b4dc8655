package appearance

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// FormField is a field of the lead form: name, phone, email or message, or a field of the site's own. The name of
// the latter is the name of the user field in the lead.
type FormField struct {
	// The name.
	Name string `json:"name"`

	// Whether the field must be filled in.
	Required bool `json:"required,omitempty"`

	// The label. A field of the site's own must have one. Default: the built-in text.
	Label Wording `json:"label,omitempty"`
}

// KnownFields are the fields of the lead form that have a place of their own in leads.
var KnownFields = []string{"name", "phone", "email", "message"}

func (w *Widget) checkFields() error {
	if w.Fields == nil {
		return nil
	}
	if len(w.Fields) > MaxFields {
		return fmt.Errorf("fields: expected at most %d", MaxFields)
	}
	reachable := false
	for i, field := range w.Fields {
		if err := field.Check(); err != nil {
			return err
		}
		if slices.ContainsFunc(w.Fields[:i], func(f FormField) bool { return f.Name == field.Name }) {
			return fmt.Errorf("field %q is given already: expected it once", field.Name)
		}
		reachable = reachable || field.Name == "phone" || field.Name == "email"
	}
	if !reachable {
		return errors.New("fields: expected phone or email among them, otherwise nobody can be answered")
	}
	return nil
}

// Check returns an error that says what is wrong with the field.
func (f FormField) Check() error {
	if utf8.RuneCountInString(f.Name) > 64 || !fieldName.MatchString(f.Name) {
		return fmt.Errorf("field %.80q: expected a name of at most 64 letters, digits, dots, _ and -", f.Name)
	}
	if len(f.Label) == 0 && !slices.Contains(KnownFields, f.Name) {
		return fmt.Errorf(`field %q: expected %s, or a field of your own with a label, such as field city optional "City"`, f.Name, strings.Join(KnownFields, ", "))
	}
	return f.Label.Check("label of the field "+f.Name, MaxLabel)
}
