package survey

import (
	"bytes"
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// value is a text in which a number may stand as a whole: a block's text in pieces
// between which there is markup, an attribute, or what a link calls.
type value struct {
	kind   Kind
	pieces []string
}

// inline are the elements that do not break a line, so that a number may go on
// behind their tags.
var inline = setOf("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins",
	"kbd", "label", "mark", "nobr", "output", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr")

// unread are the elements whose content nobody reads on the page.
var unread = setOf("script", "style", "textarea", "noscript", "noembed", "noframes", "iframe", "xmp", "plaintext")

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
	inside int      // depth in templates
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
	if !inline[name] {
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
	switch {
	case name == "template":
		r.inside++
	case unread[name]:
		// What the tokenizer gives next is the element's raw content, if any.
		r.inside++
	}
	if r.inside == 0 {
		r.attributes(name, attributes)
	}
}

func (r *reader) end(name string) {
	if !inline[name] {
		r.endBlock()
	}
	if (name == "template" || unread[name]) && r.inside > 0 {
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
func called(link string) (Kind, string) {
	link = strings.TrimSpace(link)
	scheme, rest, _ := strings.Cut(link, ":")
	target, query, _ := strings.Cut(rest, "?")
	kind := Kind(strings.ToLower(scheme))
	switch kind {
	case Tel, SMS, Callto:
		return kind, target
	case "http", "https", "whatsapp":
	default:
		return "", ""
	}
	host, path, _ := strings.Cut(strings.TrimLeft(target, "/"), "/")
	switch strings.ToLower(host) {
	case "wa.me":
		return WhatsApp, strings.TrimSuffix(path, "/")
	case "api.whatsapp.com", "web.whatsapp.com", "send":
		for pair := range strings.SplitSeq(query, "&") {
			if number, ok := strings.CutPrefix(pair, "phone="); ok {
				return WhatsApp, number
			}
		}
	}
	return "", ""
}

// plain is a link's value with its percent escapes read.
func plain(text string) string {
	if decoded, err := url.PathUnescape(text); err == nil {
		return decoded
	}
	return text
}
