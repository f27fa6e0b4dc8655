// Package survey finds the telephone numbers on a page: any number, not only configured ones. The edge asks it about
// samples of pages, and the command "numbers" about any page.
//
// It reads the page twice. First it collects what may be a number: everything that links call, and rows of digits in
// the text that the numbering plans know. It compiles these into a [phone.Set], and lists what the matcher recognises.
// So a number is listed in exactly the formats in which it would be replaced, and the same rules leave out order
// numbers, cards, dates and prices; see docs/numbers.md.
package survey

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nyaruka/phonenumbers"
	"golang.org/x/net/html/charset"

	"github.com/seed-3405227d/frontdesk/snippet/phone"
	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/phone/plan"
)

// Bounds on the result for a page.
const (
	// MaxPage is how many bytes of a page are read.
	MaxPage = 1 << 20
	// MaxNumbers is how many numbers of a page are listed.
	MaxNumbers = 200
	// MaxWritings is how many formats of a number are listed.
	MaxWritings = 20
	// maxWriting bounds the text of a format, in bytes.
	maxWriting = 100
)

// Kind says in what kind of place a number was found.
type Kind string

// The kinds of places.
const (
	Text      Kind = "text"
	Tel       Kind = "tel"
	SMS       Kind = "sms"
	Callto    Kind = "callto"
	Messenger Kind = "messenger"
	Attribute Kind = "attribute" // alt, title, aria-label, and the description
)

// Number is a telephone number on a page.
type Number struct {
	// Digits are the digits in international form: country code and national number.
	Digits string
	// Valid says whether the country's numbering plan has such a number. Numbers in links are listed even if it does
	// not.
	Valid bool
	// Writings are the formats of the number, the most frequent first.
	Writings []Writing
}

// Writing is one format of a number.
type Writing struct {
	// Text is what people read, or the value of a link: UTF-8 on one line, with plain spaces, without markup and
	// invisible characters.
	Text string
	Kind Kind
	// Count is how often it occurs on the page.
	Count int
}

// Count returns how often the number occurs on the page.
func (n Number) Count() int {
	total := 0
	for _, w := range n.Writings {
		total += w.Count
	}
	return total
}

// Page lists the numbers on a page, the most frequent first. contentType is the page's header field, or empty; its
// charset counts as in browsers. region (ISO 3166-1 alpha-2) is the country of numbers without a country code. Without
// a region, these are only found if the page has the same number with its country code or in a link.
func Page(page []byte, contentType, region string) []Number {
	decoded := decode(page, contentType)
	values := read(decoded)
	set := compile(candidates(values, len(decoded), region))
	if set.Len() == 0 {
		return nil
	}
	f := newFinding(set)
	for _, v := range values {
		f.look(v)
	}
	return f.numbers()
}

// decode returns the page in UTF-8. It is empty if the page's encoding cannot be read, such as "replacement".
func decode(page []byte, contentType string) []byte {
	page = page[:min(len(page), MaxPage)]
	encoding, _, _ := charset.DetermineEncoding(page, contentType)
	decoded, err := encoding.NewDecoder().Bytes(page)
	if err != nil {
		return nil
	}
	return bytes.ToValidUTF8(decoded, []byte("\uFFFD"))
}

// compile makes a set of the numbers, without those that look like other figures.
func compile(digits []string) *phone.Set {
	set, err := phone.Compile(digits)
	if err != nil {
		digits = slices.DeleteFunc(digits, func(d string) bool {
			_, err := plan.Parse(d)
			return err != nil
		})
		set, _ = phone.Compile(digits) // each of them alone was no error
	}
	return set
}

// finding is what was found on a page.
type finding struct {
	set     *phone.Set
	matcher *phone.Matcher
	shown   map[string][]Writing
}

func newFinding(set *phone.Set) *finding {
	return &finding{set: set, matcher: set.NewMatcher(char.UTF8), shown: make(map[string][]Writing)}
}

// look adds the numbers of a value.
func (f *finding) look(v value) {
	text := strings.Join(v.pieces, "")
	note := func(matches []phone.Match) {
		for _, m := range matches {
			f.add(f.set.Number(m.Number).Digits(), Writing{Text: tidy(text[m.Start:m.End]), Kind: v.kind, Count: 1})
		}
	}
	kind := phone.Link
	if v.kind == Text || v.kind == Attribute {
		kind = phone.Text
	}
	f.matcher.Reset(kind)
	at := int64(0)
	for i, piece := range v.pieces {
		if i > 0 {
			note(f.matcher.Inline())
		}
		note(f.matcher.Text(at, []byte(piece)))
		at += int64(len(piece))
	}
	note(f.matcher.Break())
}

func (f *finding) add(digits string, w Writing) {
	writings := f.shown[digits]
	if writings == nil && len(f.shown) == MaxNumbers {
		return
	}
	i := slices.IndexFunc(writings, func(other Writing) bool { return other.Text == w.Text && other.Kind == w.Kind })
	switch {
	case i >= 0:
		writings[i].Count += w.Count
	case len(writings) < MaxWritings:
		f.shown[digits] = append(writings, w)
	}
}

func (f *finding) numbers() []Number {
	numbers := make([]Number, 0, len(f.shown))
	for digits, writings := range f.shown {
		slices.SortStableFunc(writings, func(a, b Writing) int { return cmp.Compare(b.Count, a.Count) })
		numbers = append(numbers, Number{Digits: digits, Valid: valid(digits), Writings: writings})
	}
	slices.SortFunc(numbers, func(a, b Number) int {
		return cmp.Or(cmp.Compare(b.Count(), a.Count()), cmp.Compare(a.Digits, b.Digits))
	})
	return numbers
}

func valid(digits string) bool {
	n, err := phonenumbers.Parse("+"+digits, "")
	return err == nil && phonenumbers.IsValidNumber(n)
}

// tidy returns a format as people read it: on one line, without invisible characters, and cut to maxWriting.
func tidy(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Variation_Selector) || unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	for len(text) > maxWriting {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return text
}
