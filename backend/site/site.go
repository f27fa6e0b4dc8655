// Package site knows the sites that the service works for.
package site

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"sync/atomic"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
)

// Added is the kind of the journal's entry for a new site.
const Added = "site.added"

// ErrUnknown is returned for a key that no site has.
var ErrUnknown = errors.New("the site is not known")

// Site is a site that is served.
type Site struct {
	// ID numbers the sites of the installation, from 1.
	ID int64
	// Key names the site in configurations, pages and calls; see [ValidKey].
	Key string
	// CreatedAt is kept to the millisecond.
	CreatedAt time.Time
}

// remember is how long what is known of the sites is not looked up again.
const remember = 3 * time.Second

// Sites are the sites of the installation. It is safe for concurrent use.
//
// All of them are held in memory, so that a key is looked up without the
// database, and keys of no site, of which anybody can send any number, cost it
// nothing and are not remembered.
type Sites struct {
	db  *db.DB
	now func() time.Time
	ids *db.Sequence

	known   atomic.Pointer[known]
	reading chan struct{} // holds a value while the sites are being read
}

// known is what was read from the database. It is never changed.
type known struct {
	byKey map[string]Site
	at    time.Time
}

// New returns the sites of the database.
func New(d *db.DB) *Sites { return newSites(d, time.Now) }

func newSites(d *db.DB, now func() time.Time) *Sites {
	return &Sites{db: d, now: now, ids: d.Sequence("site", 1), reading: make(chan struct{}, 1)}
}

var validKey = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,64}$`)

// ValidKey tells what is wrong with a key, if anything.
func ValidKey(key string) error {
	if !validKey.MatchString(key) {
		return fmt.Errorf("%.80q is no site key: expected 1 to 64 of the characters A-Z, a-z, 0-9, '.', '_', ':' and '-'", key)
	}
	return nil
}

// Provision returns the site of the key, which it adds when there is none.
func (s *Sites) Provision(ctx context.Context, key string) (Site, error) {
	if err := ValidKey(key); err != nil {
		return Site{}, err
	}
	if site, err := s.ByKey(ctx, key); !errors.Is(err, ErrUnknown) {
		return site, err
	}
	id, err := s.ids.Next(ctx)
	if err != nil {
		return Site{}, fmt.Errorf("adding a site: %w", err)
	}
	now := s.now()
	var site Site
	err = s.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		result, err := tx.NewRaw(`INSERT INTO sites (id, key, created_at) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING`, id, key, now.UnixMilli()).Exec(ctx)
		if err != nil {
			return err
		}
		added, err := result.RowsAffected()
		if err != nil {
			return err
		}
		if added > 0 { // else another node was first
			if err := journal.Append(ctx, tx, journal.Entry{SiteID: id, At: now, Kind: Added, SubjectID: id}); err != nil {
				return err
			}
		}
		site, err = scan(tx.QueryRowContext(ctx, `SELECT id, key, created_at FROM sites WHERE key = ?`, key))
		return err
	})
	if err != nil {
		return Site{}, fmt.Errorf("adding a site: %w", err)
	}
	s.add(site)
	return site, nil
}

// ByKey returns the site of the key, or [ErrUnknown]. A site that another node
// has added is found a few seconds later. While the database cannot be read,
// the sites that were known before are.
func (s *Sites) ByKey(ctx context.Context, key string) (Site, error) {
	current, err := s.current(ctx)
	if current != nil {
		if site, found := current.byKey[key]; found {
			return site, nil
		}
	}
	if err != nil {
		return Site{}, fmt.Errorf("looking up a site: %w", err)
	}
	return Site{}, ErrUnknown
}

// List returns all sites in the order of their keys.
func (s *Sites) List(ctx context.Context) ([]Site, error) {
	rows, err := s.db.Read().DB.QueryContext(ctx, `SELECT id, key, created_at FROM sites ORDER BY key, id`)
	if err != nil {
		return nil, fmt.Errorf("listing sites: %w", err)
	}
	defer rows.Close()
	var sites []Site
	for rows.Next() {
		site, err := scan(rows)
		if err != nil {
			return nil, fmt.Errorf("listing sites: %w", err)
		}
		sites = append(sites, site)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("listing sites: %w", err)
	}
	return sites, nil
}

// current is what is known of the sites, read anew when it is too old. One
// caller reads; those who come meanwhile make do with what was known before.
// Both results are set when older knowledge is all that can be had.
func (s *Sites) current(ctx context.Context) (*known, error) {
	before := s.known.Load()
	if before != nil && s.now().Sub(before.at) < remember {
		return before, nil
	}
	if before != nil {
		select {
		case s.reading <- struct{}{}:
		default:
			return before, nil
		}
	} else {
		select {
		case s.reading <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	defer func() { <-s.reading }()
	if latest := s.known.Load(); latest != before {
		return latest, nil
	}
	return s.read(ctx, before)
}

// read reads the sites if there are others than before: sites are added and
// never removed, so their number tells.
func (s *Sites) read(ctx context.Context, before *known) (*known, error) {
	fresh := &known{at: s.now()}
	if before != nil {
		var count int
		if err := s.db.Read().DB.QueryRowContext(ctx, `SELECT COUNT(*) FROM sites`).Scan(&count); err != nil {
			return before, err
		}
		if count == len(before.byKey) {
			fresh.byKey = before.byKey
		}
	}
	if fresh.byKey == nil {
		sites, err := s.List(ctx)
		if err != nil {
			return before, err
		}
		fresh.byKey = make(map[string]Site, len(sites))
		for _, site := range sites {
			fresh.byKey[site.Key] = site
		}
	}
	// Not when a site was added here meanwhile, which may be missing in fresh.
	if !s.known.CompareAndSwap(before, fresh) {
		return s.known.Load(), nil
	}
	return fresh, nil
}

// add makes this node know at once what it has provisioned.
func (s *Sites) add(site Site) {
	for {
		before := s.known.Load()
		if before == nil {
			return // nothing is known yet, so all will be read
		}
		fresh := &known{byKey: maps.Clone(before.byKey), at: before.at}
		fresh.byKey[site.Key] = site
		if s.known.CompareAndSwap(before, fresh) {
			return
		}
	}
}

func scan(row interface{ Scan(...any) error }) (Site, error) {
	var site Site
	var created int64
	err := row.Scan(&site.ID, &site.Key, &created)
	site.CreatedAt = time.UnixMilli(created)
	return site, err
}
