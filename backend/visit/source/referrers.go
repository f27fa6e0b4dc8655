package source

import (
	_ "embed"
	"encoding/json"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// referrers.json lists hosts by group and name. A name such as "google." stands for the host under any top-level domain.
//
//go:embed referrers.json
var referrersJSON []byte

// referrer is the group and the name of a host.
type referrer struct{ group, name string }

var referrers = readReferrers()

func readReferrers() map[string]referrer {
	var groups map[string]map[string][]string
	if err := json.Unmarshal(referrersJSON, &groups); err != nil {
		panic("source: referrers.json: " + err.Error()) // the list is part of the program
	}
	known := make(map[string]referrer)
	for group, names := range groups {
		for name, hosts := range names {
			for _, host := range hosts {
				known[host] = referrer{group, name}
			}
		}
	}
	return known
}

func withoutWWW(host string) string { return strings.TrimPrefix(host, "www.") }

// groupOf returns the group of a host. It looks up the name before the top-level domain, for names that end with a dot,
// and then the host and the domains above it.
func groupOf(host string) (group, name string) {
	bare := strings.TrimPrefix(withoutWWW(host), "m.")
	if r, known := referrers[beforeTopLevel(bare)]; known {
		return r.group, r.name
	}
	for rest, found := host, true; found; _, rest, found = strings.Cut(rest, ".") {
		if r, known := referrers[rest]; known {
			return r.group, r.name
		}
	}
	return Referral, bare
}

// beforeTopLevel returns "google." for google.com, google.co.uk and google.com.br. It returns "" for a host with a
// subdomain, since anybody can have google.something.io.
func beforeTopLevel(host string) string {
	suffix, official := publicsuffix.PublicSuffix(host)
	label, rest, found := strings.Cut(host, ".")
	if !found || !official || rest != suffix {
		return ""
	}
	return label + "."
}
