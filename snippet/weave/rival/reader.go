package rival

import (
	"bytes"
	"slices"

	"github.com/seed-3405227d/frontdesk/snippet/weave/framework"
	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

const (
	// maxScript bounds the scripts that are judged, from their "<" to their end tag. Longer ones are left alone.
	maxScript = 16 << 10
	// maxFound is how many codes of a page are told.
	maxFound = 4
)

// script is the script element that is being read.
type script struct {
	at                  int64 // of its "<"; -1 if none is being read, or none that is judged
	open                bool  // its start tag is being read
	external            bool
	address             string
	data                bool // it is no program
	async, onload, sums bool
	text                []byte
	textAt              int64
}

// reader finds the codes of a page.
type reader struct {
	token.Tokenizer
	own     Own
	script  script
	account string // the latest that the page has set
	found   []Code
	// loads is called for a loader by its address, at the end of the start tag; contains for the texts of an inline script.
	loads    func(s *script)
	contains func(s *script, all []literal)
}

func (r *reader) reset(own Own, at int64) {
	r.own, r.account, r.found = own, "", r.found[:0]
	r.script = script{at: -1, text: r.script.text[:0]}
	r.Tokenizer.Reset(r)
	r.Offset = at
}

// Find returns the codes of other services in a page, at most four. A code of which only the account is recognised is told
// if there is no other.
func Find(page []byte, own Own) []Code {
	var r reader
	r.reset(own, 0)
	r.Feed(page)
	return r.codes()
}

func (r *reader) codes() []Code {
	if len(r.found) == 0 && r.account != "" {
		return []Code{{Account: r.account}}
	}
	return r.found
}

func (r *reader) note(c Code) {
	if len(r.found) < maxFound && !slices.Contains(r.found, c) {
		r.found = append(r.found, c)
	}
}

// certain returns the offset up to which the page cannot change any more.
func (r *reader) certain() int64 {
	if s := &r.script; s.at >= 0 {
		if r.Offset-s.at <= maxScript+token.MaxName { // the end tag may have begun
			return s.at
		}
		s.at = -1
	}
	if r.Undecided() {
		return r.TagAt
	}
	return r.Offset
}

func (r *reader) Text(int64, []byte) {}

func (r *reader) Doctype([]byte) {}

func (r *reader) Tag(at int64, t *token.Tag) bool {
	if !t.Is("script") {
		return false
	}
	if t.End {
		r.endScript(at)
		return false
	}
	r.script = script{at: at, open: true, text: r.script.text[:0]}
	return true
}

func (r *reader) Attribute(a *token.Attribute) {
	s := &r.script
	switch {
	case a.Is("src"):
		if value, ok := a.Plain(); ok && !s.external {
			s.address = string(value)
		}
		s.external = true
	case a.Is("type"):
		s.data = !isProgram(a.Value)
	case a.Is("async"):
		s.async = true
	case a.Is("onload"):
		s.onload = true
	case a.Is("integrity"):
		s.sums = true
	case a.Is("data-svc"):
		s.data = true
	}
}

// isProgram says whether a script of this type runs.
func isProgram(kind []byte) bool {
	kind = bytes.ToLower(bytes.TrimSpace(kind))
	return len(kind) == 0 || string(kind) == "module" || bytes.Contains(kind, []byte("javascript")) || bytes.Contains(kind, []byte("ecmascript"))
}

func (r *reader) TagEnd(after int64, _ *token.Tag) {
	s := &r.script
	if !s.open {
		return
	}
	s.open, s.textAt = false, after
	if s.external && !s.data && s.at >= 0 && after-s.at <= maxScript {
		if code, ok := r.own.Loader(s.address, r.account); ok {
			r.note(code)
			if r.loads != nil {
				r.loads(s)
			}
		}
	}
	if s.external || s.data || !r.ReadsRaw() {
		s.at = -1
	}
}

func (r *reader) Raw(_ int64, b []byte) {
	if s := &r.script; s.at >= 0 {
		s.text = append(s.text, b[:min(len(b), maxScript-len(s.text))]...)
	}
}

// endScript judges an inline script, whose end tag stands at an offset.
func (r *reader) endScript(at int64) {
	s := &r.script
	if s.at >= 0 && at-s.at <= maxScript && int64(len(s.text)) == at-s.textAt {
		if account := r.own.Account(s.text); account != "" {
			r.account = account
		}
		if all := r.own.literals(s.text, r.account); len(all) > 0 && !framework.CarriesData(s.text) {
			for _, l := range all {
				r.note(l.code)
			}
			if r.contains != nil {
				r.contains(s, all)
			}
		}
	}
	s.at = -1
}

var _ token.Sink = (*reader)(nil)
