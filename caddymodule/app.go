// Package caddymodule is Caddy's side of Frontdesk: its modules, their
// Caddyfile, the admin API, the command line and the metrics.
package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
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
	"github.com/seed-3405227d/frontdesk/backend/declarer"
	"github.com/seed-3405227d/frontdesk/backend/notify/mail"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/spool"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/telephony/sip/trunk"
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

	// For how long visits are kept, a day at the least, such as `800d`. Leads and calls are kept
	// until they are erased. Default: for ever.
	Retention caddy.Duration `json:"retention,omitempty"`

	// How clients' addresses are stored and logged: `truncated`, to the /24 of IPv4 and the /48 of
	// IPv6, or `whole`. Default: `truncated`.
	Addresses string `json:"addresses,omitempty"`

	// Where a Caddyfile has the settings with placeholders, for errors. Adapting a
	// Caddyfile fills it in.
	WrittenAt written `json:"written_at,omitempty"`

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

	pools   map[string]*number.Pool
	mail    *mail.Server
	allowed []netip.Prefix // of webhooks
	callers []telephony.Caller

	mu     sync.Mutex
	sites  map[string]struct{} // the keys that handlers write out
	pooled map[string]string   // the pool that each number is of
}

// Database names where the service keeps its data.
type Database struct {
	// `sqlite`, for one machine, or `postgres`, for several nodes.
	Engine string `json:"engine"`

	// The path of the SQLite file, or PostgreSQL's connection string (an URL,
	// or pairs of key=value). Placeholders such as `{env.NAME}` and
	// `{file./path}` are resolved when the configuration is loaded and are not
	// written back, so a password belongs into one.
	Source string `json:"source"`
}

// Operator is an account of the console.
type Operator struct {
	// The name to sign in with.
	Login string `json:"login"`

	// The argon2id hash of the password in its PHC form (`$argon2id$v=19$…`),
	// usually a placeholder such as `{env.NAME}` or `{file./path}`.
	PasswordHash string `json:"password_hash"`

	// The keys of the sites that the account administers, and beside which it sees
	// nothing. They become known sites. Default: all sites.
	Sites []string `json:"sites,omitempty"`
}

// CaddyModule returns the Caddy module information.
func (*App) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "frontdesk",
		New: func() caddy.Module { return new(App) },
	}
}

