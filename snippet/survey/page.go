package survey

import (
	"bytes"
	"net/url"
	"strings"

	"golang.org/x/net/html"

	"github.com/seed-3405227d/frontdesk/snippet/weave/link"
	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// value is a text in which a number may stand as a whole: a block's text in pieces
// between which there is markup, an attribute, or what a link calls.
type value struct {
	kind   Kind
	pieces []string
}

// unread are the elements whose content nobody reads on the page, or chooses to send.
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
	inside int      // depth in what is not read
}

// read collects the values of a page in UTF-8, in no particular order.
func read(page []byte) []value {
	z := html.NewTokenizer(bytes.NewReader(page))
	var r reader
	for {
		switch z.Next() {
		case html.ErrorToken: // the end: a page in memory has no other error
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
		if _, twice := attributes[string(key)]; !twice { // the first counts
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

// called is the part of a link that holds the number which it calls, as it is
// written there, and how it calls.
func called(address string) (Kind, string) {
	from, to := link.Number([]byte(address))
	if from < 0 {
		return "", ""
	}
	kind := WhatsApp
	scheme, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(address)), ":")
	switch scheme {
	case "tel":
		kind = Tel
	case "sms":
		kind = SMS
	case "callto":
		kind = Callto
	}
	number, _, _ := strings.Cut(address[from:to], "&") // references have been read
	return kind, number
}

// plain is a link's value with its percent escapes read.
func plain(text string) string {
	if decoded, err := url.PathUnescape(text); err == nil {
		return decoded
	}
	return text
}
