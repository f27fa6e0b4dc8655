package lead

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// What one page of the inbox reads at most beside its own leads, so that a filter that few leads
// meet costs little among millions.
const (
	// An index that goes by time is walked in steps, from firstWalk leads to lastWalk, and maxWalk in
	// all; sampleWalk shows how frequent words are.
	firstWalk, lastWalk, maxWalk, sampleWalk = 200, 1000, 3000, 1000
	// few leads are read whole and put in order.
	few = 5000
	// severalSites is how many sites an index is walked for side by side.
	severalSites = 64
)

// Page is a part of a list of leads.
type Page struct {
	Leads []Lead
	// Next is the place at which the list goes on; the zero Cursor at its end. A page with a Next
	// may hold fewer leads than asked for, or none: then what was looked at held no more.
	Next Cursor
}

// key is where a lead stands in the list.
type key struct {
	Name
	at  int64
	met bool
}

func (k *key) fields() []any { return []any{&k.SiteID, &k.ID, &k.at, &k.met} }

// Inbox returns outlines of the leads of the filter behind the cursor, see [Leads.Outline], newest first, limit at most. Parts of
// other leads are left out. Name the sites where you can: for all of them, and for more than
// 64, the filter's indexes are not used. With a search SQLite goes by the order in which leads were stored. The
// error may be that of [Filter.Check].
func (l *Leads) Inbox(ctx context.Context, f Filter, behind Cursor, limit int) (Page, error) {
	if err := f.Check(); err != nil {
		return Page{}, err
	}
	searched, _ := readSearch(f.Search)
	place := &key{Name: Name{ID: math.MaxInt64}, at: math.MaxInt64}
	if behind != (Cursor{}) {
		place = &key{Name: Name{ID: behind.ID}, at: behind.At.UnixMilli()}
	}
	if f.Sites.None() {
		return Page{}, nil
	}
	if until := f.Until.UnixMilli(); !f.Until.IsZero() && until <= place.at && f.Search == "" {
		place = &key{at: until} // an index is entered there
	}
	b := browsing{Leads: l, filter: f, searched: searched, conditions: f.conditions(), place: place, limit: limit}
	keys, next, err := b.run(ctx)
	if err != nil {
		return Page{}, fmt.Errorf("listing leads: %w", err)
	}
	names := make([]Name, len(keys))
	for i, k := range keys {
		names[i] = k.Name
	}
	page := Page{}
	if page.Leads, err = l.named(ctx, readOutline, names); err == nil && next != nil {
		page.Next = cursorAt(*next)
	}
	return page, err
}

// browsing is one page of the inbox while it is looked for.
type browsing struct {
	*Leads
	filter     Filter
	searched   search
	conditions []condition
	place      *key
	limit      int
	sites      []int64
	known      map[string][]string // words by their beginnings, see wordsLike
}

// run returns the keys of the page's leads, and the place behind which the list goes on.
func (b *browsing) run(ctx context.Context) (keys []key, next *key, err error) {
	if b.sites = b.filter.Sites.IDs(); len(b.sites) > severalSites {
		b.sites = nil
	}
	if b.searched != nil && b.db.Engine() == db.SQLite {
		if b.known, err = b.wordsLike(ctx); err != nil {
			return nil, nil, err
		}
	}
	source, rare, err := b.choose(ctx)
	if err != nil {
		return nil, nil, err
	}
	if rare != nil {
		return b.cut(rare)
	}
	words := b.searched != nil && b.db.Engine() == db.Postgres
	most := maxWalk
	if words {
		most = sampleWalk
	}
	keys, next, err = b.walk(ctx, source, nil, b.place, most)
	if err != nil || next == nil || len(keys) == b.limit || !words {
		return keys, next, err
	}
	if len(keys)*(maxWalk/sampleWalk) < b.limit {
		// The words are rare among the leads that came last: all that have them are read.
		found, err := b.set(ctx, func(q *query) {
			q.add(`SELECT site_id, lead_id AS id, at FROM lead_search WHERE words @@ CAST(? AS tsquery) AND (at, lead_id) < (?, ?) AND `+b.filter.Sites.SQL("site_id"),
				b.searched.TSQuery(), b.place.at, b.place.ID)
			b.bounds(q, "at")
		})
		if err != nil {
			return nil, nil, err
		}
		if found != nil {
			return b.cut(found)
		}
	}
	return b.walk(ctx, source, keys, next, maxWalk-sampleWalk)
}

// cursorAt is the place behind the key.
func cursorAt(k key) Cursor { return Lead{ID: k.ID, At: db.Time(k.at)}.Cursor() }

