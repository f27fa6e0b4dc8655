package posted

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/capture/naming"
)

func (f *formReader) readJSON(body []byte) error {
	j := jsonReader{formReader: f, tokens: json.NewDecoder(bytes.NewReader(body))}
	j.tokens.UseNumber()
	switch first, err := j.tokens.Token(); {
	case err != nil:
		return err
	case first == json.Delim('{'):
		return j.object(0)
	case first == json.Delim('['):
		return j.list(0)
	}
	return errors.New("expected an object or a list")
}

// jsonReader reads a form of JSON.
type jsonReader struct {
	*formReader
	tokens *json.Decoder
	path   []byte // the names of what the value is in, with dots between
	depth  int
}

// object reads the rest of an object. own is the length of its path in bytes.
func (j *jsonReader) object(within int) error {
	for j.tokens.More() {
		name, err := j.tokens.Token()
		if err != nil {
			return err
		}
		j.path = append(j.path[:within], name.(string)...)
		if err := j.value(); err != nil {
			return err
		}
	}
	_, err := j.tokens.Token()
	return err
}

// list reads the rest of a list.
func (j *jsonReader) list(within int) error {
	for i := 0; j.tokens.More(); i++ {
		j.path = strconv.AppendInt(j.path[:within], int64(i), 10)
		before := len(j.Fields)
		if err := j.value(); err != nil {
			return err
		}
		j.Fields = append(j.Fields[:before], named(j.Fields[before:], append(strconv.AppendInt(j.path[:within], int64(i), 10), '.'))...)
	}
	_, err := j.tokens.Token()
	return err
}

// value reads the value of the path.
func (j *jsonReader) value() error {
	token, err := j.tokens.Token()
	if err == nil {
		err = j.part()
	}
	if err != nil || token == nil {
		return err
	}
	delim, opens := token.(json.Delim)
	switch {
	case !opens:
		return j.add(Shortened(j.path), fmt.Sprint(token))
	case j.depth == maxDepth-1:
		j.Cut = true
		return j.skip()
	}
	j.depth++
	defer func() { j.depth-- }()
	j.path = append(j.path, '.')
	if delim == '{' {
		return j.object(len(j.path))
	}
	return j.list(len(j.path))
}

// skip skips the rest of the object or list that has just begun.
func (j *jsonReader) skip() error {
	for open := 1; open > 0; {
		token, err := j.tokens.Token()
		if err == nil {
			err = j.part()
		}
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			open++
		case json.Delim('}'), json.Delim(']'):
			open--
		}
	}
	return nil
}

// calledBy are the members in which an object names its field; the first counts. besideName are the members that say
// something about the field.
var (
	calledBy   = strings.Fields("name key field label title id")
	besideName = strings.Fields("type required placeholder order")
)

// named returns the field that an object of a list describes by a name and a value, as jQuery's serializeArray writes
// it, or the object's own fields. All have the outer name.
func named(fields []Field, outer []byte) []Field {
	if len(fields) < 2 {
		return fields
	}
	members, values, prefix := make(map[string]string), []string(nil), string(outer)
	for _, field := range fields {
		member, of := strings.CutPrefix(field.Name, prefix)
		switch {
		case of && (member == "value" || strings.HasPrefix(member, "value.")):
			values = append(values, field.Value)
		case of && (slices.Contains(calledBy, member) || slices.Contains(besideName, member)):
			members[member] = field.Value
		default:
			return fields
		}
	}
	called := ""
	for _, by := range calledBy {
		if called == "" || naming.IsGeneric(called) && by != "id" && members[by] != "" {
			called = members[by]
		}
	}
	if values == nil || called == "" {
		return fields
	}
	fields[0] = Field{Shortened(called), strings.Join(values, ", ")}
	return fields[:1]
}

// operations returns the fields that people have filled in, in a form sent by GraphQL: the variables and the arguments
// of mutations. A query only asks and has none. Other fields stay as they are.
func operations(fields []Field) []Field {
	spoken := make(map[string]string) // what is asked, by the outer names of the request
	for _, field := range fields {
		if outer, is := strings.CutSuffix(field.Name, "query"); is && (outer == "" || isIndex(outer)) && isOperation(field.Value) {
			spoken[outer] = strings.TrimSpace(field.Value)
		}
	}
	if len(spoken) == 0 {
		return fields
	}
	var said []Field
	for _, field := range fields {
		outer := ""
		if first, _, found := strings.Cut(field.Name, "."); found && isIndex(first+".") {
			outer = first + "."
		}
		asked, is := spoken[outer]
		inner := strings.TrimPrefix(field.Name, outer)
		variable, isVariable := strings.CutPrefix(inner, "variables.")
		switch {
		case !is:
			said = append(said, field)
		case !strings.HasPrefix(asked, "mutation"):
		case isVariable:
			said = append(said, Field{variable, field.Value})
		case inner == "query":
			said = append(said, arguments(asked)...)
		}
	}
	return said
}

// isIndex reports whether the outer name is a position in a list: 0.
func isIndex(outer string) bool {
	digits, found := strings.CutSuffix(outer, ".")
	return found && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// isOperation reports whether the text is one of GraphQL (GraphQL Specification, section 2.3).
func isOperation(text string) bool {
	text = strings.TrimSpace(text)
	for _, begin := range [...]string{"query", "mutation", "subscription", "fragment", "{"} {
		if rest, found := strings.CutPrefix(text, begin); found {
			return strings.Contains(text, "{") && (begin == "{" || rest != "" && strings.IndexByte(" \n\r\t({@", rest[0]) >= 0)
		}
	}
	return false
}

// arguments returns the texts in an operation of GraphQL, by the names before them.
func arguments(operation string) (all []Field) {
	for len(all) < maxFields {
		before, behind, found := strings.Cut(operation, `"`)
		if !found {
			return all
		}
		end := 0
		for end < len(behind) && behind[end] != '"' {
			if behind[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(behind) {
			return all
		}
		var value string
		if called, is := strings.CutSuffix(strings.TrimSpace(before), ":"); is && json.Unmarshal([]byte(`"`+behind[:end]+`"`), &value) == nil {
			called = strings.TrimSpace(called)
			all = append(all, Field{Shortened(called[len(strings.TrimRight(called, nameSigns)):]), value})
		}
		operation = behind[end+1:]
	}
	return all
}

// nameSigns are the characters of GraphQL names (GraphQL Specification, section 2.1.9).
const nameSigns = "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
