package caddymodule

import (
	"encoding/json"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// KnownSites are the keys that the configuration itself names: those written
// out in handlers, and the hosts in front of handlers whose key is the host.
func (a *App) KnownSites() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	known := make(map[string]struct{}, len(a.sites))
	for key := range a.sites {
		known[key] = struct{}{}
	}
	a.eachHandler(func(at spot, handler any) {
		if h, ok := handler.(*Handler); ok && h.SiteKey == hostPlaceholder {
			for _, host := range at.hosts {
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
	a.eachHandler(func(at spot, handler any) {
		if _, ok := handler.(*Console); ok && address == "" {
			address = addressOf(at.server, at.hosts)
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
	a.eachHandler(func(at spot, handler any) {
		switch handler.(type) {
		case *Handler, *Console:
			of := settings.Apps.HTTP.Servers[at.server.Name()]
			name := at.server.Name() + " (" + strings.Join(at.server.Listen, ", ") + ")"
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
	note := func(at spot, handler any) {
		if handler == h {
			for _, host := range at.hosts {
				named[strings.ToLower(host)] = struct{}{}
			}
		}
	}
	a.eachServer(func(server *caddyhttp.Server) {
		walk(server.Routes, spot{server: server}, note)
		if server.Errors != nil {
			walk(server.Errors.Routes, spot{server: server}, note)
		}
	})
	return named
}

// addressOf is the URL of the first address that the server listens on.
func addressOf(server *caddyhttp.Server, hosts []string) string {
	if len(server.Listen) == 0 {
		return ""
	}
	listen, err := caddy.ParseNetworkAddress(server.Listen[0])
	if err != nil || listen.IsUnixNetwork() || listen.IsFdNetwork() {
		return ""
	}
	host := listen.Host
	if len(hosts) > 0 {
		host = hosts[0]
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	scheme, usual := "http", uint(80)
	if len(server.TLSConnPolicies) > 0 {
		scheme, usual = "https", 443
	}
	if listen.StartPort != usual {
		host = net.JoinHostPort(host, strconv.Itoa(int(listen.StartPort)))
	}
	return scheme + "://" + host + "/"
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
// first block of each.
func (a *App) declaredSettings() map[string]site.Settings {
	declared := make(map[string]site.Settings)
	a.eachSite(func(key string, h *Handler) {
		if _, known := declared[key]; !known {
			declared[key] = h.Defaults()
		}
	})
	return declared
}

// declaredHosts are the hosts that the configuration names in front of the handlers of
// each site whose key it writes out.
func (a *App) declaredHosts() map[string][]string {
	declared := make(map[string][]string)
	a.eachHandler(func(at spot, handler any) {
		if h, ok := handler.(*Handler); ok && h.namesOneSite() {
			declared[h.SiteKey] = append(declared[h.SiteKey], at.hosts...)
		}
	})
	return declared
}

// eachSite calls f for the handlers of each site that the configuration names.
func (a *App) eachSite(f func(key string, h *Handler)) {
	a.eachHandler(func(at spot, handler any) {
		h, ok := handler.(*Handler)
		switch {
		case !ok:
		case h.namesOneSite():
			f(h.SiteKey, h)
		case h.SiteKey == hostPlaceholder:
			for _, host := range at.hosts {
				f(strings.ToLower(host), h)
			}
		}
	})
}

// ScriptAddresses are the URLs at which the script of each named host is.
func (a *App) ScriptAddresses() []string {
	addresses := make(map[string]struct{})
	a.eachHandler(func(at spot, handler any) {
		h, ok := handler.(*Handler)
		if !ok {
			return
		}
		hosts := at.hosts
		if len(hosts) == 0 && h.namesOneSite() {
			hosts = []string{"localhost"}
		}
		for _, host := range hosts {
			if base := addressOf(at.server, []string{host}); base != "" {
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
