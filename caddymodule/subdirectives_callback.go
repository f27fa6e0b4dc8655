package caddymodule

import (
	"errors"
	"strconv"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/number"
)

// readCallback reads the line before a callback's block, or the one that has no block.
func readCallback(h *Handler, values []string) error {
	off := len(values) == 1 && values[0] == "off"
	if len(values) > 0 && !off {
		return errors.New("expected: callback off, or: callback with a block, such as callback { phone 74951234567 }")
	}
	return h.ChangeCallback(func(s *callback.Settings) {
		if off {
			s.Off = &off
		}
	})
}

// callbackLine is a line of one word in a callback's block.
func callbackLine(expected string, set func(s *callback.Settings, value string) error) subdirective {
	return subdirective{read: func(h *Handler, values []string) error {
		if len(values) != 1 || values[0] == "" {
			return errors.New("expected: " + expected)
		}
		var failed error
		err := h.ChangeCallback(func(s *callback.Settings) { failed = set(s, values[0]) })
		if failed != nil {
			return failed
		}
		return err
	}}
}

var callbackBlock = block{
	of:       "callback",
	expected: "phone, captcha, countries, per_day, repeat, caller_id or platform",
	lines: map[string]subdirective{
		"phone": callbackLine("phone NUMBER, such as phone 74951234567", func(s *callback.Settings, value string) error {
			s.Phone = number.Digits(value)
			return nil
		}),
		"caller_id": callbackLine("caller_id NUMBER, such as caller_id 74951234567", func(s *callback.Settings, value string) error {
			s.CallerID = number.Digits(value)
			return nil
		}),
		"captcha": callbackLine("captcha on, or: captcha off", func(s *callback.Settings, value string) error {
			on, err := onOrOff("captcha", []string{value})
			s.Captcha = &on
			return err
		}),
		"per_day": callbackLine("per_day NUMBER, from 1 to "+strconv.Itoa(callback.MaxPerDay), func(s *callback.Settings, value string) error {
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 {
				return errors.New("expected: per_day NUMBER, from 1 to " + strconv.Itoa(callback.MaxPerDay))
			}
			s.PerDay = n
			return nil
		}),
		"platform": callbackLine("platform webhook, sip or twilio", func(s *callback.Settings, value string) error {
			s.Platform = value
			return nil
		}),
		"countries": {read: func(h *Handler, values []string) error {
			if len(values) == 0 {
				return errors.New("expected: countries COUNTRY..., in two letters each, such as countries RU KZ")
			}
			return h.ChangeCallback(func(s *callback.Settings) { s.Countries = values })
		}},
		"repeat": {read: func(h *Handler, values []string) error {
			const expected = "expected: repeat TIMES [PAUSE], such as repeat 2 5m; or: repeat 0"
			if len(values) < 1 || len(values) > 2 {
				return errors.New(expected)
			}
			times, err := strconv.Atoi(values[0])
			var pause time.Duration
			if err == nil && len(values) == 2 {
				pause, err = caddy.ParseDuration(values[1])
			}
			if err != nil || pause%time.Second != 0 || len(values) == 2 && pause <= 0 {
				return errors.New(expected)
			}
			return h.ChangeCallback(func(s *callback.Settings) { s.Repeat, s.PauseSeconds = &times, int(pause/time.Second) })
		}},
	},
}
