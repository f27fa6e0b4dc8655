package effect

import (
	"cmp"
	"context"
	"net"
	"strings"
	"time"

	"github.com/nyaruka/phonenumbers"
)

// regionTime is how long a form waits for the region of the numbers on the site's pages.
const regionTime = 50 * time.Millisecond

// RegionFor returns the country by whose rules the numbers in forms to the host are read: the site's, or else that of the
// host's domain. It is empty if there is none.
func (f *effect) RegionFor(ctx context.Context, host string) string {
	region := cmp.Or(f.region, f.maskRegion)
	if desk, done, err := f.Of.Service.Use(); err == nil {
		ctx, cancel := context.WithTimeout(ctx, regionTime)
		if f.id != 0 { // the site has been found
			region = f.RegionNow(ctx, desk.Numbers)
		}
		cancel()
		done()
	}
	return cmp.Or(region, RegionOfHost(host))
}

// ofCountry are the top-level domains that are not called as their countries are in ISO 3166-1.
var ofCountry = map[string]string{"uk": "GB", "su": "RU", "xn--p1ai": "RU", "xn--j1amh": "UA", "xn--90ais": "BY", "xn--80ao21a": "KZ"}

// ofAnybody are the domains of countries that are mostly used by others.
const ofAnybody = " ac ai cc cf co fm ga gg gl gq im io la ly me ml nu pw sh st tk to tv vc ws "

// RegionOfHost returns the country of the host's top-level domain, or "".
func RegionOfHost(host string) string {
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
