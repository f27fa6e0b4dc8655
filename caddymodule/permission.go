package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddytls"

	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/caddymodule/spot"
)

func init() {
	caddy.RegisterModule(new(Permission))
}

// Permission lets Caddy get certificates on demand for the hosts of known sites alone:
// those whose key is the host, and those that the configuration names in front of a
// frontdesk handler.
type Permission struct {
	app   *App
	hosts func() map[string]struct{}
}

// CaddyModule returns the Caddy module information.
func (*Permission) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "tls.permission.frontdesk",
		New: func() caddy.Module { return new(Permission) },
	}
}

// Provision finds the app.
func (p *Permission) Provision(ctx caddy.Context) error {
	app, err := ctx.App("frontdesk")
	if err != nil {
		return err
	}
	p.app = app.(*App)
	p.hosts = sync.OnceValue(p.app.hostsOfHandlers)
	return nil
}

// CertificateAllowed returns nil for the host of a known site, retired ones included, else an error that
// wraps [caddytls.ErrPermissionDenied], or says why it could not be told.
func (p *Permission) CertificateAllowed(ctx context.Context, name string) error {
	host := strings.ToLower(strings.TrimSuffix(name, "."))
	if _, named := p.hosts()[host]; named {
		return nil
	}
	_, err := p.app.edge.Site(ctx, host)
	switch {
	case errors.Is(err, site.ErrRetired): // whose pages go on to pass
		return nil
	case errors.Is(err, site.ErrUnknown):
		return fmt.Errorf("%s: %w: it is the host of no known site", name, caddytls.ErrPermissionDenied)
	}
	return err
}

// hostsOfHandlers are the hosts that the configuration names in front of handlers.
func (a *App) hostsOfHandlers() map[string]struct{} {
	named := make(map[string]struct{})
	a.eachHandler(func(at spot.Spot, handler any) {
		if _, ok := handler.(*Handler); ok {
			for _, host := range at.Hosts {
				named[strings.ToLower(host)] = struct{}{}
			}
		}
	})
	return named
}

// UnmarshalCaddyfile sets up the module from Caddyfile tokens:
//
//	permission frontdesk
func (p *Permission) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the module's name
	if d.NextArg() || d.NextBlock(0) {
		return d.Errf("unexpected %q: permission frontdesk takes nothing", d.Val())
	}
	return nil
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Permission)(nil)
	_ caddytls.OnDemandPermission = (*Permission)(nil)
	_ caddyfile.Unmarshaler       = (*Permission)(nil)
)
