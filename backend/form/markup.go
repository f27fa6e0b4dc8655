package form

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

const (
	// MaxPages bounds the pages of a site whose forms' markup is kept. The latest pages stay.
	MaxPages = 50
	// MaxMarkup bounds the markup of a page, in bytes. Longer markup is not kept.
	MaxMarkup = 16 << 10
	// seenAgain is how long an unchanged page is not written again.
	seenAgain = 24 * time.Hour
)

// Page is what the forms of a page of the site say about their fields.
type Page struct {
	Path   string // as PathOf returns it
	Markup string
}

// KeepPage stores the markup of a page's forms. It is empty for a page that has none. KeepPage writes only what is new,
// and once a day that the page still exists.
func (f *Forms) KeepPage(ctx context.Context, siteID int64, p Page) error {
	if len(p.Path) > MaxPath || len(p.Markup) > MaxMarkup {
		return nil
	}
	now := f.now()
	type row struct {
		markup string
		at     int64
	}
	before, known, err := db.One(ctx, f.db.Read(), func(r *row) []any { return []any{&r.markup, &r.at} },
		`SELECT markup, at FROM page_markups WHERE site_id = $1 AND path = $2`, siteID, p.Path)
	if err != nil {
		return fmt.Errorf("reading the markup of forms: %w", err)
	}
	if !known && p.Markup == "" || known && before.markup == p.Markup && now.Sub(time.UnixMilli(before.at)) < seenAgain {
		return nil
	}
	err = f.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		if p.Markup == "" {
			_, err := tx.Exec(ctx, `DELETE FROM page_markups WHERE site_id = $1 AND path = $2`, siteID, p.Path)
			return err
		}
		if _, err := tx.Exec(ctx, `INSERT INTO page_markups (site_id, path, at, markup) VALUES ($1, $2, $3, $4)
			ON CONFLICT (site_id, path) DO UPDATE SET at = excluded.at, markup = excluded.markup`, siteID, p.Path, now.UnixMilli(), p.Markup); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `DELETE FROM page_markups WHERE site_id = $1 AND path IN
			(SELECT path FROM page_markups WHERE site_id = $1 ORDER BY at DESC, path LIMIT 1000 OFFSET $2)`, siteID, MaxPages)
		return err
	})
	if err != nil {
		return fmt.Errorf("keeping the markup of forms: %w", err)
	}
	return nil
}

// Pages returns the pages of the site whose markup is kept.
func (f *Forms) Pages(ctx context.Context, siteID int64) ([]Page, error) {
	pages, err := db.List(ctx, f.db.Read(), func(p *Page) []any { return []any{&p.Path, &p.Markup} },
		`SELECT path, markup FROM page_markups WHERE site_id = $1`, siteID)
	if err != nil {
		return nil, fmt.Errorf("reading the markup of forms: %w", err)
	}
	return pages, nil
}
