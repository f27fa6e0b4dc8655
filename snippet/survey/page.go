package survey

import (
	"bytes"
	"net/url"
	"strings"

	"golang.org/x/net/html"

	"github.com/seed-3405227d/frontdesk/snippet/weave/link"
	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// value is a text that may contain a whole number: the text of a block in pieces with markup between them, an
// attribute, or the number that a link calls.
type value struct {
	kind   Kind
	pieces []string
}

// unread are elements whose content people do not read on the page, or choose and send.
var unread = setOf("script", "style", "template", "textarea", "select", "datalist", "noscript", "noembed", "noframes", "iframe", "xmp", "plaintext")

func setOf(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// reader collects a page's values.
type reader struct {
	values []value
	block  []string // the text of the block so far
	inside int      // how many unread elements are open
}

// read collects the values of a page in UTF-8, in no particular order.
func read(page []byte) []value {
	z := html.NewTokenizer(bytes.NewReader(page))
	var r reader
	for {
		switch z.Next() {
		case html.ErrorToken: // the end: reading from memory has no other error
			r.endBlock()
			return r.values
		case html.TextToken:
			r.text(string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			r.start(z)
		case html.EndTagToken:
			name, _ := z.TagName()
			r.end(string(name))
		}
	}
}

func (r *reader) text(text string) {
	if r.inside == 0 && text != "" {
		r.block = append(r.block, text)
	}
}

func (r *reader) start(z *html.Tokenizer) {
	raw, more := z.TagName()
	name := string(raw)
	if token.BreaksLine(name) {
		r.endBlock()
	}
	attributes := make(map[string]string)
	for more {
		var key, content []byte
		key, content, more = z.TagAttr()
		if _, twice := attributes[string(key)]; !twice { // the first one counts
			attributes[string(key)] = string(content)
		}
	}
	if unread[name] {
		r.inside++
	}
	if r.inside == 0 {
		r.attributes(name, attributes)
	}
}

func (r *reader) end(name string) {
	if token.BreaksLine(name) {
		r.endBlock()
	}
	if unread[name] && r.inside > 0 {
		r.inside--
	}
}

func (r *reader) endBlock() {
	if len(r.block) > 0 {
		r.values = append(r.values, value{Text, r.block})
		r.block = nil
	}
}

func (r *reader) attributes(name string, attributes map[string]string) {
	for _, key := range [...]string{"alt", "title", "aria-label"} {
		r.add(Attribute, attributes[key])
	}
	switch name {
	case "meta":
		if strings.EqualFold(attributes["name"], "description") {
			r.add(Attribute, attributes["content"])
		}
	case "a", "area":
		r.add(called(attributes["href"]))
	}
}

func (r *reader) add(kind Kind, text string) {
	if text != "" {
		r.values = append(r.values, value{kind, []string{text}})
	}
}

// called returns the part of a link that contains the number which it calls, as it is written, and how the link calls
// it.
func called(address string) (Kind, string) {
	l, found := link.Find([]byte(address))
	if !found {
		return "", ""
	}
	kind := Messenger
	scheme, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(address)), ":")
	switch scheme {
	case "tel":
		kind = Tel
	case "sms", "smsto":
		kind = SMS
	case "callto":
		kind = Callto
	}
	number, _, _ := strings.Cut(address[l.From:l.To], "&") // character references have been decoded
	return kind, number
}

// plain returns a link's value with its percent escapes decoded.
func plain(text string) string {
	if decoded, err := url.PathUnescape(text); err == nil {
		return decoded
	}
	return text
}
