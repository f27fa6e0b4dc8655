package caddymodule

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/nyaruka/phonenumbers"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/picture"
)

// Number is a number that is printed on the site's pages, in any writing.
type Number struct {
	// The number in international form, such as `74951234567`. A plus sign, spaces,
	// parentheses, dashes and dots in it do not count.
	Number string `json:"number"`

	// Further places whose whole content is the number: `#id`, `.class` or
	// `[name=value]`.
	Targets []string `json:"targets,omitempty"`

	// The same by any CSS selector.
	Selectors []string `json:"selectors,omitempty"`

	// Images that show the number.
	Pictures []Picture `json:"pictures,omitempty"`

	// Tracking numbers by the visitor's source. The first whose conditions hold is
	// shown.
	Static []Static `json:"static,omitempty"`
}

// Picture is an image that shows a number, and how the one in its place is drawn.
type Picture struct {
	// The img element: `#id`, `.class`, `[name=value]` or a CSS selector.
	Place string `json:"place"`

	// The size of the font in CSS pixels, 8 to 200. Default: 16.
	Size int `json:"size,omitempty"`

	// The color of the text, such as `#333` or `navy`. Default: black.
	Color string `json:"color,omitempty"`

	// The path of a TrueType or OpenType font. Default: Go Regular.
	Font string `json:"font,omitempty"`
}

// Static is a tracking number for visitors of some sources.
type Static struct {
	// The tracking number, written like the other.
	Number string `json:"number"`

	// The conditions, such as `utm_source=news*`. Those on one field are
	// alternatives, those on different fields have to hold all. Default: all
	// visitors.
	When []string `json:"when,omitempty"`
}

// numbers are a handler's numbers as far as they have been checked: one thing
// after the other, so that a Caddyfile's line can be named.
type numbers struct {
	plan   number.Plan
	last   string            // the number that was added last
	places map[string]string // the number that each place belongs to
}

// addAll checks numbers as JSON has them and writes their digits plainly.
func (n *numbers) addAll(list []Number) (err error) {
	for i := range list {
		declared := &list[i]
		if declared.Number, err = n.add(declared.Number); err != nil {
			return err
		}
		for _, target := range declared.Targets {
			if err := n.addTarget(target); err != nil {
				return err
			}
		}
		for _, selector := range declared.Selectors {
			if err := n.addSelector(selector); err != nil {
				return err
			}
		}
		for _, p := range declared.Pictures {
			if err := n.addPicture(p.Place); err != nil {
				return err
			}
			if err := p.check(); err != nil {
				return err
			}
		}
		for j := range declared.Static {
			static := &declared.Static[j]
			if static.Number, err = n.addStatic(static.Number, static.When); err != nil {
				return err
			}
		}
	}
	return nil
}

// add begins a number and returns its digits.
func (n *numbers) add(written string) (digits string, err error) {
	digits = digitsOf(written)
	if err := snippet.CheckNumbers([]snippet.Number{{Digits: digits}}); err != nil {
		return "", err
	}
	if err := checkGroups(written, digits); err != nil {
		return "", fmt.Errorf("number %q: %w", written, err)
	}
	n.last = digits
	return digits, n.plan.Add(digits)
}

// addStatic adds a tracking number to the number that was begun last, and returns
// its digits.
func (n *numbers) addStatic(written string, when []string) (digits string, err error) {
	digits = digitsOf(written)
	if err := snippet.CheckNumbers([]snippet.Number{{Digits: n.last, Tracking: []snippet.Tracking{{Digits: digits}}}}); err != nil {
		return "", err
	}
	if err := checkGroups(written, digits); err != nil {
		return "", fmt.Errorf("static %q: %w", written, err)
	}
	conditions, err := number.ParseConditions(when)
	if err != nil {
		return "", fmt.Errorf("static %s: %w", digits, err)
	}
	return digits, n.plan.AddStatic(digits, conditions)
}

func (n *numbers) addTarget(place string) error {
	return n.addPlace(place, snippet.Number{Targets: []string{place}})
}

func (n *numbers) addSelector(place string) error {
	return n.addPlace(place, snippet.Number{Selectors: []string{place}})
}

func (n *numbers) addPicture(place string) error {
	return n.addPlace(place, snippet.Number{Pictures: []string{place}})
}

// unquote takes off the quotation marks that an attribute's value may have.
var unquote = strings.NewReplacer(`"`, "", `'`, "")

// addPlace gives a place to the number that was begun last.
func (n *numbers) addPlace(place string, alone snippet.Number) error {
	alone.Digits = n.last
	if err := snippet.CheckNumbers([]snippet.Number{alone}); err != nil {
		return err
	}
	plain := unquote.Replace(place)
	if owner, taken := n.places[plain]; taken {
		return fmt.Errorf("place %q is given already, for %s: expected each place once", place, owner)
	}
	if n.places == nil {
		n.places = make(map[string]string)
	}
	n.places[plain] = n.last
	return nil
}

// digitsOf leaves out what people write between the digits of a number.
var digitsOf = strings.NewReplacer("+", "", " ", "", "\u00a0", "", "(", "", ")", "", "-", "", "\u2011", "", ".", "").Replace

// checkGroups refuses a number that is written in groups of which the first is not
// the country code: 8 (495) 123-45-67 would be a number of Vietnam.
func checkGroups(written, digits string) error {
	groups := strings.FieldsFunc(written, func(r rune) bool { return r < '0' || r > '9' })
	code := strconv.Itoa(countryCode(digits))
	if len(groups) == 1 || groups[0] == code || written[0] == '+' && strings.HasPrefix(groups[0], code) {
		return nil
	}
	return fmt.Errorf("expected the country code as its first group, such as +7 (495) 123-45-67; its digits begin with the country code %s", code)
}

// countryCode is the country calling code of a number in international form.
func countryCode(digits string) int {
	parsed, err := phonenumbers.Parse("+"+digits, "")
	if err != nil {
		return 0
	}
	return int(parsed.GetCountryCode())
}

// check refuses a picture that cannot be drawn.
func (p Picture) check() error {
	_, err := p.renderer()
	return err
}

// renderer draws in the picture's style. The font's path may hold placeholders.
func (p Picture) renderer() (*picture.Renderer, error) {
	font, err := caddy.NewReplacer().ReplaceOrErr(p.Font, true, true)
	if err != nil {
		return nil, fmt.Errorf("picture %q: font: %w", p.Place, err)
	}
	renderer, err := picture.New(picture.Style{Size: float64(p.Size), Color: p.Color, Font: font})
	if err != nil {
		return nil, fmt.Errorf("picture %q: %w", p.Place, err)
	}
	return renderer, nil
}

func checkPrerender(prerender string) error {
	switch prerender {
	case "", "off", "static":
		return nil
	case "dynamic":
		return errors.New("prerender dynamic: there are no pools of numbers yet; expected off or static")
	}
	return fmt.Errorf("prerender %q: expected off or static", prerender)
}

func checkAttribution(attribution number.Attribution) error {
	if attribution == "" {
		return nil
	}
	return attribution.Check()
}

// checkPrerendered refuses to prerender nothing.
func (h *Handler) checkPrerendered() error {
	if h.Prerender == "static" && !h.numbers.plan.HasStatic() {
		return errors.New("prerender static: expected a number with a static tracking number")
	}
	return nil
}
