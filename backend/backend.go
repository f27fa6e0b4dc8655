// Package backend is the service behind the pages: it opens the database, makes
// the subjects that live in it, and keeps them through outages and changes of
// configuration.
//
// Nothing here waits for the database on the way of a page: until the service
// is ready, [Service.Use] says so at once.
package backend

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/api"
	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/dispatch"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/upgrade"
	"github.com/seed-3405227d/frontdesk/backend/forward"
	"github.com/seed-3405227d/frontdesk/backend/health"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
)

const (
	// firstRetry and lastRetry bound the pauses between attempts to reach the
	// database; each pause is twice the one before.
	firstRetry = 250 * time.Millisecond
	lastRetry  = 15 * time.Second
	// drainTimeout is how long requests under way have to finish before the
	// database is closed.
	drainTimeout = 10 * time.Second
)

// ErrNotReady means that the database has not been reached yet, or that the
// service is closing.
var ErrNotReady = errors.New("the service is not ready")

// Observer is told of what is to be counted. Its methods must not block.
type Observer interface {
	api.Observer
	lease.Observer
	forward.Observer
	notify.Observer
	// Lead is called with the origin of each new lead.
	Lead(origin string)
	// Said is called for each new message of a conversation; see [chat.Subjects].
	Said(by chat.Author, begins bool)
	// CallEnded is called for each call that turns out to have ended.
	CallEnded(how telephony.Status)
	// Limited is called for each request that is refused because its site has used up a limit.
	Limited(what limit.Kind)
}

// Service is the whole service on one database. It is safe for concurrent use.
type Service struct {
	settings db.Settings
	logger   *zap.Logger
	observer Observer

	desk     atomic.Pointer[Desk] // nil until ready
	uses     uses
	wanted   chan Configuration // the newest that has not been applied
	starting sync.Once
	stop     context.CancelFunc
	ctx      context.Context
	finished sync.WaitGroup

	mu      sync.Mutex
	failure *db.Trouble // why it could not be opened at the last attempt
}

// New makes a service that has opened nothing yet; see [Service.Start].
func New(settings db.Settings, logger *zap.Logger, observer Observer) *Service {
	ctx, stop := context.WithCancel(context.Background())
	return &Service{
		settings: settings,
		logger:   logger,
		observer: observer,
		wanted:   make(chan Configuration, 1),
		ctx:      ctx,
		stop:     stop,
	}
}

// Start brings the configuration into effect without waiting for it. The first
// call begins to open the database, and goes on trying until it is reached.
func (s *Service) Start(configuration Configuration) {
	s.mu.Lock()
	select {
	case <-s.wanted: // a newer one takes its place
	default:
	}
	s.wanted <- configuration
	s.mu.Unlock()
	s.starting.Do(func() { s.finished.Go(func() { aside.Do(s.logger, "the service", func() { s.run(s.ctx) }) }) })
}

// Ready tells whether the database has been opened, its schema is the one that
// this program needs, and its file is still there.
func (s *Service) Ready() bool {
	desk := s.desk.Load()
	return desk != nil && !desk.DB.Lost()
}

// Use returns the open service, and the function that the caller calls when it
// is done with it: the database stays open that long. It does not block.
func (s *Service) Use() (desk *Desk, done func(), err error) {
	desk = s.desk.Load()
	if desk == nil || desk.DB.Lost() || !s.uses.begin() {
		return nil, nil, ErrNotReady
	}
	return desk, s.uses.end, nil
}

// Now is what time it is: the database's time, see [db.DB.Now], or the machine's while the service is not ready.
func (s *Service) Now() time.Time {
	if desk := s.desk.Load(); desk != nil {
		return desk.DB.Now()
	}
	return time.Now()
}

// Calls returns where calls are kept, and the function that ends their use. calls is nil while the service is not ready.
func (s *Service) Calls() (calls *call.Calls, done func()) {
	desk, done, err := s.Use()
	if err != nil {
		return nil, func() {}
	}
	return desk.Calls, done
}

// Progress takes what a telephone platform tells of an order. The error is [ErrNotReady] while
// it cannot be stored: it is to be told again then.
func (s *Service) Progress(ctx context.Context, p telephony.Progress) error {
	desk, done, err := s.Use()
	if err != nil {
		return err
	}
	defer done()
	return desk.Callbacks.Progress(ctx, p)
}

// Check returns nil when the service is ready and its database answers and takes
// writes. The error says why not; it holds no secret of the settings, and is a
// [db.Trouble] when it is known since when.
func (s *Service) Check(ctx context.Context) error {
	desk := s.desk.Load()
	if desk == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.failure != nil {
			return s.failure
		}
		return ErrNotReady
	}
	if !s.uses.begin() {
		return ErrNotReady
	}
	defer s.uses.end()
	return conceal(s.settings, desk.DB.Check(ctx))
}

// Reasons says why the service is not well. What cannot be asked within the context is left out.
func (s *Service) Reasons(ctx context.Context) []health.Reason {
	switch err := s.Check(ctx); {
	case errors.Is(err, ErrNotReady):
		return []health.Reason{health.New(health.Starting, "%s: the database is being opened, and brought up to date where its schema is older", err)}
	case err != nil:
		return []health.Reason{health.OfDatabase(err)}
	}
	desk, done, err := s.Use()
	if err != nil {
		return nil
	}
	defer done()
	return health.Subjects{DB: desk.DB, Journal: desk.Journal, Incidents: desk.Incidents}.Degraded(ctx, time.Now)
}

