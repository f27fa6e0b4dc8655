package submission

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/capture/naming"
	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

// service names the values of the credentials object. They come along when a
// site sends its whole form, and say nothing about the lead.
var service = map[string]bool{
	"site_key": true, "key": true, "uri": true, "visitor_id": true, "hit_id": true, "session_id": true,
	"consultant_server_url": true,
}

// fields are what was sent, in the types of JSON: string, json.Number, bool, nil, []any, map[string]any.
type fields map[string]any

// FromObject reads the object that a site gave to addOfflineRequest. Sites give whole forms: fields in arrays of one,
// fields without content, fields of their own. What a field cannot hold is kept as a user field and noted. The error is
// an [Invalid] when there are no fields at all.
func FromObject(object json.RawMessage) (Submission, error) {
	steps.Walk(len(object))
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
	return fields(values).submission("message", "text"), nil
}

// FromForm reads the fields of a server's call (browser interface, section 4.2), the credentials among them left out.
// What a field cannot hold is kept as a user field and noted.
func FromForm(form url.Values) Submission { return fieldsOf(form).submission("text", "message") }

func fieldsOf(form url.Values) fields {
	sent := make(fields, len(form))
	for name, values := range form {
		value := make([]any, len(values))
		for i, v := range values {
			value[i] = v
		}
		sent[name] = value
	}
	return sent
}

// group takes names apart as PHP writes them: lamp[], and user_fields[city], which is
// a user field as one by its bare name is.
func (f fields) group() {
	grouped := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		value, bare := f[name], strings.TrimSuffix(name, "[]")
		if inner, found := strings.CutPrefix(bare, "user_fields["); found && strings.HasSuffix(inner, "]") {
			grouped[strings.TrimSuffix(inner, "]")] = value
			delete(f, name)
		} else if bare != name {
			delete(f, name)
			f[Free(f, bare)] = value
		}
	}
	if len(grouped) == 0 {
		return
	}
	if beside := f["user_fields"]; !nothing(beside) {
		grouped[Free(grouped, "user_fields")] = beside
	}
	f["user_fields"] = grouped
}

// submission takes the fields apart. The text of the request is in one of two fields, of which the first is the
// documented one; if both hold something, the other is the site's own.
func (f fields) submission(message, otherMessage string) Submission {
	f.group()
	if nothing(f[message]) && !nothing(f[otherMessage]) {
		f[message] = f[otherMessage]
		delete(f, otherMessage)
	}
	r := reading{sent: f}
	r.userFields(message)
	r.Name, r.Email, r.Phone = strings.TrimSpace(r.text("name")), strings.TrimSpace(r.text("email")), strings.TrimSpace(r.text("phone"))
	r.FormName, r.Message = strings.TrimSpace(r.text("form_name")), r.text(message)
	r.sale()
	r.GroupID = r.integer("group_id")
	return r.Submission
}

// reading is a submission that is being read.
type reading struct {
	Submission
	sent fields
}

// keep keeps a field that cannot be used as it is among the user fields, and says so.
func (r *reading) keep(name, code, must string) {
	r.note(name, code, "%s %s; what was sent is kept among the user fields", name, must)
	r.add(name, r.sent[name])
}

// add adds to the user fields, under a name that is free.
func (r *reading) add(name string, value any) {
	if nothing(value) || naming.IsSecret(name) {
		return
	}
	if r.UserFields == nil {
		r.UserFields = make(map[string]string)
	}
	r.UserFields[Free(r.UserFields, name)] = written(value)
}

// Free is the name, or where it is taken the name with a stroke behind it, or with a stroke and a number. The names
// that are tried for one name are none of those for another, so all tries together are as many as the names.
func Free[V any](of map[string]V, name string) string {
	free, _ := freeFrom(of, name, 0)
	return free
}

// freeFrom is Free without the first n tries, which are known to be taken, and how many it knows to be then.
func freeFrom[V any](of map[string]V, name string, n int) (free string, taken int) {
	for free = name; ; n++ {
		switch n {
		case 0:
		case 1:
			free = name + "_"
		default:
			free = name + "_" + strconv.Itoa(n)
		}
		if _, is := of[free]; !is {
			return free, n + 1
		}
	}
}

// userFields are those under the name user_fields and, beside them, all that the interface does not know.
func (r *reading) userFields(message string) {
	var known map[string]any
	switch named := single(r.sent["user_fields"]).(type) {
	case map[string]any:
		known = named
	default:
		if !nothing(named) { // PHP writes an empty object as an empty array
			r.keep("user_fields", "wrong_type", "must be an object of names and texts")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		r.add(name, known[name])
	}
	for _, name := range slices.Sorted(maps.Keys(r.sent)) {
		switch name {
		case "name", "email", "phone", "form_name", "is_sale", "sale_cost", "group_id", "user_fields", message:
		default:
			if _, above := known[name]; !above && !service[name] {
				r.add(name, r.sent[name])
			}
		}
	}
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
