package effect

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/attribution"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/forward"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit/quota"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// SetPrefix sets the prefix, with a slash at its end.
func (s *Settings) SetPrefix(prefix string) error {
	whole := prefix
	if prefix != "" && !strings.HasSuffix(prefix, "/") {
		whole += "/"
	}
	if whole != "" && snippet.CheckPrefix(whole) != nil {
		return snippet.CheckPrefix(prefix) // the error quotes the prefix as it was written
	}
	s.Prefix = whole
	return nil
}

// SetObjects takes two names, or none for the default.
func (s *Settings) SetObjects(names []string) error {
	if names != nil {
		if len(names) != 2 {
			return errors.New("objects: expected two names, such as Svc SvcWidget")
		}
		if err := (snippet.ScriptSettings{Objects: [2]string(names), Variant: snippet.VariantA}).Check(); err != nil {
			return err
		}
	}
	s.Objects = names
	return nil
}

// SetVariant accepts A, B, or "" for the default.
func (s *Settings) SetVariant(variant string) error {
	if variant != "" && variant != snippet.VariantA && variant != snippet.VariantB {
		return fmt.Errorf("variant %q: expected A or B", variant)
	}
	s.Variant = variant
	return nil
}

// local means the service of this process.
const local = "local"

// SetService sets local, or the addresses of a service elsewhere and of its tracker. tracker may be empty.
func (s *Settings) SetService(service, tracker string) error {
	s.elsewhere = nil
	if service == "" || service == local {
		if tracker != "" {
			return fmt.Errorf("service: the tracker address %q is that of no service elsewhere", tracker)
		}
		s.Service, s.Tracker = service, ""
		return nil
	}
	remote, err := forward.ParseService(service, tracker)
	if err != nil {
		return fmt.Errorf("service: %w; or local", err)
	}
	s.Service, s.Tracker, s.elsewhere = service, tracker, &remote
	return nil
}

// Elsewhere returns the service that has the sites' visitors, or nil for the one of this process.
func (s *Settings) Elsewhere() *forward.Service { return s.elsewhere }

// CheckTogether returns an error if settings that are right by themselves contradict each other. The error is about the
// setting of that name; index says which one, where there may be several.
func (s *Settings) CheckTogether() (name string, index int, err error) {
	prefix := cmp.Or(s.Prefix, defaultPrefix)
	for i, rule := range s.Captures {
		if strings.HasPrefix(rule.Path, prefix) {
			return "capture", i, fmt.Errorf("capture %s: under the prefix the service itself answers; expected a path of the site", rule.Path)
		}
	}
	if s.elsewhere == nil {
		return "", 0, nil
	}
	for _, setting := range []struct {
		name  string
		given bool // which belongs to the service elsewhere
	}{
		{"number", len(s.Numbers) > 0}, {"prerender", s.Prerender != ""}, {"attribution", s.Attribution != ""}, {"timezone", s.Timezone != ""}, {"person_days", s.PersonDays != 0}, {"currency", s.Currency != ""}, {"objects", s.Objects != nil},
		{"origins", s.Origins != nil}, {"cookies", s.Cookies != ""}, {"callback", s.Callback != nil}, {"widget", s.Widget != nil}, {"quota", s.Quota != nil}, {"limits", s.Limits != nil},
	} {
		if setting.given {
			return setting.name, 0, fmt.Errorf("%s: the site's service is %s: set it there", setting.name, s.elsewhere.URL)
		}
	}
	return "", 0, nil
}

// SetPhoneMask sets a mask with # for each digit.
func (s *Settings) SetPhoneMask(mask string) error {
	if err := site.CheckPhoneMask(mask); err != nil {
		return err
	}
	s.PhoneMask = mask
	return nil
}

// SetRegion sets the two letters of a country.
func (s *Settings) SetRegion(region string) error {
	capitals := strings.ToUpper(region)
	if site.CheckRegion(capitals) != nil {
		return site.CheckRegion(region) // the error quotes the region as it was written
	}
	s.Region = capitals
	return nil
}

// SetTimezone sets the IANA name of a time zone.
func (s *Settings) SetTimezone(name string) error {
	if err := site.CheckTimezone(name); err != nil {
		return err
	}
	s.Timezone = name
	return nil
}

// SetCurrency sets the currency, as three letters of any case.
func (s *Settings) SetCurrency(code string) error {
	capitals := strings.ToUpper(code)
	if site.CheckCurrency(capitals) != nil {
		return site.CheckCurrency(code) // the error quotes the currency as it was written
	}
	s.Currency = capitals
	return nil
}

// SetConsent sets the consent. nil asks nobody.
func (s *Settings) SetConsent(consent *Consent) error {
	if consent != nil {
		if consent.Cookie == "" {
			return errors.New("consent: expected the name of a cookie")
		}
		if err := site.Consent(*consent).Check(); err != nil {
			return err
		}
	}
	s.Consent = consent
	return nil
}

// SetRespect accepts gpc, dnt, or both.
func (s *Settings) SetRespect(signals []string) error {
	if err := site.CheckRespect(signals); err != nil {
		return err
	}
	s.Respect = signals
	return nil
}

// AddOrigins adds origins to those that there are.
func (s *Settings) AddOrigins(origins ...string) error {
	if err := checkOrigins(origins); err != nil {
		return err
	}
	s.Origins = append(s.Origins, origins...)
	return nil
}

// cookiesOfHost and cookiesOfDomain are the values of Cookies.
const cookiesOfHost, cookiesOfDomain = "host", "domain"

// SetCookies sets for which hosts cookies are set.
func (s *Settings) SetCookies(hosts string) error {
	if hosts != "" && hosts != cookiesOfHost && hosts != cookiesOfDomain {
		return fmt.Errorf("cookies %s: expected host or domain", hosts)
	}
	s.Cookies = hosts
	return nil
}

func checkOrigins(origins []string) error {
	for _, origin := range origins {
		if err := site.CheckOrigin(origin); err != nil {
			return err
		}
	}
	return nil
}

// ChangeCallback changes the settings of callbacks and checks them.
func (s *Settings) ChangeCallback(change func(*callback.Settings)) error {
	if s.Callback == nil {
		s.Callback = new(callback.Settings)
	}
	change(s.Callback)
	return s.Callback.Check()
}

// ChangeQuota changes the quota and checks it.
func (s *Settings) ChangeQuota(change func(*quota.Quota)) error {
	if s.Quota == nil {
		s.Quota = new(quota.Quota)
	}
	change(s.Quota)
	return s.Quota.Check()
}

// SetLimit sets the limit of a kind.
func (s *Settings) SetLimit(k limit.Kind, most int64) error {
	if s.Limits == nil {
		s.Limits = new(limit.Limits)
	}
	return s.Limits.Set(k, most)
}

// SetCredentials sets the CSS selector of forms.
func (s *Settings) SetCredentials(selector string) error {
	if err := site.CheckCredentials(selector); err != nil {
		return err
	}
	s.Credentials = selector
	return nil
}

// SetPrerender accepts off, static or dynamic.
func (s *Settings) SetPrerender(prerender string) error {
	if prerender != "" {
		if err := site.CheckPrerender(prerender); err != nil {
			return err
		}
	}
	s.Prerender = prerender
	return nil
}

// The values of Prerender that replace numbers.
const (
	prerenderStatic  = "static"
	PrerenderDynamic = "dynamic"
)

// SetAttribution accepts one of the values of [attribution.Model].
func (s *Settings) SetAttribution(model attribution.Model) error {
	if model != "" {
		if err := model.Check(); err != nil {
			return err
		}
	}
	s.Attribution = model
	return nil
}
