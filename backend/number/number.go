// Package number knows the numbers that are printed on a site's pages, and the tracking numbers that replace them,
// depending on where the visitor comes from. It reads and checks what a configuration or a site declares, and chooses
// for a source. It stores nothing: package inventory keeps the numbers, and package lease says who has one of a pool.
package number

import (
	"cmp"
	"strings"

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

	// How people read the numbers in its place, such as `+7 ({area}) {rest}`. Default:
	// as the printed one is written.
	Template string `json:"template,omitempty"`

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
	// What people call it, such as the name of a campaign.
	Name string `json:"name,omitempty"`

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

// Check returns an error if the picture cannot be drawn.
func (p Picture) Check() error {
	_, err := p.Renderer()
	return err
}

// Renderer returns the renderer that draws numbers for the picture.
func (p Picture) Renderer() (*picture.Renderer, error) {
	renderer, err := picture.New(picture.Style{Size: float64(p.Size), Color: p.Color, Font: p.Font})
	if err != nil {
		return nil, wrong("picture", []string{p.Place}, "picture %q: %v", p.Place, err)
	}
	return renderer, nil
}

// Declared is a number that is declared for a site.
type Declared struct {
	// Digits are in international form.
	Digits string
	// Tracking are the numbers that may replace it.
	Tracking []string
	// Conditions are the names of the campaigns of static tracking numbers, by digits; of those without a name the
	// conditions, as they are configured. The console leaves them out.
	Conditions map[string]string
}

// conditionsOf returns the Conditions of a [Declared].
func conditionsOf(n Number) map[string]string {
	conditions := make(map[string]string)
	for _, t := range n.Tracking {
		if name := cmp.Or(t.Name, strings.Join(t.When, " ")); t.Static != "" && name != "" {
			conditions[t.Static] = name
		}
	}
	return conditions
}
