package effect

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/seed-3405227d/frontdesk/backend/attribution"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/forward"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/site/appearance"
	"github.com/seed-3405227d/frontdesk/backend/visit/quota"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// Settings are what a configuration says about its sites. Each setting is checked when it is set, so that an error can
// name the line of the configuration file. [Settings.Complete] checks them together.
type Settings struct {
	// Where the service answers on the site: a path that begins and ends with a slash, and that the site does not use
	// itself. Default: `/frontdesk/`.
	Prefix string `json:"prefix,omitempty"`

	// The names of the two global objects of the browser interface. Default: `["Svc", "SvcWidget"]`.
	Objects []string `json:"objects,omitempty"`

	// The variant of the browser interface, `A` or `B`. Default: `A`.
	Variant string `json:"variant,omitempty"`

	// Where the service is: `local`, this process, which is the default, or the address of a service elsewhere (its
	// `consultant_server_url`), such as `https://desk.example/frontdesk/`. Requests under the prefix and captured forms
	// then go there.
	Service string `json:"service,omitempty"`

	// The service's tracker address (its `tracker_url`). Default: that of the service, without the slash at its end.
	Tracker string `json:"tracker,omitempty"`

	// Whether numbers are also replaced in what the page adds later. Default: true.
	DynamicalReplacement *bool `json:"dynamical_replacement,omitempty"`

	// Whether links that write to a number change as those do that call it: short messages, and messengers. Default:
	// false, because tracking numbers have no messengers.
	Messengers bool `json:"messengers,omitempty"`

	// Whether the code of another service with the same interface is put out of action in pages that get this one's.
	// Default: false.
	Supersede bool `json:"supersede,omitempty"`

	// The mask for phone numbers in forms, with # for a digit, such as `+7 (###) ###-##-##`.
	PhoneMask string `json:"phone_mask,omitempty"`

	// The country of numbers that visitors and pages write without a country code: ISO 3166-1 alpha-2, such as `RU`.
	// Default: the country of the first of the numbers, else of the numbers on the site's pages, else of the mask.
	Region string `json:"region,omitempty"`

	// The time zone in which the site's days begin, for its reports: a name of the IANA database, such as
	// `Europe/Berlin`. Default: `UTC`.
	Timezone string `json:"timezone,omitempty"`

	// How many days after an inquiry another one with the same contact, or of the same visitor, is the same person's in
	// the site's reports: 1 to 365. Default: 30.
	PersonDays int `json:"person_days,omitempty"`

	// The currency of the site's sales and of the costs of its advertising: three letters of ISO 4217, such as `EUR`.
	// Default: none is told.
	Currency string `json:"currency,omitempty"`

	// The cookie without which nothing is set or stored. Default: none is needed.
	Consent *Consent `json:"consent,omitempty"`

	// The signals of browsers that mean no consent: `gpc`, Global Privacy Control (`Sec-GPC: 1`), and `dnt`, Do Not
	// Track (`DNT: 1`). Default: none.
	Respect []string `json:"respect,omitempty"`

	// Further origins of the same site that may use the service, such as `https://m.shop.example`.
	Origins []string `json:"origins,omitempty"`

	// For which hosts the visitors' cookies are set: `host`, the page's host alone, or `domain`, all hosts of its
	// registrable domain. Default: `host`.
	Cookies string `json:"cookies,omitempty"`

	// The numbers that are printed on the site's pages.
	Numbers []number.Number `json:"numbers,omitempty"`

	// Which numbers are replaced before a page leaves the server: `off`, none; `static`, those with a tracking number
	// for the visitor's source; `dynamic`, also those from a pool. Default: `off`.
	Prerender string `json:"prerender,omitempty"`

	// Which of a visitor's visits decides about the numbers: `first`, `last` or `last_non_direct`. Default:
	// `last_non_direct`.
	Attribution attribution.Model `json:"attribution,omitempty"`

	// The forms that are kept on their way to the site. The first rule that matches counts.
	Captures []capture.Rule `json:"captures,omitempty"`

	// Whether forms that no rule matches pass without a look. Otherwise the console lists forms in which people say who
	// they are, by their paths and the names of their fields.
	IgnoreForms bool `json:"ignore_forms,omitempty"`

	// The CSS selector of the forms into which the page's script writes the credentials when they are sent, such as
	// `form.contact`. Default: none.
	Credentials string `json:"credentials,omitempty"`

	// How visitors are called back. Default: callbacks are possible if there is a telephone platform and a group with a
	// number.
	Callback *callback.Settings `json:"callback,omitempty"`
	// How the panels look, and their texts: the button, the chat, the lead form and the form for callbacks. Default:
	// as built in, without a button.
	Widget *appearance.Widget `json:"widget,omitempty"`

	// How many bytes of texts and files visitors may have stored in a day: one `visitor`, and all of the `site`
	// together. Default: 20 MB and 500 MB.
	Quota *quota.Quota `json:"quota,omitempty"`

	// What the site may use. Default: the limits of the app.
	Limits *limit.Limits `json:"limits,omitempty"`

	declaration number.Declaration
	elsewhere   *forward.Service // the service elsewhere; nil for local
}

// Declaration returns the numbers to which single numbers are added. [Settings.TakeNumbers] then sets Numbers to them.
func (s *Settings) Declaration() *number.Declaration { return &s.declaration }

// TakeNumbers sets Numbers to the numbers of the declaration.
func (s *Settings) TakeNumbers() { s.Numbers = s.declaration.Numbers() }

// setNumbers adds all numbers to the declaration, and writes their digits without separators.
func (s *Settings) setNumbers() error {
	if err := s.declaration.Set(s.Numbers); err != nil {
		return err
	}
	s.TakeNumbers()
	return nil
}

const defaultPrefix = "/frontdesk/"

