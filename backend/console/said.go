package console

import (
	"fmt"
	"html/template"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/bidi"
)

// separator stands between several texts on one line.
const separator = " · "

// said is what somebody wrote, a string or several of them, as HTML. Whatever it
// holds, it neither reorders nor hides anything around it or in itself: each text
// is isolated, and signs that cannot be seen are named.
func said(text any) template.HTML {
	var b strings.Builder
	for i, one := range texts(text) {
		if i > 0 {
			b.WriteString(separator)
		}
		b.WriteString("<bdi>")
		reveal(one, func(seen string) { template.HTMLEscape(&b, []byte(seen)) }, func(sign string) {
			fmt.Fprintf(&b, `<span class="unseen">%s</span>`, sign)
		})
		b.WriteString("</bdi>")
	}
	return template.HTML(b.String())
}

// plainly is what somebody wrote, for places that take text alone: titles.
func plainly(text any) string {
	var b strings.Builder
	for i, one := range texts(text) {
		if i > 0 {
			b.WriteString(separator)
		}
		var line strings.Builder
		reveal(one, func(seen string) { line.WriteString(seen) }, func(sign string) { line.WriteString("[" + sign + "]") })
		if strings.ContainsFunc(line.String(), fromRight) {
			b.WriteString("\u2068" + line.String() + "\u2069") // isolated, its first letter saying from where it is read
		} else {
			b.WriteString(line.String())
		}
	}
	return b.String()
}

func texts(text any) []string {
	if several, ok := text.([]string); ok {
		return several
	}
	return []string{fmt.Sprint(text)}
}

// parts are the texts that say anything.
func parts(texts ...string) (saying []string) {
	for _, text := range texts {
		if text != "" {
			saying = append(saying, text)
		}
	}
	return saying
}

// reveal takes the text apart: into what can be seen, and signs for each
// character that cannot. Ends of lines are one kind.
func reveal(text string, seen, sign func(string)) {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\r\n", "\n")
	var from int
	var before rune
	for at, r := range text {
		if !unseen(r, before) {
			before = r
			continue
		}
		seen(text[from:at])
		sign(fmt.Sprintf("U+%04X", r)) // pictures of control characters are in few fonts
		from, before = at+len(string(r)), 0
	}
	seen(text[from:])
}

// unseen tells whether nothing shows that the character is there. Some belong to
// the one before: an emoji is put together by them, and so are the letters of
// some scripts.
func unseen(r, before rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r == '\u200c', r == '\u200d': // the joiners
		return !unicode.In(before, joined...)
	case unicode.Is(unicode.Variation_Selector, r):
		return before <= ' ' || unicode.Is(unicode.Variation_Selector, before)
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // which are seen
		return false
	case r == '\u2800': // the pattern without dots
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
}

// joined are the characters behind which a joiner makes a difference.
var joined = []*unicode.RangeTable{
	unicode.So, unicode.Sk, unicode.Variation_Selector,
	unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya,
	unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Tibetan, unicode.Myanmar, unicode.Khmer,
}

// fromRight tells whether the character is written from right to left.
func fromRight(r rune) bool {
	properties, _ := bidi.LookupRune(r)
	switch properties.Class() {
	case bidi.R, bidi.AL, bidi.AN:
		return true
	}
	return false
}
