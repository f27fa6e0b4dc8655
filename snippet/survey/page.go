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

// breaking are the elements at whose tags a line ends. A number may go on behind the
// tags of all others.
var breaking = setOf("address", "article", "aside", "audio", "blockquote", "body", "button", "canvas", "caption", "center", "col", "colgroup",
	"dd", "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frameset", "h1", "h2", "h3", "h4", "h5", "h6",
	"head", "header", "hgroup", "html", "legend", "li", "main", "map", "marquee", "menu", "meter", "nav", "object", "ol", "p", "picture", "pre", "progress",
	"search", "section", "slot", "summary", "table", "tbody", "td", "template", "text", "tfoot", "th", "thead", "tr", "ul", "video",
	"script", "style", "title", "textarea", "select", "option", "optgroup", "datalist", "xmp", "iframe", "noembed", "noframes", "noscript", "plaintext",
	"svg", "math", "foreignobject", "desc", "annotation-xml", "img", "input", "hr", "br", "frame", "embed", "source", "track", "link", "meta", "base", "param", "area")

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
	if breaking[name] {
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
	if breaking[name] {
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

// callers are the beginnings of links that call or write to the number behind them.
var callers = []struct {
	prefix string
	kind   Kind
}{
	{"tel:", Tel}, {"sms:", SMS}, {"callto:", Callto},
	{"//wa.me/", WhatsApp}, {"//api.whatsapp.com/send?phone=", WhatsApp}, {"//api.whatsapp.com/send/?phone=", WhatsApp}, {"whatsapp://send?phone=", WhatsApp},
}

// called is the part of a link that holds the number which it calls, as it is
// written there, and how it calls.
func called(link string) (Kind, string) {
	link = strings.TrimSpace(link)
	for _, scheme := range [...]string{"https:", "http:"} {
		if rest, ok := cutPrefixFold(link, scheme); ok {
			link = rest
			break
		}
	}
	for _, c := range callers {
		if number, ok := cutPrefixFold(link, c.prefix); ok {
			if end := strings.IndexAny(number, "?&"); end >= 0 {
				number = number[:end]
			}
			return c.kind, number
		}
	}
	return "", ""
}

func cutPrefixFold(text, prefix string) (rest string, ok bool) {
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return text, false
	}
	return text[len(prefix):], true
}

// plain is a link's value with its percent escapes read.
func plain(text string) string {
	if decoded, err := url.PathUnescape(text); err == nil {
		return decoded
	}
	return text
}
