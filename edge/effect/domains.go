package effect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// domainsOf returns the site's hosts by their registrable domains, as the script takes them (see
// [snippet.ScriptSettings]), or "" if they have one domain. named says that the configuration names the hosts which it
// serves. Otherwise its own host is of a further domain.
func domainsOf(own source.Own, named bool) string {
	var domains []string
	hosts := make(map[string][]string)
	for _, host := range own.Hosts() {
		domain := cmp.Or(gate.DomainOf(host), host)
		if hosts[domain] == nil {
			domains = append(domains, domain)
		}
		hosts[domain] = append(hosts[domain], host)
	}
	if len(domains) == 0 || len(domains) == 1 && named {
		return ""
	}
	var groups []string
	for _, domain := range slices.Sorted(slices.Values(domains)) {
		groups = append(groups, strings.Join(hosts[domain], ","))
	}
	return strings.Join(groups, " ")
}
