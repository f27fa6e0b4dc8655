package number

import (
	"strings"

	"github.com/seed-3405227d/frontdesk/snippet"
)

// AddTarget adds a place: #id, .class or [name=value].
func (d *Declaration) AddTarget(place string) error {
	n := d.lastNumber()
	n.Targets = append(n.Targets, place)
	return d.addPlace(place, snippet.Number{Targets: []string{place}})
}

// AddSelector adds places by a CSS selector.
func (d *Declaration) AddSelector(selector string) error {
	n := d.lastNumber()
	n.Selectors = append(n.Selectors, selector)
	return d.addPlace(selector, snippet.Number{Selectors: []string{selector}})
}

// AddPicture adds an image. [Declaration.LastPicture] says how it is drawn.
func (d *Declaration) AddPicture(place string) error {
	n := d.lastNumber()
	n.Pictures = append(n.Pictures, Picture{Place: place})
	return d.addPlace(place, snippet.Number{Pictures: []string{place}})
}

// LastPicture returns the last image that was added.
func (d *Declaration) LastPicture() *Picture {
	n := d.lastNumber()
	return &n.Pictures[len(n.Pictures)-1]
}

// unquote removes quotation marks, which an attribute's value in a place may have.
var unquote = strings.NewReplacer(`"`, "", `'`, "")

// addPlace gives a place to the last number.
func (d *Declaration) addPlace(place string, alone snippet.Number) error {
	alone.Digits = d.lastNumber().Number
	if err := snippet.CheckNumbers([]snippet.Number{alone}); err != nil {
		return wrong("place", []string{place}, "%v", err)
	}
	plain := unquote.Replace(place)
	if owner, taken := d.places[plain]; taken {
		return About("place_taken", "place %q is given already, for %s: expected each place once", place, owner)
	}
	if d.places == nil {
		d.places = make(map[string]string)
	}
	d.places[plain] = alone.Digits
	return nil
}
