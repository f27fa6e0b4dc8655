package sighting

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/trace"
)

// Rival is the code of another service as it was seen on a site's pages.
type Rival struct {
	// Loader is the address of its script, and Account its key. One of them may be empty.
	Loader, Account string
	// Path is the page on which it was seen last, at the time At. It has at most 200 bytes.
	Path string
	At   time.Time
	// Looks is at how many looks at pages it was there.
	Looks int64
}

const (
	// maxRivals bounds the codes that are kept of a site: those that were seen last.
	maxRivals = 8
	maxPath   = 200
)

// SeeRivals stores that a look at the page has found these codes.
func (s *Sightings) SeeRivals(ctx context.Context, siteID int64, path string, found []Rival) error {
	if len(found) == 0 {
		return nil
	}
	at := s.now().UnixMilli()
	path = strings.ToValidUTF8(strings.ReplaceAll(path[:min(len(path), maxPath)], "\x00", ""), "")
	err := s.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		for _, r := range found {
			if _, err := tx.Exec(ctx, `INSERT INTO rivals (site_id, loader, account, path, at, looks) VALUES ($1, $2, $3, $4, $5, 1)
				ON CONFLICT (site_id, loader, account) DO UPDATE SET looks = rivals.looks + 1, at = excluded.at, path = excluded.path`, siteID, r.Loader, r.Account, path, at); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, `DELETE FROM rivals WHERE site_id = $1 AND at < (SELECT at FROM rivals WHERE site_id = $1 ORDER BY at DESC LIMIT 1 OFFSET $2)`, siteID, maxRivals-1)
		return err
	})
	if err != nil {
		return fmt.Errorf("storing which other service's code a page has: %w", err)
	}
	return nil
}

// Rivals returns the codes of other services on the site's pages, at most eight, the one that was seen last first.
func (s *Sightings) Rivals(ctx context.Context, siteID int64) ([]Rival, error) {
	type row struct {
		Rival
		at int64
	}
	rows, err := db.List(ctx, s.db.Read(), func(r *row) []any { return []any{&r.Loader, &r.Account, &r.Path, &r.at, &r.Looks} },
		`SELECT loader, account, path, at, looks FROM rivals WHERE site_id = $1 ORDER BY at DESC, loader, account LIMIT $2`, siteID, maxRivals)
	if err != nil {
		return nil, fmt.Errorf("reading which other services' code a site's pages have: %w", err)
	}
	rivals := make([]Rival, len(rows))
	for i, r := range rows {
		rivals[i] = r.Rival
		rivals[i].At = db.Time(r.at)
	}
	return rivals, nil
}

// Traces are pages whose paths name a person. They are forgotten until such a page is looked at again.
func Traces() trace.Subject {
	return trace.Subject{Tables: []trace.Table{{Name: "rivals", Texts: []string{"path"}, Key: []string{"site_id", "loader", "account"}}}}
}
