package lead

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"unicode/utf8"
)

// service names the values of the credentials object. They come along when a
// site sends its whole form, and say nothing about the lead.
var service = map[string]bool{
	"site_key": true, "key": true, "uri": true, "visitor_id": true, "hit_id": true, "session_id": true,
	"consultant_server_url": true,
}

// fields are what was sent, in the types of JSON: string, json.Number, bool,
// nil, []any, map[string]any.
type fields map[string]any

// FromObject reads the object that a site gave to addOfflineRequest. Sites give
// whole forms: fields in arrays of one, fields without content, fields of their
// own. The error is an [Invalid].
func FromObject(object json.RawMessage) (Submission, error) {
	if !utf8.Valid(object) {
		return Submission{}, invalid("malformed_text", "the request is not valid UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.UseNumber()
	var sent any
	if err := decoder.Decode(&sent); err != nil || decoder.More() {
		return Submission{}, invalid("wrong_type", "the request is not well-formed JSON")
	}
	values, ok := single(sent).(map[string]any)
	if !ok {
		return Submission{}, invalid("wrong_type", "the request must be an object")
	}
	return fields(values).submission("message", "text")
}

// FromForm reads the fields of a server's call (browser interface, section
// 4.2), the credentials among them left out. User fields come by their bare
// names, or as PHP writes them: user_fields[city]. The error is an [Invalid].
func FromForm(form url.Values) (Submission, error) {
	sent := fields{}
	grouped := map[string]any{}
	for name, values := range form {
		value := make([]any, len(values))
		for i, v := range values {
			value[i] = v
		}
		name = strings.TrimSuffix(name, "[]")
		if inner, found := strings.CutPrefix(name, "user_fields["); found && strings.HasSuffix(inner, "]") {
			grouped[strings.TrimSuffix(inner, "]")] = value
			continue
		}
		sent[name] = value
	}
	if len(grouped) > 0 && nothing(sent["user_fields"]) {
		sent["user_fields"] = grouped
	}
	return sent.submission("text", "message")
}

// submission takes the fields apart. The text of the request is in one of two
// fields, of which the first is the documented one; if both hold something, the
// other is the site's own.
func (f fields) submission(message, otherMessage string) (Submission, error) {
	if nothing(f[message]) && !nothing(f[otherMessage]) {
		f[message] = f[otherMessage]
		delete(f, otherMessage)
	}
	var s Submission
	for name, to := range map[string]*string{
		"name": &s.Name, "email": &s.Email, "phone": &s.Phone, "form_name": &s.FormName, message: &s.Message,
	} {
		text, err := f.text(name)
		if err != nil {
			return Submission{}, err
		}
		if name != message {
			text = strings.TrimSpace(text)
		}
		*to = text
	}
	var err error
	if s.IsSale, err = f.flag("is_sale"); err != nil {
		return Submission{}, err
	}
	if s.SaleCost, err = f.amount("sale_cost"); err != nil {
		return Submission{}, err
	}
	if s.SaleCost == "0" && !s.IsSale {
		s.SaleCost = "" // nothing was sold, for nothing
	}
	if s.GroupID, err = f.integer("group_id"); err != nil {
		return Submission{}, err
	}
	if s.UserFields, err = f.userFields(message); err != nil {
		return Submission{}, err
	}
	return s, nil
}

// userFields are those under the name user_fields and, beside them, all that
// the interface does not know.
func (f fields) userFields(message string) (map[string]string, error) {
	found := map[string]string{}
	add := func(name string, value any) {
		if !nothing(value) {
			found[name] = written(value)
		}
	}
	for name, value := range f {
		switch name {
		case "name", "email", "phone", "form_name", "is_sale", "sale_cost", "group_id", "user_fields", message:
		default:
			if !service[name] {
				add(name, value)
			}
		}
	}
	switch named := single(f["user_fields"]).(type) {
	case map[string]any:
		for name, value := range named {
			add(name, value)
		}
	case []any:
		if len(named) > 0 { // PHP writes an empty object as an empty array
			return nil, invalid("wrong_type", "user_fields must be an object of names and texts")
		}
	default:
		if !nothing(named) {
			return nil, invalid("wrong_type", "user_fields must be an object of names and texts")
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	return found, nil
}

// written is a user field's value as text: what is no text is written as JSON.
func written(value any) string {
	switch v := single(value).(type) {
	case string:
		return v
	default:
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		if encoder.Encode(v) != nil { // of what JSON gave, nothing fails
			return ""
		}
		return strings.TrimSuffix(text.String(), "\n")
	}
}
