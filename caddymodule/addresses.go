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

// knownSites are the keys that the configuration itself names: those written
// out in handlers, and the hosts in front of handlers whose key is the host.
func (a *App) knownSites() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	known := make(map[string]struct{}, len(a.sites))
	for key := range a.sites {
		known[key] = struct{}{}
	}
	a.eachHandler(func(_ *caddyhttp.Server, hosts []string, handler any) {
		if h, ok := handler.(*Handler); ok && h.SiteKey == hostPlaceholder {
			for _, host := range hosts {
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

// consoleAddress is where the console answers, as a URL that ends with a slash,
// or empty when the configuration does not tell.
func (a *App) consoleAddress() (address string) {
	a.eachHandler(func(server *caddyhttp.Server, hosts []string, handler any) {
		if _, ok := handler.(*Console); ok && address == "" {
			address = addressOf(server, hosts)
		}
	})
	return address
}

// credulousServers names the servers with handlers of ours that take the first
// address in X-Forwarded-For for the client's, which is the client's own word.
// The encoded configuration is asked, since loading it uses up what it says of proxies.
func (a *App) credulousServers(configuration []byte) (names []string) {
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
	a.eachHandler(func(server *caddyhttp.Server, _ []string, handler any) {
		switch handler.(type) {
		case *Handler, *Console:
			of := settings.Apps.HTTP.Servers[server.Name()]
			name := server.Name() + " (" + strings.Join(server.Listen, ", ") + ")"
			if (of.Ranges != nil || of.Unix) && of.Strict == 0 && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	})
	return names
}

// eachHandler calls f for every handler of the HTTP app, with the hosts that
// the routes in front of it ask for.
func (a *App) eachHandler(f func(server *caddyhttp.Server, hosts []string, handler any)) {
	a.eachServer(func(server *caddyhttp.Server) {
		eachRoute(server.Routes, nil, func(hosts []string, handler any) { f(server, hosts, handler) })
	})
}

// hostsOf are the hosts that the configuration names in front of the handler, in
// lower case. It may stand among the routes for errors too.
func (a *App) hostsOf(h *Handler) map[string]struct{} {
	named := make(map[string]struct{})
	note := func(hosts []string, handler any) {
		if handler == h {
			for _, host := range hosts {
				named[strings.ToLower(host)] = struct{}{}
			}
		}
	}
	a.eachServer(func(server *caddyhttp.Server) {
		eachRoute(server.Routes, nil, note)
		if server.Errors != nil {
			eachRoute(server.Errors.Routes, nil, note)
		}
	})
	return named
}

// eachServer calls f for every server of the HTTP app, in the order of their names.
func (a *App) eachServer(f func(*caddyhttp.Server)) {
	app, err := a.ctx.AppIfConfigured("http")
	if err != nil {
		return
	}
	http := app.(*caddyhttp.App)
	names := make([]string, 0, len(http.Servers))
	for name := range http.Servers {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		f(http.Servers[name])
	}
}

func eachRoute(routes caddyhttp.RouteList, outer []string, f func(hosts []string, handler any)) {
	for _, route := range routes {
		hosts := outer
		if own := hostsOf(route); len(own) > 0 {
			hosts = own
		}
		for _, handler := range route.Handlers {
			f(hosts, handler)
			if subroute, ok := handler.(*caddyhttp.Subroute); ok {
				eachRoute(subroute.Routes, hosts, f)
			}
		}
	}
}

// hostsOf are the hosts that the route names in full.
func hostsOf(route caddyhttp.Route) (hosts []string) {
	for _, set := range route.MatcherSets {
		for _, matcher := range set {
			named, ok := matcher.(*caddyhttp.MatchHost)
			if !ok {
				continue
			}
			for _, host := range *named {
				if !strings.ContainsAny(host, "*{") {
					hosts = append(hosts, host)
				}
			}
		}
	}
	return hosts
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
	a.eachHandler(func(_ *caddyhttp.Server, hosts []string, handler any) {
		h, ok := handler.(*Handler)
		if !ok || len(h.Numbers) == 0 {
			return
		}
		if h.namesOneSite() {
			declared[h.SiteKey] = append(declared[h.SiteKey], h.Declared()...)
		} else if h.SiteKey == hostPlaceholder {
			for _, host := range hosts {
				key := strings.ToLower(host)
				declared[key] = append(declared[key], h.Declared()...)
			}
		}
	})
	return declared
}
