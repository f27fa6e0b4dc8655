// Package reference shows the description of the public API as pages for people: one for each subject, made of the
// OpenAPI document alone. They need nothing from elsewhere, and no script.
package reference

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

//go:embed page.html style.css
var files embed.FS

// Pages are the pages, each as it is sent.
type Pages struct {
	style    []byte
	contents []byte
	subjects map[string][]byte // by their addresses
}

// subject is what a page is about.
type subject struct {
	Name, Address string
	Operations    []operation
}

// operation is an operation as a page shows it.
type operation struct {
	ID, Method, Path, Summary, Description, Opens string
	Parameters                                    []field
	Body, Answer                                  []field
	Status                                        string
}

// field is a parameter, or a field of a body or of an answer.
type field struct {
	Name, Where, Type, About string
	Depth                    int
	Required                 bool
}

// page is the content of a page.
type page struct {
	Title    string
	Subjects []subject
	Of       *subject // nil for the contents
	Document string
}

// maxDepth is how deep the fields of fields are shown.
const maxDepth = 4

// Render makes the pages of the document, whose subjects are in the order of their operations. root is where the pages
// are, such as "/api/v1/reference/", and document where the document is.
func Render(api *huma.OpenAPI, root, document string) (*Pages, error) {
	shown, err := template.ParseFS(files, "page.html")
	if err != nil {
		return nil, err
	}
	pages := &Pages{subjects: make(map[string][]byte)}
	if pages.style, err = files.ReadFile("style.css"); err != nil {
		return nil, err
	}
	all := subjectsOf(api, root)
	render := func(p page) ([]byte, error) {
		p.Subjects, p.Document = all, document
		var text bytes.Buffer
		err := shown.Execute(&text, p)
		return text.Bytes(), err
	}
	if pages.contents, err = render(page{Title: "API reference"}); err != nil {
		return nil, err
	}
	for i := range all {
		if pages.subjects[all[i].Address], err = render(page{Title: all[i].Name, Of: &all[i]}); err != nil {
			return nil, err
		}
	}
	return pages, nil
}

// ServeHTTP serves a page.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	content, kind := p.subjects[r.URL.Path], "text/html; charset=utf-8"
	switch {
	case strings.HasSuffix(r.URL.Path, "/style.css"):
		content, kind = p.style, "text/css; charset=utf-8"
	case strings.HasSuffix(r.URL.Path, "/reference/"):
		content = p.contents
	}
	if content == nil {
		h.Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte("There is no such page of the reference.\n"))
		return
	}
	h.Set("Content-Type", kind)
	_, _ = w.Write(content)
}

