// Package survey finds the telephone numbers that a page shows: any number, not
// only configured ones.
//
// It reads the page twice. First it collects what may be a number: whatever the
// links call, and rows of digits in the text that the numbering plans know. These
// are then compiled into a [phone.Set], and what its matcher recognises is the
// finding. So a number is listed in the very writings in which it would be
// replaced, and order numbers, cards, dates and prices are left out by the same
// rules; see docs/numbers.md.
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
)

// What is kept of a page is bounded.
const (
	// MaxPage is how many bytes of a page are read. What is behind is not looked at.
	MaxPage = 1 << 20
	// MaxNumbers is how many numbers of a page are told apart.
	MaxNumbers = 200
	// MaxWritings is how many writings of a number are kept.
	MaxWritings = 20
	// maxWriting is how many bytes of a writing are kept.
	maxWriting = 100
)

// Kind is the kind of place in which a writing stands.
type Kind string

// The kinds of places.
const (
	Text      Kind = "text"
	Tel       Kind = "tel"
	SMS       Kind = "sms"
	Callto    Kind = "callto"
	WhatsApp  Kind = "whatsapp"
	Attribute Kind = "attribute" // alt, title, aria-label, and the description
)

// Number is a telephone number that a page shows.
type Number struct {
	// Digits are in international form: country code and national number.
	Digits string
	// Valid tells whether the country's numbering plan has such a number. What a
	// link calls is listed even if not.
	Valid bool
	// Writings are the ways in which it is written, the most frequent first.
	Writings []Writing
}

// Writing is one way in which a number is written.
type Writing struct {
	// Text is as people read it, or as a link has it: UTF-8 on one line, without
	// markup and unseen characters, and with plain spaces only.
	Text string
	Kind Kind
	// Count is how often it stands in the page.
	Count int
}

// Count is how often the number stands in the page.
func (n Number) Count() int {
	total := 0
	for _, w := range n.Writings {
		total += w.Count
	}
	return total
}

// Page lists the numbers that a page shows, the most frequent first. The content
// type is that of the page's header, or empty; its charset counts as it does for
// browsers. The region (ISO 3166-1 alpha-2) is the one in which numbers without a
// country code are read; without a region they are found only when the page gives
// the same number with its country code or in a link.
func Page(page []byte, contentType, region string) []Number {
	if len(page) > MaxPage {
		page = page[:MaxPage]
	}
	encoding, _, _ := charset.DetermineEncoding(page, contentType)
	decoded, err := encoding.NewDecoder().Bytes(page)
	if err != nil {
		return nil // in an encoding that is not read, such as "replacement"
	}
	values := read(bytes.ToValidUTF8(decoded, []byte("\uFFFD")))
	set := compile(candidates(values, region))
	if set.Len() == 0 {
		return nil
	}
	f := newFinding(set)
	for _, v := range values {
		f.look(v)
	}
	return f.numbers()
}

// compile makes a set of the numbers, without those that cannot be told from other
// figures.
func compile(digits []string) *phone.Set {
	set, err := phone.Compile(digits)
	if err != nil {
		digits = slices.DeleteFunc(digits, func(d string) bool {
			_, err := phone.Parse(d)
			return err != nil
		})
		set, _ = phone.Compile(digits) // each of them alone was no error
	}
	return set
}

// finding is what was found.
type finding struct {
	set     *phone.Set
	matcher *phone.Matcher
	shown   map[string][]Writing
}

func newFinding(set *phone.Set) *finding {
	return &finding{set: set, matcher: set.NewMatcher(phone.UTF8), shown: make(map[string][]Writing)}
}

// look notes the numbers of a value.
func (f *finding) look(v value) {
	text := strings.Join(v.pieces, "")
	note := func(matches []phone.Match) {
		for _, m := range matches {
			f.add(f.set.Number(m.Number).Digits(), Writing{Text: tidy(text[m.Start:m.End]), Kind: v.kind, Count: 1})
		}
	}
	place := phone.Link
	if v.kind == Text || v.kind == Attribute {
		place = phone.Text
	}
	f.matcher.Reset(place)
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

// tidy is a writing as people read it: on one line, without what is not seen, and
// cut to what is kept.
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
