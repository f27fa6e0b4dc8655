package frame

import (
	"bytes"
	"errors"
	"html/template"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/console/words"
)

// What a page takes at most, in bytes, whatever is stored. A page is made of lines, see [said], and of lists
// with room of their own, which come to a megabyte. A list of very many sites may be longer.
const (
	// ListRoom is for a list that has a page to itself.
	ListRoom = 700 << 10
	// mostHeld is for a page while it is rendered. One that does not fit is not shown.
	mostHeld = 8 << 20
)

var errLarge = errors.New("there is too much to show")

// held is a page while it is rendered.
type held struct{ bytes.Buffer }

func (h *held) Write(b []byte) (int, error) {
	if h.Len()+len(b) > mostHeld {
		return 0, errLarge
	}
	return h.Buffer.Write(b)
}

// Part gives a part of a page.
func (f *Frame) Part(w *words.Tongue, name string, data any) ([]byte, error) {
	var b held
	err := f.Template(w, &b, name, data)
	return b.Bytes(), err
}

// Within renders the rows by the template as long as there is room in bytes, which it takes.
func Within[R any](f *Frame, w *words.Tongue, name string, rows []R, room *int) (shown []template.HTML, err error) {
	for _, row := range rows {
		html, err := f.Part(w, name, row)
		if err != nil {
			return nil, err
		}
		if *room -= len(html); *room < 0 {
			break
		}
		shown = append(shown, template.HTML(html))
	}
	return shown, nil
}

// LatestWithin is within for rows of which the last are those that count.
func LatestWithin[R any](f *Frame, w *words.Tongue, name string, rows []R, room *int) ([]template.HTML, error) {
	latest := slices.Clone(rows)
	slices.Reverse(latest)
	shown, err := Within(f, w, name, latest, room)
	slices.Reverse(shown)
	return shown, err
}

// Rows are the things as rows of a list.
func Rows[T, R any](p Page, things []T, row func(Page, T) R) []R {
	rows := make([]R, len(things))
	for i, thing := range things {
		rows[i] = row(p, thing)
	}
	return rows
}
