package callback

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/nyaruka/phonenumbers"
)

// Settings are a site's settings for callbacks. A field that is nil, empty or 0 is not set; see [Settings.Over].
type Settings struct {
	// Off refuses every request. Default: false.
	Off *bool `json:"off,omitempty"`

	// Phone is called first, unless the visitor chooses a group with a number of its own: an international number in
	// digits. Default: the number of the first group that has one.
	Phone string `json:"phone,omitempty"`

	// Captcha requires that the visitor first reads digits from a picture. Default: false.
	Captcha *bool `json:"captcha,omitempty"`

	// Countries are the countries whose numbers may be called: ISO 3166-1 alpha-2, such as `RU`. Default: the site's
	// region, and the country of the number that is called first.
	Countries []string `json:"countries,omitempty"`

	// PerDay limits the callbacks that visitors may request within 24 hours. Default: 200.
	PerDay int `json:"per_day,omitempty"`

	// Repeat is how often the call is repeated when somebody does not answer, from 0 to 10. Default: 2.
	Repeat *int `json:"repeat,omitempty"`

	// PauseSeconds is the pause before each further attempt, from 10 to 86400. Default: 300.
	PauseSeconds int `json:"pause_seconds,omitempty"`

	// CallerID is the number that both of them see: digits. Default: the platform's own.
	CallerID string `json:"caller_id,omitempty"`

	// Platform names the telephone platform: `webhook`, `sip` or `twilio`. Default: the one that is configured.
	Platform string `json:"platform,omitempty"`
}

const (
	// MaxPerDay is the largest Settings.PerDay.
	MaxPerDay = 10_000
	// maxRepeat is the largest Settings.Repeat.
	maxRepeat = 10

	defaultPerDay = 200
	defaultRepeat = 2
	defaultPause  = 5 * time.Minute
	minPause      = 10 * time.Second
	maxPause      = 24 * time.Hour
	maxCountries  = 250
)

// Platforms are the values of Settings.Platform.
var Platforms = []string{"webhook", "sip", "twilio"}

var dialled = regexp.MustCompile(`^[0-9]{3,15}$`)

// CheckPhone returns an error for a wrong number to call or to show: it needs digits without a plus sign. Short numbers
// belong to a company's own exchange.
func CheckPhone(digits string) error {
	if !dialled.MatchString(digits) {
		return errors.New("expected a number in international form, in digits, such as 74951234567")
	}
	return nil
}

// Check returns an error for wrong settings.
func (s Settings) Check() error {
	for _, number := range []struct{ name, digits string }{{"phone", s.Phone}, {"caller_id", s.CallerID}} {
		if number.digits == "" {
			continue
		}
		if err := CheckPhone(number.digits); err != nil {
			return fmt.Errorf("callback %s %.80q: %w", number.name, number.digits, err)
		}
	}
	if len(s.Countries) > maxCountries {
		return fmt.Errorf("callback countries: expected at most %d", maxCountries)
	}
	for _, country := range s.Countries {
		if !phonenumbers.GetSupportedRegions()[country] {
			return fmt.Errorf("callback countries %.80q: expected the two letters of countries, such as RU KZ", country)
		}
	}
	if s.PerDay < 0 || s.PerDay > MaxPerDay {
		return fmt.Errorf("callback per_day: expected a number from 1 to %d", MaxPerDay)
	}
	if s.Repeat != nil && (*s.Repeat < 0 || *s.Repeat > maxRepeat) {
		return fmt.Errorf("callback repeat: expected a number from 0 to %d", maxRepeat)
	}
	if pause := time.Duration(s.PauseSeconds) * time.Second; s.PauseSeconds != 0 && (pause < minPause || pause > maxPause) {
		return fmt.Errorf("callback repeat: expected a pause from %v to %v", minPause, maxPause)
	}
	if s.Platform != "" && !slices.Contains(Platforms, s.Platform) {
		return fmt.Errorf("callback platform %.80q: expected %s", s.Platform, strings.Join(Platforms, " or "))
	}
	return nil
}

// Over returns the settings, and takes missing ones from the defaults.
func (s *Settings) Over(defaults *Settings) *Settings {
	if s == nil || defaults == nil {
		return cmp.Or(s, defaults)
	}
	over := *s
	over.Off, over.Captcha, over.Repeat = cmp.Or(s.Off, defaults.Off), cmp.Or(s.Captcha, defaults.Captcha), cmp.Or(s.Repeat, defaults.Repeat)
	over.Phone, over.CallerID, over.Platform = cmp.Or(s.Phone, defaults.Phone), cmp.Or(s.CallerID, defaults.CallerID), cmp.Or(s.Platform, defaults.Platform)
	over.PerDay, over.PauseSeconds = cmp.Or(s.PerDay, defaults.PerDay), cmp.Or(s.PauseSeconds, defaults.PauseSeconds)
	if s.Countries == nil {
		over.Countries = defaults.Countries
	}
	return &over
}

// IsOff reports whether every request is refused.
func (s Settings) IsOff() bool { return s.Off != nil && *s.Off }

// AsksCaptcha reports whether a visitor first reads digits from a picture.
func (s Settings) AsksCaptcha() bool { return s.Captcha != nil && *s.Captcha && !s.IsOff() }

func (s Settings) perDay() int {
	if s.PerDay == 0 {
		return defaultPerDay
	}
	return s.PerDay
}

// most returns the number of attempts.
func (s Settings) most() int {
	if s.Repeat == nil {
		return 1 + defaultRepeat
	}
	return 1 + *s.Repeat
}

func (s Settings) pause() time.Duration {
	if s.PauseSeconds == 0 {
		return defaultPause
	}
	return time.Duration(s.PauseSeconds) * time.Second
}
