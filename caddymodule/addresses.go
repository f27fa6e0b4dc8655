package caddymodule

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/caddymodule/spot"
)

// eachHandler calls f for every handler of the HTTP app, those for errors left out.
func (a *App) eachHandler(f func(at spot.Spot, handler any)) { spot.Each(a.servers(), f) }

// servers are those of the HTTP app.
func (a *App) servers() map[string]*caddyhttp.Server {
	app, err := a.ctx.AppIfConfigured("http")
	if err != nil {
		return nil
	}
	return app.(*caddyhttp.App).Servers
}

// KnownSites are the keys that the configuration itself names: those written
// out in handlers, and the hosts in front of handlers whose key is the host.
func (a *App) KnownSites() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	known := make(map[string]struct{}, len(a.sites))
	for key := range a.sites {
		known[key] = struct{}{}
	}
	a.eachHandler(func(at spot.Spot, handler any) {
		if h, ok := handler.(*Handler); ok && h.SiteKey == hostPlaceholder {
			for _, host := range at.Hosts {
				if host = strings.ToLower(host); site.ValidKey(host) == nil {
					known[host] = struct{}{}
				}
			}
		}
	})
	keys := make([]string, 0, len(known))
	for key := range known {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// ConsoleAddress is where the console answers, as a URL that ends with a slash,
// or empty when the configuration does not tell.
func (a *App) ConsoleAddress() (address string) {
	a.eachHandler(func(at spot.Spot, handler any) {
		if _, ok := handler.(*Console); ok && address == "" {
			address = spot.Address(at.Server, at.Hosts)
		}
	})
	return address
}

// CredulousServers names the servers with handlers of ours that take the first
// address in X-Forwarded-For for the client's, which is the client's own word.
// The encoded configuration is asked, since loading it uses up what it says of proxies.
func (a *App) CredulousServers(configuration []byte) (names []string) {
	var settings struct {
		Apps struct {
			HTTP struct {
				Servers map[string]struct {
					Ranges json.RawMessage `json:"trusted_proxies"`
					Unix   bool            `json:"trusted_proxies_unix"`
					Strict int             `json:"trusted_proxies_strict"`
				} `json:"servers"`
			} `json:"http"`
		} `json:"apps"`
	}
	if json.Unmarshal(configuration, &settings) != nil {
		return nil
	}
	a.eachHandler(func(at spot.Spot, handler any) {
		switch handler.(type) {
		case *Handler, *Console:
			of := settings.Apps.HTTP.Servers[at.Server.Name()]
			name := at.Server.Name() + " (" + strings.Join(at.Server.Listen, ", ") + ")"
			if (of.Ranges != nil || of.Unix) && of.Strict == 0 && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	})
	return names
}

// hostsOf are the hosts that the configuration names in front of the handler, in
// lower case. It may stand among the routes for errors too.
func (a *App) hostsOf(h *Handler) map[string]struct{} {
	named := make(map[string]struct{})
	spot.EachWithErrors(a.servers(), func(at spot.Spot, handler any) {
		if handler == h {
			for _, host := range at.Hosts {
				named[strings.ToLower(host)] = struct{}{}
			}
		}
	})
	return named
}

// declaredNumbers are the numbers of all sites that the configuration names.
func (a *App) declaredNumbers() map[string][]number.Declared {
	declared := make(map[string][]number.Declared)
	a.eachSite(func(key string, h *Handler) {
		if len(h.Numbers) > 0 {
			declared[key] = append(declared[key], h.Declared()...)
		}
	})
	return declared
}

// declaredSettings are the settings of all sites that the configuration names: of the
// first block of each, and for how many whole days the app keeps visits.
func (a *App) declaredSettings() map[string]site.Settings {
	declared := make(map[string]site.Settings)
	a.eachSite(func(key string, h *Handler) {
		if _, known := declared[key]; !known {
			set := h.Defaults()
			if a.Retention != 0 {
				set.RetentionDays = new(int(time.Duration(a.Retention) / (24 * time.Hour)))
			}
			declared[key] = set
		}
	})
	return declared
}

// declaredFixed is what the configuration says for all sites that it names and what their owners may not change: of the
// first block of each.
func declaredFixed(a *App) map[string][]site.Fixed {
	declared := make(map[string][]site.Fixed)
	a.eachSite(func(key string, h *Handler) {
		if _, known := declared[key]; !known {
			declared[key] = h.Fixed()
		}
	})
	return declared
}

// declaredLimits are what the sites may use that the configuration serves: of the first block of each. Those of
// [backend.AnyHost] are of the first block that serves sites which the configuration does not name.
func declaredLimits(a *App) map[string]*limit.Limits {
	declared := make(map[string]*limit.Limits)
	declare := func(key string, h *Handler) {
		if _, known := declared[key]; known {
			return
		}
		declared[key] = nil
		if h.Elsewhere() == nil {
			declared[key] = h.Limits.Over(a.Limits)
		}
	}
	a.eachSite(declare)
	a.eachHandler(func(at spot.Spot, handler any) {
		if h, ok := handler.(*Handler); ok && !h.namesOneSite() && (h.SiteKey != hostPlaceholder || len(at.Hosts) == 0) {
			declare(backend.AnyHost, h)
		}
	})
	return declared
}

// declaredHosts are the hosts that the configuration names in front of the handlers of
// each site whose key it writes out.
func (a *App) declaredHosts() map[string][]string {
	declared := make(map[string][]string)
	a.eachHandler(func(at spot.Spot, handler any) {
		if h, ok := handler.(*Handler); ok && h.namesOneSite() {
			declared[h.SiteKey] = append(declared[h.SiteKey], at.Hosts...)
		}
	})
	return declared
}

// declaredServices are the URLs of the prefix of each site that the configuration names.
func declaredServices(a *App) map[string]string {
	declared := make(map[string]string)
	a.eachHandler(func(at spot.Spot, handler any) {
		h, ok := handler.(*Handler)
		if !ok {
			return
		}
		hosts := at.Hosts
		if len(hosts) == 0 && h.SiteKey == hostPlaceholder {
			hosts = []string{backend.AnyHost}
		}
		for _, host := range hosts {
			key := h.SiteKey
			if key == hostPlaceholder {
				key = strings.ToLower(host)
			}
			if base := spot.Address(at.Server, []string{host}); base != "" && declared[key] == "" {
				declared[key] = strings.TrimSuffix(base, "/") + h.Prefix
			}
		}
	})
	return declared
}

// eachSite calls f for the handlers of each site that the configuration names.
func (a *App) eachSite(f func(key string, h *Handler)) {
	a.eachHandler(func(at spot.Spot, handler any) {
		h, ok := handler.(*Handler)
		switch {
		case !ok:
		case h.namesOneSite():
			f(h.SiteKey, h)
		case h.SiteKey == hostPlaceholder:
			for _, host := range at.Hosts {
				f(strings.ToLower(host), h)
			}
		}
	})
}

// ScriptAddresses are the URLs at which the script of each named host is.
func (a *App) ScriptAddresses() []string {
	addresses := make(map[string]struct{})
	a.eachHandler(func(at spot.Spot, handler any) {
		h, ok := handler.(*Handler)
		if !ok {
			return
		}
		hosts := at.Hosts
		if len(hosts) == 0 && h.namesOneSite() {
			hosts = []string{"localhost"}
		}
		for _, host := range hosts {
			if base := spot.Address(at.Server, []string{host}); base != "" {
				addresses[strings.TrimSuffix(base, "/")+h.Prefix+"svc.js"] = struct{}{}
			}
		}
	})
	sorted := make([]string, 0, len(addresses))
	for address := range addresses {
		sorted = append(sorted, address)
	}
	slices.Sort(sorted)
	return sorted
}