func (s *Settings) setCaptures() error {
	rules := s.Captures
	s.Captures = nil
	for _, rule := range rules {
		if err := s.AddCapture(rule); err != nil {
			return err
		}
	}
	return nil
}

// AddCapture adds a rule after the others. It returns an error if the rule is not valid, or if there are too many.
func (s *Settings) AddCapture(rule capture.Rule) error {
	if len(s.Captures) == site.MaxCaptures {
		return fmt.Errorf("expected at most %d captures", site.MaxCaptures)
	}
	if err := rule.Complete(); err != nil {
		return err
	}
	s.Captures = append(s.Captures, rule)
	return nil
}

// Consent says how a site tells that a visitor has agreed to be tracked.
type Consent struct {
	// The name of the cookie.
	Cookie string `json:"cookie"`

	// The value that means yes, with `*` for any text. Default: any value.
	Value string `json:"value,omitempty"`
}

// Complete checks the settings together and fills in the defaults. The error says what was expected.
func (s *Settings) Complete() error {
	s.declaration.KnowPools()
	for _, set := range []func() error{
		func() error { return s.SetPrefix(s.Prefix) },
		func() error { return s.SetObjects(s.Objects) },
		func() error { return s.SetVariant(s.Variant) },
		func() error { return s.SetService(s.Service, s.Tracker) },
		func() error { return s.SetPhoneMask(s.PhoneMask) },
		func() error { return s.SetRegion(s.Region) },
		func() error { return s.SetTimezone(s.Timezone) },
		func() error { return site.CheckPersonDays(cmp.Or(s.PersonDays, site.DefaultPersonDays)) },
		func() error { return s.SetCurrency(s.Currency) },
		func() error { return s.SetConsent(s.Consent) },
		func() error { return s.SetRespect(s.Respect) },
		func() error { return s.SetCredentials(s.Credentials) },
		func() error { return s.SetPrerender(s.Prerender) },
		func() error { return s.SetAttribution(s.Attribution) },
		func() error { return checkOrigins(s.Origins) },
		func() error { return s.SetCookies(s.Cookies) },
		func() error { return cmp.Or(s.Callback, new(callback.Settings)).Check() },
		func() error { return cmp.Or(s.Quota, new(quota.Quota)).Check() },
		func() error { return s.Limits.Check() },
		func() error { _, err := s.Widget.Check(); return err },
		s.setCaptures,
		s.setNumbers,
	} {
		if err := set(); err != nil {
			return err
		}
	}
	if _, _, err := s.CheckTogether(); err != nil {
		return err
	}
	s.Prefix = cmp.Or(s.Prefix, defaultPrefix)
	if len(s.Objects) == 0 {
		s.Objects = []string{"Svc", "SvcWidget"}
	}
	if s.Variant == "" {
		s.Variant = snippet.VariantA
	}
	if s.Attribution == "" {
		s.Attribution = attribution.LastNonDirect
	}
	return nil
}

// Doubts returns warnings: settings that are valid, but hardly meant.
func (s *Settings) Doubts() []string {
	var doubts []string
	for _, doubt := range s.declaration.Doubts(s.Region) {
		doubts = append(doubts, doubt.String())
	}
	plan := s.declaration.Plan()
	if s.Prerender == prerenderStatic && !plan.HasStatic() || s.Prerender == PrerenderDynamic && !plan.HasTracking() {
		doubts = append(doubts, "prerender "+s.Prerender+": no number of the configuration has such tracking numbers; only those from the console are replaced")
	}
	return doubts
}

// Declared returns the numbers as the console shows them.
func (s *Settings) Declared() []number.Declared { return s.declaration.Declared() }

// Defaults returns the settings that a site may replace by its own. All are set, except DynamicalReplacement, Respect,
// Origins, Numbers, Pools, Captures and Widget, which may be missing, and RetentionDays, which the app sets. The pools
// are those of the app.
func (s *Settings) Defaults() site.Settings {
	own := site.Settings{
		PhoneMask: &s.PhoneMask, Region: &s.Region, Timezone: &s.Timezone, PersonDays: new(cmp.Or(s.PersonDays, site.DefaultPersonDays)), Currency: &s.Currency, Prerender: &s.Prerender, Attribution: &s.Attribution,
		DynamicalReplacement: s.DynamicalReplacement, Messengers: &s.Messengers, Supersede: &s.Supersede, Consent: new(site.Consent), Respect: s.Respect, Origins: s.Origins, Numbers: s.Numbers,
		Captures: s.Captures, IgnoreForms: &s.IgnoreForms, Credentials: &s.Credentials, Widget: s.Widget, Callback: new(callback.Settings),
	}
	if s.Callback != nil {
		*own.Callback = *s.Callback
	}
	if s.Consent != nil {
		*own.Consent = site.Consent(*s.Consent)
	}
	return own
}

// Fixed returns the settings that only whoever runs the server may change, as the console shows them.
func (s *Settings) Fixed() []site.Fixed {
	daily := quota.DefaultQuota
	if s.Quota != nil {
		daily = quota.Quota{Visitor: cmp.Or(s.Quota.Visitor, daily.Visitor), Site: cmp.Or(s.Quota.Site, daily.Site)}
	}
	return []site.Fixed{
		{Directive: "prefix", Value: s.Prefix},
		{Directive: "objects", Value: strings.Join(s.Objects, " ")},
		{Directive: "variant", Value: s.Variant},
		{Directive: "service", Value: cmp.Or(s.Service, local)},
		{Directive: "cookies", Value: cmp.Or(s.Cookies, cookiesOfHost)},
		{Directive: "quota", Value: humanize.Bytes(uint64(daily.Visitor)) + ", " + humanize.Bytes(uint64(daily.Site))},
	}
}