// walk goes along the source behind the place until the page is full, the source ends, or most leads
// have been looked at. It adds to the keys of the page.
func (b *browsing) walk(ctx context.Context, source source, keys []key, place *key, most int) ([]key, *key, error) {
	for step, looked := firstWalk, 0; looked < most; step = min(step*4, lastWalk) {
		if !source.tests { // each that it has is met
			step = b.limit + 1
		}
		rows, err := b.step(ctx, source, place, step)
		if err != nil {
			return nil, nil, err
		}
		for i, k := range rows {
			if !k.met {
				continue
			}
			if len(keys) == b.limit {
				return keys, &keys[b.limit-1], nil
			}
			keys = append(keys, rows[i])
		}
		if len(rows) < step {
			return keys, nil, nil
		}
		place, looked = &rows[len(rows)-1], looked+len(rows)
	}
	return keys, place, nil
}

// step reads the next keys of the source, and whether the leads meet the conditions.
func (b *browsing) step(ctx context.Context, source source, place *key, step int) ([]key, error) {
	var q query
	read := source.tests && b.searched != nil && b.db.Engine() == db.SQLite && !source.searched
	switch {
	case source.searched:
		b.stepOfWords(&q, place, step)
	default:
		b.stepOfKeys(&q, source, place, step, !read)
	}
	rows, err := db.List(ctx, b.db.Read(), (*key).fields, q.text.String(), q.args...)
	if err == nil && read {
		err = b.readWords(ctx, rows)
	}
	return rows, err
}

// stepOfKeys reads the keys of an index, and then of each lead whether it meets the conditions, the
// search among them if it is to be tested.
func (b *browsing) stepOfKeys(q *query, source source, place *key, step int, search bool) {
	if source.tests {
		q.add(`SELECT k.site_id, k.id, k.at, CASE WHEN leads.merged_into = 0`)
		q.all(source.tested...)
		if b.searched != nil && search {
			q.add(` AND EXISTS (SELECT 1 FROM lead_search s WHERE s.site_id = leads.site_id AND s.lead_id = leads.id AND s.words @@ CAST(? AS tsquery))`, b.searched.TSQuery())
		}
		q.add(` THEN 1 ELSE 0 END FROM (`)
	} else {
		q.add(`SELECT k.site_id, k.id, k.at, 1 FROM (`)
	}
	order := fmt.Sprintf(` ORDER BY at DESC, id DESC LIMIT %d`, step)
	if len(b.sites) == 0 {
		source.from(q, 0, place, order)
	} else {
		for i, site := range b.sites {
			if i > 0 {
				q.add(` UNION ALL `)
			}
			q.add(`SELECT * FROM (`)
			source.from(q, site, place, order)
			q.add(fmt.Sprintf(`) AS of%d`, i))
		}
		if len(b.sites) > 1 {
			q.add(order)
		}
	}
	q.add(`) AS k`)
	if source.tests {
		q.add(` JOIN leads ON leads.site_id = k.site_id AND leads.id = k.id`)
	}
	q.add(` ORDER BY k.at DESC, k.id DESC`)
}

// readWords finds out whether the leads that meet all else have the words, by reading them.
func (b *browsing) readWords(ctx context.Context, rows []key) error {
	var names []Name
	for _, k := range rows {
		if k.met {
			names = append(names, k.Name)
		}
	}
	parts, err := b.partsOfAll(ctx, names)
	if err != nil {
		return err
	}
	has := make(map[Name]bool)
	for some := range slices.Chunk(names, namedAtOnce) {
		leads, err := b.named(ctx, readBegun, some)
		if err != nil {
			return err
		}
		for _, l := range leads {
			all := []Lead{l}
			if len(parts[l.Key()]) > 0 {
				own, err := partsOf(ctx, b.db.Read(), l.Key(), readBegun)
				if err != nil {
					return err
				}
				all = append(all, own...)
			}
			words := vocabularyOf(all)
			slices.Sort(words)
			has[l.Key()] = b.searched.metBy(words)
		}
	}
	for i := range rows {
		rows[i].met = rows[i].met && has[rows[i].Name]
	}
	return nil
}

// times adds the place and the bounds of time.
func (b *browsing) times(q *query, place *key) {
	q.add(` AND (at, id) < (?, ?)`, place.at, place.ID)
	b.bounds(q, "at")
}

