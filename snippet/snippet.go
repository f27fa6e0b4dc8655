// Package snippet holds all that ends up in a page: the insertion code and how it
// gets there, and the scripts that it loads.
package snippet

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Settings is what a site's insertion code says.
type Settings struct {
	// SiteKey names the site to the service.
	SiteKey string
	// Prefix is the path under which the service answers on the site itself. It
	// begins and ends with a slash.
	Prefix string
	// DynamicalReplacement is pushed when it is not nil.
	DynamicalReplacement *bool
	// PhoneMask is pushed when it is not empty.
	PhoneMask string
}

const (
	maxSiteKey = 256
	maxPrefix  = 256
	maxMask    = 128
)

// Code is a site's insertion code in its two forms. It does not change and can be
// used by many requests at once.
type Code struct {
	pushes string // the text of the inline script
	queue  string // the text of the data block
	src    string // the core script's path, as it stands in an attribute
	path   string // the same as it stands in an address
	sum    [sha256.Size]byte
	alone  mark // of pages with the code that show no tracking number
}

// New renders the insertion code. The error names the setting that is not right.
func New(s Settings) (*Code, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	var pushes, queue strings.Builder
	pushes.WriteString("var __cs=__cs||[];")
	queue.WriteString(`{"queue":[`)
	for i, command := range s.commands() {
		pushes.WriteString("__cs.push(" + command + ");")
		if i > 0 {
			queue.WriteByte(',')
		}
		queue.WriteString(command)
	}
	queue.WriteString("]}")
	c := &Code{
		pushes: pushes.String(),
		queue:  queue.String(),
		path:   s.Prefix + "svc.js",
	}
	c.src = html.EscapeString(c.path)
	c.sum = sha256.Sum256([]byte(c.pushes + "\n" + c.path))
	c.alone = markOf(c.sum)
	return c, nil
}

func (s *Settings) check() error {
	switch {
	case s.SiteKey == "":
		return errors.New("the site key is empty")
	case len(s.SiteKey) > maxSiteKey:
		return fmt.Errorf("the site key is longer than %d bytes", maxSiteKey)
	case !utf8.ValidString(s.SiteKey):
		return errors.New("the site key is not valid UTF-8")
	case len(s.PhoneMask) > maxMask:
		return fmt.Errorf("the phone mask is longer than %d bytes", maxMask)
	case !utf8.ValidString(s.PhoneMask):
		return errors.New("the phone mask is not valid UTF-8")
	}
	return checkPrefix(s.Prefix)
}

// checkPrefix accepts absolute paths (RFC 3986, 3.3) that mean the same to the
// browser, to the server and in an attribute.
func checkPrefix(prefix string) error {
	switch {
	case !strings.HasPrefix(prefix, "/") || !strings.HasSuffix(prefix, "/"):
		return fmt.Errorf("prefix %q: it must begin and end with a slash", prefix)
	case len(prefix) > maxPrefix:
		return fmt.Errorf("the prefix is longer than %d bytes", maxPrefix)
	case strings.Contains(prefix, "//"):
		return fmt.Errorf("prefix %q: it must not hold an empty part", prefix)
	}
	for part := range strings.SplitSeq(prefix, "/") {
		if part == "." || part == ".." {
			return fmt.Errorf("prefix %q: it must not hold %q", prefix, part)
		}
	}
	for i := range len(prefix) {
		if c := prefix[i]; !isUnreserved(c) && !strings.ContainsRune("/!$&()*+,;=:@", rune(c)) {
			return fmt.Errorf("prefix %q: it must not hold %q", prefix, c)
		}
	}
	return nil
}

func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// commands are the pushes to the queue, each as a JSON array.
func (s *Settings) commands() []string {
	commands := []string{`["setCsAccount",` + quote(s.SiteKey) + `]`}
	if s.DynamicalReplacement != nil {
		commands = append(commands, `["setDynamicalReplacement",`+strconv.FormatBool(*s.DynamicalReplacement)+`]`)
	}
	if s.PhoneMask != "" {
		commands = append(commands, `["setUIPhoneMaskFormat",`+quote(s.PhoneMask)+`]`)
	}
	return commands
}

// quote writes s as a string that is the same in JSON and JavaScript, is ASCII in
// any encoding of the page, and cannot end a script element or begin a comment.
func quote(s string) string { return string(appendQuoted(nil, s)) }

func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r >= 0x10000:
			r -= 0x10000
			b = fmt.Appendf(b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		case r < ' ' || r > '~' || r == '<' || r == '>' || r == '&':
			b = append(b, '\\', 'u', hexDigits[r>>12], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
		default:
			b = append(b, byte(r))
		}
	}
	return append(b, '"')
}

const hexDigits = "0123456789abcdef"

// form is one way of writing the code into a page.
type form struct {
	inline bool   // the pushes in a script of their own, else in a data block
	nonce  string // of the page's policy, if it has one
	host   string // of the core script, where relative addresses mean another's
}

// appendTo writes the code in this form.
func (c *Code) appendTo(b []byte, f form) []byte {
	if f.inline {
		b = append(b, "<script"...)
		b = appendNonce(b, f.nonce)
		b = append(b, '>')
		b = append(b, c.pushes...)
	} else {
		b = append(b, `<script type="application/json" data-svc>`...)
		b = append(b, c.queue...)
	}
	b = append(b, "</script><script"...)
	b = appendNonce(b, f.nonce)
	b = append(b, ` async src="`...)
	if f.host != "" {
		b = append(b, "//"...)
		b = append(b, f.host...)
	}
	b = append(b, c.src...)
	return append(b, `"></script>`...)
}

func appendNonce(b []byte, nonce string) []byte {
	if nonce == "" {
		return b
	}
	b = append(b, ` nonce="`...)
	b = append(b, nonce...)
	return append(b, '"')
}
