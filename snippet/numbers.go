package snippet

import (
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/andybalholm/cascadia"

	"github.com/seed-3405227d/frontdesk/snippet/phone"
	"github.com/seed-3405227d/frontdesk/snippet/phone/plan"
	"github.com/seed-3405227d/frontdesk/snippet/weave"
)

// Number is a number that is printed on a site's pages.
type Number struct {
	// Digits are in international form, digits only: 74951234567.
	Digits string
	// Targets are further places whose content is the number: "#id", ".class" or
	// "[name=value]".
	Targets []string
	// Selectors name such places by CSS.
	Selectors []string
	// Pictures are the images that show the number: targets or CSS selectors of img
	// elements.
	Pictures []string
	// Template says how people read the numbers that are shown in its place:
	// "+7 ({area}) {rest}". If it is empty, they read them as they read the printed one.
	Template string
	// Tracking are the numbers that may be shown in its place.
	Tracking []Tracking
}

// Tracking is a number that may be shown in the place of a printed one.
type Tracking struct {
	// Digits are in international form.
	Digits string
	// Pictures are the addresses of its pictures, as src has them, in the order of
	// [Number.Pictures].
	Pictures []string
}

// Printed are the numbers of a site's pages, compiled: what is searched in the pages,
// whoever the visitor is. It does not change and can be used by many requests, and by
// many sites, at once.
type Printed struct {
	rules      *weave.Rules
	numbers    []Number                     // without their tracking numbers
	tracking   []map[string]*weave.Tracking // of each number, by digits
	sum        [sha256.Size]byte            // of numbers and messengers
	messengers bool                         // links that write to a number change, too
	idle       sync.Pool
}

// FormatNumber writes a number, given as digits in international form, as pages and
// pictures show it: +7 495 765-43-21.
func FormatNumber(digits string) string { return plan.Format(digits) }

// WriteNumber writes a number by the template of a [Number], as pages and pictures show it. Without a template it does
// what [FormatNumber] does. The error says why the template does not write the number.
func WriteNumber(digits, template string) (string, error) {
	if template == "" {
		return plan.Format(digits), nil
	}
	return plan.FormatBy(digits, template)
}

// CheckTemplate tells what is wrong with a template alone.
func CheckTemplate(template string) error { return plan.CheckTemplate(template) }

// CheckDigits tells what is wrong with the digits of a number alone.
func CheckDigits(digits string) error {
	if _, err := plan.Parse(digits); err != nil {
		return fmt.Errorf("number %q: %w", digits, err)
	}
	return nil
}

// CheckNumbers tells what is wrong with numbers, as [NewPrinted] does.
func CheckNumbers(numbers []Number) error {
	_, err := NewPrinted(numbers, false)
	return err
}

// NewPrinted compiles the numbers that are printed on a site's pages. The error names what
// is wrong with them: digits that are no international number, a number that is given
// twice, a target of another form, a selector that does not parse, or a place that is
// given to two numbers. It takes some milliseconds for each number. messengers says that
// links which write to a number change as those do that call it.
func NewPrinted(numbers []Number, messengers bool) (*Printed, error) {
	p := &Printed{messengers: messengers}
	digits := make([]string, len(numbers))
	places := make([]weave.Number, len(numbers))
	owners := make(map[string]string)
	for i, n := range numbers {
		if err := n.claimPlaces(owners); err != nil {
			return nil, err
		}
		digits[i] = n.Digits
		places[i] = weave.Number{Targets: n.Targets, Selectors: n.Selectors, Pictures: n.Pictures}
	}
	set, err := phone.Compile(digits)
	if err != nil {
		return nil, err
	}
	if p.rules, err = weave.Compile(set, places, messengers); err != nil {
		return nil, err
	}
	for _, n := range numbers {
		tracking, err := n.parseTracking()
		if err != nil {
			return nil, err
		}
		n.Tracking = nil
		p.numbers, p.tracking = append(p.numbers, n), append(p.tracking, tracking)
	}
	p.sum = sha256.Sum256(fmt.Append(nil, messengers, p.numbers))
	return p, nil
}

// claimPlaces checks the number's places and notes whose they are.
func (n *Number) claimPlaces(owners map[string]string) error {
	claim := func(place string) error {
		if other, taken := owners[place]; taken {
			return fmt.Errorf("place %q: it belongs to number %s already", place, other)
		}
		owners[place] = n.Digits
		return nil
	}
	for _, target := range n.Targets {
		if !isTarget(target) {
			return fmt.Errorf("target %q: expected #id, .class or [name=value]; selector takes all others", target)
		}
		if err := claim(target); err != nil {
			return err
		}
	}
	for _, selector := range n.Selectors {
		if err := checkSelector(selector); err != nil {
			return err
		}
		if err := claim(selector); err != nil {
			return err
		}
	}
	for _, place := range n.Pictures {
		if !isTarget(place) {
			if err := checkSelector(place); err != nil {
				return err
			}
		}
		if err := claim(place); err != nil {
			return err
		}
	}
	return nil
}

// parseTracking reads the tracking numbers, so that nothing is left to be done where a
// visitor is shown one.
func (n *Number) parseTracking() (map[string]*weave.Tracking, error) {
	tracking := make(map[string]*weave.Tracking, len(n.Tracking))
	for _, t := range n.Tracking {
		parsed, err := plan.Parse(t.Digits)
		if err != nil {
			return nil, fmt.Errorf("replacement %q of number %s: %w", t.Digits, n.Digits, err)
		}
		if parsed, err = parsed.By(n.Template); err != nil {
			return nil, fmt.Errorf("template %q of number %s: %w", n.Template, n.Digits, err)
		}
		if len(t.Pictures) != len(n.Pictures) {
			return nil, fmt.Errorf("replacement %s of number %s: expected %d pictures, not %d", t.Digits, n.Digits, len(n.Pictures), len(t.Pictures))
		}
		tracking[t.Digits] = &weave.Tracking{Number: parsed, Pictures: t.Pictures}
	}
	return tracking, nil
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
