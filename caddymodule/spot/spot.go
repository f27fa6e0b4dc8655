// Package spot finds where in a configuration of Caddy a handler stands: in which server, behind which hosts and routes.
package spot

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/encode"
)

// Spot is where a handler stands in the configuration.
type Spot struct {
	Server *caddyhttp.Server
	Hosts  []string // that the routes around it name in full
	Within []caddyhttp.Route
	// Choices are those of the routes around it of which a request takes one alone.
	Choices string
	// Encoded tells that encode stands in front.
	Encoded bool
}

// Site is the same for handlers that the same requests come to.
func (at *Spot) Site() string {
	return at.Server.Name() + " " + strings.Join(at.Hosts, ",") + " " + at.Choices
}

// Hides tells whether no request for the path gets as far as this.
func (at *Spot) Hides(path string) bool {
	r := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: path}}
	r = r.WithContext(context.WithValue(context.Background(), caddy.ReplacerCtxKey, caddy.NewReplacer()))
	for _, route := range at.Within {
		open := len(route.MatcherSets) == 0
		for _, set := range route.MatcherSets {
			passes := true
			for _, matcher := range set {
				var paths caddyhttp.RequestMatcherWithError
				switch matcher := matcher.(type) {
				case *caddyhttp.MatchPath:
					paths = matcher
				case caddyhttp.MatchPath:
					paths = matcher
				default:
					continue // it depends on more than the path
				}
				matches, err := paths.MatchWithError(r)
				passes = passes && (matches || err != nil)
			}
			open = open || passes
		}
		if !open {
			return true
		}
	}
	return false
}

// Each calls f for every handler of the servers, those for errors left out. The servers come in the order of their names.
func Each(servers map[string]*caddyhttp.Server, f func(at Spot, handler any)) {
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		server := servers[name]
		walk(server.Routes, Spot{Server: server}, f)
	}
}

// EachWithErrors is Each with the handlers for errors.
func EachWithErrors(servers map[string]*caddyhttp.Server, f func(at Spot, handler any)) {
	Each(servers, f)
	for _, server := range servers {
		if server.Errors != nil {
			walk(server.Errors.Routes, Spot{Server: server}, f)
		}
	}
}

func walk(routes caddyhttp.RouteList, around Spot, f func(at Spot, handler any)) {
	for i, route := range routes {
		at := around
		at.Within = append(slices.Clone(around.Within), route)
		if own := hostsOf(route); len(own) > 0 {
			at.Hosts = own
		}
		if route.Group != "" {
			at.Choices += fmt.Sprint(route.Group, i, ";")
		}
		for _, handler := range route.Handlers {
			if _, ok := handler.(*encode.Encode); ok {
				at.Encoded, around.Encoded = true, true // for all that comes behind
			}
			f(at, handler)
			if subroute, ok := handler.(*caddyhttp.Subroute); ok {
				walk(subroute.Routes, at, f)
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

// Address is the URL of the first address that the server listens on, with the first of the hosts. It ends with a slash, and
// is empty where the configuration does not tell.
func Address(server *caddyhttp.Server, hosts []string) string {
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
