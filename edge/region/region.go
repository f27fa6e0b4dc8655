// Package region tells in which country's way numbers without a country code are written, by a site's host and its mask
// for numbers: ISO 3166-1 alpha-2.
package region

import (
	"net"
	"regexp"
	"strconv"
	"strings"

	"github.com/nyaruka/phonenumbers"
)

// ofCountry are the top-level domains that are not called as their countries are in ISO 3166-1.
var ofCountry = map[string]string{"uk": "GB", "su": "RU", "xn--p1ai": "RU", "xn--j1amh": "UA", "xn--90ais": "BY", "xn--80ao21a": "KZ"}

// ofAnybody are the domains of countries that are mostly used by others.
const ofAnybody = " ac ai cc cf co fm ga gg gl gq im io la ly me ml nu pw sh st tk to tv vc ws "

// OfHost returns the country of the host's top-level domain, or "".
func OfHost(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	top := host[strings.LastIndexByte(host, '.')+1:]
	if region := ofCountry[top]; region != "" {
		return region
	}
	region := strings.ToUpper(top)
	if top == host || len(top) != 2 || strings.Contains(ofAnybody, " "+top+" ") || phonenumbers.GetCountryCodeForRegion(region) == 0 {
		return ""
	}
	return region
}

var maskCountry = regexp.MustCompile(`^\s*\+\s*(\d{1,3})`)

// OfMask returns the region of the country code at the beginning of the mask, or "".
func OfMask(mask string) string {
	code := maskCountry.FindStringSubmatch(mask)
	if code == nil {
		return ""
	}
	n, _ := strconv.Atoi(code[1]) // the pattern lets digits through alone
	region := phonenumbers.GetRegionCodeForCountryCode(n)
	if region == phonenumbers.UNKNOWN_REGION || region == "001" {
		return ""
	}
	return region
}