// Provision checks the settings and takes hold of the shared service. It opens
// nothing: that is Start's.
func (a *App) Provision(ctx caddy.Context) error {
	a.ctx = ctx
	a.logger = ctx.Logger()
	a.sites = make(map[string]struct{})
	a.ending, a.end = context.WithCancel(context.Background())

	var err error
	if a.settings, err = a.Database.resolve(a.WrittenAt); err != nil {
		return err
	}
	if a.spool, err = a.Spool.settings(a.settings, a.WrittenAt); err != nil {
		return err
	}
	if a.name, err = resolveName(a.Name, a.settings.Engine); err != nil {
		return a.WrittenAt.at(a.Name, err)
	}
	if a.operators, err = resolveOperators(a.Operators, a.WrittenAt); err != nil {
		return err
	}
	telephones, err := a.Telephony.platforms(a.WrittenAt)
	if err != nil {
		return err
	}
	if a.callers, err = a.Telephony.callers(a.WrittenAt); err != nil {
		return err
	}
	if a.pools, err = resolvePools(a.Pools); err != nil {
		return err
	}
	if a.mail, err = a.Mail.server(a.WrittenAt); err != nil {
		return err
	}
	if a.allowed, err = a.Webhooks.ranges(); err != nil {
		return err
	}
	if err := checkRetention(a.Retention); err != nil {
		return err
	}
	if err := checkAddresses(a.Addresses); err != nil {
		return err
	}
	a.pooled = make(map[string]string)
	for _, pool := range a.pools {
		if err := a.claim(pool); err != nil {
			return err
		}
	}
	if err := registerMetrics(ctx.GetMetricsRegistry()); err != nil {
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
	a.switchboard = call.NewSwitchboard(a.service.Calls, a.logger.Named("telephony"), metricsObserver{})
	named := sync.OnceValue(a.knownSites)
	a.edge = edge.New(edge.Subjects{
		Shared: &effect.Shared{
			Service: a.service.Service, Pictures: &a.service.pictures, Logger: a.logger, WholeAddresses: a.Addresses == wholeAddresses,
			Ending: a.ending.Done(), Pools: a.configuredPools,
			Names: func(key string) bool {
				_, known := slices.BinarySearch(named(), key)
				return known
			},
			Fault: edgeObserver{a}.Fault,
		},
		Observer:  edgeObserver{a},
		Spool:     a.service.forms,
		Intake:    a.service.intake,
		StatusOf:  statusOf,
		Platforms: platforms.New(telephones, a.switchboard, a.service),
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
	a.service.start(a.logger, backend.Configuration{
		Name:      a.name,
		Sites:     a.knownSites(),
		Numbers:   a.declaredNumbers(),
		Settings:  a.declaredSettings(),
		Hosts:     a.declaredHosts(),
		Pools:     a.configuredPools(),
		Operators: a.operators,
		Mail:      a.mail,
		Webhooks:  a.allowed,
		Callers:   slices.Concat(a.callers, a.sipCaller()),
		Retention: time.Duration(a.Retention),
		Spool:     a.service.forms.State,

		WholeAddresses: a.Addresses == wholeAddresses,
		Console:        a.consoleAddress(),
	})
	a.startSIP()
	a.eachHandler(func(_ spot, handler any) {
		if h, ok := handler.(*Handler); ok {
			if block, err := h.serving(); err == nil {
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

// resolve fills in the default and the placeholders, and checks the result.
func (d *Database) resolve(from written) (db.Settings, error) {
	if d == nil {
		d = &Database{Engine: db.SQLite, Source: filepath.Join(caddy.AppDataDir(), "frontdesk.db")}
	}
	settings, err := d.resolved()
	return settings, from.at(d.Source, err)
}

func (d *Database) resolved() (db.Settings, error) {
	source, err := resolvePlaceholders(d.Source)
	if err != nil {
		return db.Settings{}, fmt.Errorf("database source: %w", err)
	}
	settings := db.Settings{Engine: d.Engine, Source: source}
	if err := settings.Check(); err != nil {
		return db.Settings{}, fmt.Errorf("database: %w", err)
	}
	if settings.Engine == db.SQLite {
		if settings.Source, err = filepath.Abs(settings.Source); err != nil {
			return db.Settings{}, fmt.Errorf("database: %w", err)
		}
	}
	return settings, nil
}

// resolveName fills in the default and the placeholders, and checks the result.
func resolveName(name, engine string) (string, error) {
	if name == "" && engine == db.SQLite { // one machine, one configuration
		return "", nil
	}
	var err error
	if name == "" {
		name, err = os.Hostname()
	} else {
		name, err = resolvePlaceholders(name)
	}
	if err == nil {
		err = declarer.ValidName(name)
	}
	if err != nil {
		return "", fmt.Errorf("name: %w", err)
	}
	return name, nil
}

func resolveOperators(declared []Operator, from written) ([]backend.Operator, error) {
	var operators []backend.Operator
	for _, o := range declared {
		hash, err := resolvePlaceholders(o.PasswordHash)
		if err != nil {
			return nil, from.at(o.PasswordHash, fmt.Errorf("password hash of operator %q: %w", o.Login, err))
		}
		operator := backend.Operator{Login: o.Login, PasswordHash: hash, Sites: o.Sites}
		if err := operator.Check(); err != nil {
			return nil, from.at(o.PasswordHash, err)
		}
		operators = append(operators, operator)
	}
	return operators, nil
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
