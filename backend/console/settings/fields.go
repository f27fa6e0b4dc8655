package settings

import (
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/attribution"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// field is a setting on the page. Its words are given by their names.
type field struct {
	name, title, hint string
	value[site.Settings]
	// choices are its values. A field without choices is typed.
	choices []frame.Option
	// otherwise is in effect if neither the site nor the configuration sets it: a choice, or what would be typed. The
	// words of none say it if it is empty.
	otherwise, none string
	// refusable says that the site may choose none.
	refusable bool
	typed
}

// typed is how a value is typed.
type typed struct {
	wrong, example, mode string // the words of the mistake, an example, and the inputmode
	most, lines          int    // characters and lines
}

// group are fields with a title of their own.
type group struct {
	id, title, hint string
	fields          []field
	links           []frame.Option // to pages with further settings: the last part of the address, and the words
}

var switched = []frame.Option{{Value: "on", Name: "settings.on"}, {Value: "off", Name: "settings.off"}}

func asTyped(text string) string { return text }

// groups are all fields, as the page has them.
var groups = []group{
	{"shown", "settings.shown", "settings.shownHint", []field{
		{name: "prerender", title: "setting.prerender", hint: "settings.prerenderHint", value: textAt(func(s *site.Settings) **string { return &s.Prerender }),
			choices: []frame.Option{{Value: "off", Name: "settings.off"}, {Value: "static", Name: "settings.static"}, {Value: "dynamic", Name: "settings.dynamic"}}, otherwise: "off"},
		{name: "dynamical_replacement", title: "setting.dynamical", hint: "settings.dynamicalHint",
			value: switchAt(func(s *site.Settings) **bool { return &s.DynamicalReplacement }, "on", "off"), choices: switched, otherwise: "on"},
		{name: "messengers", title: "setting.messengers", hint: "settings.messengersHint",
			value: switchAt(func(s *site.Settings) **bool { return &s.Messengers }, "on", "off"), choices: switched, otherwise: "off"},
		{name: "attribution", title: "setting.attribution", hint: "settings.attributionHint", value: model, choices: models(), otherwise: string(attribution.LastNonDirect)},
		{name: "region", title: "setting.region", hint: "settings.regionHint", value: capitalsAt(func(s *site.Settings) **string { return &s.Region }),
			none: "settings.regionOfNumbers", refusable: true, typed: typed{wrong: "problem.region", example: "DE", most: 2}},
	}, []frame.Option{{Value: "/numbers?site=", Name: "settings.toNumbers"}}},
	{"visitors", "settings.visitors", "settings.visitorsHint", []field{
		{name: "consent", title: "setting.consent", hint: "settings.consentHint", value: cookie, none: "settings.noConsent", refusable: true,
			typed: typed{wrong: "problem.consent", example: "cookies=yes*", most: 513}},
		{name: "respect", title: "setting.respect", hint: "settings.respectHint", value: listAt(func(s *site.Settings) *[]string { return &s.Respect }, " ", true, asTyped),
			none: "settings.noSignal", refusable: true, choices: []frame.Option{{Value: "gpc", Name: "settings.gpc"}, {Value: "dnt", Name: "settings.dnt"}, {Value: "gpc dnt", Name: "settings.bothSignals"}}},
		{name: "retention_days", title: "setting.retention", hint: "settings.retentionHint", value: numberAt(func(s *site.Settings) **int { return &s.RetentionDays }),
			none: "settings.forEver", typed: typed{wrong: "problem.retention", example: "400", mode: "numeric", most: 5}},
		{name: "origins", title: "setting.origins", hint: "settings.originsHint", value: listAt(func(s *site.Settings) *[]string { return &s.Origins }, "\n", true, strings.ToLower),
			none: "settings.noOrigins", refusable: true, typed: typed{wrong: "problem.origins", example: "https://m.shop.example", mode: "url", most: 16000, lines: 3}},
	}, nil},
	{"forms", "settings.forms", "settings.formsHint", []field{
		{name: "phone_mask", title: "setting.mask", hint: "settings.maskHint", value: textAt(func(s *site.Settings) **string { return &s.PhoneMask }),
			none: "settings.noMask", refusable: true, typed: typed{wrong: "problem.mask", example: "+7 (###) ###-##-##", most: 64}},
		{name: "ignore_forms", title: "setting.ignoreForms", hint: "settings.ignoreFormsHint",
			value: switchAt(func(s *site.Settings) **bool { return &s.IgnoreForms }, "off", "on"), choices: switched, otherwise: "on"},
		{name: "credentials", title: "setting.credentials", hint: "settings.credentialsHint", value: textAt(func(s *site.Settings) **string { return &s.Credentials }),
			none: "settings.noCredentials", refusable: true, typed: typed{wrong: "problem.credentials", example: "form.contact", most: 500}},
	}, []frame.Option{{Value: "captures", Name: "settings.toCaptures"}, {Value: "/leads/forms?site=", Name: "settings.toForms"}}},
	{"callbacks", "settings.callbacks", "settings.callbacksHint", []field{
		{name: "callback_off", title: "setting.callbacks", hint: "settings.callbacksOffHint",
			value: ofCallbacks(switchAt(func(s *callback.Settings) **bool { return &s.Off }, "off", "on")), choices: switched, otherwise: "on"},
		{name: "callback_phone", title: "setting.callbackPhone", hint: "settings.callbackPhoneHint", value: ofCallbacks(plainAt(func(s *callback.Settings) *string { return &s.Phone }, number.Digits)),
			none: "settings.phoneOfGroup", typed: typed{wrong: "problem.callbackPhone", example: "+49 30 901820", mode: "tel", most: 40}},
		{name: "callback_caller_id", title: "setting.callerID", hint: "settings.callerIDHint", value: ofCallbacks(plainAt(func(s *callback.Settings) *string { return &s.CallerID }, number.Digits)),
			none: "settings.callerOfPlatform", typed: typed{wrong: "problem.callbackPhone", example: "+49 30 901820", mode: "tel", most: 40}},
		{name: "callback_captcha", title: "setting.captcha", hint: "settings.captchaHint",
			value: ofCallbacks(switchAt(func(s *callback.Settings) **bool { return &s.Captcha }, "on", "off")), choices: switched, otherwise: "off"},
		{name: "callback_countries", title: "setting.countries", hint: "settings.countriesHint",
			value: ofCallbacks(listAt(func(s *callback.Settings) *[]string { return &s.Countries }, " ", false, strings.ToUpper)),
			none:  "settings.countryOfSite", typed: typed{wrong: "problem.countries", example: "DE AT CH", most: 750}},
		{name: "callback_per_day", title: "setting.perDay", hint: "settings.perDayHint", value: ofCallbacks(countAt(func(s *callback.Settings) *int { return &s.PerDay })),
			otherwise: "200", typed: typed{wrong: "problem.perDay", example: "50", mode: "numeric", most: 5}},
		{name: "callback_repeat", title: "setting.repeat", hint: "settings.repeatHint", value: ofCallbacks(numberAt(func(s *callback.Settings) **int { return &s.Repeat })),
			otherwise: "2", typed: typed{wrong: "problem.repeat", example: "2", mode: "numeric", most: 2}},
		{name: "callback_pause_seconds", title: "setting.pause", hint: "settings.pauseHint", value: ofCallbacks(countAt(func(s *callback.Settings) *int { return &s.PauseSeconds })),
			otherwise: "300", typed: typed{wrong: "problem.pause", example: "300", mode: "numeric", most: 5}},
		{name: "callback_platform", title: "setting.platform", hint: "settings.platformHint", value: ofCallbacks(plainAt(func(s *callback.Settings) *string { return &s.Platform }, asTyped)),
			none: "settings.platformOfServer", choices: []frame.Option{
				{Value: "webhook", Name: "settings.webhook"}, {Value: "sip", Name: "settings.sip"}, {Value: "twilio", Name: "settings.twilio"}}},
	}, []frame.Option{{Value: "groups", Name: "settings.toGroups"}}},
	{"reports", "settings.reports", "settings.reportsHint", []field{
		{name: "timezone", title: "setting.timezone", hint: "settings.timezoneHint", value: textAt(func(s *site.Settings) **string { return &s.Timezone }),
			otherwise: "UTC", typed: typed{wrong: "problem.timezone", example: "Europe/Berlin", most: 64}},
		{name: "person_days", title: "setting.personDays", hint: "settings.personDaysHint", value: numberAt(func(s *site.Settings) **int { return &s.PersonDays }),
			otherwise: "30", typed: typed{wrong: "problem.personDays", example: "30", mode: "numeric", most: 3}},
		{name: "currency", title: "setting.currency", hint: "settings.currencyHint", value: capitalsAt(func(s *site.Settings) **string { return &s.Currency }),
			none: "settings.noCurrency", refusable: true, typed: typed{wrong: "problem.currency", example: "EUR", most: 3}},
	}, nil},
	{"another", "settings.another", "settings.anotherHint", []field{
		{name: "supersede", title: "setting.supersede", hint: "settings.supersedeHint",
			value: switchAt(func(s *site.Settings) **bool { return &s.Supersede }, "on", "off"), choices: switched, otherwise: "off"},
	}, []frame.Option{{Value: "check", Name: "settings.toCheck"}}},
	{"apart", "settings.apart", "settings.apartHint", nil, []frame.Option{
		{Value: "widget", Name: "settings.toWidget"}, {Value: "groups", Name: "settings.toHours"}, {Value: "replies", Name: "settings.toReplies"}, {Value: "deliveries", Name: "settings.toDeliveries"}}},
}

// model is which of a visitor's visits decides.
var model = value[site.Settings]{
	func(s site.Settings) (string, bool) {
		if s.Attribution == nil {
			return "", false
		}
		return string(*s.Attribution), true
	},
	func(s *site.Settings, text *string) error {
		if s.Attribution = nil; text != nil {
			s.Attribution = new(attribution.Model(*text))
		}
		return nil
	},
}

func models() (all []frame.Option) {
	for _, m := range []attribution.Model{attribution.First, attribution.Last, attribution.LastNonDirect} {
		all = append(all, frame.Option{Value: string(m), Name: rows.Attributions[m]})
	}
	return all
}

// has reports whether the text is one of the field's choices.
func (f *field) has(text string) bool {
	return slices.ContainsFunc(f.choices, func(o frame.Option) bool { return o.Value == text })
}
