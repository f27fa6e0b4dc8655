package caddymodule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/encode"
)

// spot is where a handler stands in the configuration.
type spot struct {
	server *caddyhttp.Server
	hosts  []string // that the routes around it name in full
	within []caddyhttp.Route
	// choices are those of the routes around it of which a request takes one alone.
	choices string
	// encoded tells that encode stands in front.
	encoded bool
}

// eachHandler calls f for every handler of the HTTP app, those for errors left out.
func (a *App) eachHandler(f func(at spot, handler any)) {
	a.eachServer(func(server *caddyhttp.Server) { walk(server.Routes, spot{server: server}, f) })
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

func walk(routes caddyhttp.RouteList, around spot, f func(at spot, handler any)) {
	for i, route := range routes {
		at := around
		at.within = append(slices.Clone(around.within), route)
		if own := hostsOf(route); len(own) > 0 {
			at.hosts = own
		}
		if route.Group != "" {
			at.choices += fmt.Sprint(route.Group, i, ";")
		}
		for _, handler := range route.Handlers {
			if _, ok := handler.(*encode.Encode); ok {
				at.encoded, around.encoded = true, true // for all that comes behind
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
