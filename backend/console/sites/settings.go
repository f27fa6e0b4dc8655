package sites

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/attribution"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// settingsForm is the settings of a site as its form has them.
type settingsForm struct {
	site.Site
	Seen                            int64 // version that the form was made from
	Mask, MaskText                  string
	Dynamical, Messengers           string // on or off
	Prerender, Attribution          string // as in the settings
	Timezone, PersonDays, Currency  string // empty for what is configured
	Consent, ConsentName, ConsentIs string
	Configured                      configured
}

// configured is what the configuration of this server says, in words; empty where it
// does not tell.
type configured struct{ Mask, Dynamical, Messengers, Prerender, Attribution, Timezone, PersonDays, Currency, Consent string }

func formOf(s site.Site) settingsForm {
	form, set := settingsForm{Site: s, Seen: s.Version}, s.Settings
	if mask := set.PhoneMask; mask != nil {
		form.Mask, form.MaskText = rows.Own, *mask
		if *mask == "" {
			form.Mask = rows.None
		}
	}
	if set.DynamicalReplacement != nil {
		form.Dynamical = rows.OnOff(*set.DynamicalReplacement)
	}
	if set.Messengers != nil {
		form.Messengers = rows.OnOff(*set.Messengers)
	}
	if set.Prerender != nil {
		form.Prerender = *set.Prerender
	}
	if set.Attribution != nil {
		form.Attribution = string(*set.Attribution)
	}
	if set.Timezone != nil {
		form.Timezone = *set.Timezone
	}
	if set.PersonDays != nil {
		form.PersonDays = strconv.Itoa(*set.PersonDays)
	}
	if set.Currency != nil {
		form.Currency = *set.Currency
	}
	if consent := set.Consent; consent != nil {
		form.Consent, form.ConsentName, form.ConsentIs = rows.Own, consent.Cookie, consent.Value
		if consent.Cookie == "" {
			form.Consent = rows.None
		}
	}
	return form
}

// sentForm is the form as the request has it.
func sentForm(r *http.Request, s site.Site) settingsForm {
	value := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	form := settingsForm{Site: s, Mask: value("mask"), MaskText: value("maskText"), Dynamical: value("dynamical"), Messengers: value("messengers"), Prerender: value("prerender"),
		Attribution: value("attribution"), Timezone: value("timezone"), PersonDays: value("personDays"), Currency: strings.ToUpper(value("currency")), Consent: value("consent"), ConsentName: value("consentName"), ConsentIs: value("consentIs")}
	form.Seen, _ = strconv.ParseInt(value("version"), 10, 64)
	return form
}

// settings are those of the site with what the form says. What the form does not have
// stays as it is.
func (f settingsForm) settings() site.Settings {
	set := f.Site.Settings
	set.PhoneMask, set.DynamicalReplacement, set.Messengers, set.Prerender, set.Attribution, set.Timezone, set.PersonDays, set.Currency, set.Consent = nil, nil, nil, nil, nil, nil, nil, nil, nil
	switch f.Mask {
	case rows.None:
		set.PhoneMask = new(string)
	case rows.Own:
		set.PhoneMask = &f.MaskText
	}
	if f.Dynamical != rows.AsConfigured {
		set.DynamicalReplacement = new(f.Dynamical == "on")
	}
	if f.Messengers != rows.AsConfigured {
		set.Messengers = new(f.Messengers == "on")
	}
	if f.Prerender != rows.AsConfigured {
		set.Prerender = &f.Prerender
	}
	if f.Attribution != rows.AsConfigured {
		set.Attribution = new(attribution.Model(f.Attribution))
	}
	if f.Timezone != rows.AsConfigured {
		set.Timezone = &f.Timezone
	}
	if f.PersonDays != rows.AsConfigured {
		days, _ := strconv.Atoi(f.PersonDays) // 0, which is wrong, for what is no number
		set.PersonDays = &days
	}
	if f.Currency != rows.AsConfigured {
		set.Currency = &f.Currency
	}
	switch f.Consent {
	case rows.None:
		set.Consent = new(site.Consent)
	case rows.Own:
		set.Consent = &site.Consent{Cookie: f.ConsentName, Value: f.ConsentIs}
	}
	return set
}

