package weave

import (
	"bytes"
	"html"
	"strings"
)

// script collects what tells whether a script is the insertion code.
type script struct {
	open     bool // in its start tag
	reading  bool // in its content
	external bool
	data     bool // carries the attribute data-svc
	own      bool // its address is that of the core script
	text     []byte
}

func (s *script) reset() script { return script{text: s.text[:0]} }

// begin starts a script; what has been read of an earlier one at the place stays,
// since the code may be spread over several.
func (s *script) begin() {
	*s = script{open: true, text: s.text}
}

func (s *script) attribute(a *attribute) {
	switch {
	case a.is("src") && !s.external:
		s.external = true
		s.own = !a.valueCut && isCoreScript(html.UnescapeString(string(a.value)))
	case a.is("data-svc"):
		s.data = true
	}
}

func (s *script) read(b []byte) {
	if s.reading {
		s.text = append(s.text, b[:min(len(b), maxScript-len(s.text))]...)
	}
}

// ours says whether the script is the insertion code: the core script itself, or
// one that gives the account, in any of the forms in use.
func (s *script) ours() bool {
	if s.external {
		return s.own
	}
	if s.data {
		return true
	}
	return s.queue() &&
		(bytes.Contains(s.text, []byte("setCsAccount")) || bytes.Contains(s.text, []byte("setAccount")))
}

// queue says whether the script touches the queue that the insertion code fills.
func (s *script) queue() bool { return bytes.Contains(s.text, []byte("__cs")) }

// isCoreScript says whether an address names the core script, wherever it is served.
func isCoreScript(address string) bool {
	address = strings.TrimSpace(address)
	if i := strings.IndexAny(address, "?#"); i >= 0 {
		address = address[:i]
	}
	return address == "svc.js" || strings.HasSuffix(address, "/svc.js")
}
