package edge

import (
	"fmt"
	"slices"
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

	// What visitors see in its place, by their source. The first whose conditions hold
	// is shown.
	Tracking []Tracking `json:"tracking,omitempty"`
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

// Tracking is what visitors of some sources see: one of `static`, `dynamic` and `pool`.
type Tracking struct {
	// A tracking number that all of them see, written like the other.
	Static string `json:"static,omitempty"`

	// Tracking numbers of which each visitor has another for a while.
	Dynamic []string `json:"dynamic,omitempty"`

	// The name of one of the app's pools, which has such numbers.
	Pool string `json:"pool,omitempty"`

	// The conditions, such as `utm_source=news*`. Those on one field are
	// alternatives, those on different fields have to hold all. Default: all
	// visitors.
	When []string `json:"when,omitempty"`
}

// numbers are what is known of a site's numbers while they are set.
type numbers struct {
	plan   number.Plan
	places map[string]string       // the number that each place belongs to
	named  map[string]*number.Pool // the app's; nil while they are not known
}

// setNumbers sets all of them, with their digits written plainly.
func (s *Settings) setNumbers(list []Number) error {
	s.Numbers, s.numbers = nil, numbers{named: s.numbers.named}
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
	for _, t := range n.Tracking {
		if err := s.addTracking(t); err != nil {
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

func (s *Settings) addTracking(t Tracking) error {
	given := 0
	for _, is := range []bool{t.Static != "", len(t.Dynamic) > 0, t.Pool != ""} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return fmt.Errorf("tracking of number %s: expected one of static, dynamic and pool", s.lastNumber().Number)
	case t.Static != "":
		return s.AddStatic(t.Static, t.When)
	case t.Pool != "":
		return s.AddPool(t.Pool, t.When)
	}
	return s.AddDynamic(t.Dynamic, t.When)
}

// AddStatic adds a tracking number for visitors of whom the conditions hold.
func (s *Settings) AddStatic(written string, when []string) error {
	digits, err := TrackingNumber(written)
	if err != nil {
		return fmt.Errorf("static: %w", err)
	}
	conditions, err := number.ParseConditions(when)
	if err != nil {
		return fmt.Errorf("static %s: %w", digits, err)
	}
	n := s.lastNumber()
	n.Tracking = append(n.Tracking, Tracking{Static: digits, When: when})
	return s.numbers.plan.AddStatic(digits, conditions)
}

// AddDynamic adds numbers of which each visitor, of whom the conditions hold, has another for
// a while. They are a pool by themselves, which bears the name of the printed number.
func (s *Settings) AddDynamic(written, when []string) error {
	n := s.lastNumber()
	pool := &number.Pool{Name: n.Number}
	for _, other := range n.Tracking {
		if len(other.Dynamic) > 0 {
			return fmt.Errorf("number %s has dynamic numbers already: expected them once; a pool with a name can stand in several lines", n.Number)
		}
	}
	for _, w := range written {
		digits, err := TrackingNumber(w)
		if err != nil {
			return fmt.Errorf("dynamic: %w", err)
		}
		pool.Digits = append(pool.Digits, digits)
	}
	conditions, err := number.ParseConditions(when)
	if err == nil {
		err = pool.Complete()
	}
	if err != nil {
		return fmt.Errorf("dynamic: %w", err)
	}
	n.Tracking = append(n.Tracking, Tracking{Dynamic: pool.Digits, When: when})
	return s.numbers.plan.AddDynamic(pool, conditions)
}

// AddPool adds the numbers of a pool in the same way.
func (s *Settings) AddPool(name string, when []string) error {
	pool := s.numbers.named[name]
	switch {
	case !number.IsPoolName(name):
		return fmt.Errorf("dynamic %q: expected numbers, or the name of a pool: a small letter, and small letters, digits and hyphens behind it", name)
	case s.numbers.named == nil:
		if pool = s.numbers.plan.Pool(name); pool == nil {
			pool = &number.Pool{Name: name}
		}
	case pool == nil:
		return fmt.Errorf("dynamic %s: there is no such pool; expected pool %s NUMBER... in the global options of frontdesk", name, name)
	}
	conditions, err := number.ParseConditions(when)
	if err != nil {
		return fmt.Errorf("dynamic %s: %w", name, err)
	}
	n := s.lastNumber()
	n.Tracking = append(n.Tracking, Tracking{Pool: name, When: when})
	return s.numbers.plan.AddDynamic(pool, conditions)
}

// trackingOf are all numbers that visitors may see in the place of the number.
func (s *Settings) trackingOf(n Number) []string {
	var all []string
	for _, t := range n.Tracking {
		switch {
		case t.Static != "":
			all = append(all, t.Static)
		case t.Pool != "":
			all = append(all, s.numbers.named[t.Pool].All()...)
		default:
			all = append(all, t.Dynamic...)
		}
	}
	seen := make(map[string]bool, len(all)) // a pool may stand in several lines
	return slices.DeleteFunc(all, func(digits string) bool {
		defer func() { seen[digits] = true }()
		return seen[digits]
	})
}

// OwnPools are the pools that are of these settings alone.
func (s *Settings) OwnPools() (own []*number.Pool) {
	for _, n := range s.Numbers {
		if pool := s.numbers.plan.Pool(n.Number); pool != nil {
			own = append(own, pool)
		}
	}
	return own
}

// UsePools makes the app's pools known by their names. They are complete.
func (s *Settings) UsePools(pools map[string]*number.Pool) {
	s.numbers.named = pools
	if pools == nil {
		s.numbers.named = make(map[string]*number.Pool)
	}
}

// TrackingNumber reads a tracking number in any writing.
func TrackingNumber(written string) (digits string, err error) {
	digits = Digits(written)
	if err := snippet.CheckNumbers([]snippet.Number{{Digits: digits}}); err != nil {
		return "", err
	}
	if err := checkGroups(written, digits); err != nil {
		return "", fmt.Errorf("number %q: %w", written, err)
	}
	return digits, nil
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

// Digits leaves out what people write between the digits of a number.
var Digits = strings.NewReplacer("+", "", " ", "", "\u00a0", "", "(", "", ")", "", "-", "", "\u2011", "", ".", "").Replace

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
