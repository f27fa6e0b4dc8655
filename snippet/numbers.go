package snippet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"

	"github.com/seed-3405227d/frontdesk/snippet/phone"
	"github.com/seed-3405227d/frontdesk/snippet/weave"
)

// Number is a number that is printed on a site's pages, and what the visitor sees
// in its place.
type Number struct {
	// Digits and Replacement are in international form, digits only: 74951234567.
	Digits, Replacement string
	// Targets are further places whose content is the number: "#id", ".class" or
	// "[name=value]".
	Targets []string
	// Selectors name such places by CSS.
	Selectors []string
	// Pictures are the images that show the number.
	Pictures []Picture
}

// Picture is an image that shows a number, and what takes its place.
type Picture struct {
	// Place is the img element: a target or a CSS selector.
	Place string
	// URL is the address of the replacement's picture, as src has it.
	URL string
	// Alt is the picture's text.
	Alt string
}

// FormatNumber writes a number, given as digits in international form, as pages and
// pictures show it: +7 495 765-43-21.
func FormatNumber(digits string) string { return phone.Format(digits) }

// CheckNumbers tells what is wrong with numbers that are to be replaced: digits
// that are no international number, a target of another form, a selector that does
// not parse, or a place that is given to two numbers. The error names it.
func CheckNumbers(numbers []Number) error {
	_, err := compile(numbers)
	return err
}

// compile checks the numbers and their places, and compiles the numbers.
func compile(numbers []Number) (*phone.Set, error) {
	pairs := make([]phone.Number, len(numbers))
	places := make(map[string]string)
	claim := func(place, digits string) error {
		if other, taken := places[place]; taken {
			return fmt.Errorf("place %q: it belongs to number %s already", place, other)
		}
		places[place] = digits
		return nil
	}
	for i, n := range numbers {
		pairs[i] = phone.Number{Digits: n.Digits, Replacement: n.Replacement}
		for _, target := range n.Targets {
			if !isTarget(target) {
				return nil, fmt.Errorf("target %q: expected #id, .class or [name=value]; selector takes all others", target)
			}
			if err := claim(target, n.Digits); err != nil {
				return nil, err
			}
		}
		for _, selector := range n.Selectors {
			if err := checkSelector(selector); err != nil {
				return nil, err
			}
			if err := claim(selector, n.Digits); err != nil {
				return nil, err
			}
		}
		for _, p := range n.Pictures {
			if !isTarget(p.Place) {
				if err := checkSelector(p.Place); err != nil {
					return nil, err
				}
			}
			if err := claim(p.Place, n.Digits); err != nil {
				return nil, err
			}
		}
	}
	return phone.Compile(pairs)
}

func checkSelector(selector string) error {
	if _, err := cascadia.ParseGroup(selector); err != nil {
		return fmt.Errorf("selector %q: %w", selector, err)
	}
	return nil
}

// isTarget says whether a place can be told by one tag alone.
func isTarget(place string) bool {
	kind, _ := weave.Target(place)
	return kind != 0 && len(place) <= maxTarget
}

// maxTarget bounds a target, in bytes.
const maxTarget = 128

// compileNumbers prepares the numbers for pages, and renders what the script is told
// of them.
func (c *Code) compileNumbers(numbers []Number) error {
	if len(numbers) == 0 {
		return nil
	}
	set, err := compile(numbers)
	if err != nil {
		return err
	}
	places := make([]weave.Number, len(numbers))
	for i, n := range numbers {
		places[i] = weave.Number{Digits: n.Digits, Text: phone.Format(n.Replacement), Targets: n.Targets, Selectors: n.Selectors}
		for _, p := range n.Pictures {
			places[i].Pictures = append(places[i].Pictures, weave.Picture(p))
		}
	}
	if c.rules, err = weave.Compile(set, places); err != nil {
		return err
	}
	for i, n := range places {
		c.listed = append(c.listed, renderNumber(n, numbers[i].Replacement, set.Script(i)))
	}
	return nil
}

// The block that tells the script which numbers are in effect, and what has been replaced.
const (
	beginBlock    = `<script type="application/json" data-svc-numbers>{"numbers":[`
	replacedBlock = `],"replaced":[`
	endBlock      = `]}</script>`
)

// maxListed is how many numbers the block lists that the page does not show. They are
// for what the page adds later.
const maxListed = 16

// listedNumber is what the block says of a number and of its places.
type listedNumber struct{ id, text string }

func renderNumber(n weave.Number, replacement string, forms []byte) listedNumber {
	var b strings.Builder
	record := func(id, text, img string) {
		fmt.Fprintf(&b, `{"id":%s,"from":"%s","raw":"%s","text":%s,"img":%s,"dt":false`, quote(id), n.Digits, replacement, text, img)
	}
	id := "number=" + n.Digits
	record(id, quote(n.Text), "null")
	fmt.Fprintf(&b, `,"forms":%s}`, forms)
	for _, place := range slices.Concat(n.Targets, n.Selectors) {
		b.WriteByte(',')
		record(place, quote(n.Text), "null")
		b.WriteByte('}')
	}
	for _, p := range n.Pictures {
		b.WriteByte(',')
		record(p.Place, "null", quote(p.URL))
		b.WriteByte('}')
	}
	return listedNumber{id, b.String()}
}

// appendBlock writes the block.
func (c *Code) appendBlock(b []byte, replaced []weave.Replaced) []byte {
	b = append(b, beginBlock...)
	first := true
	for _, n := range c.listed {
		if len(c.listed) > maxListed && !slices.ContainsFunc(replaced, func(r weave.Replaced) bool { return r.ID == n.id }) {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(b, n.text...)
	}
	b = append(b, replacedBlock...)
	for i, r := range replaced {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendQuoted(append(b, '['), r.ID)
		b = appendQuoted(append(b, ','), r.Old)
		b = appendQuoted(append(b, ','), r.New)
		b = append(b, ']')
	}
	return append(b, endBlock...)
}
