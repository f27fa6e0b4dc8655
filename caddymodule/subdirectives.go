package caddymodule

import (
	"errors"
	"fmt"
)

// subdirectives read the lines of a handler's block: each is given the values
// that follow its name.
var subdirectives = map[string]func(h *Handler, values []string) error{
	"prefix": func(h *Handler, values []string) error {
		if len(values) != 1 || values[0] == "" {
			return errors.New("expected: prefix PATH, such as prefix /frontdesk/")
		}
		h.Prefix = withTrailingSlash(values[0])
		return checkPrefix(h.Prefix)
	},
	"objects": func(h *Handler, values []string) error {
		h.Objects = values
		return checkObjects(values)
	},
	"variant": func(h *Handler, values []string) error {
		if len(values) != 1 || values[0] == "" {
			return errors.New("expected: variant A, or: variant B")
		}
		h.Variant = values[0]
		return checkVariant(h.Variant)
	},
	"service": func(h *Handler, values []string) error {
		if len(values) != 1 || values[0] == "" {
			return errors.New("expected: service local")
		}
		h.Service = values[0]
		return checkService(h.Service)
	},
	"dynamical_replacement": func(h *Handler, values []string) (err error) {
		h.DynamicalReplacement, err = onOrOff("dynamical_replacement", values)
		return err
	},
	"phone_mask": func(h *Handler, values []string) error {
		if len(values) != 1 || values[0] == "" {
			return errors.New(`expected: phone_mask MASK in quotation marks, such as phone_mask "+7 (###) ###-##-##"`)
		}
		h.PhoneMask = values[0]
		return checkPhoneMask(h.PhoneMask)
	},
	"consent": func(h *Handler, values []string) error {
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
	},
	"origins": func(h *Handler, values []string) error {
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
	},
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
