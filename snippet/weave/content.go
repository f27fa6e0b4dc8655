package weave

import (
	"github.com/seed-3405227d/frontdesk/snippet/phone"
	"github.com/seed-3405227d/frontdesk/snippet/steps"
	"github.com/seed-3405227d/frontdesk/snippet/weave/framework"
	"github.com/seed-3405227d/frontdesk/snippet/weave/sweep"
	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// beginContent begins the content of an element without markup, whose start tag is t.
func (s *scanner) beginContent(after int64, t *token.Tag) {
	s.content, s.contentAt = ignored, after
	if s.scopes.skipping > 0 {
		return
	}
	switch string(t.Name) {
	case "title":
		s.content = titled
	case "noscript":
		s.content = fallback
	case "script":
		switch {
		case s.element.data:
			s.beginData()
		case s.element.inline:
			s.content = sniffed
		}
	}
}

func (s *scanner) beginData() {
	s.content = dataHeld
	s.hydrating = true
	s.values.Reset(phone.Data)
	s.flight.Begin()
}

func (s *scanner) Raw(at int64, b []byte) {
	switch s.content {
	case titled:
		s.read(at, b)
	case sniffed:
		if end := at + int64(len(b)); end-s.contentAt >= framework.Beginning {
			s.sniff(end)
		}
	case dataHeld:
		s.readData(at, b)
	}
}

func (s *scanner) readData(at int64, b []byte) {
	for bound := steps.Over(len(b)); len(b) > 0; bound.Take("weave.readData") {
		n, row := s.flight.Next(b)
		s.readStretch(at, b[:n], &bound)
		if row {
			s.takeValue(s.values.Break())
		}
		at, b = at+int64(n), b[n:]
	}
}

// readStretch reads data in which no row of a flight begins or ends. It skips data that hold no number.
func (s *scanner) readStretch(at int64, b []byte, bound *steps.Bound) {
	for sweeps := sweep.Fast && s.Skim != nil; len(b) > 0; bound.Take("weave.readStretch") {
		until := len(b)
		if _, held := s.values.Held(); held && sweeps {
			until = min(until, 64)
		} else if sweeps {
			var to int
			to, until = s.skimmer.Data(b, bound)
			at, b, until = at+int64(to), b[to:], until-to
		}
		s.takeValue(s.values.Text(at, b[:until]))
		at, b = at+int64(until), b[until:]
	}
}

// endContent ends the content at the element's end tag, which is at offset at.
func (s *scanner) endContent(at int64) {
	switch s.content {
	case titled:
		s.breakLine()
	case sniffed:
		if s.sniff(at); s.content == dataHeld {
			s.takeValue(s.values.Break())
		}
	case dataHeld:
		s.takeValue(s.values.Break())
	case fallback:
		s.readFallback(at)
	}
	s.content = markup
}

// sniff looks at the beginning of a script, which has been read up to the offset end. If the script is data, sniff
// reads it.
func (s *scanner) sniff(end int64) {
	s.scratch = s.window.Append(s.scratch[:0], s.contentAt, end)
	if !framework.CarriesData(s.scratch) {
		s.content = ignored
		return
	}
	s.beginData()
	s.readData(s.contentAt, s.scratch)
}

// readFallback reads the content of a <noscript> as markup, up to its end tag at offset end.
func (s *scanner) readFallback(end int64) {
	if end-s.contentAt > maxNoscript {
		return
	}
	if s.inner == nil {
		s.inner = newScanner(s.rules, s.window)
	}
	s.scratch = s.window.Append(s.scratch[:0], s.contentAt, end)
	in := s.inner
	in.start(s.contentAt, s.charset, s.shown)
	in.skimmer.Follow, in.minder.follow = false, false // selectors see its content as text
	in.hydrating = s.hydrating
	in.records, s.records = s.records, in.records
	in.Feed(s.scratch)
	in.end()
	in.records, s.records = s.records, in.records
	for _, e := range in.edits.List {
		s.edits.Add(e.Start, e.End, e.Text)
	}
}
