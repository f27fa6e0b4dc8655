package snippet

import (
	"fmt"
	"strings"

	"github.com/andybalholm/cascadia"

	"github.com/seed-3405227d/frontdesk/snippet/phone"
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

// CheckNumbers tells what is wrong with numbers that are to be replaced: digits
// that are no international number, a target of another form, a selector that does
// not parse, or a place that is given to two numbers. The error names it.
func CheckNumbers(numbers []Number) error {
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
				return fmt.Errorf("target %q: expected #id, .class or [name=value]", target)
			}
			if err := claim(target, n.Digits); err != nil {
				return err
			}
		}
		for _, selector := range n.Selectors {
			if err := checkSelector(selector); err != nil {
				return err
			}
			if err := claim(selector, n.Digits); err != nil {
				return err
			}
		}
		for _, p := range n.Pictures {
			if !isTarget(p.Place) {
				if err := checkSelector(p.Place); err != nil {
					return err
				}
			}
			if err := claim(p.Place, n.Digits); err != nil {
				return err
			}
		}
	}
	_, err := phone.Compile(pairs)
	return err
}

func checkSelector(selector string) error {
	if _, err := cascadia.ParseGroup(selector); err != nil {
		return fmt.Errorf("selector %q: %w", selector, err)
	}
	return nil
}

// isTarget says whether a place can be told by one tag alone.
func isTarget(place string) bool {
	switch {
	case strings.HasPrefix(place, "#"), strings.HasPrefix(place, "."):
		return isName(place[1:])
	}
	name, ok := strings.CutPrefix(place, "[name=")
	name, closed := strings.CutSuffix(name, "]")
	return ok && closed && isName(strings.Trim(name, `"'`))
}

// isName accepts what identifiers, classes and names are made of: no spaces, and
// nothing that means something else in a selector.
func isName(name string) bool {
	return name != "" && len(name) <= maxTarget && !strings.ContainsAny(name, " \t\r\n\f.#[]()>+~:,*\"'=<>&\\")
}

// maxTarget bounds the name in a target, in bytes.
const maxTarget = 128
