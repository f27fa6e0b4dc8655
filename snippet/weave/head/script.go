package head

import (
	"bytes"
	"html"
	"strings"

	"github.com/seed-3405227d/frontdesk/snippet/weave/rival"
	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// maxScript is how many bytes of inline scripts are kept to recognise the insertion code.
const maxScript = 4 << 10

// script collects what decides whether a script is the insertion code.
type script struct {
	open     bool // its start tag is being read
	reading  bool // its content is being read
	external bool
	data     bool // it has the attribute data-svc
	own      bool // its address is that of the core script
	text     []byte
	site     *rival.Own // not nil if another service's code is not the insertion code
}

func (s *script) reset() script { return script{text: s.text[:0]} }

// begin starts a script. The text of earlier scripts at the place stays, since the code may be spread over several
// scripts.
func (s *script) begin() {
	*s = script{open: true, text: s.text, site: s.site}
}

func (s *script) attribute(a *token.Attribute) {
	switch {
	case a.Is("src") && !s.external:
		s.external = true
		address := html.UnescapeString(string(a.Value))
		s.own = !a.ValueCut && isCoreScript(address) && !s.isRival(address)
	case a.Is("data-svc"):
		s.data = true
	}
}

func (s *script) read(b []byte) {
	if s.reading {
		s.text = append(s.text, b[:min(len(b), maxScript-len(s.text))]...)
	}
}

// ours says whether the script is the insertion code: the core script itself, or an inline script that sets the
// account.
func (s *script) ours() bool {
	if s.external {
		return s.own
	}
	if s.data {
		return true
	}
	return s.queue() && (s.site == nil || s.site.Account(s.text) == "") &&
		(bytes.Contains(s.text, []byte("setCsAccount")) || bytes.Contains(s.text, []byte("setAccount")))
}

// queue says whether the script uses the queue that the insertion code fills.
func (s *script) queue() bool { return bytes.Contains(s.text, []byte("__cs")) }

// isRival says whether an address is that of another service's loader, which is not the insertion code.
func (s *script) isRival(address string) bool {
	if s.site == nil {
		return false
	}
	_, rival := s.site.Loader(address, s.site.Account(s.text))
	return rival
}

// endScript judges the inline script that has been read.
func (s *search) endScript() {
	s.script.reading = false
	switch {
	case s.script.ours():
		s.decide(Already)
	case s.script.queue(): // the script that follows may push the account
	default:
		s.awaitScript = false
		s.settle()
	}
}

// isCoreScript says whether an address names the core script, on any host.
func isCoreScript(address string) bool {
	address = strings.TrimSpace(address)
	if i := strings.IndexAny(address, "?#"); i >= 0 {
		address = address[:i]
	}
	return address == "svc.js" || strings.HasSuffix(address, "/svc.js")
}
