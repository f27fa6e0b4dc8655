package site

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/attribution"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/site/appearance"
)

// Settings are the stored settings of a site. A nil field is not set: the configuration's value holds, see
// [Settings.Over].
type Settings struct {
	// PhoneMask has # for each digit; see [CheckPhoneMask]. Empty means no mask.
	PhoneMask *string `json:"phone_mask,omitempty"`
	// Region is the country of numbers without a country code; see [CheckRegion]. Empty means the country of the site's
	// numbers or mask.
	Region *string `json:"region,omitempty"`
	// Timezone is the IANA name of the time zone in which the site's days begin; see [CheckTimezone]. Empty means UTC.
	Timezone *string `json:"timezone,omitempty"`
	// PersonDays is how many days after an inquiry another one with the same contact, or of the same visitor, is the same
	// person's in reports; see [CheckPersonDays].
	PersonDays *int `json:"person_days,omitempty"`
	// Currency is that of the site's sums and costs: ISO 4217; see [CheckCurrency]. Empty means that it is not told.
	Currency *string `json:"currency,omitempty"`
	// DynamicalReplacement replaces numbers in blocks that a page adds later. Without it, the script does so, too.
	DynamicalReplacement *bool `json:"dynamical_replacement,omitempty"`
	// Messengers changes links that write to a number as those that call it.
	Messengers *bool `json:"messengers,omitempty"`
	// Supersede puts the code of another service with the same interface out of action in pages that get this one's.
	Supersede *bool `json:"supersede,omitempty"`
	// Prerender is "off", "static" or "dynamic".
	Prerender *string `json:"prerender,omitempty"`
	// Attribution says which of a visitor's visits decides which numbers are shown.
	Attribution *attribution.Model `json:"attribution,omitempty"`
	// Consent is the cookie without which nothing is set or stored.
	Consent *Consent `json:"consent,omitempty"`
	// Respect are the signals of browsers that mean no consent; see [CheckRespect]. An empty list that is not nil means
	// that there are none.
	Respect []string `json:"respect,omitzero"`
	// RetentionDays is for how many days visits are kept after they have ended; see [CheckRetentionDays]. A shorter time
	// of the configuration counts.
	RetentionDays *int `json:"retention_days,omitempty"`
	// Origins are further origins of the site, at most [MaxOrigins]. An empty list that is not nil means that there are
	// none.
	Origins []string `json:"origins,omitzero"`
	// Numbers are the site's own numbers, which override and add to those of the configuration; see [number.Own].
	Numbers []number.Number `json:"numbers,omitzero"`
	// Pools are the site's own pools, by name.
	Pools map[string]number.DeclaredPool `json:"pools,omitzero"`
	// Captures are the site's own rules for kept forms, at most [MaxCaptures]. They come before those of the
	// configuration.
	Captures []capture.Rule `json:"captures,omitzero"`
	// IgnoreForms lets forms pass without a look that no rule keeps.
	IgnoreForms *bool `json:"ignore_forms,omitempty"`
	// Credentials is the CSS selector of the forms into which the script writes the credentials. Empty means none.
	Credentials *string `json:"credentials,omitempty"`
	// Callback sets how visitors are called back. It overrides the configuration field by field.
	Callback *callback.Settings `json:"callback,omitempty"`
	// Widget sets the site's panels. It overrides the configuration field by field.
	Widget *appearance.Widget `json:"widget,omitempty"`
	// GuideHidden says that the console does not show what may be set up next.
	GuideHidden *bool `json:"guide_hidden,omitempty"`
}

// Own returns the numbers and pools.
func (s Settings) Own() number.Own { return number.Own{Numbers: s.Numbers, Pools: s.Pools} }

// PersonWindow is what [Settings.PersonDays] says; 30 days, unless the settings say otherwise.
func (s Settings) PersonWindow() time.Duration {
	days := DefaultPersonDays
	if s.PersonDays != nil {
		days = *s.PersonDays
	}
	return time.Duration(days) * 24 * time.Hour
}

// Zone returns the time zone: UTC, unless the settings name another that this machine knows.
func (s Settings) Zone() *time.Location {
	if s.Timezone != nil {
		if zone, err := time.LoadLocation(*s.Timezone); err == nil {
			return zone
		}
	}
	return time.UTC
}

// Consent describes the cookie that shows that a visitor has agreed to be tracked.
type Consent struct {
	// Cookie is its name. Empty: no consent is required.
	Cookie string `json:"cookie"`
	// Value is the value that means yes, with * for any text. Empty: any value.
	Value string `json:"value,omitempty"`
}

// Fixed is a line of a site's block in a configuration that only whoever runs the server may change.
type Fixed struct {
	// Directive is its name, such as prefix or quota.
	Directive string
	// Value is what follows it, as people read it.
	Value string
}

// Invalid is the error for a wrong value of a setting. Its text names the setting and what was expected; it may be
// shown.
type Invalid struct {
	// Setting is the name of the setting in JSON.
	Setting string
	Err     error
}

func (e *Invalid) Error() string { return e.Err.Error() }

// Unwrap returns the error without the setting's name.
func (e *Invalid) Unwrap() error { return e.Err }