// mistake is the name of the words for what is wrong with the form; empty for nothing.
func (f settingsForm) mistake() string {
	if f.Mask == rows.Own && f.MaskText == "" {
		return "problem.mask"
	}
	if f.Consent == rows.Own && f.ConsentName == "" {
		return "problem.consent"
	}
	var invalid *site.Invalid
	if !errors.As(f.settings().Check(), &invalid) {
		return ""
	}
	switch invalid.Setting {
	case "phone_mask":
		return "problem.mask"
	case "consent":
		return "problem.consent"
	case "timezone":
		return "problem.timezone"
	case "person_days":
		return "problem.personDays"
	case "currency":
		return "problem.currency"
	}
	return "fail.form"
}

// configuredFor is what this server's configuration says for the site of the key.
func (c *room) configuredFor(w *words.Tongue, key string) (told configured) {
	set, known := c.ConfiguredOf(key)
	if !known {
		return told
	}
	if set.PhoneMask != nil {
		if told.Mask = *set.PhoneMask; told.Mask == "" {
			told.Mask = w.Text("settings.noMask")
		}
	}
	onOff := func(is bool) string { return w.Text("settings." + rows.OnOff(is)) }
	told.Dynamical = onOff(set.DynamicalReplacement == nil || *set.DynamicalReplacement)
	told.Messengers = onOff(set.Messengers != nil && *set.Messengers)
	if set.Prerender != nil {
		told.Prerender = w.Text(prerenders[*set.Prerender])
	}
	if set.Attribution != nil {
		told.Attribution = w.Text(rows.Attributions[*set.Attribution])
	}
	if set.Timezone != nil {
		told.Timezone = cmp.Or(*set.Timezone, "UTC")
	}
	if set.PersonDays != nil {
		told.PersonDays = strconv.Itoa(*set.PersonDays)
	}
	if set.Currency != nil {
		told.Currency = *set.Currency
	}
	if set.Consent != nil {
		if told.Consent = set.Consent.Cookie; told.Consent == "" {
			told.Consent = w.Text("settings.noConsent")
		}
	}
	return told
}

// The names of the words for values of settings.
var prerenders = map[string]string{"off": "settings.off", "static": "settings.static", "dynamic": "settings.dynamic", "": "settings.off"}

func (c *room) showSettings(w http.ResponseWriter, r *http.Request) error {
	return c.settings(w, r, http.StatusOK, "", formOf)
}

// settings shows the form that is made of the site's settings.
func (c *room) settings(w http.ResponseWriter, r *http.Request, status int, problem string, made func(site.Site) settingsForm) error {
	f, named, err := c.ServedAt(r, "settings")
	if err != nil {
		return err
	}
	form := made(named)
	form.Configured = c.configuredFor(f.Words, named.Key)
	if problem != "" {
		problem = f.Words.Text(problem)
	}
	f.Problem, f.Body, f.Here = problem, form, frame.SiteLink(named.ID)+"/settings"
	return c.Show(w, status, f)
}

func (c *room) changeSettings(w http.ResponseWriter, r *http.Request, f frame.Page, named site.Site) error {
	form := sentForm(r, named)
	if mistake := form.mistake(); mistake != "" {
		return c.settings(w, r, http.StatusUnprocessableEntity, mistake, func(s site.Site) settingsForm { return sentForm(r, s) })
	}
	_, err := c.Sites.Change(r.Context(), named.Key, form.Seen, form.settings(), f.Operator.Login)
	switch {
	case errors.Is(err, site.ErrChanged):
		return c.settings(w, r, http.StatusConflict, "problem.changed", formOf)
	case err != nil:
		return err
	default:
		return c.Back(w, r, frame.SiteLink(named.ID), "settings.changed")
	}
}
