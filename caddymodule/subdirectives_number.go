package caddymodule

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/caddymodule/placeholder"
)

// The lines of a number's block speak of the number that was begun last, and those
// of a picture's block of its last picture. What is read is checked as it comes, so
// that an error names its line.

var readNumber = one(`expected: number DIGITS, such as number 74951234567; in quotation marks when there are spaces`, (*number.Declaration).AddNumber)

// one reads a line of one value.
func one(expected string, add func(*number.Declaration, string) error) func(*Handler, []string) error {
	return func(h *Handler, values []string) error {
		if len(values) != 1 || values[0] == "" {
			return errors.New(expected)
		}
		return add(h.Declaration(), values[0])
	}
}

var numberBlock = block{
	of:       "number",
	expected: "target, selector, picture, template, static or dynamic",
	lines: map[string]subdirective{
		"target": {many: true, read: func(h *Handler, values []string) error {
			if len(values) == 0 {
				return errors.New(`expected: target PLACE..., such as target .phone "#callme" [name=tel]`)
			}
			for _, place := range values {
				if err := h.Declaration().AddTarget(place); err != nil {
					return err
				}
			}
			return nil
		}},
		"selector": {many: true, read: one(`expected: selector SELECTOR in quotation marks, such as selector "footer a.tel"`, (*number.Declaration).AddSelector)},
		"picture": {many: true, block: &pictureBlock,
			read: one(`expected: picture PLACE, such as picture .phone-img; in quotation marks when there are spaces`, (*number.Declaration).AddPicture)},
		"template": {read: one(`expected: template TEXT in quotation marks, such as template "+7 ({area}) {rest}"`, (*number.Declaration).SetTemplate)},
		"static": {many: true, read: func(h *Handler, values []string) error {
			if len(values) == 0 {
				return errors.New("expected: static DIGITS [CONDITION...], such as static 74957654321 utm_source=news*")
			}
			return h.Declaration().AddStatic(values[0], values[1:])
		}},
		"dynamic": {many: true, read: func(h *Handler, values []string) error {
			// Conditions begin with the first word that is no number, but for a pool's name.
			numbers := slices.IndexFunc(values, func(v string) bool { return strings.Trim(number.Digits(v), "0123456789") != "" })
			switch {
			case len(values) == 0:
				return errors.New("expected: dynamic DIGITS... [CONDITION...], or: dynamic POOL [CONDITION...]")
			case numbers == 0:
				return h.Declaration().AddPool(values[0], values[1:])
			case numbers < 0:
				numbers = len(values)
			}
			if err := h.Declaration().AddDynamic(values[:numbers], values[numbers:]); err != nil {
				return err
			}
			for _, pool := range h.Declaration().OwnPools() {
				if err := h.pooled.claim(pool); err != nil {
					return err
				}
			}
			return nil
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
			p := h.Declaration().LastPicture()
			p.Size = size
			return number.Picture{Place: p.Place, Size: size}.Check()
		}},
		"color": {read: func(h *Handler, values []string) error {
			if len(values) != 1 || values[0] == "" {
				return errors.New(`expected: color COLOR, such as color "#333" or color navy`)
			}
			p := h.Declaration().LastPicture()
			p.Color = values[0]
			return number.Picture{Place: p.Place, Color: p.Color}.Check()
		}},
		"font": {read: func(h *Handler, values []string) error {
			if len(values) != 1 || values[0] == "" {
				return errors.New("expected: font FILE, such as font /etc/caddy/brand.ttf")
			}
			p := h.Declaration().LastPicture()
			p.Font = values[0]
			if placeholder.In(p.Font) {
				return nil // resolved when the configuration is loaded
			}
			return number.Picture{Place: p.Place, Font: p.Font}.Check()
		}},
	},
}
