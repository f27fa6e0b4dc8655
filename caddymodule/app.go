// Package caddymodule is Caddy's side of Frontdesk: its modules, their
// Caddyfile, the admin API and the metrics. The command line is package command.
package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyevents"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/api/platforms"
	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/notify/mail"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/operator/twostep"
	"github.com/seed-3405227d/frontdesk/backend/spool"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/telephony/sip/trunk"
	"github.com/seed-3405227d/frontdesk/caddymodule/metrics"
	"github.com/seed-3405227d/frontdesk/caddymodule/networks"
	"github.com/seed-3405227d/frontdesk/caddymodule/placeholder"
	"github.com/seed-3405227d/frontdesk/caddymodule/spot"
	"github.com/seed-3405227d/frontdesk/edge"
	"github.com/seed-3405227d/frontdesk/edge/effect"
)

func init() {
	caddy.RegisterModule(new(App))
}

// App is the service that all sites of the configuration share: their
// visitors, leads and operators, in one database.
//
// The service outlives a reload as long as the database stays the same: a new
// configuration takes over the running service, with its open connections.
type App struct {
	// The database. Default: SQLite in the file `frontdesk.db` in Caddy's data
	// directory.
	Database *Database `json:"database,omitempty"`

	// Under which name the configuration declares sites' numbers and operators: 1 to
	// 64 letters, digits, and `.`, `_`, `:`, `-`. What it has declared under the same
	// name before, and does not any more, is retired. Nodes with the same
	// configuration may share a name; those with different ones must not. Default:
	// the host name with PostgreSQL, none with SQLite.
	Name string `json:"name,omitempty"`

	// The operators' accounts that the configuration declares. When there is no
	// account at all, a link for making the first one is logged at start.
	Operators []Operator `json:"operators,omitempty"`

	// The telephone platforms that tell of calls. Default: none.
	Telephony *Telephony `json:"telephony,omitempty"`

	// Tracking numbers of which each visitor has another for a while, by the names under
	// which the numbers of sites use them.
	Pools map[string]*Pool `json:"pools,omitempty"`

	// The server that takes mails. Default: none, and no mail is sent.
	Mail *Mail `json:"mail,omitempty"`

	// Where webhooks may go. Default: to public addresses, with TLS.
	Webhooks *Webhooks `json:"webhooks,omitempty"`

	// Where forms wait while the database is away.
	Spool *Spool `json:"spool,omitempty"`

	// What each site may use, if its own limits do not say otherwise. Default: no limits.
	Limits *limit.Limits `json:"limits,omitempty"`

	// For how long visits are kept, a day at the least, such as `800d`. Leads and calls are kept
	// until they are erased. Default: for ever.
	Retention caddy.Duration `json:"retention,omitempty"`

	// How many sites have metrics of their own, those with the most pages: 1 to 1000. Default: none.
	SiteMetrics int `json:"site_metrics,omitempty"`

	// How clients' addresses are stored and logged: `truncated`, to the /24 of IPv4 and the /48 of
	// IPv6, or `whole`. Default: `truncated`.
	Addresses string `json:"addresses,omitempty"`

	// Who has to sign in to the console with two steps: `admins`, or `all`. Default: nobody has to.
	TwoStep twostep.Rule `json:"two_step,omitempty"`

	// The file that tells where visitors are. Default: none.
	Networks *networks.Networks `json:"networks,omitempty"`

	// Where a Caddyfile has the settings with placeholders, for errors. Adapting a
	// Caddyfile fills it in.
	WrittenAt placeholder.Places `json:"written_at,omitempty"`

	ctx       caddy.Context
	logger    *zap.Logger
	settings  db.Settings // with placeholders resolved: never encoded
	spool     spool.Settings
	name      string
	operators []backend.Operator
	service   *sharedService
	edge      *edge.Edge
	trunk     trunk.Settings
	exchange  *sharedExchange // nil without a SIP trunk

	switchboard *call.Switchboard

	// ending is done when this configuration is about to be replaced: streams
	// end then, so that browsers open them anew on the next one.
	ending context.Context
	end    context.CancelFunc

	doubting sync.Once

	pools      map[string]*number.Pool
	mail       *mail.Server
	allowed    []netip.Prefix // of webhooks
	telephones []telephony.Platform
	diallers   []telephony.Dialler

	mu     sync.Mutex
	sites  map[string]struct{} // the keys that handlers write out
	pooled pooled
}

// CaddyModule returns the Caddy module information.
func (*App) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "frontdesk", New: func() caddy.Module { return new(App) }}
}

