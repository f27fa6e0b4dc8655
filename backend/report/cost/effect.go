package cost

import (
	"context"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Spent is what counts of a day, a source, a medium and a campaign.
type Spent struct {
	Day period.Date
	// Kind is that of the visits that were paid for: one of package source.
	Kind, Source, Medium, Campaign string
	Amount                         int64 // in millionths of the site's currency
}

// payee is who is paid: a platform, or whoever stands behind a source and a medium.
type payee struct {
	platform       Platform
	source, medium string
}

func payeeOf(p Platform, name, medium string) payee {
	if p != "" {
		return payee{platform: p}
	}
	return payee{source: name, medium: medium}
}

// key is what has one cost: of two imports that have it, the later one counts.
type key struct {
	payee
	day      period.Date
	campaign string
}

// Of returns what counts of the site's costs from the first day to the last.
func Of(ctx context.Context, from db.Queries, siteID int64, first, last period.Date) ([]Spent, error) {
	type row struct {
		Spent
		platform Platform
	}
	rows, err := db.List(ctx, from, func(r *row) []any { return []any{&r.Day, &r.Campaign, &r.Amount, &r.platform, &r.Source, &r.Medium} },
		`SELECT c.day, c.campaign, c.amount, i.platform, i.source, i.medium FROM costs c JOIN cost_imports i ON i.site_id = c.site_id AND i.id = c.import_id
		WHERE c.site_id = $1 AND c.day >= $2 AND c.day <= $3 AND i.state = 'effect' ORDER BY i.stored_at, i.id, c.n`, siteID, int64(first), int64(last))
	if err != nil {
		return nil, fmt.Errorf("reading the costs of a site: %w", err)
	}
	at := make(map[key]int, len(rows))
	var spent []Spent
	for _, r := range rows {
		r.Kind = kindOf(r.Medium)
		k := key{payeeOf(r.platform, r.Source, r.Medium), r.Day, r.Campaign}
		if n, known := at[k]; known {
			spent[n] = r.Spent
			continue
		}
		at[k] = len(spent)
		spent = append(spent, r.Spent)
	}
	return spent, nil
}

// kindOf is the kind of a visit with the medium.
func kindOf(medium string) string {
	if s := (source.Source{Medium: medium}); s.Paid() {
		return source.Ad
	}
	return source.Campaign
}

// Any reports whether costs are in effect at the site.
func Any(ctx context.Context, from db.Queries, siteID int64) (bool, error) {
	_, found, err := db.One(ctx, from, db.Only[int64], `SELECT id FROM cost_imports WHERE site_id = $1 AND state = 'effect' LIMIT 1`, siteID)
	return found, err
}

// Campaign is what an import has of a campaign.
type Campaign struct {
	Name   string
	Amount int64 // in millionths
	Days   int64
}

// Campaigns returns the campaigns of the import, the dearest first, and how many rows of costs in effect it replaces if it is confirmed
// for its platform, source and medium.
func (c *Costs) Campaigns(ctx context.Context, i Import) (campaigns []Campaign, replaced int, err error) {
	campaigns, err = db.List(ctx, c.db.Read(), func(r *Campaign) []any { return []any{&r.Name, &r.Amount, &r.Days} },
		`SELECT campaign, CAST(SUM(amount) AS BIGINT), COUNT(*) FROM costs WHERE site_id = $1 AND import_id = $2 GROUP BY campaign ORDER BY 2 DESC, 1`, i.SiteID, i.ID)
	if err != nil {
		return nil, 0, fmt.Errorf("reading the campaigns of costs: %w", err)
	}
	replaced, _, err = db.One(ctx, c.db.Read(), db.Only[int], `SELECT COUNT(*) FROM costs c WHERE c.site_id = $1 AND c.import_id = $2 AND EXISTS (
		SELECT 1 FROM costs o JOIN cost_imports i ON i.site_id = o.site_id AND i.id = o.import_id
		WHERE o.site_id = c.site_id AND o.day = c.day AND o.campaign = c.campaign AND o.import_id <> c.import_id AND i.state = 'effect'
		AND i.platform = $3 AND ($3 <> '' OR i.source = $4 AND i.medium = $5))`, i.SiteID, i.ID, string(i.Platform), i.Source, i.Medium)
	if err != nil {
		return nil, 0, fmt.Errorf("comparing costs: %w", err)
	}
	return campaigns, replaced, nil
}
