package caddymodule

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/nyaruka/phonenumbers"

	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// What a handler's settings may be. The Caddyfile asks setting by setting, to
// name the line; JSON is asked as a whole.

func (h *Handler) check() error {
	h.Prefix = withTrailingSlash(h.Prefix)
	if h.Objects == nil {
		h.Objects = []string{"Svc", "SvcWidget"}
	}
	for _, err := range []error{
		checkSiteKey(h.SiteKey),
		checkPrefix(h.Prefix),
		checkObjects(h.Objects),
		checkVariant(h.Variant),
		checkService(h.Service),
		checkPhoneMask(h.PhoneMask),
		checkConsent(h.Consent),
		checkPrerender(h.Prerender),
		checkAttribution(h.Attribution),
	} {
		if err != nil {
			return err
		}
	}
	for _, origin := range h.Origins {
		if err := checkOrigin(origin); err != nil {
			return err
		}
	}
	h.numbers = numbers{}
	if err := h.numbers.addAll(h.Numbers); err != nil {
		return err
	}
	return h.checkPrerendered()
}

func hasPlaceholder(s string) bool { return strings.ContainsRune(s, '{') }

func checkSiteKey(key string) error {
	if key == "" || hasPlaceholder(key) {
		return nil
	}
	return site.ValidKey(key)
}

var prefixForm = regexp.MustCompile(`^(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+/$`)

func checkPrefix(prefix string) error {
	if prefix == "" {
		return nil
	}
	if len(prefix) > 128 || !prefixForm.MatchString(prefix) {
		return fmt.Errorf("prefix %q: expected a path of letters, digits and . _ ~ - that begins and ends with a slash, such as /frontdesk/", prefix)
	}
	return nil
}

func withTrailingSlash(prefix string) string {
	if prefix == "" || strings.HasSuffix(prefix, "/") {
		return prefix
	}
	return prefix + "/"
}

func checkObjects(names []string) error {
	if len(names) != 2 {
		return errors.New("objects: expected two names, such as Svc SvcWidget")
	}
	return snippet.ScriptSettings{Objects: [2]string(names), Variant: "A"}.Check()
}

func checkVariant(variant string) error {
	if variant != "" && variant != "A" && variant != "B" {
		return fmt.Errorf("variant %q: expected A or B", variant)
	}
	return nil
}

func checkService(service string) error {
	if service != "" && service != "local" {
		return fmt.Errorf("service %q: expected local", service)
	}
	return nil
}

func checkConsent(consent *Consent) error {
	if consent == nil {
		return nil
	}
	if consent.Cookie == "" {
		return errors.New("consent: expected the name of a cookie")
	}
	return snippet.ScriptSettings{
		Objects: [2]string{"Svc", "SvcWidget"}, Variant: "A",
		ConsentCookie: consent.Cookie, ConsentValue: consent.Value,
	}.Check()
}

func checkPhoneMask(mask string) error {
	switch {
	case mask == "":
		return nil
	case len(mask) > 64:
		return errors.New("phone mask: expected at most 64 bytes")
	case !strings.Contains(mask, "#"):
		return fmt.Errorf("phone mask %q: expected # for each digit, such as +7 (###) ###-##-##", mask)
	case strings.ContainsFunc(mask, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' }):
		return errors.New("phone mask: expected text without control characters")
	}
	return nil
}

func checkOrigin(origin string) error {
	u, err := url.Parse(origin)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || u.Scheme+"://"+u.Host != origin || origin != strings.ToLower(origin) {
		return fmt.Errorf("origin %q: expected scheme and host alone, in lower case, such as https://m.shop.example", origin)
	}
	return nil
}

var maskCountry = regexp.MustCompile(`^\s*\+\s*(\d{1,3})`)

// regionOfMask is the region (ISO 3166-1 alpha-2) of the country code that the
// mask begins with, or empty.
func regionOfMask(mask string) string {
	code := maskCountry.FindStringSubmatch(mask)
	if code == nil {
		return ""
	}
	var n int
	fmt.Sscan(code[1], &n)
	region := phonenumbers.GetRegionCodeForCountryCode(n)
	if region == phonenumbers.UNKNOWN_REGION || region == "001" {
		return ""
	}
	return region
}