// subjectsOf are the subjects of the document with their operations: first those that read.
func subjectsOf(api *huma.OpenAPI, root string) (all []subject) {
	for path, item := range api.Paths {
		for method, op := range map[string]*huma.Operation{"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete} {
			if op == nil {
				continue
			}
			at := slices.IndexFunc(all, func(s subject) bool { return s.Name == op.Tags[0] })
			if at < 0 {
				at = len(all)
				all = append(all, subject{Name: op.Tags[0], Address: root + strings.ToLower(op.Tags[0])})
			}
			all[at].Operations = append(all[at].Operations, operationOf(api, method, path, op))
		}
	}
	for _, s := range all {
		slices.SortFunc(s.Operations, func(a, b operation) int {
			order := []string{"GET", "POST", "PUT", "PATCH", "DELETE"}
			if by := strings.Compare(a.Path, b.Path); by != 0 {
				return by
			}
			return slices.Index(order, a.Method) - slices.Index(order, b.Method)
		})
	}
	slices.SortFunc(all, func(a, b subject) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func operationOf(api *huma.OpenAPI, method, path string, op *huma.Operation) operation {
	told := operation{ID: op.OperationID, Method: method, Path: path, Summary: op.Summary, Description: op.Description}
	for _, scopes := range op.Security {
		for _, of := range scopes {
			told.Opens = strings.Join(of, ", ")
		}
	}
	for _, p := range op.Parameters {
		told.Parameters = append(told.Parameters, field{
			Name: p.Name, Where: p.In, Type: typeOf(api, p.Schema), About: cmp.Or(p.Description, p.Schema.Description), Required: p.Required,
		})
	}
	if op.RequestBody != nil {
		told.Body = fieldsOf(api, schemaIn(op.RequestBody.Content), 0)
	}
	for status, answer := range op.Responses {
		if strings.HasPrefix(status, "2") {
			told.Status, told.Answer = status, fieldsOf(api, schemaIn(answer.Content), 0)
		}
	}
	return told
}

func schemaIn(content map[string]*huma.MediaType) *huma.Schema {
	if of := content["application/json"]; of != nil {
		return of.Schema
	}
	return nil
}

func resolved(api *huma.OpenAPI, s *huma.Schema) *huma.Schema {
	for s != nil && s.Ref != "" {
		s = api.Components.Schemas.SchemaFromRef(s.Ref)
	}
	return s
}

// fieldsOf are the fields of the schema and of what is in them, each behind what it is in.
func fieldsOf(api *huma.OpenAPI, s *huma.Schema, depth int) (fields []field) {
	s = within(api, s)
	if s == nil || depth == maxDepth {
		return nil
	}
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		ra, rb := slices.Index(s.Required, a), slices.Index(s.Required, b)
		if (ra < 0) != (rb < 0) { // what has to be there comes first, in the order of the type
			return rb - ra
		}
		if ra != rb {
			return ra - rb
		}
		return strings.Compare(a, b)
	})
	for _, name := range names {
		of := s.Properties[name]
		fields = append(fields, field{Name: name, Type: typeOf(api, of), About: cmp.Or(of.Description, resolved(api, of).Description), Depth: depth, Required: slices.Contains(s.Required, name)})
		fields = append(fields, fieldsOf(api, of, depth+1)...)
	}
	return fields
}

// within is the object in the schema: itself, that of which it is a list or a map, or that which may be null.
func within(api *huma.OpenAPI, s *huma.Schema) *huma.Schema {
	for range maxDepth {
		s = resolved(api, s)
		switch {
		case s == nil:
			return nil
		case s.Items != nil:
			s = s.Items
		case len(s.AnyOf) > 0:
			s = s.AnyOf[0]
		default:
			if more, is := s.AdditionalProperties.(*huma.Schema); is && len(s.Properties) == 0 {
				s = more
				continue
			}
			return s
		}
	}
	return s
}

// typeOf says in words what a value is, with its bounds.
func typeOf(api *huma.OpenAPI, s *huma.Schema) string {
	s = resolved(api, s)
	switch {
	case len(s.OneOf) > 0:
		return typeOf(api, s.OneOf[0]) + " or " + typeOf(api, s.OneOf[1])
	case len(s.AnyOf) > 0:
		return typeOf(api, s.AnyOf[0]) + " or null"
	case s.Items != nil:
		return "list of " + typeOf(api, s.Items)
	}
	if more, is := s.AdditionalProperties.(*huma.Schema); is && s.Type == huma.TypeObject {
		return "map of " + typeOf(api, more)
	}
	words := s.Type
	if s.Format == "date-time" {
		words = "time"
	}
	switch {
	case len(s.Enum) > 0:
		values := make([]string, len(s.Enum))
		for i, value := range s.Enum {
			values[i] = fmt.Sprint(value)
		}
		words = strings.Join(values, ", ")
	case s.MaxLength != nil:
		words += fmt.Sprintf(", at most %d characters", *s.MaxLength)
	case s.Minimum != nil && s.Maximum != nil:
		words += fmt.Sprintf(", %v to %v", *s.Minimum, *s.Maximum)
	}
	if s.Default != nil {
		words += fmt.Sprintf("; %v if not given", s.Default)
	}
	if s.Nullable {
		words += ", or null"
	}
	return words
}
