package edge

import (
	"fmt"
	"strconv"
	"strings"

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

// numbers are what is known of a site's numbers while they are set.
type numbers struct {
	plan   number.Plan
	places map[string]string // the number that each place belongs to
}

// setNumbers sets all of them, with their digits written plainly.
func (s *Settings) setNumbers(list []Number) error {
	s.Numbers, s.numbers = nil, numbers{}
	for _, n := range list {
		if err := s.setNumber(n); err != nil {
			return err
		}
	}
	return nil
}

func (s *Settings) setNumber(n Number) error {
	if err := s.AddNumber(n.Number); err != nil {
		return err
	}
	for _, target := range n.Targets {
		if err := s.AddTarget(target); err != nil {
			return err
		}
	}
	for _, selector := range n.Selectors {
		if err := s.AddSelector(selector); err != nil {
			return err
		}
	}
	for _, p := range n.Pictures {
		if err := s.AddPicture(p.Place); err != nil {
			return err
		}
		if err := p.Check(); err != nil {
			return err
		}
		*s.LastPicture() = p
	}
	for _, static := range n.Static {
		if err := s.AddStatic(static.Number, static.When); err != nil {
			return err
		}
	}
	return nil
}

// AddNumber begins a number, in any writing. What is added next belongs to it.
func (s *Settings) AddNumber(written string) error {
	digits := Digits(written)
	if err := snippet.CheckNumbers([]snippet.Number{{Digits: digits}}); err != nil {
		return err
	}
	if err := checkGroups(written, digits); err != nil {
		return fmt.Errorf("number %q: %w", written, err)
	}
	s.Numbers = append(s.Numbers, Number{Number: digits})
	return s.numbers.plan.Add(digits)
}

// AddStatic adds a tracking number for visitors of whom the conditions hold.
func (s *Settings) AddStatic(written string, when []string) error {
	n := s.lastNumber()
	digits := Digits(written)
	if err := snippet.CheckNumbers([]snippet.Number{{Digits: n.Number, Tracking: []snippet.Tracking{{Digits: digits}}}}); err != nil {
		return err
	}
	if err := checkGroups(written, digits); err != nil {
		return fmt.Errorf("static %q: %w", written, err)
	}
	conditions, err := number.ParseConditions(when)
	if err != nil {
		return fmt.Errorf("static %s: %w", digits, err)
	}
	n.Static = append(n.Static, Static{Number: digits, When: when})
	return s.numbers.plan.AddStatic(digits, conditions)
}

// AddTarget adds a place: #id, .class or [name=value].
func (s *Settings) AddTarget(place string) error {
	n := s.lastNumber()
	n.Targets = append(n.Targets, place)
	return s.addPlace(place, snippet.Number{Targets: []string{place}})
}

// AddSelector adds places by a CSS selector.
func (s *Settings) AddSelector(selector string) error {
	n := s.lastNumber()
	n.Selectors = append(n.Selectors, selector)
	return s.addPlace(selector, snippet.Number{Selectors: []string{selector}})
}

// AddPicture adds an image. How it is drawn is set in [Settings.LastPicture].
func (s *Settings) AddPicture(place string) error {
	n := s.lastNumber()
	n.Pictures = append(n.Pictures, Picture{Place: place})
	return s.addPlace(place, snippet.Number{Pictures: []string{place}})
}

// LastPicture is the image that was added last.
func (s *Settings) LastPicture() *Picture {
	n := s.lastNumber()
	return &n.Pictures[len(n.Pictures)-1]
}

func (s *Settings) lastNumber() *Number { return &s.Numbers[len(s.Numbers)-1] }

// unquote takes off the quotation marks that an attribute's value may have.
var unquote = strings.NewReplacer(`"`, "", `'`, "")

// addPlace gives a place to the number that was begun last.
func (s *Settings) addPlace(place string, alone snippet.Number) error {
	alone.Digits = s.lastNumber().Number
	if err := snippet.CheckNumbers([]snippet.Number{alone}); err != nil {
		return err
	}
	plain := unquote.Replace(place)
	if owner, taken := s.numbers.places[plain]; taken {
		return fmt.Errorf("place %q is given already, for %s: expected each place once", place, owner)
	}
	if s.numbers.places == nil {
		s.numbers.places = make(map[string]string)
	}
	s.numbers.places[plain] = alone.Digits
	return nil
}

// separators are what people write between the digits of a number.
var separators = strings.NewReplacer("+", "", " ", "", "\u00a0", "", "(", "", ")", "", "-", "", "\u2011", "", ".", "")

// Digits are those of a number in any writing. What has other signs is no number, and
// stays as it is written.
func Digits(written string) string {
	digits := separators.Replace(written)
	if strings.Trim(digits, "0123456789") != "" {
		return written
	}
	return digits
}

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

// Check refuses a picture that cannot be drawn.
func (p Picture) Check() error {
	_, err := p.renderer()
	return err
}

func (p Picture) renderer() (*picture.Renderer, error) {
	renderer, err := picture.New(picture.Style{Size: float64(p.Size), Color: p.Color, Font: p.Font})
	if err != nil {
		return nil, fmt.Errorf("picture %q: %w", p.Place, err)
	}
	return renderer, nil
}
