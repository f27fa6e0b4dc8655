// Package sighting knows when parts of a site's installation were last seen at work that leave nothing else behind: its
// script, and its numbers. The console's install check shows it.
package sighting

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
)

// Part is a part of a site's installation.
type Part string

// The parts.
const (
	Script   Part = "script"   // a browser has loaded it
	Replaced Part = "replaced" // a number was replaced in a page before it left the server
	Given    Part = "given"    // a visitor's script was given a number to show in the place of another
)

const (
	// Apart is the least time between two sightings of the same that a node stores.
	Apart = time.Hour
	// storeEvery is how often sightings are stored, and storeTimeout bounds how long that may take.
	storeEvery, storeTimeout = 5 * time.Second, 5 * time.Second
)

// key is a part of a site.
type key struct {
	site int64
	part Part
}

// Sightings are those of all sites. They are safe for concurrent use.
type Sightings struct {
	db  *db.DB
	now func() time.Time

	mu      sync.Mutex
	noted   map[key]int64 // in milliseconds; one for each part of a known site
	waiting map[key]int64 // of these, what is to be stored
}

// New returns the sightings of the database.
func New(d *db.DB, now func() time.Time) *Sightings {
	return &Sightings{db: d, now: now, noted: make(map[key]int64), waiting: make(map[key]int64)}
}

// Note notes that the part of a known site is at work. It does not wait, and nearly always it does nothing: a node stores
// one sighting an hour.
func (s *Sightings) Note(siteID int64, part Part) {
	k, now := key{siteID, part}, s.now().UnixMilli()
	s.mu.Lock()
	defer s.mu.Unlock()
	if now-s.noted[k] < Apart.Milliseconds() {
		return
	}
	s.noted[k], s.waiting[k] = now, now
}

// Run stores what was noted every five seconds, and once more when ctx ends. What cannot be stored is tried again with
// the next.
func (s *Sightings) Run(ctx context.Context, logger *zap.Logger) {
	aside.Every(ctx, storeEvery, logger, "storing what of sites was seen at work failed: it is tried again", s.Store)
}

// Store stores what was noted now.
func (s *Sightings) Store(ctx context.Context) error {
	s.mu.Lock()
	noted := s.waiting
	s.waiting = make(map[key]int64)
	s.mu.Unlock()
	if len(noted) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	// All nodes lock the rows in the same order.
	keys := slices.SortedFunc(maps.Keys(noted), func(a, b key) int { return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(a.part, b.part)) })
	err := s.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		for some := range db.Parts(keys) {
			values, args := db.Values(some, func(k *key) []any { at := noted[*k]; return []any{&k.site, &k.part, &at} })
			if _, err := tx.Exec(ctx, `INSERT INTO sightings (site_id, part, at) `+values+`
				ON CONFLICT (site_id, part) DO UPDATE SET at = excluded.at WHERE excluded.at > sightings.at`, args...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		for k, at := range noted {
			s.waiting[k] = max(s.waiting[k], at)
		}
		return fmt.Errorf("storing what of sites was seen at work: %w", err)
	}
	return nil
}

// Of returns when each part of the site was last seen, on any node. What was never seen is missing. A time may be
// [Apart] too early, and of the last seconds nothing is known yet.
func (s *Sightings) Of(ctx context.Context, siteID int64) (map[Part]time.Time, error) {
	type row struct {
		part Part
		at   int64
	}
	rows, err := db.List(ctx, s.db.Read(), func(r *row) []any { return []any{&r.part, &r.at} }, `SELECT part, at FROM sightings WHERE site_id = $1`, siteID)
	if err != nil {
		return nil, fmt.Errorf("reading what of a site was seen at work: %w", err)
	}
	seen := make(map[Part]time.Time, len(rows))
	for _, r := range rows {
		seen[r.part] = time.UnixMilli(r.at)
	}
	return seen, nil
}
