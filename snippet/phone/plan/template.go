package plan

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// MaxTemplate is how many characters a template may have, and a number that is written by it.
const MaxTemplate = 64

// Placeholders of a template.
const (
	country       = "country"       // the country code: 7
	area          = "area"          // the area code: 495
	rest          = "rest"          // what is left of the number, grouped as its country groups it: 765-43-21
	national      = "national"      // the number as it is written at home: 8 (495) 765-43-21
	international = "international" // the number as it is written abroad: +7 495 765-43-21
)

var (
	errPlaceholder = errors.New("expected {country}, {area}, {rest}, {national} or {international} in braces")
	errLiteral     = errors.New("expected digits, spaces and + - ( ) . / around what is in braces")
	errTemplate    = fmt.Errorf("expected {rest}, {national} or {international} in it, and at most %d characters", MaxTemplate)
)

// CheckTemplate returns an error in the template itself, whatever number is written by it.
func CheckTemplate(template string) error {
	whole := false
	literal, err := fill(template, func(name, _ string) (string, error) {
		switch name {
		case country, area:
		case rest, national, international:
			whole = true
		default:
			return "", errPlaceholder
		}
		return "", nil
	})
	switch {
	case err != nil:
		return err
	case strings.Trim(literal, "0123456789 +-()./") != "":
		return errLiteral
	case !whole, len(template) > MaxTemplate:
		return errTemplate
	}
	return nil
}

// By returns the number as people are to read it: written by the template +7 ({area}) {rest}. The empty template gives
// the number itself. The error says what is wrong with the template, or why it does not write this number.
func (n *Number) By(template string) (*Number, error) {
	if template == "" {
		return n, nil
	}
	if err := CheckTemplate(template); err != nil {
		return nil, err
	}
	text, err := n.fill(template)
	if err != nil {
		return nil, err
	}
	form, means := n.Spells(text)
	signed := strings.HasPrefix(text, "+")
	switch {
	case !means, signed && form != International && form != CountryTrunk, strings.LastIndexByte(text, '+') > 0:
		return nil, fmt.Errorf("it makes %q of %s, which is another number", text, n.text)
	case strings.IndexAny(text, "+(0123456789") != 0, strings.LastIndexAny(text, "0123456789") != len(text)-1, len(text) > MaxTemplate:
		return nil, fmt.Errorf("it makes %q of %s: expected +, ( or a digit first, a digit last, and at most %d characters", text, n.text, MaxTemplate)
	}
	written := *n
	written.templated = text
	return &written, nil
}

// Templated returns the text that people are to read in the place of every writing of another number, or "".
func (n *Number) Templated() string { return n.templated }

// fill writes the number by a template that is checked.
func (n *Number) fill(template string) (string, error) {
	coded := false
	return fill(template, func(name, before string) (string, error) {
		switch name {
		case country:
			return n.Country, nil
		case area:
			if n.area == 0 {
				return "", fmt.Errorf("{area} is not known of %s: expected its digits, or {national}", n.text)
			}
			coded = true
			return n.National[:n.area], nil
		case national:
			return cmp.Or(n.home, n.text), nil
		case international:
			return n.text, nil
		case rest:
			if coded {
				return n.behind(n.area), nil
			}
			return n.behind(n.begun(before)), nil
		}
		return "", errPlaceholder
	})
}

// begun returns how many digits of the national number a text has that is the beginning of a writing. It is all of them
// if the text is no such beginning.
func (n *Number) begun(text string) int {
	digits := DigitsOf(text)
	for i := range n.Forms {
		f := &n.Forms[i]
		if start, ok := n.Start(f); ok && start <= len(digits) && strings.HasPrefix(f.Digits, digits) {
			return len(digits) - start
		}
	}
	return len(n.National)
}

// behind returns the number as it is written abroad, without the country code and the first digits of the national number.
func (n *Number) behind(digits int) string {
	text := n.text
	for range len(n.Country) + digits {
		text = text[strings.IndexAny(text, "0123456789")+1:]
	}
	return strings.TrimLeft(text, " -()./")
}

// fill replaces the placeholders of a template. value is given the text before each.
func fill(template string, value func(name, before string) (string, error)) (string, error) {
	var text strings.Builder
	for {
		literal, behind, opens := strings.Cut(template, "{")
		text.WriteString(literal)
		if !opens {
			return text.String(), nil
		}
		name, after, closed := strings.Cut(behind, "}")
		if !closed {
			return "", errPlaceholder
		}
		filled, err := value(name, text.String())
		if err != nil {
			return "", err
		}
		text.WriteString(filled)
		template = after
	}
}
