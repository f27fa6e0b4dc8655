package caddymodule

import (
	"errors"

	"github.com/seed-3405227d/frontdesk/backend/capture"
)

// The lines of a capture's block speak of the capture that was begun last.

func readCapture(h *Handler, values []string) error {
	if len(values) != 1 {
		return errors.New("expected: capture PATH, such as capture /contact.php")
	}
	return h.AddCapture(capture.Rule{Path: values[0]})
}

// lastCapture changes it, and checks it again.
func lastCapture(h *Handler, change func(*capture.Rule)) error {
	last := &h.Captures[len(h.Captures)-1]
	changed := *last
	change(&changed)
	if err := changed.Complete(); err != nil {
		return err
	}
	*last = changed
	return nil
}

// fields is a line that names fields of the form.
func fields(name string, of func(*capture.Rule) *[]string) subdirective {
	return subdirective{many: true, read: func(h *Handler, values []string) error {
		if len(values) == 0 {
			return errors.New("expected: " + name + " FIELD..., the names of fields of the form")
		}
		return lastCapture(h, func(r *capture.Rule) { list := of(r); *list = append((*list)[:len(*list):len(*list)], values...) })
	}}
}

// word is a line of one word.
func word(name, expected string, of func(*capture.Rule) *string) subdirective {
	return subdirective{read: func(h *Handler, values []string) error {
		if len(values) != 1 || values[0] == "" {
			return errors.New("expected: " + name + " " + expected)
		}
		return lastCapture(h, func(r *capture.Rule) { *of(r) = values[0] })
	}}
}

var captureBlock = block{
	of:       "capture",
	expected: "form_name, name, phone, email, message, user_field, kind, on or methods",
	lines: map[string]subdirective{
		"form_name":  word("form_name", "NAME, in quotation marks when there are spaces", func(r *capture.Rule) *string { return &r.FormName }),
		"name":       fields("name", func(r *capture.Rule) *[]string { return &r.Name }),
		"phone":      fields("phone", func(r *capture.Rule) *[]string { return &r.Phone }),
		"email":      fields("email", func(r *capture.Rule) *[]string { return &r.Email }),
		"message":    fields("message", func(r *capture.Rule) *[]string { return &r.Message }),
		"user_field": fields("user_field", func(r *capture.Rule) *[]string { return &r.UserFields }),
		"kind":       word("kind", "lead, or: kind visitor", func(r *capture.Rule) *string { return &r.Kind }),
		"on":         word("on", "contact, on success, or: on always", func(r *capture.Rule) *string { return &r.On }),
		"methods": {read: func(h *Handler, values []string) error {
			if len(values) == 0 {
				return errors.New("expected: methods METHOD..., such as methods POST PUT")
			}
			return lastCapture(h, func(r *capture.Rule) { r.Methods = values })
		}},
	},
}
