package console

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"io"
	"mime"
	"net/http"
	"slices"
)

// What is sent to an open console at most, in bytes, whatever is stored. A page is made of lines, see [said], and of lists
// with room of their own; maxPage is what they come to. A list of very many sites may be longer.
const (
	maxPage  = 1 << 20
	maxEvent = 16 << 10
	maxData  = maxEvent - 128 // beside the id of the event
	// listRoom is for a list that has a page to itself.
	listRoom = 700 << 10
	// maxLink is for an address to which a page links. What is longer is shown as a text.
	maxLink = 2500
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
func (c *Console) part(w *words, name string, data any) ([]byte, error) {
	var b held
	err := c.pages[w.Code]["parts"].ExecuteTemplate(&b, name, data)
	return b.Bytes(), err
}

// within renders the rows by the template as long as there is room in bytes, which it takes.
func within[R any](c *Console, w *words, name string, rows []R, room *int) (shown []template.HTML, err error) {
	for _, row := range rows {
		html, err := c.part(w, name, row)
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
func latestWithin[R any](c *Console, w *words, name string, rows []R, room *int) ([]template.HTML, error) {
	latest := slices.Clone(rows)
	slices.Reverse(latest)
	shown, err := within(c, w, name, latest, room)
	slices.Reverse(shown)
	return shown, err
}

// render gives a part of a page as the data of an event. What does not fit into one is not sent: the page is told to be
// loaded again.
func (c *Console) render(w *words, name string, data any) ([][]byte, error) {
	html, err := c.part(w, name, data)
	if err != nil {
		return nil, err
	}
	event := dataOf(string(html))
	if len(event) > maxData {
		event, err = c.again(w)
	}
	return [][]byte{event}, err
}

// again tells a page that there is more than it is told.
func (c *Console) again(w *words) ([]byte, error) {
	html, err := c.part(w, "again-event", nil)
	return dataOf(string(html)), err
}

// renderedAtOnce is how many rows are rendered to see whether they fit into an event.
const renderedAtOnce = 8

// renderRows gives rows as the data of as many events as they need. The last rows come first: a page puts what comes in above what
// it has. data is what the template is given for some of them.
func renderRows[R any](c *Console, w *words, name string, rows []R, data func([]R) any) (events [][]byte, err error) {
	for end := len(rows); end > 0; {
		begin := max(0, end-renderedAtOnce)
		for ; ; begin = (begin + end + 1) / 2 { // half as many, if these do not fit
			html, err := c.part(w, name, data(rows[begin:end]))
			if err != nil {
				return nil, err
			}
			event := dataOf(string(html))
			if len(event) > maxData && end-begin > 1 {
				continue
			}
			if len(event) > maxData {
				if event, err = c.again(w); err != nil {
					return nil, err
				}
			}
			events = append(events, event)
			break
		}
		end = begin
	}
	return events, nil
}

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
