package open_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"
)

// releasedFile is the document of the last release.
const releasedFile = "testdata/v1.json"

var write = flag.Bool("write", false, "write the document as that of a release, when nothing is taken away")

// What a program relies on stays: nothing that the document of the last release has is taken away or made narrower.
func TestNothingIsTakenAway(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		released, err := openapi3.NewLoader().LoadFromFile(releasedFile)
		require.NoError(t, err)
		require.Empty(t, takenAway(released, o.document))
		if *write {
			_, document := o.call("GET", "/api/v1/openapi.json", "", "")
			var lines bytes.Buffer
			require.NoError(t, json.Indent(&lines, document, "", "\t"))
			require.NoError(t, os.WriteFile(releasedFile, lines.Bytes(), 0o644))
		}
	})
}

// The comparison finds each way in which something is taken away.
func TestTakenAwayIsFound(t *testing.T) {
	load := func(replaced ...string) *openapi3.T {
		file, err := os.ReadFile(releasedFile)
		require.NoError(t, err)
		var compact bytes.Buffer
		require.NoError(t, json.Compact(&compact, file))
		text := compact.Bytes()
		for pair := range slices.Chunk(replaced, 2) {
			require.Contains(t, string(text), pair[0])
			text = []byte(strings.Replace(string(text), pair[0], pair[1], 1))
		}
		loaded, err := openapi3.NewLoader().LoadFromData(text)
		require.NoError(t, err)
		return loaded
	}
	released := load()
	require.Empty(t, takenAway(released, load()))
	for what, change := range map[string][2]string{
		"GET /api/v1/leads: is gone":                        {`"/api/v1/leads":`, `"/api/v1/requests":`},
		"answer 200.leads.phone_digits: is gone":            {`"phone_digits":`, `"digits":`},
		"query.site: is gone":                               {`"name":"site"`, `"name":"shop"`},
		"body.text: expected at most 200 characters":        {`"maxLength":4000`, `"maxLength":200`},
		"answer 200.leads.state: spam is no value any more": {`"enum":["new","work","done","spam"]`, `"enum":["new","work","done"]`},
	} {
		require.Contains(t, strings.Join(takenAway(released, load(change[0], change[1])), "\n"), what)
	}
}

// takenAway is what one document has and the later one has not.
func takenAway(released, now *openapi3.T) (gone []string) {
	for path, item := range released.Paths.Map() {
		for method, before := range item.Operations() {
			c := &comparison{at: method + " " + path, seen: make(map[string]bool)}
			var after *openapi3.Operation
			if later := now.Paths.Find(path); later != nil {
				after = later.GetOperation(method)
			}
			if after == nil {
				gone = append(gone, c.at+": is gone")
				continue
			}
			c.operation(before, after)
			gone = append(gone, c.gone...)
		}
	}
	return gone
}

type comparison struct {
	at   string
	gone []string
	seen map[string]bool
}

func (c *comparison) say(where, format string, args ...any) {
	c.gone = append(c.gone, fmt.Sprintf("%s: %s: %s", c.at, where, fmt.Sprintf(format, args...)))
}

func (c *comparison) operation(before, after *openapi3.Operation) {
	if before.OperationID != after.OperationID {
		c.say("operationId", "is another")
	}
	for _, p := range before.Parameters {
		where := p.Value.In + "." + p.Value.Name
		later := after.Parameters.GetByInAndName(p.Value.In, p.Value.Name)
		if later == nil {
			c.say(where, "is gone")
			continue
		}
		if later.Required && !p.Value.Required {
			c.say(where, "is required now")
		}
		c.schema(where, p.Value.Schema, later.Schema, true)
	}
	for _, p := range after.Parameters {
		if p.Value.Required && before.Parameters.GetByInAndName(p.Value.In, p.Value.Name) == nil {
			c.say(p.Value.In+"."+p.Value.Name, "is required now")
		}
	}
	if before.RequestBody != nil {
		c.content("body", before.RequestBody.Value.Content, after.RequestBody.Value.Content, true)
	}
	for status, answer := range before.Responses.Map() {
		later := after.Responses.Value(status)
		if later == nil {
			c.say("answer "+status, "is gone")
			continue
		}
		c.content("answer "+status, answer.Value.Content, later.Value.Content, false)
	}
}

func (c *comparison) content(where string, before, after openapi3.Content, asked bool) {
	for kind, of := range before {
		if after[kind] == nil {
			c.say(where, "%s is gone", kind)
			continue
		}
		c.schema(where, of.Schema, after[kind].Schema, asked)
	}
}

// schema compares what is asked, which may become wider, or what is answered, which may have more.
func (c *comparison) schema(where string, before, after *openapi3.SchemaRef, asked bool) {
	if before == nil || before.Value == nil {
		return
	}
	if after == nil || after.Value == nil {
		c.say(where, "is not described any more")
		return
	}
	was, is := before.Value, after.Value
	if before.Ref != "" {
		if key := fmt.Sprint(before.Ref, asked); c.seen[key] {
			return
		} else {
			c.seen[key] = true
		}
	}
	if fmt.Sprint(was.Type.Slice()) != fmt.Sprint(is.Type.Slice()) {
		c.say(where, "its type was %v and is %v", was.Type.Slice(), is.Type.Slice())
	}
	for _, value := range was.Enum {
		if !slices.Contains(is.Enum, value) && len(is.Enum) > 0 {
			c.say(where, "%v is no value any more", value)
		}
	}
	if asked {
		c.bounds(where, was, is)
	}
	for _, name := range is.Required {
		if asked && !slices.Contains(was.Required, name) {
			c.say(where+"."+name, "is required now")
		}
	}
	for _, name := range was.Required {
		if !asked && !slices.Contains(is.Required, name) {
			c.say(where+"."+name, "may be missing now")
		}
	}
	for name, of := range was.Properties {
		if is.Properties[name] == nil {
			c.say(where+"."+name, "is gone")
			continue
		}
		c.schema(where+"."+name, of, is.Properties[name], asked)
	}
	c.schema(where, was.Items, is.Items, asked)
	if len(was.AnyOf) != len(is.AnyOf) || len(was.OneOf) != len(is.OneOf) {
		c.say(where, "has other alternatives")
		return
	}
	for i := range was.AnyOf {
		c.schema(where, was.AnyOf[i], is.AnyOf[i], asked)
	}
	for i := range was.OneOf {
		c.schema(where, was.OneOf[i], is.OneOf[i], asked)
	}
}

// bounds compares what is asked by its bounds.
func (c *comparison) bounds(where string, was, is *openapi3.Schema) {
	if is.MaxLength != nil && (was.MaxLength == nil || *is.MaxLength < *was.MaxLength) {
		c.say(where, "expected at most %d characters", *is.MaxLength)
	}
	if is.MaxItems != nil && (was.MaxItems == nil || *is.MaxItems < *was.MaxItems) {
		c.say(where, "expected at most %d items", *is.MaxItems)
	}
	if is.MinLength > was.MinLength || is.MinItems > was.MinItems {
		c.say(where, "expected more than before")
	}
	if is.Max != nil && (was.Max == nil || *is.Max < *was.Max) || is.Min != nil && (was.Min == nil || *is.Min > *was.Min) {
		c.say(where, "expected within narrower bounds")
	}
	if is.Pattern != was.Pattern {
		c.say(where, "expected by another pattern")
	}
}
