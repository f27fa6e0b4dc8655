package rows

import (
	"fmt"
	"html/template"
	"io"
	"mime"
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend/console/words"
)

// Field is a named value.
type Field struct{ Name, Value string }

// Values are fields as they are shown on the page of what they belong to.
type Values struct {
	Fields []shownField
	Cut    bool // they are not shown whole
}

type shownField struct{ Name, Value template.HTML }

// ValuesWithin are the fields in at most so many bytes of HTML.
func ValuesWithin(fields []Field, room int) (v Values) {
	const around = 150 // bytes of what stands around each
	for _, f := range fields {
		one := shownField{Name: words.Said(f.Name)}
		room -= len(one.Name) + around
		if room < words.LineSize {
			v.Cut = true
			break
		}
		var cut bool
		one.Value, cut = words.Whole(f.Value, room-around)
		room -= len(one.Value)
		v.Fields, v.Cut = append(v.Fields, one), v.Cut || cut || len(f.Name) > len(one.Name)
	}
	return v
}

// SendText answers with texts as they are stored, as a file that no browser shows.
func SendText(w http.ResponseWriter, name string, write func(io.Writer)) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name + ".txt"}))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	write(w)
}

// WriteFields writes those of the fields that say anything, one below the other.
func WriteFields(w io.Writer, fields []Field) {
	for _, f := range fields {
		if f.Value != "" {
			fmt.Fprintf(w, "%s: %s\n", f.Name, f.Value)
		}
	}
}
