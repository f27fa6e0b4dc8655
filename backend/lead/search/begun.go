package search

import "encoding/json"

// BegunFields is how many characters of the user fields, as JSON, hold all of them that is searched: a byte takes six
// at most.
const BegunFields = 7 * MaxSearched

// FieldsIn reads user fields from JSON, which may break off where it is long. Of the field in which it does, the
// beginning is read.
func FieldsIn(text string) (fields map[string]string, err error) {
	if len(text) >= BegunFields {
		text = mended(text)
	}
	return fields, json.Unmarshal([]byte(text), &fields)
}

// mended is an object of texts that breaks off, with its end.
func mended(text string) string {
	whole := 1 // where the last field ends
	inside, value := false, false
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case inside && c == '\\':
			size := len(`\n`)
			if i+1 < len(text) && text[i+1] == 'u' {
				size = len(`\u0000`)
			}
			if i+size > len(text) { // it breaks off
				return closed(text, whole, i, value)
			}
			i += size - 1
		case c == '"' && inside && value:
			inside, value, whole = false, false, i+1
		case c == '"':
			inside = !inside
		case c == ':' && !inside:
			value = true
		case c == '}' && !inside:
			return text
		}
	}
	if inside {
		return closed(text, whole, len(text), value)
	}
	return text[:whole] + "}"
}

// closed is the object up to a place within a text, if that is a value, or else up to its last whole field.
func closed(text string, whole, place int, value bool) string {
	if value {
		return text[:place] + `"}`
	}
	return text[:whole] + "}"
}
