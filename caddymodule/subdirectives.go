package caddymodule

import (
	"errors"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/number"
)

// subdirective is a line of a block.
type subdirective struct {
	read  func(h *Handler, values []string) error // the values follow the line's name
	many  bool                                    // there may be several
	block *block                                  // that may follow; nil for none
}

// block is what may stand between braces.
type block struct {
	of       string // the name that it follows
	expected string
	lines    map[string]subdirective
}

// handlerBlock is the handler's own.
var handlerBlock = block{
	of:       "frontdesk",
	expected: "prefix, objects, variant, service, dynamical_replacement, phone_mask, consent, origins, number, prerender or attribution",
	lines:    subdirectives,
}

var subdirectives = map[string]subdirective{
	"prefix": {read: func(h *Handler, values []string) error {
		if len(values) != 1 || values[0] == "" {
			return errors.New("expected: prefix PATH, such as prefix /frontdesk/")
		}
		h.Prefix = withTrailingSlash(values[0])
		return checkPrefix(h.Prefix)
	}},
	"objects": {read: func(h *Handler, values []string) error {
		h.Objects = values
		return checkObjects(values)
	}},
	"variant": {read: func(h *Handler, values []string) error {
		if len(values) != 1 || values[0] == "" {
			return errors.New("expected: variant A, or: variant B")
		}
		h.Variant = values[0]
		return checkVariant(h.Variant)
	}},
	"service": {read: func(h *Handler, values []string) error {
		if len(values) != 1 || values[0] == "" {
			return errors.New("expected: service local")
		}
		h.Service = values[0]
		return checkService(h.Service)
	}},
	"dynamical_replacement": {read: func(h *Handler, values []string) (err error) {
		h.DynamicalReplacement, err = onOrOff("dynamical_replacement", values)
		return err
	}},
	"phone_mask": {read: func(h *Handler, values []string) error {
		if len(values) != 1 || values[0] == "" {
			return errors.New(`expected: phone_mask MASK in quotation marks, such as phone_mask "+7 (###) ###-##-##"`)
		}
		h.PhoneMask = values[0]
		return checkPhoneMask(h.PhoneMask)
	}},
	"consent": {read: func(h *Handler, values []string) error {
		if len(values) < 1 || len(values) > 2 {
			return errors.New("expected: consent off, or: consent COOKIE [VALUE]")
		}
		if len(values) == 1 && values[0] == "off" {
			return nil
		}
		h.Consent = &Consent{Cookie: values[0]}
		if len(values) == 2 {
			h.Consent.Value = values[1]
		}
		return checkConsent(h.Consent)
	}},
	"origins": {read: func(h *Handler, values []string) error {
		if len(values) == 0 {
			return errors.New("expected: origins ORIGIN..., such as origins https://m.shop.example")
		}
		for _, origin := range values {
			if err := checkOrigin(origin); err != nil {
				return err
			}
		}
		h.Origins = append(h.Origins, values...)
		return nil
	}, many: true},
	"number": {read: readNumber, many: true, block: &numberBlock},
	"prerender": {read: func(h *Handler, values []string) error {
		if len(values) != 1 || values[0] == "" {
			return errors.New("expected: prerender off, or: prerender static")
		}
		h.Prerender = values[0]
		return checkPrerender(h.Prerender)
	}},
	"attribution": {read: func(h *Handler, values []string) error {
		if len(values) != 1 || values[0] == "" {
			return errors.New("expected: attribution first, last or last_non_direct")
		}
		h.Attribution = number.Attribution(values[0])
		return checkAttribution(h.Attribution)
	}},
}

func onOrOff(name string, values []string) (bool, error) {
	if len(values) == 1 {
		switch values[0] {
		case "on":
			return true, nil
		case "off":
			return false, nil
		}
	}
	return false, fmt.Errorf("expected: %s on, or: %s off", name, name)
}
