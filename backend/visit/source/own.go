package source

import (
	"net/url"
	"slices"
	"strings"
)

// Own are the hosts of a site besides that of the page. A visitor who comes from one of them is on the site already.
type Own struct{ hosts []string }

// OwnOf returns the hosts of the origins, such as https://m.shop.example, and the named ones. A name that begins with
// "*." is that of all hosts with one label in its place.
func OwnOf(origins, names []string) Own {
	var own Own
	for _, origin := range origins {
		names = append(slices.Clip(names), hostOf(origin))
	}
	for _, name := range names {
		if host := withoutWWW(lowerHost(&url.URL{Host: name})); host != "" && !slices.Contains(own.hosts, host) {
			own.hosts = append(own.hosts, host)
		}
	}
	return own
}

// Has says whether the host, in lower case and in its ASCII form, is the site's.
func (o Own) Has(host string) bool {
	host = withoutWWW(host)
	_, domain, _ := strings.Cut(host, ".")
	return slices.ContainsFunc(o.hosts, func(own string) bool {
		parent, all := strings.CutPrefix(own, "*.")
		return own == host || all && parent == domain
	})
}

// Refers says whether the referrer, an absolute address, is a page of the site.
func (o Own) Refers(referrer string) bool { return o.Has(hostOf(referrer)) }

// Hosts returns the hosts, in lower case and in their ASCII form, without www.
func (o Own) Hosts() []string { return slices.Clone(o.hosts) }
