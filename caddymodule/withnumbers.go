package caddymodule

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/caddymodule/spot"
)

// HandlerWithNumbers is the handler with numbers of the site with the key, or else of the host, or the only one that there is;
// with its site's key.
func (a *App) HandlerWithNumbers(site, host string) (*Handler, string, error) {
	byKey, byHost := make(map[string]*Handler), make(map[string][]string)
	var everybody *Handler // whatever the host
	a.eachHandler(func(at spot.Spot, handler any) {
		h, ok := handler.(*Handler)
		if !ok || len(h.Numbers) == 0 {
			return
		}
		switch {
		case h.namesOneSite():
			byKey[h.SiteKey] = h
		case len(at.Hosts) == 0:
			everybody = h
		}
		for _, host := range at.Hosts {
			key := h.SiteKey
			if !h.namesOneSite() {
				key = strings.ToLower(host)
				byKey[key] = h
			}
			if host = strings.ToLower(host); !slices.Contains(byHost[host], key) {
				byHost[host] = append(byHost[host], key)
			}
		}
	})
	if sites := byHost[strings.ToLower(host)]; site == "" && len(sites) > 1 { // at other ports
		return nil, "", fmt.Errorf("the host %s has several sites: expected --site with one of %s", host, strings.Join(slices.Sorted(slices.Values(sites)), ", "))
	} else if site == "" && len(sites) == 1 {
		site = sites[0]
	}
	keys := slices.Sorted(maps.Keys(byKey))
	switch {
	case byKey[site] != nil:
		return byKey[site], site, nil
	case everybody != nil && !a.writesOut(cmp.Or(site, host)):
		return everybody, cmp.Or(site, host, "example"), nil
	case site == "" && host != "":
		hosts := slices.Sorted(maps.Keys(byHost))
		return nil, "", fmt.Errorf("the host %s has no numbers: expected --site, or an address on one of %s", host, strings.Join(hosts, ", "))
	case len(keys) == 0:
		return nil, "", errors.New("no site has numbers: expected number in a site's frontdesk, or --number")
	case site == "" && len(keys) == 1:
		return byKey[keys[0]], keys[0], nil
	case site == "":
		return nil, "", errors.New("several sites have numbers: expected --site with one of " + strings.Join(keys, ", "))
	}
	return nil, "", fmt.Errorf("site %q has no numbers: expected one of %s", site, strings.Join(keys, ", "))
}
