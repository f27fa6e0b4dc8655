package caddymodule

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/intake"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/spool"
	"github.com/seed-3405227d/frontdesk/caddymodule/metrics"
	"github.com/seed-3405227d/frontdesk/edge/effect"
)

// services are the running services by the settings of their databases. A
// service stays in it, in use, while one configuration hands over to the next.
var services = caddy.NewUsagePool()

// closing are the services that have left the pool and give their last requests time.
var closing sync.WaitGroup

// WaitUntilClosed waits for the services that no configuration uses any more: then nothing writes to their files.
func WaitUntilClosed() { closing.Wait() }

// Use returns the service of the running configuration for other parts of the same program, see [backend.Service.Use].
func Use() (desk *backend.Desk, done func(), err error) {
	app, err := caddy.ActiveContext().AppIfConfigured("frontdesk")
	if err != nil {
		return nil, nil, err
	}
	return app.(*App).service.Use()
}

// sharedService is a service that several configurations may use, one after
// another or for a moment together.
type sharedService struct {
	*backend.Service
	settings db.Settings
	log      *followingCore
	pictures effect.Pictures
	forms    *spool.Spool
	intake   *intake.Budget
	faults   sync.Map // the places at which a panic of our own has been logged
}

// useService takes hold of the service for the database, without starting it. forms says where a new one keeps forms.
func useService(settings db.Settings, forms spool.Settings) (*sharedService, error) {
	service, _, err := services.LoadOrNew(settings, func() (caddy.Destructor, error) {
		log := newFollowingCore()
		return &sharedService{
			Service:  backend.New(settings, zap.New(log), metrics.Service{}),
			settings: settings,
			log:      log,
			forms:    spool.New(forms, zap.New(log).Named("spool")),
			intake:   intake.New(intake.Whole),
		}, nil
	})
	if err != nil {
		return nil, err
	}
	return service.(*sharedService), nil
}

// receivedState is how many bytes of bodies are held while they are received, and for how many bodies there was no room.
func receivedState() (held, refused int) {
	services.Range(func(_, shared any) bool {
		of := shared.(*sharedService).intake
		held, refused = held+of.Held(), refused+of.Refused()
		return true
	})
	return held, refused
}

// limitState counts the sites of the running configuration by their limits.
func limitState() (state limit.State) {
	if desk, done, err := Use(); err == nil {
		defer done()
		state = desk.Limits.State()
	}
	return state
}

// start runs the service, or hands the running one the configuration.
func (s *sharedService) start(logger *zap.Logger, configuration backend.Configuration) {
	s.log.follow(logger.Core())
	s.Start(configuration)
}

func (s *sharedService) release() error {
	_, err := services.Delete(s.settings)
	return err
}

// Destruct closes the service after its last configuration. Requests that have
// outlived that are given their time, for which only an ending process waits.
func (s *sharedService) Destruct() error {
	defer s.forms.Close()
	if caddy.Exiting() {
		return s.Close()
	}
	closing.Go(func() {
		logger := zap.New(s.log)
		aside.Do(logger, "closing the service", func() {
			if err := s.Close(); err != nil {
				logger.Error("closing the service failed", zap.Error(err))
			}
		})
	})
	return nil
}

// followingCore logs to where the newest configuration wants it, since the
// service outlives the configuration that it was made by.
type followingCore struct {
	newest *atomic.Pointer[zapcore.Core]
	fields []zapcore.Field
}

func newFollowingCore() *followingCore {
	c := &followingCore{newest: new(atomic.Pointer[zapcore.Core])}
	c.follow(zapcore.NewNopCore())
	return c
}

func (c *followingCore) follow(core zapcore.Core) { c.newest.Store(&core) }

func (c *followingCore) Enabled(level zapcore.Level) bool { return (*c.newest.Load()).Enabled(level) }

func (c *followingCore) With(fields []zapcore.Field) zapcore.Core {
	return &followingCore{newest: c.newest, fields: append(slices.Clip(c.fields), fields...)}
}

func (c *followingCore) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(entry.Level) {
		return checked.AddCore(entry, c)
	}
	return checked
}

func (c *followingCore) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	// Each core decides for itself by Check, so it is asked again here.
	if checked := (*c.newest.Load()).Check(entry, nil); checked != nil {
		checked.Write(append(slices.Clip(c.fields), fields...)...)
	}
	return nil
}

func (c *followingCore) Sync() error { return (*c.newest.Load()).Sync() }

// Interface guards
var (
	_ caddy.Destructor = (*sharedService)(nil)
	_ zapcore.Core     = (*followingCore)(nil)
)
