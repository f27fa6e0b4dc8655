package inbox

import (
	"context"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/search"
)

// How many leads of the sites one page of the inbox looks at: near at first, and far where these fill no page. The page
// then says where to go on, so that a filter that few leads meet costs little among millions. An index has what the
// filters ask. What has to be read beside it costs more: the leads of a number or of words, and their words on
// PostgreSQL.
const (
	near, far           = 2000, 200_000
	nearRead, farRead   = 500, 10_000
	nearWords, farWords = 1000, 3000
	// few leads are read whole and put in order.
	few = 5000
	// severalSites is how many sites are looked through side by side.
	severalSites = 64
)

// Page is a part of a list of leads.
type Page struct {
	Leads []lead.Lead
	// Next is the place at which the list goes on; the zero cursor at its end. A page with a Next
	// may hold fewer leads than asked for, or none: then what was looked at held no more.
	Next lead.Cursor
}

// key is where a lead stands in the list.
type key struct {
	lead.Key
	at int64
}

func (k *key) fields() []any { return []any{&k.SiteID, &k.ID, &k.at} }

// List returns outlines of the leads of the filter behind the cursor, see [lead.Leads.Outline], newest first, limit at
// most. Parts of other leads are left out. More than 64 sites are looked through as one list, in which leads of others
// lie between. With a search SQLite goes by the order in which leads were stored. The error may be that of
// [Filter.Check].
func (b *Inbox) List(ctx context.Context, f Filter, behind lead.Cursor, limit int) (Page, error) {
	names, next, err := b.Names(ctx, f, behind, limit)
	if err != nil {
		return Page{}, err
	}
	leads, err := b.leads.Outlines(ctx, names)
	return Page{Leads: leads, Next: next}, err
}

// Names are the names of the leads that [Inbox.List] returns, and where the list goes on.
func (b *Inbox) Names(ctx context.Context, f Filter, behind lead.Cursor, limit int) (names []lead.Key, next lead.Cursor, err error) {
	if err := f.Check(); err != nil {
		return nil, lead.Cursor{}, err
	}
	if f.Sites.None() || f.Among != nil && len(f.Among) == 0 {
		return nil, lead.Cursor{}, nil
	}
	page := browsing{Inbox: b, from: db.From(b.db, f.Lagging), filter: f, limit: limit}
	keys, place, err := page.run(ctx, behind)
	if err != nil {
		return nil, lead.Cursor{}, fmt.Errorf("listing leads: %w", err)
	}
	for _, k := range keys {
		names = append(names, k.Key)
	}
	if place != nil {
		next = lead.Cursor{At: db.Time(place.at), ID: place.ID}
	}
	return names, next, nil
}

// browsing is one page of the inbox while it is looked for.
type browsing struct {
	*Inbox
	from   db.Queries
	filter Filter
	along  along
	sites  []int64 // those that are looked through side by side; nil for one list of all
	limit  int
}

// along is what leads are looked for along, the newest first.
type along struct {
	from, join   string // join has what the conditions of a page ask
	site, id, at string // its columns
	byID         bool   // it goes by ids alone, and not by times
	// held are conditions on all that is gone along, and tested those on leads of the page. searched are these for the
	// words that are searched, where it does not go along those.
	held, tested, searched []condition
	// near and far are how many leads are looked at.
	near, far int
}

// choose says what the page is looked for along.
func (b *browsing) choose(ctx context.Context, q search.Query) error {
	if b.sites = b.filter.Sites.IDs(); len(b.sites) > severalSites {
		b.sites = nil
	}
	a := along{from: `leads`, site: `site_id`, id: `id`, at: `at`, tested: b.filter.conditions(), near: near, far: far}
	if b.filter.Tag != "" { // which no index of leads has
		a.near, a.far = nearRead, farRead
	}
	switch number := b.filter.Number; {
	case q != nil && b.db.Engine() == db.SQLite:
		match, err := q.FTS5(ctx, b.from, b.sites)
		if err != nil {
			return err
		}
		a.from, a.site, a.id, a.at, a.byID = `lead_search CROSS JOIN leads ON leads.id = lead_search.rowid`, `leads.site_id`, `lead_search.rowid`, `leads.at`, true
		a.held = []condition{{`lead_search MATCH ?`, []any{match}}}
		b.sites = nil
		if number != "" {
			a.tested = append(a.tested, condition{`EXISTS (SELECT 1 FROM lead_numbers n WHERE n.site_id = leads.site_id AND n.number = ? AND n.at = leads.at AND n.lead_id = leads.id)`, []any{number}})
		}
		a.near, a.far = nearRead, farRead
	case number == "" && b.filter.Among != nil: // they are few: the signs keep both engines from any index but that of keys
		a.site, a.at, a.held, b.sites = `+leads.site_id`, `+leads.at`, a.tested, nil
	case number != "":
		a.from, a.join, a.site, a.id, a.at = `lead_numbers n`, ` CROSS JOIN leads`, `n.site_id`, `n.lead_id`, `n.at`
		a.held = []condition{{`n.number = ?`, []any{number}}}
		a.tested = append(a.tested, condition{sql: `leads.site_id = n.site_id AND leads.id = n.lead_id`})
		a.near, a.far = nearRead, farRead
	}
	if q != nil && !a.byID {
		a.near, a.far = nearWords, farWords
		a.searched = []condition{{`EXISTS (SELECT 1 FROM lead_search s WHERE s.site_id = leads.site_id AND s.lead_id = leads.id AND s.words @@ CAST(? AS tsquery))`, []any{q.TSQuery()}}}
	}
	b.along = a
	return nil
}

