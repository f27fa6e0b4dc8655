package console

import (
	"bytes"
	"errors"
	"html/template"
	"slices"
)

// What a page takes at most, in bytes, whatever is stored. A page is made of lines, see [said], and of lists
// with room of their own; maxPage is what they come to. A list of very many sites may be longer.
const (
	maxPage = 1 << 20
	// listRoom is for a list that has a page to itself.
	listRoom = 700 << 10
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

// part gives a part of a page.
func (f *Frame) part(w *words, name string, data any) ([]byte, error) {
	var b held
	err := f.pages[w.Code]["parts"].ExecuteTemplate(&b, name, data)
	return b.Bytes(), err
}

// within renders the rows by the template as long as there is room in bytes, which it takes.
func within[R any](f *Frame, w *words, name string, rows []R, room *int) (shown []template.HTML, err error) {
	for _, row := range rows {
		html, err := f.part(w, name, row)
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

// latestWithin is within for rows of which the last are those that count.
func latestWithin[R any](f *Frame, w *words, name string, rows []R, room *int) ([]template.HTML, error) {
	latest := slices.Clone(rows)
	slices.Reverse(latest)
	shown, err := within(f, w, name, latest, room)
	slices.Reverse(shown)
	return shown, err
}

// rowsOf are the things as rows of a list.
func rowsOf[T, R any](p frame, things []T, row func(frame, T) R) []R {
	rows := make([]R, len(things))
	for i, thing := range things {
		rows[i] = row(p, thing)
	}
	return rows
}
