// Package snippet holds all that ends up in a page: the insertion code and how it
// gets there, and the scripts that it loads.
package snippet

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/andybalholm/cascadia"

	"github.com/seed-3405227d/frontdesk/snippet/weave/rival"
)

// Settings is what a site's insertion code says.
type Settings struct {
	// SiteKey names the site to the service, which decides what is a key: any text
	// can be rendered.
	SiteKey string
	// Prefix is the path under which the service answers on the site itself; see
	// [CheckPrefix].
	Prefix string
	// DynamicalReplacement is pushed when it is not nil.
	DynamicalReplacement *bool
	// PhoneMask is pushed when it is not empty; see [CheckPhoneMask].
	PhoneMask string
	// Credentials is the selector of the forms into which the page's credentials are put when they are sent; empty for
	// none. See [CheckForms].
	Credentials string
	// Object is the name of the object that gives the credentials.
	Object string
	// Supersede puts the code of another service with the same interface out of action in pages that are given this one.
	Supersede bool
}

// Code is a site's insertion code in its two forms. It does not change and can be
// used by many requests at once.
type Code struct {
	pushes string // the text of the inline script
	queue  string // the text of the data block
	path   string // of the core script, the same in an address and in an attribute
	fill   string // attributes of the script that fills forms; empty where none is to be filled
	sum    [sha256.Size]byte
	alone  string // the mark of pages with the code that show no tracking number

	own        rival.Own // tells it from the code of other services
	supersedes bool      // their place is taken
}

// New renders the insertion code. The error names the setting that is not right. The validators of its pages
// are those of this program: another release of it takes none of them for current.
func New(s Settings) (*Code, error) { return newCode(s, version()) }

func newCode(s Settings, version string) (*Code, error) {
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

		own:        rival.Own{Key: s.SiteKey, Path: s.Prefix + "svc.js"},
		supersedes: s.Supersede,
	}
	if s.Credentials != "" {
		c.fill = ` data-object="` + html.EscapeString(s.Object) + `" data-forms="` + html.EscapeString(s.Credentials) + `"`
	}
	content := version + "\n" + c.pushes + "\n" + c.path + c.fill
	if c.supersedes {
		content += "\nsupersedes"
	}
	c.sum = sha256.Sum256([]byte(content))
	c.alone = markOf(c.sum)
	return c, nil
}

// Own tells the code from that of other services.
func (c *Code) Own() *rival.Own { return &c.own }

// Supersedes says whether the code takes the place of other services' codes.
func (c *Code) Supersedes() bool { return c.supersedes }

// Instead is what comes in the place of another service's loader, where the code is written in this form.
func (c *Code) Instead(f Form) rival.Replacement {
	address := c.path + "?k=" + url.QueryEscape(c.own.Key)
	if f.host != "" {
		address = "//" + f.host + address
	}
	return rival.Replacement{Address: address, Inline: f.inline}
}

func (s *Settings) check() error {
	switch {
	case s.SiteKey == "":
		return errors.New("the site key is empty")
	case !utf8.ValidString(s.SiteKey):
		return errors.New("the site key is not valid UTF-8")
	}
	return cmp.Or(CheckPrefix(s.Prefix), CheckPhoneMask(s.PhoneMask), checkCredentials(s.Credentials))
}

func checkCredentials(selector string) error {
	if selector == "" {
		return nil
	}
	return CheckForms(selector)
}

// CheckForms says what is wrong with a selector of forms, if anything. It is ASCII, so that it is the same in every page.
func CheckForms(selector string) error {
	if _, err := cascadia.ParseGroup(selector); err != nil || len(selector) > maxForms || strings.ContainsFunc(selector, func(r rune) bool { return r < ' ' || r > '~' }) {
		return fmt.Errorf("credentials %q: expected a CSS selector of forms in ASCII, such as form.contact", selector)
	}
	return nil
}

const maxForms = 500 // bytes

const maxPrefix, maxPhoneMask = 128, 64 // bytes

var prefixForm = regexp.MustCompile(`^(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+/$`)

// CheckPrefix says what is wrong with a [Settings.Prefix], if anything. What is right means the same to the browser,
// to the server and in an attribute.
func CheckPrefix(prefix string) error {
	if len(prefix) > maxPrefix || !prefixForm.MatchString(prefix) {
		return fmt.Errorf("prefix %q: expected a path of letters, digits and . _ ~ - that begins and ends with a slash, such as /frontdesk/", prefix)
	}
	return nil
}

// CheckPhoneMask says what is wrong with a [Settings.PhoneMask], if anything.
func CheckPhoneMask(mask string) error {
	switch {
	case mask == "":
		return nil
	case len(mask) > maxPhoneMask:
		return fmt.Errorf("phone mask: expected at most %d bytes", maxPhoneMask)
	case !strings.Contains(mask, "#"):
		return fmt.Errorf("phone mask %q: expected # for each digit, such as +7 (###) ###-##-##", mask)
	case strings.ContainsFunc(mask, func(r rune) bool { return r < ' ' || r == 0x7f || r == utf8.RuneError }):
		return errors.New("phone mask: expected text without control characters")
	}
	return nil
}

// isUnreserved tells whether addresses never encode the character (RFC 3986, 2.3).
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

// Form is one way of writing the code into a page.
type Form struct {
	inline bool   // the pushes in a script of their own, else in a data block
	nonce  string // of the page's policy, if it has one
	host   string // of the core script, where relative addresses mean another's
}

// AppendTo writes the code in this form.
func (c *Code) AppendTo(b []byte, f Form) []byte {
	if f.inline {
		b = append(b, "<script"...)
		b = appendNonce(b, f.nonce)
		b = append(b, '>')
		b = append(b, c.pushes...)
	} else {
		b = append(b, `<script type="application/json" data-svc>`...)
		b = append(b, c.queue...)
	}
	b = append(b, "</script>"...)
	b = f.appendScript(b, c.path, "")
	if c.fill != "" {
		b = f.appendScript(b, strings.TrimSuffix(c.path, "svc.js")+"assets/"+fillName, c.fill)
	}
	return b
}

// appendScript writes an element that loads the script of that path, with further attributes, each with a blank before it.
func (f Form) appendScript(b []byte, path, attributes string) []byte {
	b = append(appendNonce(append(b, "<script"...), f.nonce), attributes...)
	b = append(b, ` async src="`...)
	if f.host != "" {
		b = append(b, "//"...)
		b = append(b, f.host...)
	}
	b = append(b, path...)
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

// OnHost has the form name the host of the core script, if that can be written into an address. Relative addresses of the
// page then mean another host's.
func (f *Form) OnHost(host string) {
	if isHost(host) {
		f.host = host
	}
}

// isHost says whether a request's host can be written into an address.
func isHost(host string) bool {
	for i := range len(host) {
		if c := host[i]; !isUnreserved(c) && strings.IndexByte(":[]", c) < 0 {
			return false
		}
	}
	return host != ""
}
