package console

import (
	"fmt"
	"html/template"
	"io"
	"mime"
	"net/http"
)

// field is a named value.
type field struct{ Name, Value string }

// values are fields as they are shown on the page of what they belong to.
type values struct {
	Fields []shownField
	Cut    bool // they are not shown whole
}

type shownField struct{ Name, Value template.HTML }

// valuesWithin are the fields in at most so many bytes of HTML.
func valuesWithin(fields []field, room int) (v values) {
	const around = 150 // bytes of what stands around each
	for _, f := range fields {
		one := shownField{Name: said(f.Name)}
		room -= len(one.Name) + around
		if room < lineSize {
			v.Cut = true
			break
		}
		var cut bool
		one.Value, cut = whole(f.Value, room-around)
		room -= len(one.Value)
		v.Fields, v.Cut = append(v.Fields, one), v.Cut || cut || len(f.Name) > len(one.Name)
	}
	return v
}

// sendText answers with texts as they are stored, as a file that no browser shows.
func sendText(w http.ResponseWriter, name string, write func(io.Writer)) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name + ".txt"}))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	write(w)
}

// writeFields writes those of the fields that say anything, one below the other.
func writeFields(w io.Writer, fields []field) {
	for _, f := range fields {
		if f.Value != "" {
			fmt.Fprintf(w, "%s: %s\n", f.Name, f.Value)
		}
	}
}
