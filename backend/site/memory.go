package site

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

const (
	// readTimeout limits the time for reading the sites.
	readTimeout = 10 * time.Second
	// readApart is the shortest pause between two readings. Callers within it share one reading.
	readApart = 100 * time.Millisecond
	// lookAgainPostgres and lookAgainSQLite are the intervals at which Follow reads by itself. On PostgreSQL, a
	// notification may get lost while a connection breaks. On SQLite, another process, such as a command, notifies
	// nobody.
	lookAgainPostgres = 10 * time.Second
	lookAgainSQLite   = 500 * time.Millisecond
)

// memory holds the sites that this node knows.
type memory struct {
	known  atomic.Pointer[known]
	making chan struct{} // holds a value while the next known is being made
}

func newMemory() memory { return memory{making: make(chan struct{}, 1)} }

// known is one reading of the database. It is never changed.
type known struct {
	byKey  map[string]Site
	byID   map[int64]string // the keys
	keys   []string         // in their order
	mark   mark
	failed error // why it could not be read again
}

func newKnown(sites map[string]Site) *known {
	k := &known{byKey: sites, byID: make(map[int64]string, len(sites)), keys: slices.Sorted(maps.Keys(sites)), mark: markOf(sites)}
	for key, site := range sites {
		k.byID[site.ID] = key
	}
	return k
}

// Read reports whether the sites have been read. Then ByKey does not wait.
func (s *Sites) Read() bool { return s.memory.known.Load() != nil }

// ByKey returns the site of the key, or [ErrUnknown], which is [ErrRetired] for a retired site. It waits for the
// database only if the sites have never been read. While they cannot be read, it finds the sites that were known
// before, and returns the database's error for others.
func (s *Sites) ByKey(ctx context.Context, key string) (Site, error) {
	known, err := s.current(ctx)
	if err != nil {
		return Site{}, fmt.Errorf("looking up a site: %w", err)
	}
	site, found := known.byKey[key]
	switch {
	case found && !site.SuspendedAt.IsZero():
		return Site{}, ErrSuspended
	case found && !site.RetiredAt.IsZero():
		return Site{}, ErrRetired
	case found:
		return site, nil
	case known.failed != nil:
		return Site{}, fmt.Errorf("looking up a site: %w", known.failed)
	}
	return Site{}, ErrUnknown
}

// Key returns the key of a site, retired or not, or [ErrUnknown]. It waits for the database as ByKey does.
func (s *Sites) Key(ctx context.Context, id int64) (string, error) {
	known, err := s.current(ctx)
	if err != nil {
		return "", fmt.Errorf("looking up a site: %w", err)
	}
	key, found := known.byID[id]
	if !found {
		return "", ErrUnknown
	}
	return key, nil
}

// Each calls f for each site that this node knows, retired or not.
func (s *Sites) Each(f func(id int64, key string)) {
	if known := s.memory.known.Load(); known != nil {
		for id, key := range known.byID {
			f(id, key)
		}
	}
}

// List returns all sites, including retired ones, ordered by key. It waits for the database as ByKey does.
func (s *Sites) List(ctx context.Context) ([]Site, error) {
	known, err := s.current(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing sites: %w", err)
	}
	all := make([]Site, len(known.keys))
	for i, key := range known.keys {
		all[i] = known.byKey[key]
	}
	return all, nil
}

// Behind returns those of the sites whose keys come behind the key, including retired ones, ordered by key and at most
// limit. It waits for the database as ByKey does.
func (s *Sites) Behind(ctx context.Context, sites scope.Sites, key string, limit int) (some []Site, err error) {
	known, err := s.current(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing sites: %w", err)
	}
	from, found := slices.BinarySearch(known.keys, key)
	if found {
		from++
	}
	for _, key := range known.keys[from:] {
		if len(some) == limit {
			break
		}
		if one := known.byKey[key]; sites.Has(one.ID) {
			some = append(some, one)
		}
	}
	return some, nil
}

// OfKey returns the site of the key, retired or not, or [ErrUnknown]. It waits for the database as ByKey does.
func (s *Sites) OfKey(ctx context.Context, key string) (Site, error) {
	known, err := s.current(ctx)
	if err != nil {
		return Site{}, fmt.Errorf("looking up a site: %w", err)
	}
	site, found := known.byKey[key]
	if !found {
		return Site{}, ErrUnknown
	}
	return site, nil
}

