// Package site knows which sites the service works for.
package site

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
)

// Added is the kind of the journal's entry for a new site.
const Added = "site.added"

// ErrUnknown is returned for a key that no site has.
var ErrUnknown = errors.New("the site is not known")

// Site is a site that the service works for.
type Site struct {
	// ID is positive and never given to another site.
	ID int64
	// Key is what the site's pages name it by.
	Key string
	// CreatedAt is kept to the millisecond.
	CreatedAt time.Time
}

var validKey = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,64}$`)

// ValidKey tells what is wrong with a key, if anything.
func ValidKey(key string) error {
	if !validKey.MatchString(key) {
		return fmt.Errorf("%.80q is no site key: expected 1 to 64 of the characters A-Z, a-z, 0-9, '.', '_', ':' and '-'", key)
	}
	return nil
}

// Sites are the known sites.
type Sites struct {
	db  *db.DB
	ids *db.Sequence

	mu         sync.Mutex
	remembered map[string]memory
}

// What ByKey found is remembered for a while, so that pages and hits of a site,
// known or not, do not each ask the database.
const (
	rememberFor = 5 * time.Second
	rememberMax = 4096
)

type memory struct {
	site  Site
	err   error
	until time.Time
}

// New returns the sites of the database.
func New(d *db.DB) *Sites {
	return &Sites{db: d, ids: d.Sequence("site", 1), remembered: make(map[string]memory)}
}

// Provision returns the site with the key, which it makes if there is none.
func (s *Sites) Provision(ctx context.Context, key string) (Site, error) {
	if err := ValidKey(key); err != nil {
		return Site{}, err
	}
	if site, err := s.find(ctx, key); !errors.Is(err, ErrUnknown) {
		return site, err
	}
	id, err := s.ids.Next(ctx)
	if err != nil {
		return Site{}, fmt.Errorf("adding a site: %w", err)
	}
	now := time.Now()
	err = s.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		result, err := tx.NewRaw(`INSERT INTO sites (id, key, created_at) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING`, id, key, now.UnixMilli()).Exec(ctx)
		if err != nil {
			return err
		}
		if added, err := result.RowsAffected(); err != nil || added == 0 {
			return err // another node was first
		}
		return journal.Append(ctx, tx, journal.Entry{SiteID: id, At: now, Kind: Added, SubjectID: id})
	})
	if err != nil {
		return Site{}, fmt.Errorf("adding a site: %w", err)
	}
	s.mu.Lock()
	delete(s.remembered, key)
	s.mu.Unlock()
	return s.find(ctx, key)
}

// ByKey returns the site with the key, or ErrUnknown. The answer may be up to
// five seconds old.
func (s *Sites) ByKey(ctx context.Context, key string) (Site, error) {
	if ValidKey(key) != nil {
		return Site{}, ErrUnknown
	}
	now := time.Now()
	s.mu.Lock()
	m, known := s.remembered[key]
	s.mu.Unlock()
	if known && now.Before(m.until) {
		return m.site, m.err
	}
	site, err := s.find(ctx, key)
	if err != nil && !errors.Is(err, ErrUnknown) {
		return Site{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.remembered) >= rememberMax {
		clear(s.remembered)
	}
	s.remembered[key] = memory{site: site, err: err, until: now.Add(rememberFor)}
	return site, err
}

// List returns all sites, by key.
func (s *Sites) List(ctx context.Context) ([]Site, error) {
	return s.read(ctx, `SELECT id, key, created_at FROM sites ORDER BY key`)
}

func (s *Sites) find(ctx context.Context, key string) (Site, error) {
	sites, err := s.read(ctx, `SELECT id, key, created_at FROM sites WHERE key = ?`, key)
	if err != nil {
		return Site{}, err
	}
	if len(sites) == 0 {
		return Site{}, ErrUnknown
	}
	return sites[0], nil
}

func (s *Sites) read(ctx context.Context, query string, args ...any) ([]Site, error) {
	var rows []struct {
		ID        int64
		Key       string
		CreatedAt int64
	}
	if err := s.db.Read().NewRaw(query, args...).Scan(ctx, &rows); err != nil {
		return nil, fmt.Errorf("reading sites: %w", err)
	}
	sites := make([]Site, len(rows))
	for i, row := range rows {
		sites[i] = Site{ID: row.ID, Key: row.Key, CreatedAt: time.UnixMilli(row.CreatedAt)}
	}
	return sites, nil
}