// Provision checks the settings and takes hold of the shared service. It opens
// nothing: that is Start's.
func (a *App) Provision(ctx caddy.Context) error {
	a.ctx = ctx
	a.logger = ctx.Logger()
	a.sites = make(map[string]struct{})
	a.ending, a.end = context.WithCancel(context.Background())

	if err := a.resolve(); err != nil {
		return err
	}
	if err := metrics.Register(ctx.GetMetricsRegistry()); err != nil {
		return fmt.Errorf("registering metrics: %w", err)
	}
	events, err := ctx.App("events")
	if err != nil {
		return err
	}
	for _, event := range []string{"started", "stopping"} {
		if err := events.(*caddyevents.App).On(event, lifecycle{a}); err != nil {
			return fmt.Errorf("listening for %s: %w", event, err)
		}
	}
	if err := a.provisionSIP(); err != nil {
		return err
	}
	if a.service, err = useService(a.settings, a.spool); err != nil {
		return err
	}
	a.switchboard = call.NewSwitchboard(a.service.Calls, a.logger.Named("telephony"), metrics.Service{})
	named, hosts := sync.OnceValue(a.KnownSites), sync.OnceValue(a.declaredHosts)
	a.edge = edge.New(edge.Subjects{
		Shared: &effect.Shared{
			Service: a.service.Service, Pictures: &a.service.pictures, Logger: a.logger, WholeAddresses: a.Addresses == wholeAddresses,
			Ending: a.ending.Done(), Pools: a.configuredPools,
			Names: func(key string) bool {
				_, known := slices.BinarySearch(named(), key)
				return known
			},
			Hosts: func(key string) []string { return hosts()[key] },
			Fault: edgeObserver{app: a}.Fault,
		},
		Observer:  edgeObserver{app: a},
		Spool:     a.service.forms,
		Intake:    a.service.intake,
		StatusOf:  statusOf,
		Platforms: platforms.New(a.telephones, a.switchboard, a.service, a.service.Now),
	})
	return nil
}

// Start opens sockets of its own, and does nothing else yet: another app may keep the
// configuration from running, and then it leaves no trace. See started.
func (a *App) Start() error { return a.listenSIP() }

// started begins, or goes on, to serve, now that the whole configuration runs.
// It does not wait for the database: until that can be reached, it is tried again
// and again, and pages pass untouched.
func (a *App) started() {
	a.logDoubts()
	a.service.forms.Use(a.spool)
	metrics.UseSites(a.SiteMetrics)
	a.service.start(a.logger, backend.Configuration{
		Name:      a.name,
		Sites:     a.KnownSites(),
		Numbers:   a.declaredNumbers(),
		Settings:  a.declaredSettings(),
		Fixed:     declaredFixed(a),
		Limits:    declaredLimits(a),
		Hosts:     a.declaredHosts(),
		Services:  declaredServices(a),
		Pools:     a.configuredPools(),
		Operators: a.operators,
		Mail:      a.mail,
		Webhooks:  a.allowed,
		Diallers:  slices.Concat(a.diallers, a.sipDialler()),
		Retention: time.Duration(a.Retention),
		Networks:  a.Networks.Settings(),
		Spool:     a.service.forms.State,

		WholeAddresses: a.Addresses == wholeAddresses,
		TwoStep:        a.TwoStep,
		Console:        a.ConsoleAddress(),
	})
	a.startSIP()
	a.eachHandler(func(_ spot.Spot, handler any) {
		if h, ok := handler.(*Handler); ok {
			if block, err := h.Serving(); err == nil {
				block.Keep()
			}
		}
	})
	aside.Go(a.logger, "the edge", func() { a.edge.Run(a.ending) })
}

// Stop ends the streams, if the event that comes before has not.
func (a *App) Stop() error {
	a.end()
	return nil
}

// Cleanup lets go of the shared service. A configuration that was only validated has
// not been started: it tells here what is doubtful.
func (a *App) Cleanup() error {
	if a.edge != nil {
		a.logDoubts()
	}
	if a.end != nil {
		a.end()
	}
	if a.service == nil {
		return a.releaseSIP()
	}
	return errors.Join(a.releaseSIP(), a.service.release())
}

// provisionSite makes the key a known site. Handlers call it while they are
// provisioned.
func (a *App) provisionSite(key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sites[key] = struct{}{}
}

// writesOut tells whether a handler writes out the key. The keys are complete
// before the first request.
func (a *App) writesOut(key string) bool {
	_, written := a.sites[key]
	return written
}

// lifecycle hears of what happens to the configuration as a whole.
type lifecycle struct{ app *App }

// Handle brings the configuration into effect once all of it runs, and ends the
// streams before anything of it is stopped.
func (l lifecycle) Handle(_ context.Context, e caddy.Event) error {
	switch e.Name() {
	case "started":
		l.app.started()
	case "stopping":
		l.app.end()
	}
	return nil
}

// Interface guards
var (
	_ caddy.App           = (*App)(nil)
	_ caddy.Provisioner   = (*App)(nil)
	_ caddy.CleanerUpper  = (*App)(nil)
	_ caddyevents.Handler = lifecycle{}
)
