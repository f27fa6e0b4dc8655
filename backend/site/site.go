// Package site owns the sites that the service works for, and the settings of each. It keeps all of them in memory and
// counts what became of their pages. The edge asks it for each request; the console changes the settings.
package site

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/number"
)

// Kinds of the journal's entries about sites. The subject is the site. The data are {"by"}: the login of whoever did
// it, or empty for whoever runs the server. The data of Changed are {"by", "from", "to", "settings"}: the two versions
// and the new settings, with null for those that are no longer set. If the site's own numbers or pools are among these,
// "numbers" and "pools" are [number.Deeds].
const (
	Added     = "site.added"
	Changed   = "site.changed"
	Retired   = "site.retired"
	Restored  = "site.restored"
	Suspended = "site.suspended"
	Resumed   = "site.resumed"
)

// Topic is the topic of [db.DB.Subscribe] for sites that are added or changed.
const Topic = "sites"

// ErrUnknown is returned for a key that belongs to no site.
var ErrUnknown = errors.New("the site is not known")

// ErrChanged is returned if somebody else has changed the settings in the meantime. Its text may be shown.
var ErrChanged = errors.New("the settings have been changed by somebody else meanwhile")

// Site is a site that is served.
type Site struct {
	// ID numbers the sites of the installation, from 1. No number is used twice.
	ID int64
	// Key names the site in configurations, pages and requests; see [ValidKey].
	Key string
	// CreatedAt has milliseconds.
	CreatedAt time.Time
	// RetiredAt is the time from which nothing is done for the site. It is zero while the site is served.
	RetiredAt time.Time
	// SuspendedAt is the same for a site that whoever hosts it has suspended.
	SuspendedAt time.Time
	// ArrivingAt is since when the data of the site have been coming from another installation; zero for a site whose
	// data are there. Until then RetiredAt is not zero.
	ArrivingAt time.Time
	// Version counts the changes of the site. It is 0 before the first. Two values of Site with the same ID and Version
	// are equal.
	Version int64
	// Settings are the site's own settings. Callers must not change them.
	Settings Settings
}

// Sites are the sites of the installation. It is safe for concurrent use.
//
// All sites are in memory, so a key is looked up without the database. Unknown keys, of which anybody can send any
// number, cost nothing and are not remembered. [Sites.Follow] keeps the memory up to date.
type Sites struct {
	db     *db.DB
	now    func() time.Time
	logger *zap.Logger
	ids    *db.Sequence
	memory memory
	tally  tally

	keepOwn []KeepOwn
}

// KeepOwn stores a site's own numbers and pools in the transaction that changes them. If it returns a
// [number.FieldError], the numbers or pools are wrong.
type KeepOwn func(ctx context.Context, tx db.Tx, siteID int64, own number.Own) error

// New returns the sites of the database. It calls keep when the numbers or pools of a site change.
func New(d *db.DB, now func() time.Time, logger *zap.Logger, keep ...KeepOwn) *Sites {
	return &Sites{db: d, now: now, logger: logger, ids: d.Sequence("site", 1), memory: newMemory(), keepOwn: keep}
}

// ValidKey returns an error that says what is wrong with a key, or nil.
func ValidKey(key string) error {
	if !isKey(key) {
		return fmt.Errorf("%.80q is not a site key: expected 1 to 64 of the characters A-Z, a-z, 0-9, '.', '_', ':' and '-'", key)
	}
	return nil
}

// isKey runs for each page.
func isKey(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_', c == ':', c == '-':
		default:
			return false
		}
	}
	return 0 < len(text) && len(text) <= 64
}

