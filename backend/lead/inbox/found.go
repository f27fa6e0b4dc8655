package inbox

import (
	"context"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/search"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// Found returns the ids of the leads of the sites that have what somebody has typed, at most most and in no order. all
// tells whether they are all. The error may be that of [search.Read].
func (b *Inbox) Found(ctx context.Context, sites scope.Sites, typed string, most int) (ids []int64, all bool, err error) {
	q, err := search.Read(typed)
	if err != nil || q == nil {
		return nil, true, err
	}
	limit := fmt.Sprintf(` LIMIT %d`, most+1)
	if b.db.Engine() == db.SQLite {
		match, err := q.FTS5(ctx, b.db.Read(), sites.IDs())
		if err != nil {
			return nil, false, err
		}
		ids, err = db.List(ctx, b.db.Read(), db.Only[int64], `SELECT rowid FROM lead_search WHERE lead_search MATCH $1`+limit, match)
		if err != nil {
			return nil, false, fmt.Errorf("searching leads: %w", err)
		}
	} else if ids, err = db.List(ctx, b.db.Read(), db.Only[int64], `SELECT lead_id FROM lead_search WHERE words @@ CAST($1 AS tsquery) AND `+sites.SQL("site_id")+limit, q.TSQuery()); err != nil {
		return nil, false, fmt.Errorf("searching leads: %w", err)
	}
	return ids[:min(len(ids), most)], len(ids) <= most, nil
}

// Having returns those of the leads that have what somebody has typed. The error may be that of [search.Read].
func (b *Inbox) Having(ctx context.Context, leads []lead.Key, typed string) (map[lead.Key]bool, error) {
	q, err := search.Read(typed)
	if err != nil || q == nil || len(leads) == 0 {
		return nil, err
	}
	having := make(map[lead.Key]bool)
	keys := db.Padded(leads)
	fields := func(k *lead.Key) []any { return []any{&k.SiteID, &k.ID} }
	var found []lead.Key
	if b.db.Engine() == db.SQLite {
		match, err := q.FTS5(ctx, b.db.Read(), nil)
		if err != nil {
			return nil, err
		}
		values, args := db.Values(keys, fields, match)
		found, err = db.List(ctx, b.db.Read(), fields, `WITH wanted(site_id, id) AS (`+values+`)
			SELECT w.site_id, w.id FROM wanted w CROSS JOIN lead_search s ON s.rowid = w.id WHERE lead_search MATCH $1`, args...)
		if err != nil {
			return nil, fmt.Errorf("searching leads: %w", err)
		}
	} else {
		set, args := db.Among(keys, fields, q.TSQuery())
		if found, err = db.List(ctx, b.db.Read(), fields, `SELECT site_id, lead_id FROM lead_search WHERE (site_id, lead_id) IN (`+set+`) AND words @@ CAST($1 AS tsquery)`, args...); err != nil {
			return nil, fmt.Errorf("searching leads: %w", err)
		}
	}
	for _, k := range found {
		having[k] = true
	}
	return having, nil
}
