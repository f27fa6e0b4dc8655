package weave

import (
	"html"

	"github.com/seed-3405227d/frontdesk/snippet/phone"
	"github.com/seed-3405227d/frontdesk/snippet/phone/plan"
	"github.com/seed-3405227d/frontdesk/snippet/weave/link"
	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// changeValues changes the attributes of the element, whose tag ends before the offset after.
func (s *scanner) changeValues(after int64) {
	e := &s.element
	var p *place
	var fresh *Tracking
	if e.place >= 0 {
		p = &s.rules.places[e.place]
		fresh = s.shown.of(p.number)
	}
	pictured := p != nil && p.picture >= 0 && e.kind == image && !s.hydrating
	named := false
	for _, v := range e.values {
		b := e.buf[v.from:v.to]
		end := v.at + int64(len(b))
		switch v.kind {
		case wordsValue:
			s.changeValue(v, b, phone.Text)
		case contentValue:
			if e.described {
				s.changeValue(v, b, phone.Text)
			}
		case linkValue:
			s.changeLink(v, b, p)
		case altValue:
			if named = true; pictured {
				s.edits.Write(v.at, end, fresh.Text(), v.bare)
				s.records.place(p, readable(b, s.charset), fresh.Text())
			} else {
				s.changeValue(v, b, phone.Text)
			}
		case srcValue, srcsetValue:
			if pictured {
				url := fresh.Pictures[p.picture]
				s.edits.Write(v.at, end, url, v.bare)
				if v.kind == srcValue {
					s.records.place(p, string(b), url)
				}
			}
		}
	}
	if pictured {
		s.changeSources(after, fresh.Pictures[p.picture])
		if !named {
			at := e.at + int64(len("<img"))
			s.edits.Add(at, at, []byte(` alt="`+html.EscapeString(fresh.Text())+`"`))
		}
	}
}

// changeLink changes the number in a link. If p is not nil, the link is in the place p, and changeLink replaces any
// number, unless a framework takes the page over. In a link that dials, an international number gets a plus sign.
func (s *scanner) changeLink(v value, b []byte, p *place) {
	l, found := link.Find(b)
	if !found || l.Writes && !s.rules.messengers {
		return
	}
	s.dials = l.Dials
	b, v.at = b[l.From:l.To], v.at+int64(l.From)
	found = s.changeValue(v, b, phone.Link)
	s.dials = false
	if found || p == nil || s.hydrating {
		return
	}
	row := otherWriting.FindIndex(b)
	if row == nil {
		return
	}
	begin, end := row[0], row[1]
	for _, sign := range plusSigns {
		if at := begin - len(sign); at >= 0 && token.HasPrefixFold(b[at:], sign) {
			begin = at
		}
	}
	number := s.shown[p.number]
	form, same := number.Spells(html.UnescapeString(string(b[row[0]:end])))
	signed := begin < row[0] || b[begin] == '+'
	if same && (form != plan.International || signed || !l.Dials) {
		return // the link already calls this number
	}
	fresh := number.Digits()
	if l.Dials {
		fresh = "+" + fresh
	}
	s.records.place(p, string(b[begin:end]), fresh)
	s.edits.Write(v.at+int64(begin), v.at+int64(end), fresh, v.bare)
}

// plusSigns are the forms of a plus sign in links, besides "+".
var plusSigns = [...]string{"%2b", "&#43;", "&#x2b;", "&plus;"}

// changeValue changes the numbers in a value, and says whether it found any.
func (s *scanner) changeValue(v value, b []byte, kind phone.ValueKind) (found bool) {
	s.values.Reset(kind)
	s.bare = v.bare
	for _, matches := range [...]func() []phone.Match{
		func() []phone.Match { return s.values.Text(v.at, b) },
		s.values.Break,
	} {
		m := matches()
		found = found || len(m) > 0
		s.takeValue(m)
	}
	s.bare = false
	return found
}