// Provision returns the site of the key. It adds the site if there is none. The error may be [ErrRetired].
func (s *Sites) Provision(ctx context.Context, key string) (Site, error) {
	if err := ValidKey(key); err != nil {
		return Site{}, err
	}
	if site, err := s.ByKey(ctx, key); !errors.Is(err, ErrUnknown) || errors.Is(err, ErrRetired) {
		return site, err
	}
	var stored row
	err := s.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		sites, err := s.provide(ctx, tx, []string{key})
		stored = sites[key]
		return err
	})
	if err != nil {
		return Site{}, fmt.Errorf("adding a site: %w", err)
	}
	switch {
	case stored.SuspendedAt != 0:
		return Site{}, ErrSuspended
	case stored.RetiredAt != 0, stored.ArrivingAt != 0:
		return Site{}, ErrRetired
	}
	return s.remember(ctx, stored), nil
}

// ProvisionAll adds the missing sites of the keys, and returns the ids of all. This node knows them after
// [Sites.Refresh], or soon after.
func (s *Sites) ProvisionAll(ctx context.Context, tx db.Tx, keys []string) (ids map[string]int64, err error) {
	for _, key := range keys {
		if err := ValidKey(key); err != nil {
			return nil, err
		}
	}
	sites, err := s.provide(ctx, tx, keys)
	if err != nil {
		return nil, fmt.Errorf("adding sites: %w", err)
	}
	ids = make(map[string]int64, len(sites))
	for key, site := range sites {
		ids[key] = site.ID
	}
	return ids, nil
}

// row is a stored site.
type row struct {
	ID        int64
	Key       string
	CreatedAt int64
	Version   int64
	Settings  string
	RetiredAt int64

	SuspendedAt int64
	ArrivingAt  int64
}

func (r *row) fields() []any {
	return []any{&r.ID, &r.Key, &r.CreatedAt, &r.Version, &r.Settings, &r.RetiredAt, &r.SuspendedAt, &r.ArrivingAt}
}

const columns = `id, key, created_at, version, settings, retired_at, suspended_at, arriving_at`

// provide finds the sites of the keys, and adds the missing ones.
func (s *Sites) provide(ctx context.Context, tx db.Tx, keys []string) (map[string]row, error) {
	sites := make(map[string]row, len(keys))
	for some := range db.Parts(keys) {
		if err := find(ctx, tx, some, sites); err != nil {
			return nil, err
		}
		var missing []string
		for _, key := range some {
			if _, found := sites[key]; !found && !slices.Contains(missing, key) {
				missing = append(missing, key)
			}
		}
		if len(missing) == 0 {
			continue
		}
		if err := s.insert(ctx, tx, missing, ""); err != nil {
			return nil, err
		}
		if err := find(ctx, tx, missing, sites); err != nil {
			return nil, err
		}
	}
	return sites, nil
}

func find(ctx context.Context, tx db.Tx, keys []string, sites map[string]row) error {
	values, args := db.Values(db.Padded(keys), db.Only[string])
	rows, err := db.List(ctx, tx, (*row).fields, `SELECT `+columns+` FROM sites WHERE key IN (`+values+`)`, args...)
	if err != nil {
		return err
	}
	for _, r := range rows {
		sites[r.Key] = r
	}
	return nil
}

// insert adds sites, except those that another node adds at the same moment.
func (s *Sites) insert(ctx context.Context, tx db.Tx, keys []string, by string) error {
	first, err := s.ids.Take(ctx, tx, int64(len(keys)))
	if err != nil {
		return err
	}
	data, err := json.Marshal(map[string]string{"by": by})
	if err != nil {
		return err
	}
	now := s.now()
	rows := make([]row, len(keys))
	for i, key := range keys {
		rows[i] = row{ID: first + int64(i), Key: key, CreatedAt: now.UnixMilli(), Settings: "{}"}
	}
	var entries []journal.Entry
	for some := range db.Parts(rows) {
		values, args := db.Values(some, (*row).fields)
		added, err := db.List(ctx, tx, db.Only[int64], `INSERT INTO sites (`+columns+`) `+values+` ON CONFLICT (key) DO NOTHING RETURNING id`, args...)
		if err != nil {
			return err
		}
		for _, id := range added {
			entries = append(entries, journal.Entry{SiteID: id, At: now, Kind: Added, SubjectID: id, Data: data})
		}
	}
	tx.Wake(Topic)
	return journal.AppendAll(ctx, tx, entries)
}
