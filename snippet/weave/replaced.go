package weave

import (
	"bytes"
	"html"

	"github.com/seed-3405227d/frontdesk/snippet/phone"
	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
)

// Replaced is a writing that a replacer has replaced on a page.
type Replaced struct {
	// ID is "number=DIGITS", or the place as configured.
	ID string
	// Old and New are the writings as people read them, without markup. For pictures they are addresses.
	Old, New string
	// Count is how often the writing was replaced.
	Count int
}

// maxRecords is how many different writings of a page are recorded.
const maxRecords = 64

// records holds the different writings that have been replaced on a page.
type records struct {
	list  []Replaced
	keys  []key // parallel to list; those behind its end are from earlier pages
	old   []byte
	fresh []byte
}

// key is a writing of a number with its markup, and what replaced it.
type key struct{ old, fresh []byte }

func (r *records) reset() { r.list = r.list[:0] }

// number records a replaced writing of a number.
func (r *records) number(s *scanner, m *phone.Match) {
	r.old = s.window.Append(r.old[:0], m.Start, m.End)
	id := s.rules.ids[m.Number]
	for i := range r.list {
		if e := &r.list[i]; e.ID == id && bytes.Equal(r.keys[i].old, r.old) {
			e.Count++
			return
		}
	}
	n := len(r.list)
	if n == maxRecords {
		return
	}
	r.fresh = r.fresh[:0]
	at := m.Start
	for _, e := range m.Edits {
		r.fresh = append(r.fresh, r.old[at-m.Start:e.Start-m.Start]...)
		r.fresh = append(r.fresh, e.Text...)
		at = e.End
	}
	r.fresh = append(r.fresh, r.old[at-m.Start:]...)
	old := ""
	if n < len(r.keys) {
		// Most pages of a site begin alike. The texts of the last page are still behind the end of the list.
		if last := r.list[:n+1][n]; last.ID == id && bytes.Equal(r.keys[n].old, r.old) {
			if bytes.Equal(r.keys[n].fresh, r.fresh) {
				last.Count = 1
				r.list = append(r.list, last)
				return
			}
			old = last.Old // another visitor saw another number
		}
	}
	if old == "" {
		old = readable(r.old, s.charset)
	}
	r.add(Replaced{id, old, readable(r.fresh, s.charset), 1}, r.old, r.fresh)
}

// place records the new content of a place.
func (r *records) place(p *place, old, fresh string) {
	for i := range r.list {
		if e := &r.list[i]; e.ID == p.id && e.Old == old {
			e.Count++
			return
		}
	}
	if len(r.list) < maxRecords {
		r.add(Replaced{p.id, old, fresh, 1}, nil, nil)
	}
}

func (r *records) add(e Replaced, old, fresh []byte) {
	i := len(r.list)
	r.list = append(r.list, e)
	if i == len(r.keys) {
		r.keys = append(r.keys, key{})
	}
	k := &r.keys[i]
	k.old, k.fresh = append(k.old[:0], old...), append(k.fresh[:0], fresh...)
}

// readable returns a piece of a page as people read it, without markup.
func readable(b []byte, c *char.Charset) string {
	var text []byte
	for {
		i := bytes.IndexByte(b, '<')
		if i < 0 {
			break
		}
		text = append(text, b[:i]...)
		end := bytes.IndexByte(b[i:], '>')
		if bytes.HasPrefix(b[i:], []byte("<!--")) {
			if end = bytes.Index(b[i:], []byte("-->")); end >= 0 {
				end += 2
			}
		}
		if end < 0 {
			b = nil
			break
		}
		b = b[i+end+1:]
	}
	return html.UnescapeString(c.Decode(append(text, b...)))
}
