package head

import (
	"bytes"
	"html"
	"strings"

	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// maxPolicies is how many policies a page may state.
const maxPolicies = 16

// meta collects the attributes of a <meta> that matter.
type meta struct {
	open  bool
	equiv []byte
	// The values of content and charset. If several attributes have the same name, the first counts.
	content  []byte
	encoding []byte
	has      struct{ equiv, content, encoding bool }
	cut      bool // content is longer than token.MaxValue
}

func (m *meta) reset() meta {
	return meta{equiv: m.equiv[:0], content: m.content[:0], encoding: m.encoding[:0]}
}

func (m *meta) begin() {
	*m = m.reset()
	m.open = true
}

func (m *meta) attribute(a *token.Attribute) {
	switch {
	case a.Is("http-equiv") && !m.has.equiv:
		m.has.equiv = true
		m.equiv = append(m.equiv, a.Value...)
	case a.Is("content") && !m.has.content:
		m.has.content = true
		m.content = append(m.content, a.Value...)
		m.cut = a.ValueCut
	case a.Is("charset") && !m.has.encoding:
		m.has.encoding = true
		m.encoding = append(m.encoding, a.Value...)
	}
}

// policy returns the content security policy that the <meta> states.
func (m *meta) policy() (string, bool) {
	if !m.has.content || !bytes.EqualFold(bytes.TrimSpace(m.equiv), []byte("content-security-policy")) {
		return "", false
	}
	return html.UnescapeString(string(m.content)), true
}

// charset returns the label of the encoding that the <meta> states.
func (m *meta) charset() ([]byte, bool) {
	if m.has.encoding {
		return m.encoding, true
	}
	if !m.has.content || !bytes.EqualFold(bytes.TrimSpace(m.equiv), []byte("content-type")) {
		return nil, false
	}
	for i, c := range m.content {
		m.content[i] = token.Lower(c)
	}
	_, label, ok := bytes.Cut(m.content, []byte("charset"))
	if !ok {
		return nil, false
	}
	label, ok = bytes.CutPrefix(bytes.TrimSpace(label), []byte("="))
	if !ok {
		return nil, false
	}
	label, _, _ = bytes.Cut(label, []byte(";"))
	return label, true
}

func (s *search) inPossibleMeta() bool {
	if s.z.TagAt >= prescan || !s.z.InTag() {
		return false
	}
	return s.z.Undecided() || s.meta.open
}

// endMeta judges the <meta> that has been read, whose tag ends before the offset after.
func (s *search) endMeta(after int64) {
	s.meta.open = false
	if policy, ok := s.meta.policy(); ok {
		if s.meta.cut {
			s.decide(Policy)
			return
		}
		if len(s.policies) == maxPolicies {
			s.decide(Policy)
			return
		}
		s.policies = append(s.policies, policy)
		if s.place >= 0 {
			s.later++
		}
	}
	label, ok := s.meta.charset()
	if !ok || s.charset {
		return
	}
	if !Compatible(string(label)) {
		s.decide(Charset)
		return
	}
	s.charset = true
	s.label = append(s.label[:0], label...)
	if s.awaitCharset {
		s.awaitCharset = false
		s.place, s.later = after, 0
		s.awaitScript = true
	}
}

// Compatible says whether ASCII can be inserted between any two characters of a page whose encoding has this label
// (Encoding standard, 4.2). In UTF-16 and UTF-32 a character has more bytes. In the other incompatible encodings, ASCII
// bytes have other meanings.
func Compatible(charset string) bool {
	label := strings.Trim(charset, " \t\r\n\f\"'")
	for _, prefix := range incompatible {
		if len(label) >= len(prefix) && strings.EqualFold(label[:len(prefix)], prefix) {
			return false
		}
	}
	return true
}

// incompatible are the beginnings of the labels of incompatible encodings.
var incompatible = [...]string{
	"utf-16", "utf16", "ucs-2", "iso-10646-ucs", "unicodefe", "unicodeff", "csunicode", "utf-32", "utf32", "ucs-4",
	"utf-7", "iso-2022-", "csiso2022", "hz-gb-2312", "ibm037", "cp037", "ebcdic", "scsu", "bocu-1",
}
