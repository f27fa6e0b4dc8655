package person

import (
	"html"
	"net/url"
	"strconv"
	"strings"
)

// eachReading calls do with the text as it is read where signs stand in it for others, in addresses of the web and in
// JSON, and once more for those in HTML. It returns false when do does.
func eachReading(text string, do func(string) bool) bool {
	for range 3 { // one in one in one
		if strings.Contains(text, "%") {
			text = undone(text)
		}
		if strings.Contains(text, `\`) {
			text = unescaped(text)
		}
	}
	if !do(text) {
		return false
	}
	read := text
	if strings.Contains(read, "<") {
		read = untagged(read)
	}
	if strings.Contains(read, "&") {
		read = html.UnescapeString(read)
	}
	return read == text || do(read)
}

// unescaped is the text with what escapes of JSON stand for (RFC 8259, section 7). What is none stays.
func unescaped(text string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, `\`)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		text = after
		if len(text) >= 5 && text[0] == 'u' {
			if code, err := strconv.ParseUint(text[1:5], 16, 16); err == nil {
				b.WriteRune(rune(code))
				text = text[5:]
				continue
			}
		}
		switch {
		case text == "":
		case strings.IndexByte("nrtbf", text[0]) >= 0:
			b.WriteByte(' ')
			text = text[1:]
		default:
			b.WriteByte(text[0])
			text = text[1:]
		}
	}
}

// undone is the text with the bytes that are written with a percent sign (RFC 3986, section 2.1). What is none stays.
func undone(text string) string {
	if whole, err := url.PathUnescape(text); err == nil {
		return strings.ToValidUTF8(whole, " ")
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if c, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return strings.ToValidUTF8(b.String(), " ")
}

// maxTag is how many bytes a tag has that is left out.
const maxTag = 300

// untagged is the text without tags.
func untagged(text string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "<")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		text = after
		if end := strings.IndexByte(text[:min(len(text), maxTag)], '>'); end > 0 && (text[0] == '/' || text[0] == '!' || 'a' <= text[0]|0x20 && text[0]|0x20 <= 'z') {
			text = text[end+1:]
		} else {
			b.WriteByte('<')
		}
	}
}
