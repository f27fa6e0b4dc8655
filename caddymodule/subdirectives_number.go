package caddymodule

import (
	"errors"
	"strconv"
)

// The lines of a number's block speak of the number that was begun last, and those
// of a picture's block of its last picture. What is read is checked as it comes, so
// that an error names its line.

func readNumber(h *Handler, values []string) error {
	if len(values) != 1 {
		return errors.New(`expected: number DIGITS, such as number 74951234567; in quotation marks when there are spaces`)
	}
	digits, err := h.numbers.add(values[0])
	h.Numbers = append(h.Numbers, Number{Number: digits})
	return err
}

var numberBlock = block{
	of:       "number",
	expected: "target, selector, picture or static",
	lines: map[string]subdirective{
		"target": {many: true, read: func(h *Handler, values []string) error {
			if len(values) == 0 {
				return errors.New(`expected: target PLACE..., such as target .phone "#callme" [name=tel]`)
			}
			n := h.lastNumber()
			for _, place := range values {
				if err := h.numbers.addTarget(place); err != nil {
					return err
				}
				n.Targets = append(n.Targets, place)
			}
			return nil
		}},
		"selector": {many: true, read: func(h *Handler, values []string) error {
			if len(values) != 1 {
				return errors.New(`expected: selector SELECTOR in quotation marks, such as selector "footer a.tel"`)
			}
			n := h.lastNumber()
			n.Selectors = append(n.Selectors, values[0])
			return h.numbers.addSelector(values[0])
		}},
		"picture": {many: true, block: &pictureBlock, read: func(h *Handler, values []string) error {
			if len(values) != 1 {
				return errors.New(`expected: picture PLACE, such as picture .phone-img; in quotation marks when there are spaces`)
			}
			n := h.lastNumber()
			n.Pictures = append(n.Pictures, Picture{Place: values[0]})
			return h.numbers.addPicture(values[0])
		}},
		"static": {many: true, read: func(h *Handler, values []string) error {
			if len(values) == 0 {
				return errors.New("expected: static DIGITS [CONDITION...], such as static 74957654321 utm_source=news*")
			}
			n := h.lastNumber()
			digits, err := h.numbers.addStatic(values[0], values[1:])
			n.Static = append(n.Static, Static{Number: digits, When: values[1:]})
			return err
		}},
		"dynamic": {read: func(*Handler, []string) error {
			return errors.New("dynamic: there are no pools of numbers yet; expected target, selector, picture or static")
		}},
	},
}

var pictureBlock = block{
	of:       "picture",
	expected: "size, color or font",
	lines: map[string]subdirective{
		"size": {read: func(h *Handler, values []string) error {
			size := 0
			if len(values) == 1 {
				size, _ = strconv.Atoi(values[0])
			}
			if size <= 0 {
				return errors.New("expected: size PIXELS, from 8 to 200")
			}
			p := h.lastPicture()
			p.Size = size
			return Picture{Place: p.Place, Size: size}.check()
		}},
		"color": {read: func(h *Handler, values []string) error {
			if len(values) != 1 || values[0] == "" {
				return errors.New(`expected: color COLOR, such as color "#333" or color navy`)
			}
			p := h.lastPicture()
			p.Color = values[0]
			return Picture{Place: p.Place, Color: p.Color}.check()
		}},
		"font": {read: func(h *Handler, values []string) error {
			if len(values) != 1 || values[0] == "" {
				return errors.New("expected: font FILE, such as font /etc/caddy/brand.ttf")
			}
			p := h.lastPicture()
			p.Font = values[0]
			if hasPlaceholder(p.Font) {
				return nil // resolved when the configuration is loaded
			}
			return Picture{Place: p.Place, Font: p.Font}.check()
		}},
	},
}

func (h *Handler) lastNumber() *Number { return &h.Numbers[len(h.Numbers)-1] }

func (h *Handler) lastPicture() *Picture {
	n := h.lastNumber()
	return &n.Pictures[len(n.Pictures)-1]
}
