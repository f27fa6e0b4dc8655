package skim

import (
	"bytes"

	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// passAttributes skips the attributes of a start tag from p[i] on. It returns the index behind the tag, or -1 if the
// tag has to be read.
func (s *Skimmer) passAttributes(p []byte, i int) int {
	for ; i < len(p); s.bound.Take("skim.passAttributes") {
		c := p[i]
		if c == '>' {
			return i + 1
		}
		if token.IsSpace(c) || c == '/' {
			i++
			continue
		}
		start := i
		i++ // an attribute's name may begin with "="
		for i < len(p) && !endsAttribute[p[i]] {
			i++
		}
		name := p[start:i]
		if len(p)-i < 3 {
			return -1
		}
		if p[i] != '=' {
			if s.minder.Minds(name, nil) || p[i] != '>' && p[i] != '/' && (p[i+1] == '=' || token.IsSpace(p[i+1])) {
				return -1
			}
			continue
		}
		i++
		quote := p[i]
		if quote != '"' && quote != '\'' {
			start = i
			for i < len(p) && !token.IsSpace(p[i]) && p[i] != '>' {
				i++
			}
			value := p[start:i]
			if start == i || i == len(p) || s.minder.Minds(name, value) || endsLikeQuoted(value) {
				return -1
			}
			continue
		}
		i++
		n := bytes.IndexByte(p[i:], quote)
		if n < 0 || s.minder.Minds(name, p[i:i+n]) {
			return -1
		}
		i += n + 1
	}
	return -1
}

// endsLikeQuoted says whether a bare value ends with a quotation mark and a slash. The tag <path d=0"/> looks as if it
// closes itself, but its slash belongs to the value.
func endsLikeQuoted(bare []byte) bool {
	n := len(bare)
	return n > 1 && bare[n-1] == '/' && (bare[n-2] == '"' || bare[n-2] == '\'')
}

// endsAttribute holds the bytes that end an attribute's name.
var endsAttribute = [256]bool{' ': true, '\n': true, '\t': true, '\r': true, '\f': true, '=': true, '/': true, '>': true}