// Follow brings the changes of other nodes into the memory until ctx ends. On PostgreSQL this takes a fraction of a
// second.
func (s *Sites) Follow(ctx context.Context) {
	news, cancel := s.db.Subscribe(Topic)
	defer cancel()
	every := lookAgainPostgres
	if s.db.Engine() == db.SQLite {
		every = lookAgainSQLite
	}
	again := time.NewTicker(every)
	defer again.Stop()
	failing := false
	for {
		err := s.Refresh(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			s.logger.Warn("reading the sites failed: what was known of them holds", zap.Error(err))
		}
		failing = err != nil
		if !aside.Sleep(ctx, readApart) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-news:
		case <-again.C:
		}
	}
}

// Refresh reads the sites again if one was added or changed.
func (s *Sites) Refresh(ctx context.Context) error {
	done, err := s.turn(ctx)
	if err != nil {
		return err
	}
	defer done()
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	before := s.memory.known.Load()
	fresh, err := s.readAll(ctx, before)
	if err != nil {
		if before != nil {
			again := *before
			again.failed = err
			s.memory.known.Store(&again)
		}
		return fmt.Errorf("reading the sites: %w", err)
	}
	s.memory.known.Store(fresh)
	return nil
}

// current returns the known sites. The first caller reads them.
func (s *Sites) current(ctx context.Context) (*known, error) {
	if known := s.memory.known.Load(); known != nil {
		return known, nil
	}
	if err := s.Refresh(ctx); err != nil {
		return nil, err
	}
	return s.memory.known.Load(), nil
}

// turn waits until no other goroutine is reading.
func (s *Sites) turn(ctx context.Context) (done func(), err error) {
	select {
	case s.memory.making <- struct{}{}:
		return func() { <-s.memory.making }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// remember adds a site that this node has just stored to its memory, and returns it.
func (s *Sites) remember(ctx context.Context, stored row) Site {
	done, err := s.turn(ctx)
	if err != nil {
		return s.read(stored) // Follow is about to learn it
	}
	defer done()
	site := s.read(stored)
	before := s.memory.known.Load()
	if before == nil {
		return site // nothing is known yet, so all will be read
	}
	if latest, found := before.byKey[site.Key]; found && latest.ID == site.ID && latest.Version >= site.Version {
		return site
	}
	sites := maps.Clone(before.byKey)
	sites[site.Key] = site
	s.memory.known.Store(newKnown(sites))
	return site
}

// marked is the query for the mark of all sites.
const marked = `SELECT COUNT(*), COALESCE(MAX(id), 0), CAST(COALESCE(SUM(version), 0) AS BIGINT) FROM sites`

func (s *Sites) readAll(ctx context.Context, before *known) (*known, error) {
	if before != nil {
		m, _, err := db.One(ctx, s.db.Read(), func(m *mark) []any { return []any{&m.sites, &m.newest, &m.changes} }, marked)
		if err != nil {
			return nil, err
		}
		if m == before.mark {
			again := *before
			again.failed = nil
			return &again, nil
		}
	}
	rows, err := db.List(ctx, s.db.Read(), (*row).fields, `SELECT `+columns+` FROM sites`)
	if err != nil {
		return nil, err
	}
	sites := make(map[string]Site, len(rows))
	for _, r := range rows {
		sites[r.Key] = s.read(r)
	}
	return newKnown(sites), nil
}

// read converts a stored site. Settings that this program does not accept are left out and logged, once for each
// version.
func (s *Sites) read(r row) Site {
	if known := s.memory.known.Load(); known != nil {
		if site, found := known.byKey[r.Key]; found && site.ID == r.ID && site.Version == r.Version {
			return site
		}
	}
	site := Site{ID: r.ID, Key: r.Key, CreatedAt: time.UnixMilli(r.CreatedAt), Version: r.Version}
	site.RetiredAt, site.SuspendedAt, site.ArrivingAt = db.Time(r.RetiredAt), db.Time(r.SuspendedAt), db.Time(max(r.ArrivingAt, -r.ArrivingAt))
	if r.ArrivingAt != 0 { // nobody but the import may have it served
		site.RetiredAt = site.ArrivingAt
	}
	if r.Settings == "{}" {
		return site
	}
	stored, err := fieldsOf(r.Settings)
	if err != nil {
		s.logger.Warn("the stored settings of a site cannot be read: the configuration's hold", zap.String("site", r.Key), zap.Int64("version", r.Version), zap.Error(err))
		return site
	}
	var refused []string
	if site.Settings, refused = stored.settings(); len(refused) > 0 {
		s.logger.Warn("stored settings of a site are not accepted: the configuration's hold", zap.String("site", r.Key), zap.Int64("version", r.Version), zap.Strings("settings", refused))
	}
	return site
}