// run returns the keys of the page's leads, and the place behind which the list goes on; nil at its end.
func (b *browsing) run(ctx context.Context, behind lead.Cursor) (keys []key, next *key, err error) {
	q, _ := search.Read(b.filter.Search)
	if err := b.choose(ctx, q); err != nil {
		return nil, nil, err
	}
	place := &key{}
	place.at, place.ID = behind.Bounds()
	// Engines go along an index from the place, and would read all that came since the time to which the list is bound.
	if until := b.filter.Until; !until.IsZero() && !b.along.byID && place.at >= until.UnixMilli() {
		place.at, place.ID = until.UnixMilli(), 0
	}
	for _, most := range []int{b.along.near, b.along.far} {
		end, err := b.endOf(ctx, place, most)
		if err != nil {
			return nil, nil, err
		}
		found, err := b.list(ctx, place, end, true, fmt.Sprintf(` LIMIT %d`, b.limit+1-len(keys)))
		if err != nil {
			return nil, nil, err
		}
		if keys = append(keys, found...); len(keys) > b.limit || end == nil {
			keys, next = b.cut(keys)
			return keys, next, nil
		}
		place = end
		if b.along.searched == nil || b.filter.Number != "" || len(keys)*(farWords/nearWords) >= b.limit {
			continue
		}
		// The words are rare among the leads that came last: all that have them are read.
		if all, are, err := b.rare(ctx, place, q); are || err != nil {
			keys, next = b.cut(append(keys, all...))
			return keys, next, err
		}
	}
	return keys, place, nil
}

// cut is the page out of all keys that can be on it.
func (b *browsing) cut(keys []key) ([]key, *key) {
	if len(keys) > b.limit {
		return keys[:b.limit], &keys[b.limit-1]
	}
	return keys, nil
}

// endOf is a key up to which no more than most leads are behind the place, or one for each of the sites; nil if there
// are no more.
func (b *browsing) endOf(ctx context.Context, place *key, most int) (*key, error) {
	ends, err := b.list(ctx, place, nil, false, fmt.Sprintf(` LIMIT 1 OFFSET %d`, most/max(1, len(b.sites))))
	if err != nil || len(ends) == 0 {
		return nil, err
	}
	return &ends[0], nil
}

// list returns the keys behind the place up to the end, which may be nil, of each site by the limit; where they are
// tested, of leads that the filter means.
func (b *browsing) list(ctx context.Context, place, end *key, tested bool, limit string) ([]key, error) {
	q := b.query(place, end, tested, limit)
	return db.List(ctx, b.from, (*key).fields, q.text.String(), q.args...)
}

// query is what [browsing.list] asks.
func (b *browsing) query(place, end *key, tested bool, limit string) *query {
	q := new(query)
	a, order := b.along, ` ORDER BY at DESC, id DESC`
	if a.byID {
		order = ` ORDER BY id DESC`
	}
	for i := range max(len(b.sites), 1) {
		if i > 0 {
			q.add(` UNION ALL `)
		}
		q.add(`SELECT * FROM (SELECT ` + a.site + ` AS site_id, ` + a.id + ` AS id, ` + a.at + ` AS at FROM ` + a.from)
		if tested {
			q.add(a.join)
		}
		if b.sites == nil {
			q.add(` WHERE ` + b.filter.Sites.SQL(a.site))
		} else {
			q.add(` WHERE `+a.site+` = ?`, b.sites[i])
		}
		a.between(q, place, end)
		b.filter.times(q, a.at)
		q.all(a.held...)
		if tested {
			q.all(a.tested...)
			q.all(a.searched...)
		}
		q.add(order + limit + fmt.Sprintf(`) AS of%d`, i))
	}
	q.add(order)
	return q
}

// between writes that keys are behind the place up to the end.
func (a along) between(q *query, place, end *key) {
	if a.byID {
		q.add(` AND `+a.id+` < ?`, place.ID)
		if end != nil {
			q.add(` AND `+a.id+` >= ?`, end.ID)
		}
		return
	}
	q.add(` AND (`+a.at+`, `+a.id+`) < (?, ?)`, place.at, place.ID)
	if end != nil {
		q.add(` AND (`+a.at+`, `+a.id+`) >= (?, ?)`, end.at, end.ID)
	}
}

// rare returns the keys behind the place of all leads with the words that the filter means, if few have the words.
func (b *browsing) rare(ctx context.Context, place *key, words search.Query) (keys []key, are bool, err error) {
	type found struct {
		key
		met bool
	}
	var q query
	q.add(`SELECT k.site_id, k.id, k.at, 1 = 1`)
	q.all(b.along.tested...)
	q.add(` FROM (SELECT site_id, lead_id AS id, at FROM lead_search WHERE words @@ CAST(? AS tsquery) AND (at, lead_id) < (?, ?) AND `+b.filter.Sites.SQL("site_id"),
		words.TSQuery(), place.at, place.ID)
	b.filter.times(&q, `at`)
	q.add(fmt.Sprintf(` LIMIT %d) AS k JOIN leads ON leads.site_id = k.site_id AND leads.id = k.id ORDER BY k.at DESC, k.id DESC`, few+1))
	all, err := db.List(ctx, b.from, func(f *found) []any { return append(f.fields(), &f.met) }, q.text.String(), q.args...)
	if err != nil || len(all) > few {
		return nil, false, err
	}
	for _, f := range all {
		if f.met {
			keys = append(keys, f.key)
		}
	}
	return keys, true, nil
}