// Check returns an [Invalid] for the first wrong value.
func (s Settings) Check() error {
	for _, one := range []struct {
		name string
		err  error
	}{
		{"phone_mask", checkSet(s.PhoneMask, CheckPhoneMask)},
		{"region", checkSet(s.Region, CheckRegion)},
		{"timezone", checkSet(s.Timezone, CheckTimezone)},
		{"person_days", checkSet(s.PersonDays, CheckPersonDays)},
		{"currency", checkSet(s.Currency, CheckCurrency)},
		{"prerender", checkSet(s.Prerender, CheckPrerender)},
		{"attribution", checkSet(s.Attribution, attribution.Model.Check)},
		{"consent", checkSet(s.Consent, Consent.Check)},
		{"respect", CheckRespect(s.Respect)},
		{"retention_days", checkSet(s.RetentionDays, CheckRetentionDays)},
		{"origins", checkOrigins(s.Origins)},
		{"captures", checkCaptures(s.Captures)},
		{"credentials", checkSet(s.Credentials, CheckCredentials)},
		{"callback", checkSet(s.Callback, callback.Settings.Check)},
	} {
		if one.err != nil {
			return &Invalid{one.name, one.err}
		}
	}
	if name, err := s.Widget.Check(); err != nil {
		return &Invalid{"widget." + name, err}
	}
	if err := s.Own().Check(); err != nil {
		name := "numbers"
		if wrong := (*number.FieldError)(nil); s.Numbers == nil || errors.As(err, &wrong) && wrong.Pool != "" {
			name = "pools"
		}
		return &Invalid{name, err}
	}
	return nil
}

// Over returns the settings, and takes missing ones from the defaults. A field that neither sets is nil.
// [number.Own.Over] says how own numbers override configured ones.
func (s Settings) Over(defaults Settings) Settings {
	s.PhoneMask = cmp.Or(s.PhoneMask, defaults.PhoneMask)
	s.Region = cmp.Or(s.Region, defaults.Region)
	s.Timezone = cmp.Or(s.Timezone, defaults.Timezone)
	s.PersonDays = cmp.Or(s.PersonDays, defaults.PersonDays)
	s.Currency = cmp.Or(s.Currency, defaults.Currency)
	s.DynamicalReplacement = cmp.Or(s.DynamicalReplacement, defaults.DynamicalReplacement)
	s.Messengers = cmp.Or(s.Messengers, defaults.Messengers)
	s.Supersede = cmp.Or(s.Supersede, defaults.Supersede)
	s.Prerender = cmp.Or(s.Prerender, defaults.Prerender)
	s.Attribution = cmp.Or(s.Attribution, defaults.Attribution)
	s.Consent = cmp.Or(s.Consent, defaults.Consent)
	s.RetentionDays = cmp.Or(s.RetentionDays, defaults.RetentionDays)
	s.IgnoreForms = cmp.Or(s.IgnoreForms, defaults.IgnoreForms)
	s.Credentials = cmp.Or(s.Credentials, defaults.Credentials)
	s.Callback = s.Callback.Over(defaults.Callback)
	s.GuideHidden = cmp.Or(s.GuideHidden, defaults.GuideHidden)
	if s.Respect == nil {
		s.Respect = defaults.Respect
	}
	if s.Origins == nil {
		s.Origins = defaults.Origins
	}
	if s.Numbers == nil {
		s.Numbers = defaults.Numbers
	}
	if s.Pools == nil {
		s.Pools = defaults.Pools
	}
	if s.Captures == nil {
		s.Captures = defaults.Captures
	}
	s.Widget = s.Widget.Over(defaults.Widget)
	return s
}

// fields are stored settings: each value by its name. Some may only be known to a newer program.
type fields map[string]json.RawMessage

// fieldsOf reads stored settings. Anything but a JSON object has no fields.
func fieldsOf(stored string) (fields, error) {
	var f fields
	if err := json.Unmarshal([]byte(stored), &f); err != nil {
		return fields{}, fmt.Errorf("reading the settings of a site: %w", err)
	}
	if f == nil { // null
		f = fields{}
	}
	return f, nil
}

// settings returns the fields that this program knows. It leaves out those with a wrong value, and returns their names.
func (f fields) settings() (s Settings, refused []string) {
	for _, name := range slices.Sorted(maps.Keys(f)) {
		var one Settings
		text, err := json.Marshal(fields{name: f[name]})
		if err == nil {
			err = json.Unmarshal(text, &one)
		}
		if err == nil {
			err = one.Check()
		}
		if err != nil {
			refused = append(refused, name)
			continue
		}
		s = one.Over(s)
	}
	return s, refused
}

// apply changes the fields to the settings. It returns the changes, with null for settings that are no longer set.
// Fields that do not differ keep their text, so nothing written by a newer program is lost.
func (f fields) apply(s Settings) (changed fields, err error) {
	known, _ := f.settings()
	before, err := known.fields()
	if err != nil {
		return nil, err
	}
	after, err := s.fields()
	if err != nil {
		return nil, err
	}
	changed = make(fields)
	for name := range before {
		if _, set := after[name]; !set {
			delete(f, name)
			changed[name] = json.RawMessage("null")
		}
	}
	for name, value := range after {
		if !bytes.Equal(before[name], value) {
			f[name], changed[name] = value, value
		}
	}
	return changed, nil
}

func (s Settings) fields() (fields, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("writing the settings of a site: %w", err)
	}
	return fieldsOf(string(text))
}
