package weave

import (
	"bytes"

	"github.com/seed-3405227d/frontdesk/snippet/phone"
	"github.com/seed-3405227d/frontdesk/snippet/steps"
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
	s.flight.inside = false
}

func (s *scanner) Raw(at int64, b []byte) {
	switch s.content {
	case titled:
		s.read(at, b)
	case sniffed:
		if end := at + int64(len(b)); end-s.contentAt >= sniffLength {
			s.sniff(end)
		}
	case dataHeld:
		s.readData(at, b)
	}
}

func (s *scanner) readData(at int64, b []byte) {
	for bound := steps.Over(len(b)); len(b) > 0; bound.Take("weave.readData") {
		n, row := s.flight.next(b)
		s.readStretch(at, b[:n], &bound)
		if row {
			s.takeValue(s.values.Break())
		}
		at, b = at+int64(n), b[n:]
	}
}

// readStretch reads data in which no row of a flight begins or ends. It skips data that hold no number.
func (s *scanner) readStretch(at int64, b []byte, bound *steps.Bound) {
	for sweeps := sweeping && s.Skim != nil; len(b) > 0; bound.Take("weave.readStretch") {
		until := len(b)
		if _, held := s.values.Held(); held && sweeps {
			until = min(until, 64)
		} else if sweeps {
			var to int
			to, until = s.sweep.overData(b, bound)
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

// sniffLength is how many bytes of a script decide whether it is data.
const sniffLength = 512

// sniff looks at the beginning of a script, which has been read up to the offset end. If the script is data, sniff
// reads it.
func (s *scanner) sniff(end int64) {
	s.scratch = s.window.append(s.scratch[:0], s.contentAt, end)
	if !carriesData(s.scratch[:min(len(s.scratch), sniffLength)]) {
		s.content = ignored
		return
	}
	s.beginData()
	s.readData(s.contentAt, s.scratch)
}

// dataNames are names under which frameworks put a page's data into its scripts: React's flight rows, Nuxt, SvelteKit,
// React Router, and common stores.
var dataNames = [][]byte{
	[]byte("__next_f"), []byte("__NEXT_DATA__"), []byte("__NUXT__"), []byte("__sveltekit_"),
	[]byte("__remixContext"), []byte("__reactRouterContext"),
	[]byte("__INITIAL_STATE__"), []byte("__PRELOADED_STATE__"), []byte("__APOLLO_STATE__"),
}

func carriesData(script []byte) bool {
	i := bytes.Index(script, []byte("__"))
	if i < 0 {
		return false
	}
	for _, name := range dataNames {
		if bytes.Contains(script[i:], name) {
			return true
		}
	}
	return false
}

// isDataID says whether a script with this id holds a framework's data.
func isDataID(id []byte) bool {
	switch string(id) {
	case "__NEXT_DATA__", "__NUXT_DATA__", "ng-state", "vike_pageContext":
		return true
	}
	return false
}

// frameworkPaths are paths of assets that show a framework before its data come.
var frameworkPaths = [][]byte{
	[]byte("/_next/"), []byte("/_nuxt/"), []byte("/_app/immutable/"), []byte("/assets/manifest-"), []byte("/assets/entry.client-"),
}

func namesFramework(address []byte) bool {
	for _, path := range frameworkPaths {
		if bytes.Contains(address, path) {
			return true
		}
	}
	return false
}

// readFallback reads the content of a <noscript> as markup, up to its end tag at offset end.
func (s *scanner) readFallback(end int64) {
	if end-s.contentAt > maxNoscript {
		return
	}
	if s.inner == nil {
		s.inner = newScanner(s.rules, s.window)
	}
	s.scratch = s.window.append(s.scratch[:0], s.contentAt, end)
	in := s.inner
	in.start(s.contentAt, s.charset, s.shown)
	in.follow = false // selectors see its content as text
	in.hydrating = s.hydrating
	in.records, s.records = s.records, in.records
	in.Feed(s.scratch)
	in.end()
	in.records, s.records = s.records, in.records
	for _, e := range in.edits {
		s.change(e.start, e.end, e.text)
	}
}
