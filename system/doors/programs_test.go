package doors

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
)

// described is what the description of the API says of an operation, as far as doors need it.
type described struct {
	OperationID string
	Parameters  []struct {
		Name, In string
		Required bool
	}
	RequestBody struct {
		Content map[string]struct{ Schema schema }
	}
}

type schema struct {
	Ref        string `json:"$ref"`
	Type       any
	Items      *schema
	AnyOf      []schema
	Properties map[string]schema
}

// programs are the doors of the public API: each operation of its description, by its method and address.
func programs() map[string]door {
	text, err := os.ReadFile("../../backend/open/testdata/v1.json")
	if err != nil {
		panic(err)
	}
	var document struct {
		Paths      map[string]map[string]described
		Components struct{ Schemas map[string]schema }
	}
	if err := json.Unmarshal(text, &document); err != nil {
		panic(err)
	}
	all := make(map[string]door)
	for path, item := range document.Paths {
		for method, op := range item {
			method = strings.ToUpper(method)
			d := door{dearest: []func(*scene, int) inputs{asked(op, method)}}
			if content := op.RequestBody.Content["application/json"].Schema; method != http.MethodGet && (content.Ref != "" || content.Properties != nil) {
				d.dearest = append(d.dearest, bodies(method, content, document.Components.Schemas))
			}
			if _, is := op.RequestBody.Content["application/octet-stream"]; is {
				d.dearest = append(d.dearest, contents(op, method))
			}
			for i, dear := range d.dearest {
				d.dearest[i] = func(s *scene, n int) inputs { return asProgram(s, path, dear(s, n)) }
			}
			d.stream = op.OperationID == "streamEvents"
			d.memory = ofPrograms(op.OperationID)
			d.of = map[string]price{"nested": nested, "fields": {2 << 20, 512}}
			for name, field := range resolved(op.RequestBody.Content["application/json"].Schema, document.Components.Schemas).Properties {
				if resolved(field, document.Components.Schemas).Items != nil { // each thing in a list is told by itself
					d.of[name+" long"], d.of[name+" escaped"] = d.of["fields"], d.of["fields"]
				}
			}
			if slices.Contains(absent, op.OperationID) {
				d.shut = http.StatusNotFound
			}
			all["program "+method+" "+path] = d
		}
	}
	return all
}

// absent are operations on what the scene does not have.
var absent = []string{"getFace"}

func ofPrograms(id string) price {
	switch id {
	case "addOperator", "setPassword":
		return hashing
	case "findPerson", "erasePerson", "exportPerson":
		return looking
	}
	return showing
}

// asked are calls with dear queries.
func asked(op described, method string) func(*scene, int) inputs {
	return func(s *scene, n int) inputs {
		n = min(n, 4<<10)
		own := required(s, op)
		all := inputs{"plain": func() request { return request{method: method, path: "?" + strings.TrimPrefix(own, "&")} }}
		for name, dear := range queries(n) {
			all["the query's "+name] = func() request { return request{method: method, path: "?" + dear + own} }
		}
		for _, p := range op.Parameters {
			if p.In == "query" {
				for what, value := range map[string]string{"long": strings.Repeat("a", n), "list": strings.Repeat("a,", n/2), "words": url.QueryEscape(strings.Repeat("é ", n/8))} {
					all[p.Name+" "+what] = func() request { return request{method: method, path: "?" + p.Name + "=" + value + own} }
				}
			}
		}
		return all
	}
}

// required is the part of a query that the operation needs.
func required(s *scene, op described) (query string) {
	for _, p := range op.Parameters {
		if p.In == "query" && p.Required {
			value := "2026-01-01"
			switch p.Name {
			case "operator_id":
				value = s.stands["operator"]
			case "figure":
				value = "visits"
			case "address":
				value = "https://shop.example/"
			}
			query += "&" + p.Name + "=" + value
		}
	}
	return query
}

// contents are calls with files.
func contents(op described, method string) func(*scene, int) inputs {
	return func(s *scene, n int) inputs {
		all := make(inputs)
		for name, text := range texts {
			all["file of "+name] = func() request {
				return request{method: method, path: "?" + required(s, op), body: s.unique() + text(n), fields: []string{"Content-Type: application/octet-stream"}}
			}
		}
		return all
	}
}

// resolved is the schema behind references, and what may be null without that.
func resolved(of schema, schemas map[string]schema) schema {
	for of.Ref != "" || len(of.AnyOf) > 0 {
		if len(of.AnyOf) > 0 {
			of = of.AnyOf[0]
			continue
		}
		of = schemas[of.Ref[strings.LastIndex(of.Ref, "/")+1:]]
	}
	return of
}

// bodies are calls with dear bodies: each field is long, there are many fields and lists, and much in one another.
func bodies(method string, of schema, schemas map[string]schema) func(*scene, int) inputs {
	return func(_ *scene, n int) inputs {
		send := func(body string) func() request {
			return func() request {
				return request{method: method, body: body, fields: []string{"Content-Type: " + jsonType}}
			}
		}
		all := inputs{
			"nested": send(`{"a":` + strings.Repeat("[", min(n/2, 9_000)) + strings.Repeat("]", min(n/2, 9_000)) + `}`),
			"fields": send(`{` + series(n, func(i int) string { return fmt.Sprintf(`"a%d":1,`, i) }) + `"z":1}`),
			"name":   send(`{"` + strings.Repeat("a", n) + `":1}`),
			"blanks": send(`{` + strings.Repeat(" ", n) + `}`),
			"number": send(`{"a":` + strings.Repeat("9", n) + `}`),
		}
		for name, field := range resolved(of, schemas).Properties {
			field = resolved(field, schemas)
			value := `"` + strings.Repeat("a", n) + `"`
			escaped := `"` + strings.Repeat(`\u044b`, n/6) + `"`
			if field.Items != nil {
				value, escaped = `[`+strings.Repeat(`"a",`, n/4)+`"b"]`, `[`+strings.Repeat(`{},`, n/3)+`{}]`
			}
			all[name+" long"], all[name+" escaped"] = send(fmt.Sprintf(`{%q:%s}`, name, value)), send(fmt.Sprintf(`{%q:%s}`, name, escaped))
		}
		return all
	}
}

// asProgram are the calls of the operation at the address, with the token of a program.
func asProgram(s *scene, path string, all inputs) inputs {
	path = strings.Replace(path, "/destinations/{id}/files/{file}", "/destinations/{id}/files/"+s.stands["table"], 1)
	path = strings.NewReplacer("{site}", "shop", "{number}", "74952223344", "{pool}", "summer", "{part}", s.stands["lead"], "{file}", s.stands["file"]).Replace(path)
	for subject, stands := range map[string]string{
		"leads": "lead", "calls": "call", "chats": "conversation", "callbacks": "callback", "groups": "group", "replies": "reply", "endpoints": "endpoint", "operators": "operator", "costs": "import",
		"saved-reports": "saved", "report-links": "link", "bulletins": "subscriber", "destinations": "destination", "visitors": "visitor", "refused-leads": "refused",
	} {
		path = strings.Replace(path, "/"+subject+"/{id}", "/"+subject+"/"+s.stands[stands], 1)
	}
	own := make(inputs)
	for name, dear := range all {
		own[name] = func() request {
			r := dear()
			_, query, _ := strings.Cut(r.path, "?")
			if r.path = path; query != "" {
				r.path += "?" + query
			}
			r.fields = append(slices.Clone(r.fields), "Authorization: Bearer "+s.secret(), "If-Match: *")
			return r
		}
	}
	return own
}