// Close ends the service: what is under way has a few seconds to finish, then
// the database is closed. The service cannot be started again.
func (s *Service) Close() error {
	s.stop()
	s.finished.Wait()
	desk := s.desk.Swap(nil)
	if desk == nil {
		return nil
	}
	desk.Console.Close() // its streams would not end by themselves
	desk.Open.Close()
	desk.Chatting.Close()
	if !s.uses.drain(drainTimeout) {
		s.logger.Warn("closing the database under requests that have not finished")
	}
	return desk.Close()
}

// run opens the database and applies configurations as they come.
func (s *Service) run(ctx context.Context) {
	desk := s.open(ctx)
	if desk != nil {
		keep := func(what string, f func(context.Context)) {
			s.finished.Go(func() { aside.Keep(ctx, s.logger, what, f) })
		}
		keep("saying which release runs", func(ctx context.Context) { upgrade.Keep(ctx, desk.DB) })
		keep("giving memory back", giveBack)
		keep("collecting less in a rush", collectLess)
		keep("pruning the journal", func(ctx context.Context) { desk.pruneJournal(ctx, s.logger) })
		keep("pruning", func(ctx context.Context) { desk.prune(ctx, s.logger) })
		keep("following the sites", desk.Sites.Follow)
		keep("keeping refused leads", func(ctx context.Context) { desk.Refused.Run(ctx, s.logger.Named("leads")) })
		keep("counting pages", desk.Sites.CountPages)
		keep("noting what of sites is at work", func(ctx context.Context) { desk.Sightings.Run(ctx, s.logger.Named("sites")) })
		keep("counting what sites use", desk.Limits.Run)
		keep("counting what is stored of sites", desk.Limits.CountSizes)
		keep("limiting new sites", func(ctx context.Context) { keepLimiting(ctx, desk, s.logger) })
		keep("counting forms", func(ctx context.Context) { desk.Forms.Run(ctx, s.logger.Named("forms")) })
		keep("settling incidents", func(ctx context.Context) { desk.Incidents.Run(ctx, s.logger.Named("incidents")) })
		keep("following the file of networks", desk.Networks.Follow)
		keep("keeping the figures of reports", desk.Figures.Run)
		keep("keeping numbers shown", func(ctx context.Context) { desk.keepShowing(ctx, s.logger) })
		keep("the queue", desk.Queue.Run)
		keep("deliveries", desk.Deliveries.Run)
		keep("looking for destinations", desk.Conversions.Run)
		keep("keeping the ids of visitors' browsers", desk.Clients.Run)
		keep("bulletins", desk.Bulletins.Run)
		keep("erasing", desk.Persons.Run)
		keep("bringing conversations to operators", dispatch.New(desk.DB, desk.Chats, desk.Presence, desk.DB.Now, s.logger.Named("chats")).Run)
		keep("deleting what is old", func(ctx context.Context) { desk.retain(ctx, s.logger) })
	}
	for desk != nil {
		select {
		case <-ctx.Done():
			s.desk.CompareAndSwap(nil, desk) // for Close to find
			return
		case configuration := <-s.wanted:
			aside.Do(s.logger, "applying a configuration", func() { s.apply(ctx, desk, configuration) })
		}
	}
}

// open tries until the database is open and migrated. It returns nil when ctx
// has ended before.
func (s *Service) open(ctx context.Context) *Desk {
	for pause := firstRetry; ; pause = min(2*pause, lastRetry) {
		desk, err := Open(ctx, s.settings, s.logger, s.observer)
		if err == nil {
			return desk
		}
		if ctx.Err() != nil {
			return nil
		}
		s.fail(err)
		s.logger.Error("the database cannot be used: pages pass untouched", zap.Error(err), zap.Duration("retry", pause))
		if !aside.Sleep(ctx, pause) {
			return nil
		}
	}
}

// apply brings the configuration into the database, however often that takes,
// unless a newer one comes. The service is ready after the first attempt: what
// a configuration adds can wait, what is stored already cannot.
func (s *Service) apply(ctx context.Context, desk *Desk, configuration Configuration) {
	for pause := firstRetry; ; pause = min(2*pause, lastRetry) {
		err := desk.declare(ctx, configuration, s.logger)
		s.desk.CompareAndSwap(nil, desk)
		if err == nil {
			s.logger.Info("ready", zap.String("database", s.settings.Engine))
			desk.announceSetup(ctx, configuration, s.logger)
			return
		}
		s.logger.Error("applying the configuration to the database failed", zap.Error(conceal(s.settings, err)), zap.Duration("retry", pause))
		if !aside.Sleep(ctx, pause) || len(s.wanted) > 0 {
			return
		}
	}
}

func (s *Service) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	trouble := &db.Trouble{Err: err, Since: time.Now()}
	if s.failure != nil {
		trouble.Since = s.failure.Since
	}
	s.failure = trouble
}
