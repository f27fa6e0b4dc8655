package posted

import (
	"errors"
	"slices"
	"strings"
)

// gatherers are the names of fields in which scripts send a whole form: Ninja Forms, Fluent Forms, Avada, jQuery's
// serialize.
var gatherers = strings.Fields("data formdata form_data form fields values payload serialized")

// field adds a field. If the field holds a whole form from a script, its fields are added instead.
func (f *formReader) field(name, value string) error {
	if slices.Contains(gatherers, strings.ToLower(name)) {
		switch {
		case strings.HasPrefix(value, "{"), strings.HasPrefix(value, "["):
			before := *f
			err := f.readJSON([]byte(value))
			if err == nil && len(f.Fields) > len(before.Fields) || errors.Is(err, errFull) {
				return err
			}
			*f = before // it is something else
		case isPairs(value):
			return f.readPairs([]byte(value), f.add)
		}
	}
	return f.add(name, value)
}

// isPairs reports whether the text has names and values as in addresses: name=value&name=value.
func isPairs(text string) bool {
	name, rest, found := strings.Cut(text, "=")
	return found && name != "" && strings.Contains(rest, "&") && strings.Contains(rest, "=") && !strings.ContainsAny(text, " \t\r\n\"<>/?")
}
