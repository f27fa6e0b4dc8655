package caddymodule

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/attribution"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/edge/effect"
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
	end      func(h *Handler) error // checks what the lines say together; nil for nothing
}

// handlerBlock is the handler's own.
var handlerBlock = block{
	of:       "frontdesk",
	expected: "prefix, objects, variant, service, dynamical_replacement, messengers, supersede, phone_mask, region, timezone, person_days, currency, consent, respect, origins, cookies, number, capture, callback, ignore_forms, credentials, prerender, attribution, widget, quota or limits",
	lines:    subdirectives,
}

// of is a subdirective of one value, which set takes. Expected says how it is written.
func of(expected string, set func(h *Handler, value string) error) subdirective {
	return subdirective{read: func(h *Handler, values []string) error {
		if len(values) != 1 || values[0] == "" {
			return errors.New(expected)
		}
		return set(h, values[0])
	}}
}

var subdirectives = map[string]subdirective{
	"prefix": of("expected: prefix PATH, such as prefix /frontdesk/", (*Handler).SetPrefix),
	"objects": {read: func(h *Handler, values []string) error {
		return h.SetObjects(append([]string{}, values...))
	}},
	"variant": of("expected: variant A, or: variant B", (*Handler).SetVariant),
	"service": {read: func(h *Handler, values []string) error {
		if len(values) < 1 || len(values) > 2 || values[0] == "" {
			return errors.New("expected: service local, or: service URL [TRACKER_URL], such as service https://desk.example/frontdesk/")
		}
		return h.SetService(values[0], strings.Join(values[1:], ""))
	}},
	"dynamical_replacement": {read: func(h *Handler, values []string) error {
		on, err := onOrOff("dynamical_replacement", values)
		h.DynamicalReplacement = &on
		return err
	}},
	"messengers": {read: func(h *Handler, values []string) (err error) {
		h.Messengers, err = onOrOff("messengers", values)
		return err
	}},
	"supersede": {read: func(h *Handler, values []string) (err error) {
		h.Supersede, err = onOrOff("supersede", values)
		return err
	}},
	"phone_mask": of(`expected: phone_mask MASK in quotation marks, such as phone_mask "+7 (###) ###-##-##"`, (*Handler).SetPhoneMask),
	"region":     of("expected: region COUNTRY in two letters, such as region RU", (*Handler).SetRegion),
	"timezone":   of("expected: timezone NAME, such as timezone Europe/Berlin", (*Handler).SetTimezone),
	"person_days": of("expected: person_days DAYS, such as person_days 30", func(h *Handler, value string) error {
		days, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("person_days %.20q: expected 1 to 365 days", value)
		}
		h.PersonDays = days
		return site.CheckPersonDays(days)
	}),
	"currency": of("expected: currency CODE, such as currency EUR", (*Handler).SetCurrency),
	"consent": {read: func(h *Handler, values []string) error {
		if len(values) < 1 || len(values) > 2 {
			return errors.New("expected: consent off, or: consent COOKIE [VALUE]")
		}
		if len(values) == 1 && values[0] == "off" {
			return nil
		}
		consent := &effect.Consent{Cookie: values[0]}
		if len(values) == 2 {
			consent.Value = values[1]
		}
		return h.SetConsent(consent)
	}},
	"respect": {read: func(h *Handler, values []string) error {
		if len(values) == 0 {
			return errors.New("expected: respect gpc, respect dnt, or: respect gpc dnt")
		}
		return h.SetRespect(values)
	}},
	"cookies": {read: func(h *Handler, values []string) error {
		if len(values) != 1 {
			return errors.New("expected: cookies host, or: cookies domain")
		}
		return h.SetCookies(values[0])
	}},
	"origins": {read: func(h *Handler, values []string) error {
		if len(values) == 0 {
			return errors.New("expected: origins ORIGIN..., such as origins https://m.shop.example")
		}
		return h.AddOrigins(values...)
	}, many: true},
	"capture":     {read: readCapture, many: true, block: &captureBlock},
	"callback":    {read: readCallback, block: &callbackBlock},
	"credentials": of("expected: credentials SELECTOR, such as credentials form.contact", (*Handler).SetCredentials),
	"ignore_forms": {read: func(h *Handler, values []string) (err error) {
		h.IgnoreForms, err = onOrOff("ignore_forms", values)
		return err
	}},
	"number":    {read: readNumber, many: true, block: &numberBlock},
	"prerender": of("expected: prerender off, static or dynamic", (*Handler).SetPrerender),
	"attribution": {read: func(h *Handler, values []string) error {
		if len(values) != 1 || values[0] == "" {
			return errors.New("expected: attribution first, last or last_non_direct")
		}
		return h.SetAttribution(attribution.Model(values[0]))
	}},
	"widget": {read: readWidget, block: &widgetBlock},
	"limits": {read: readLimits, block: &limitsBlock},
	"quota": {read: func(_ *Handler, values []string) error {
		if len(values) != 0 {
			return errors.New("expected: quota with a block, such as quota { visitor 20MB }")
		}
		return nil
	}, block: &quotaBlock},
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