// counted is how many rows the query has, most at most.
func (b *browsing) counted(ctx context.Context, write func(*query), most int) (int, error) {
	var q query
	q.add(`SELECT COUNT(*) FROM (`)
	write(&q)
	q.add(fmt.Sprintf(` LIMIT %d) AS counted`, most))
	n, _, err := db.One(ctx, b.db.Read(), db.Only[int], q.text.String(), q.args...)
	return n, err
}

func (b *browsing) bounds(q *query, at string) {
	if !b.filter.Since.IsZero() {
		q.add(` AND `+at+` >= ?`, b.filter.Since.UnixMilli())
	}
	if !b.filter.Until.IsZero() && b.searched != nil { // else the place is there
		q.add(` AND `+at+` < ?`, b.filter.Until.UnixMilli())
	}
}

// set reads all keys that are written, and whether the leads meet the conditions, if they are few; else it
// returns nil.
func (b *browsing) set(ctx context.Context, write func(*query)) ([]key, error) {
	var q query
	if len(b.conditions) == 0 { // what is found by its words is no part of another lead
		q.add(`SELECT k.site_id, k.id, k.at, 1 FROM (`)
		write(&q)
		q.add(fmt.Sprintf(` LIMIT %d) AS k`, few+1))
	} else {
		q.add(`SELECT k.site_id, k.id, k.at, CASE WHEN leads.merged_into = 0`)
		q.all(b.conditions...)
		q.add(` THEN 1 ELSE 0 END FROM (`)
		write(&q)
		q.add(fmt.Sprintf(` LIMIT %d) AS k JOIN leads ON leads.site_id = k.site_id AND leads.id = k.id`, few+1))
	}
	keys, err := db.List(ctx, b.db.Read(), (*key).fields, q.text.String(), q.args...)
	if err != nil || len(keys) > few {
		return nil, err
	}
	if keys == nil {
		keys = []key{}
	}
	return keys, nil
}

// cut is the page out of all keys that can be on it.
func (b *browsing) cut(found []key) (keys []key, next *key, err error) {
	found = slices.DeleteFunc(found, func(k key) bool { return !k.met })
	slices.SortFunc(found, func(a, b key) int { return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(b.ID, a.ID)) })
	if len(found) > b.limit {
		return found[:b.limit], &found[b.limit-1], nil
	}
	return found, nil, nil
}

// namedAtOnce is how many leads one query reads by their names.
const namedAtOnce = 128

// Named returns the leads of the names whole, in their order. Those that are gone are missing. Each may have a megabyte: name few.
func (l *Leads) Named(ctx context.Context, names []Name) ([]Lead, error) {
	return l.named(ctx, readFrom, names)
}

func (l *Leads) named(ctx context.Context, read readLeads, names []Name) ([]Lead, error) {
	found := make(map[Name]Lead, len(names))
	for some := range slices.Chunk(names, namedAtOnce) {
		values, args := db.Values(db.Padded(some), (*Name).fields)
		leads, err := read(ctx, l.db.Read(), `(site_id, id) IN (`+values+`)`, args...)
		if err != nil {
			return nil, err
		}
		for _, lead := range leads {
			found[lead.Key()] = lead
		}
	}
	leads := make([]Lead, 0, len(names))
	for _, n := range names {
		if lead, is := found[n]; is {
			leads = append(leads, lead)
		}
	}
	return leads, nil
}

// MaxForms is how many names of forms are returned.
const MaxForms = 100

// Forms are the names of the forms of the sites, which have to be named, in order, MaxForms at most.
func (l *Leads) Forms(ctx context.Context, sites scope.Sites) ([]string, error) {
	forms := make(map[string]bool)
	ids := sites.IDs()
	for _, id := range ids[:min(len(ids), severalSites)] {
		// The index is asked for the next name behind each.
		names, err := db.List(ctx, l.db.Read(), db.Only[string], fmt.Sprintf(`WITH RECURSIVE next(name, n) AS (
			SELECT (SELECT MIN(form_name) FROM leads WHERE merged_into = 0 AND site_id = $1 AND form_name > ''), 1
			UNION ALL SELECT (SELECT MIN(form_name) FROM leads WHERE merged_into = 0 AND site_id = $1 AND form_name > next.name), n + 1 FROM next WHERE next.name IS NOT NULL AND n < %d)
			SELECT name FROM next WHERE name IS NOT NULL`, MaxForms), id)
		if err != nil {
			return nil, fmt.Errorf("reading the names of forms: %w", err)
		}
		for _, name := range names {
			forms[name] = true
		}
	}
	sorted := slices.Sorted(maps.Keys(forms))
	return sorted[:min(len(sorted), MaxForms)], nil
}
