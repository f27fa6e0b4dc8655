package site

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // a server's system may have no time zones

	"github.com/nyaruka/phonenumbers"
	"golang.org/x/text/currency"

	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/snippet"
)

const (
	// MaxOrigins is how many further origins a site's settings may name.
	MaxOrigins = 50
	// MaxCaptures is how many rules for forms a site's settings may have.
	MaxCaptures = 100
	// maxOrigin is the length of an origin in bytes. A host name has at most 253.
	maxOrigin = 300
	// maxConsent is the length of a consent cookie's name and of its value, in bytes.
	maxConsent = 256
)

// checkSet checks a setting unless it is nil.
func checkSet[T any](value *T, check func(T) error) error {
	if value == nil {
		return nil
	}
	return check(*value)
}

// CheckPhoneMask returns an error for a wrong mask of phone numbers. An empty mask means none.
func CheckPhoneMask(mask string) error {
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

// CheckRegion returns an error for a wrong country: ISO 3166-1 alpha-2, in capitals. An empty country means none.
func CheckRegion(region string) error {
	if region != "" && !phonenumbers.GetSupportedRegions()[region] {
		return fmt.Errorf("region %.80q: expected the two letters of a country, such as RU", region)
	}
	return nil
}

// CheckTimezone returns an error for a wrong time zone: a name of the IANA database. An empty name means UTC.
func CheckTimezone(name string) error {
	if _, err := time.LoadLocation(name); err != nil || name == "Local" {
		return fmt.Errorf("timezone %.80q: expected a name of the IANA database, such as Europe/Berlin", name)
	}
	return nil
}

// DefaultPersonDays are the days of a site that says nothing of them.
const DefaultPersonDays = 30

// CheckPersonDays returns an error for days other than 1 to 365.
func CheckPersonDays(days int) error {
	if days < 1 || days > 365 {
		return fmt.Errorf("person_days %d: expected 1 to 365 days", days)
	}
	return nil
}

// CheckCurrency returns an error for a wrong currency: ISO 4217, in capitals. An empty one means that it is not told.
func CheckCurrency(code string) error {
	if unit, err := currency.ParseISO(code); code != "" && (err != nil || unit.String() != code || unit == currency.XXX || unit == currency.XTS) {
		return fmt.Errorf("currency %.80q: expected three letters of ISO 4217, such as EUR", code)
	}
	return nil
}

// CheckPrerender returns an error for a wrong choice of the numbers that are replaced before a page leaves the server.
func CheckPrerender(prerender string) error {
	switch prerender {
	case "off", "static", "dynamic":
		return nil
	}
	return fmt.Errorf("prerender %.80q: expected off, static or dynamic", prerender)
}

var (
	cookieName  = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")                 // a token: RFC 6265, 4.1.1
	cookieValue = regexp.MustCompile(`^[\x21\x23-\x2B\x2D-\x3A\x3C-\x5B\x5D-\x7E]*$`) // cookie-octets: the same
)

// Check returns an error that says what is wrong with the cookie's name or value.
func (c Consent) Check() error {
	switch {
	case len(c.Cookie) > maxConsent || len(c.Value) > maxConsent:
		return fmt.Errorf("consent: expected a cookie's name and value of at most %d bytes each", maxConsent)
	case c.Cookie == "" && c.Value != "":
		return fmt.Errorf("consent value %q: expected the name of its cookie too", c.Value)
	case c.Cookie != "" && !cookieName.MatchString(c.Cookie):
		return fmt.Errorf("consent cookie %q: expected the name of a cookie", c.Cookie)
	case !cookieValue.MatchString(c.Value):
		return fmt.Errorf("consent value %q: expected what a cookie can hold, with * for any text", c.Value)
	}
	return nil
}

// The signals of browsers that mean no consent.
const (
	// GPC is Global Privacy Control: the header `Sec-GPC: 1`.
	GPC = "gpc"
	// DNT is Do Not Track: the header `DNT: 1`.
	DNT = "dnt"
)

// CheckRespect returns an error for anything but [GPC], [DNT], both in any order, or none.
func CheckRespect(signals []string) error {
	for i, signal := range signals {
		if signal != GPC && signal != DNT || slices.Contains(signals[:i], signal) {
			return fmt.Errorf("respect %.80s: expected gpc, dnt, or both", signal)
		}
	}
	return nil
}

// MaxRetentionDays is the most that [CheckRetentionDays] accepts.
const MaxRetentionDays = 36500

// CheckRetentionDays returns an error for days other than 1 to [MaxRetentionDays].
func CheckRetentionDays(days int) error {
	if days < 1 || days > MaxRetentionDays {
		return fmt.Errorf("retention_days %d: expected 1 to %d days", days, MaxRetentionDays)
	}
	return nil
}

// CheckCredentials returns an error for a wrong CSS selector of forms. An empty one means none.
func CheckCredentials(selector string) error {
	if selector == "" {
		return nil
	}
	return snippet.CheckForms(selector)
}

func checkCaptures(rules []capture.Rule) error {
	if len(rules) > MaxCaptures {
		return fmt.Errorf("captures: expected at most %d", MaxCaptures)
	}
	for _, rule := range rules {
		if err := rule.Complete(); err != nil {
			return err
		}
	}
	return nil
}

func checkOrigins(origins []string) error {
	if len(origins) > MaxOrigins {
		return fmt.Errorf("origins: expected at most %d", MaxOrigins)
	}
	for _, origin := range origins {
		if err := CheckOrigin(origin); err != nil {
			return err
		}
	}
	return nil
}

// CheckOrigin returns an error that says what is wrong with an origin as browsers send it (RFC 6454,
// section 6.2).
func CheckOrigin(origin string) error {
	u, err := url.Parse(origin)
	if err != nil || len(origin) > maxOrigin || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || u.Scheme+"://"+u.Host != origin || origin != strings.ToLower(origin) {
		return fmt.Errorf("origin %.320q: expected only a scheme and a host, in small letters, such as https://m.shop.example", origin)
	}
	return nil
}
