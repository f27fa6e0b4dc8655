package live

import (
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/console/words"
)

// What is sent to an open page at most, in bytes, whatever is stored.
const (
	maxEvent = 16 << 10
	maxData  = maxEvent - 128 // beside the id of the event
)

// Render gives a part of a page as the data of an event. What does not fit into one is not sent: the page is told to be
// loaded again.
func (l *Live) Render(w *words.Tongue, name string, data any) ([][]byte, error) {
	html, err := l.Part(w, name, data)
	if err != nil {
		return nil, err
	}
	event := dataOf(string(html))
	if len(event) > maxData {
		event, err = l.again(w)
	}
	return [][]byte{event}, err
}

// again tells a page that there is more than it is told.
func (l *Live) again(w *words.Tongue) ([]byte, error) {
	html, err := l.Part(w, "again-event", nil)
	return dataOf(string(html)), err
}

// renderedAtOnce is how many rows are rendered to see whether they fit into an event.
const renderedAtOnce = 8

// RenderRows gives rows as the data of as many events as they need. The last rows come first: a page puts what comes in above what
// it has. data is what the template is given for some of them.
func RenderRows[R any](l *Live, w *words.Tongue, name string, rows []R, data func([]R) any) (events [][]byte, err error) {
	for end := len(rows); end > 0; {
		begin := max(0, end-renderedAtOnce)
		for ; ; begin = (begin + end + 1) / 2 { // half as many, if these do not fit
			html, err := l.Part(w, name, data(rows[begin:end]))
			if err != nil {
				return nil, err
			}
			event := dataOf(string(html))
			if len(event) > maxData && end-begin > 1 {
				continue
			}
			if len(event) > maxData {
				if event, err = l.again(w); err != nil {
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

// dataOf is HTML for the page as an event's data, in its wire form. What visitors wrote
// is part of it, line breaks of all kinds included: each line is marked as data.
func dataOf(html string) []byte {
	html = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(html)
	b := make([]byte, 0, len(html)+len(html)/8)
	for line := range strings.Lines(html) {
		b = append(b, "data: "...)
		b = append(b, strings.TrimSuffix(line, "\n")...)
		b = append(b, '\n')
	}
	return b
}
