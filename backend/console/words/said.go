package words

import (
	"fmt"
	"html/template"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/bidi"

	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

// separator stands between several texts on one line.
const separator = " · "

// How much is shown of what somebody wrote. Lists show lines. A page of its own shows a whole text, and
// leads to the rest of one that is longer.
const (
	// lineSigns is how many signs a line has at most. A mark counts as many as it has itself.
	lineSigns = 300
	// LineSize is how many bytes of HTML the signs of a line take at most: 300 letters of two bytes fit.
	LineSize = 640
	// WholeSize is how many bytes of HTML a whole text takes at most.
	WholeSize = 64 << 10
	// lookedAt is how many bytes of a text are looked at for a line. Signs that are not seen can be many.
	lookedAt = 16 << 10
)

// Said is a line of what somebody wrote, a string or several of them, as HTML. Whatever it
// holds, it neither reorders nor hides anything around it or in itself: each text
// is isolated, and signs that cannot be seen are named.
func Said(text any) template.HTML {
	s := excerpt{signs: lineSigns, size: LineSize, mark: marked}
	for i, one := range texts(text) {
		if s.cut {
			break
		}
		if i > 0 {
			s.put(separator)
		}
		s.isolate(one)
	}
	return template.HTML(s.out)
}

// Whole is said for a text on the page of its own: its beginning in at most size bytes of HTML. cut tells
// whether there is more.
func Whole(text string, size int) (html template.HTML, cut bool) {
	s := excerpt{signs: size, size: size, mark: marked}
	s.isolate(text)
	return template.HTML(s.out), s.cut
}

// marked is the mark of signs that cannot be seen.
func marked(signs string) string { return `<span class="unseen">` + signs + `</span>` }

// Plainly is said for places that take text alone: titles, choices and attributes.
func Plainly(text any) string {
	s := excerpt{signs: lineSigns, size: LineSize, mark: func(signs string) string { return "[" + signs + "]" }, plain: true}
	for i, one := range texts(text) {
		if s.cut {
			break
		}
		if i > 0 {
			s.put(separator)
		}
		from := len(s.out)
		s.add(one)
		if line := string(s.out[from:]); strings.ContainsFunc(line, fromRight) { // its first letter says from where it is read
			s.out = append(append(append(s.out[:from], "\u2068"...), line...), "\u2069"...)
		}
	}
	return string(s.out)
}

// Bare is the text on one line, cut to what a field has, without signs that cannot be seen: for fields in which it is
// corrected.
func Bare(text string) string {
	const most = 250
	var bare []rune
	for _, r := range text[:min(len(text), lookedAt)] {
		if r != '\n' && r != '\t' && r != utf8.RuneError && !unseen(r, 0) && len(bare) < most {
			bare = append(bare, r)
		}
	}
	return strings.TrimSpace(string(bare))
}

// shortly is the text as it is, cut to what a line has.
func shortly(text string) string {
	s := excerpt{signs: lineSigns, size: LineSize, plain: true}
	s.add(text)
	return string(s.out)
}

func texts(text any) []string {
	if several, ok := text.([]string); ok {
		return several
	}
	return []string{fmt.Sprint(text)}
}

// Parts are the texts that say anything.
func Parts(texts ...string) (saying []string) {
	for _, text := range texts {
		if text != "" {
			saying = append(saying, text)
		}
	}
	return saying
}

// excerpt is the beginning of texts, as far as there is room for it.
type excerpt struct {
	signs int                       // that there is room for
	size  int                       // in bytes of HTML that there is room for
	mark  func(signs string) string // for signs that cannot be seen; nil to leave them as they are
	plain bool                      // it becomes HTML elsewhere
	out   []byte
	cut   bool // there was no room for all
}

// isolate adds the text with what keeps it apart.
func (s *excerpt) isolate(text string) {
	s.put("<bdi>")
	s.add(text)
	s.put("</bdi>")
}

// put adds what is not somebody's.
func (s *excerpt) put(html string) {
	s.out = append(s.out, html...)
	s.size -= len(html)
}

// add adds as much of the text as there is room for, and a sign for the rest. Signs in a row that cannot be seen are
// one mark. Ends of lines are one kind.
func (s *excerpt) add(text string) {
	last := len(s.out) // where the last sign begins
	limit := len(text)
	if most := max(lookedAt, s.size); limit > most {
		limit = most
	}
	var before rune
	at := 0
	defer func() { steps.Walk(at) }()
	for at < len(text) {
		r, width := utf8.DecodeRuneInString(text[at:])
		end := at + width
		if r == '\r' && strings.HasPrefix(text[end:], "\n") {
			at = end
			continue
		}
		if r == utf8.RuneError && width == 1 {
			end = broken(text, end)
		}
		one, signs := text[at:end], 1
		weight := weightOf(r)
		switch {
		case s.mark != nil && unseen(r, before):
			end = unseenUntil(text, end, limit)
			name := nameOf(text[at:end])
			one, signs, before = s.mark(name), len("[]")+len(name), 0
			weight = len(one)
		case !s.plain && weight > utf8.RuneLen(r):
			one, before = template.HTMLEscapeString(one), r
		case r == utf8.RuneError:
			one, before = "\ufffd", r
		default:
			before = r
		}
		if at >= limit || s.signs < signs || s.size < weight {
			if s.signs == 0 {
				s.out = s.out[:last]
			}
			s.out, s.cut = append(s.out, "…"...), true
			return
		}
		last = len(s.out)
		s.out = append(s.out, one...)
		s.signs, s.size, at = s.signs-signs, s.size-weight, end
	}
}

// broken is where the bytes end that are no characters.
func broken(text string, at int) int {
	for at < len(text) {
		if r, width := utf8.DecodeRuneInString(text[at:]); r != utf8.RuneError || width != 1 {
			break
		}
		at++
	}
	return at
}

// unseenUntil is where the signs in a row end that cannot be seen.
func unseenUntil(text string, at, limit int) int {
	for at < min(len(text), limit) {
		r, width := utf8.DecodeRuneInString(text[at:])
		if !unseen(r, 0) || r == '\r' && strings.HasPrefix(text[at+width:], "\n") {
			break
		}
		at += width
	}
	return at
}

// nameOf names the signs: the first of them, the last if that is another, and how many they are if there are several.
// Pictures of control characters are in few fonts.
func nameOf(signs string) string {
	first, _ := utf8.DecodeRuneInString(signs)
	last, _ := utf8.DecodeLastRuneInString(signs)
	name := fmt.Sprintf("U+%04X", first)
	if last != first {
		name += fmt.Sprintf("…U+%04X", last)
	}
	if n := utf8.RuneCountInString(signs); n > 1 {
		name += fmt.Sprintf(" ×%d", n)
	}
	return name
}

// weightOf is how many bytes the character takes in a page or in an event, where each line begins with some.
func weightOf(r rune) int {
	switch r {
	case '<', '>':
		return len("&lt;")
	case '&', '"', '\'', '+':
		return len("&amp;")
	case 0:
		return len("\ufffd")
	case '\n':
		return len("\ndata: ")
	}
	return utf8.RuneLen(r)
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
