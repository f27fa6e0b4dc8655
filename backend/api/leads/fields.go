package leads

import (
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

const (
	// maxServerBody is the size in bytes of a server's request. Servers send the
	// transcripts of whole chats.
	maxServerBody = 1 << 20
	// maxPairs is how many of its fields are read.
	maxPairs = 10_000
)

// form reads the fields of a server's request, all of which can be stored.
func form(r *gate.Request) (url.Values, error) {
	content, charset, err := encoded(r)
	if err != nil {
		return nil, err
	}
	return parseForm(content, charset)
}

// encoded is the body of a server's request and the charset that it declares.
func encoded(r *gate.Request) (content, charset string, err error) {
	mediaType, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		// Senders forget the header, or write a charset that cannot be parsed.
		mediaType, _, _ = strings.Cut(r.Header.Get("Content-Type"), ";")
		mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	}
	if mediaType != "application/x-www-form-urlencoded" && mediaType != "" {
		return "", "", gate.NewFailure(http.StatusUnsupportedMediaType, "wrong_content_type",
			"the body must be application/x-www-form-urlencoded (in PHP: http_build_query)")
	}
	body, err := r.ReadBody(maxServerBody)
	return string(body), parameters["charset"], err
}

// parseForm reads url-encoded fields of the charset, and refuses what cannot be read
// or stored.
func parseForm(content, charset string) (url.Values, error) {
	form, whole := readForm(content, charset)
	if !whole {
		return nil, gate.Malformed("malformed_form", "the fields are not well-formed application/x-www-form-urlencoded")
	}
	for name, values := range form {
		for _, text := range append(values, name) {
			if !utf8.ValidString(text) {
				return nil, gate.Malformed("malformed_text", "the fields are not valid UTF-8, and no other charset is declared in Content-Type")
			}
			if strings.IndexByte(text, 0) >= 0 {
				return nil, gate.Malformed("malformed_text", "a field holds a NUL character")
			}
		}
	}
	return form, nil
}

// readForm reads url-encoded fields of the charset, which is UTF-8 unless it is
// another that browsers know. What is not well-formed stays as it is, and whole is
// false. A semicolon separates nothing: it is one that a sender did not encode.
func readForm(content, charset string) (form url.Values, whole bool) {
	steps.Walk(len(content))
	form, whole = make(url.Values), true
	decoded := decoderOf(charset)
	unescape := func(text string) string {
		plain, err := url.QueryUnescape(text)
		if err != nil {
			whole, plain = false, text
		}
		return decoded(plain)
	}
	pairs := 0
	for pair := range strings.SplitSeq(content, "&") {
		if pairs++; pairs > maxPairs {
			return form, false
		}
		if pair != "" {
			name, value, _ := strings.Cut(pair, "=")
			form.Add(unescape(name), unescape(value))
		}
	}
	return form, whole
}

// decoderOf returns what reads texts of the charset, as [readForm] knows it.
func decoderOf(charset string) func(string) string {
	known, err := htmlindex.Get(charset)
	if err != nil {
		return func(text string) string { return text }
	}
	if name, _ := htmlindex.Name(known); name == "utf-8" {
		return func(text string) string { return text }
	}
	decoder := known.NewDecoder()
	var read []byte // used again: most texts are short
	return func(text string) string {
		if text == "" {
			return ""
		}
		// A decoder writes U+FFFD for what it cannot read, and does not fail.
		utf8, _, err := transform.Append(decoder, read[:0], []byte(text))
		if err != nil {
			return text
		}
		read = utf8
		return string(utf8)
	}
}
