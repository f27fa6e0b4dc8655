package console

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// settingsForm is the settings of a site as its form has them.
type settingsForm struct {
	site.Site
	Seen                            int64 // version that the form was made from
	Mask, MaskText                  string
	Dynamical                       string // on or off
	Prerender, Attribution          string // as in the settings
	Consent, ConsentName, ConsentIs string
	Configured                      configured
}

// configured is what the configuration of this server says, in words; empty where it
// does not tell.
type configured struct{ Mask, Dynamical, Prerender, Attribution, Consent string }

func formOf(s site.Site) settingsForm {
	form, set := settingsForm{Site: s, Seen: s.Version}, s.Settings
	if mask := set.PhoneMask; mask != nil {
		form.Mask, form.MaskText = own, *mask
		if *mask == "" {
			form.Mask = none
		}
	}
	if set.DynamicalReplacement != nil {
		form.Dynamical = onOff(*set.DynamicalReplacement)
	}
	if set.Prerender != nil {
		form.Prerender = *set.Prerender
	}
	if set.Attribution != nil {
		form.Attribution = string(*set.Attribution)
	}
	if consent := set.Consent; consent != nil {
		form.Consent, form.ConsentName, form.ConsentIs = own, consent.Cookie, consent.Value
		if consent.Cookie == "" {
			form.Consent = none
		}
	}
	return form
}

// sentForm is the form as the request has it.
func sentForm(r *http.Request, s site.Site) settingsForm {
	value := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	form := settingsForm{Site: s, Mask: value("mask"), MaskText: value("maskText"), Dynamical: value("dynamical"), Prerender: value("prerender"),
		Attribution: value("attribution"), Consent: value("consent"), ConsentName: value("consentName"), ConsentIs: value("consentIs")}
	form.Seen, _ = strconv.ParseInt(value("version"), 10, 64)
	return form
}

// settings are those of the site with what the form says. What the form does not have
// stays as it is.
func (f settingsForm) settings() site.Settings {
	set := f.Site.Settings
	set.PhoneMask, set.DynamicalReplacement, set.Prerender, set.Attribution, set.Consent = nil, nil, nil, nil, nil
	switch f.Mask {
	case none:
		set.PhoneMask = new(string)
	case own:
		set.PhoneMask = &f.MaskText
	}
	if f.Dynamical != asConfigured {
		set.DynamicalReplacement = new(f.Dynamical == "on")
	}
	if f.Prerender != asConfigured {
		set.Prerender = &f.Prerender
	}
	if f.Attribution != asConfigured {
		set.Attribution = new(number.Attribution(f.Attribution))
	}
	switch f.Consent {
	case none:
		set.Consent = new(site.Consent)
	case own:
		set.Consent = &site.Consent{Cookie: f.ConsentName, Value: f.ConsentIs}
	}
	return set
}

// mistake is the name of the words for what is wrong with the form; empty for nothing.
func (f settingsForm) mistake() string {
	if f.Mask == own && f.MaskText == "" {
		return "problem.mask"
	}
	if f.Consent == own && f.ConsentName == "" {
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
	}
	return "fail.form"
}

// configuredFor is what this server's configuration says for the site of the key.
func (c *sitesRoom) configuredFor(w *words, key string) (told configured) {
	set, known := c.configuredOf(key)
	if !known {
		return told
	}
	if set.PhoneMask != nil {
		if told.Mask = *set.PhoneMask; told.Mask == "" {
			told.Mask = w.text("settings.noMask")
		}
	}
	told.Dynamical = w.text("settings.off")
	if set.DynamicalReplacement != nil && *set.DynamicalReplacement {
		told.Dynamical = w.text("settings.on")
	}
	if set.Prerender != nil {
		told.Prerender = w.text(prerenders[*set.Prerender])
	}
	if set.Attribution != nil {
		told.Attribution = w.text(attributions[*set.Attribution])
	}
	if set.Consent != nil {
		if told.Consent = set.Consent.Cookie; told.Consent == "" {
			told.Consent = w.text("settings.noConsent")
		}
	}
	return told
}

// The names of the words for values of settings.
var prerenders = map[string]string{"off": "settings.off", "static": "settings.static", "dynamic": "settings.dynamic", "": "settings.off"}

func (c *sitesRoom) showSettings(w http.ResponseWriter, r *http.Request) error {
	return c.settings(w, r, http.StatusOK, "", formOf)
}

// settings shows the form that is made of the site's settings.
func (c *sitesRoom) settings(w http.ResponseWriter, r *http.Request, status int, problem string, made func(site.Site) settingsForm) error {
	f, named, err := c.servedAt(r, "settings")
	if err != nil {
		return err
	}
	form := made(named)
	form.Configured = c.configuredFor(f.Words, named.Key)
	if problem != "" {
		problem = f.Words.text(problem)
	}
	f.Problem, f.Body, f.Here = problem, form, siteLink(named.ID)+"/settings"
	return c.show(w, r, status, f)
}

func (c *sitesRoom) changeSettings(w http.ResponseWriter, r *http.Request) error {
	f, named, err := c.siteAt(r, "settings")
	if err != nil {
		return err
	}
	form := sentForm(r, named)
	if mistake := form.mistake(); mistake != "" {
		return c.settings(w, r, http.StatusUnprocessableEntity, mistake, func(s site.Site) settingsForm { return sentForm(r, s) })
	}
	_, err = c.Sites.Change(r.Context(), named.Key, form.Seen, form.settings(), f.Operator.Login)
	switch {
	case errors.Is(err, site.ErrChanged):
		return c.settings(w, r, http.StatusConflict, "problem.changed", formOf)
	case err != nil:
		return err
	default:
		return c.back(w, r, siteLink(named.ID), "settings.changed")
	}
}
