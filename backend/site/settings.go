package site

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/number"
)

// Settings are what is stored of a site's settings. What is nil is not set: the
// configuration's holds, see [Settings.Over].
type Settings struct {
	// PhoneMask has # for each digit; see [CheckPhoneMask]. Empty is none.
	PhoneMask *string `json:"phone_mask,omitempty"`
	// Region is the country in whose way numbers without a country's code are
	// written; see [CheckRegion]. Empty is that of the site's numbers or mask.
	Region *string `json:"region,omitempty"`
	// DynamicalReplacement has numbers replaced in what a page adds later.
	DynamicalReplacement *bool `json:"dynamical_replacement,omitempty"`
	// Prerender is "off", "static" or "dynamic".
	Prerender *string `json:"prerender,omitempty"`
	// Attribution says which of a visitor's visits decides about the numbers.
	Attribution *number.Attribution `json:"attribution,omitempty"`
	// Consent is the cookie without which nothing is set or stored.
	Consent *Consent `json:"consent,omitempty"`
	// Origins are further origins of the site, at most [MaxOrigins]. A list that
	// is empty and not nil says that there are none.
	Origins []string `json:"origins,omitzero"`
	// Numbers are the site's own, beside and above those of the configuration; see
	// [number.Own].
	Numbers []number.Number `json:"numbers,omitzero"`
	// Pools are the site's own, by their names.
	Pools map[string]number.DeclaredPool `json:"pools,omitzero"`
	// Captures are the site's own rules for forms that are kept, at most [MaxCaptures]. They come before those of the
	// configuration.
	Captures []capture.Rule `json:"captures,omitzero"`
	// Callback says how visitors are called back.
	Callback *callback.Settings `json:"callback,omitempty"`
	// Widget is how the site's panels look and what they say. It stands above the
	// configuration's field by field.
	Widget *Widget `json:"widget,omitempty"`
}

// Own are the numbers and pools.
func (s Settings) Own() number.Own { return number.Own{Numbers: s.Numbers, Pools: s.Pools} }

// Consent is how a site says that a visitor has agreed to be tracked.
type Consent struct {
	// Cookie is its name. Empty: nobody is asked.
	Cookie string `json:"cookie"`
	// Value is the one that means yes, with * for any text. Empty: any value.
	Value string `json:"value,omitempty"`
}

// Invalid is the error for a value that a setting cannot have. Its text names the
// setting and says what was expected; it may be shown.
type Invalid struct {
	// Setting is the name of the setting in JSON.
	Setting string
	Err     error
}

func (e *Invalid) Error() string { return e.Err.Error() }

// Unwrap is the error without the setting's name.
func (e *Invalid) Unwrap() error { return e.Err }

// Check returns an [Invalid] for the first value that is not accepted.
func (s Settings) Check() error {
	if s.PhoneMask != nil {
		if err := CheckPhoneMask(*s.PhoneMask); err != nil {
			return &Invalid{"phone_mask", err}
		}
	}
	if s.Region != nil {
		if err := CheckRegion(*s.Region); err != nil {
			return &Invalid{"region", err}
		}
	}
	if s.Prerender != nil {
		if err := CheckPrerender(*s.Prerender); err != nil {
			return &Invalid{"prerender", err}
		}
	}
	if s.Attribution != nil {
		if err := s.Attribution.Check(); err != nil {
			return &Invalid{"attribution", err}
		}
	}
	if s.Consent != nil {
		if err := s.Consent.Check(); err != nil {
			return &Invalid{"consent", err}
		}
	}
	if len(s.Origins) > MaxOrigins {
		return &Invalid{"origins", fmt.Errorf("origins: expected at most %d", MaxOrigins)}
	}
	for _, origin := range s.Origins {
		if err := CheckOrigin(origin); err != nil {
			return &Invalid{"origins", err}
		}
	}
	if len(s.Captures) > MaxCaptures {
		return &Invalid{"captures", fmt.Errorf("captures: expected at most %d", MaxCaptures)}
	}
	for _, rule := range s.Captures {
		if err := rule.Complete(); err != nil {
			return &Invalid{"captures", err}
		}
	}
	if s.Callback != nil {
		if err := s.Callback.Check(); err != nil {
			return &Invalid{"callback", err}
		}
	}
	if err := s.Widget.Check(); err != nil {
		return err
	}
	if err := s.Own().Check(); err != nil {
		name := "numbers"
		if place := (*number.Place)(nil); s.Numbers == nil || errors.As(err, &place) && place.Pool != "" {
			name = "pools"
		}
		return &Invalid{name, err}
	}
	return nil
}

// Over returns the settings with what is not set taken from the defaults. What is
// set in neither is nil. How own numbers stand above configured ones is told by
// [number.Own.Over].
func (s Settings) Over(defaults Settings) Settings {
	s.PhoneMask = cmp.Or(s.PhoneMask, defaults.PhoneMask)
	s.Region = cmp.Or(s.Region, defaults.Region)
	s.DynamicalReplacement = cmp.Or(s.DynamicalReplacement, defaults.DynamicalReplacement)
	s.Prerender = cmp.Or(s.Prerender, defaults.Prerender)
	s.Attribution = cmp.Or(s.Attribution, defaults.Attribution)
	s.Consent = cmp.Or(s.Consent, defaults.Consent)
	s.Callback = cmp.Or(s.Callback, defaults.Callback)
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

// fields are settings as they are stored: the value of each by its name. They may
// hold what only a newer program knows.
type fields map[string]json.RawMessage

// fieldsOf reads what is stored. What is no JSON object has no fields.
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

// settings are the fields that this program knows. It goes without those whose
// value it does not accept, and returns their names.
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

// apply changes the fields to the settings and returns what it has changed, with
// null for what is not set any more. Fields in which the settings are what they
// were keep their text: nothing is lost of what a newer program has written.
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
