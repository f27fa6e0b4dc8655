package inquiry

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// key is where an inquiry stands in the list.
type key struct {
	place              int64 // of its kind
	site, id, at, lead int64
	visitor, visit     visit.ID
}

func (k *key) fields() []any {
	return []any{&k.site, &k.id, &k.at, &k.visitor, &k.visit, &k.lead}
}

// number is the ID of the cursor behind it.
func (k key) number() int64 { return k.id<<2 | k.place }

func (k key) cursor() Cursor { return Cursor{At: db.Time(k.at), ID: k.number()} }

// newer compares the keys, the newest first.
func newer(a, b key) int { return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(b.number(), a.number())) }

// List returns inquiries of the filter behind the cursor, newest first, limit at most. More than 64 sites are looked
// through as one list, in which inquiries of others lie between. The error may be that of [Filter.Check].
func (q *Inquiries) List(ctx context.Context, f Filter, behind Cursor, limit int) (Page, error) {
	if err := f.Check(); err != nil || f.Sites.None() {
		return Page{}, err
	}
	sought, err := q.seek(ctx, f)
	if err != nil {
		return Page{}, fmt.Errorf("listing inquiries: %w", err)
	}
	var all []key
	var end *key // up to which all kinds have been looked through; nil for their ends
	for _, place := range f.places() {
		kind := walk{Inquiries: q, place: place, filter: f, sought: sought, limit: limit + 1}
		keys, last, err := kind.run(ctx, behind)
		if err != nil {
			return Page{}, fmt.Errorf("listing inquiries: %w", err)
		}
		all = append(all, keys...)
		if last != nil && (end == nil || newer(*last, *end) < 0) {
			end = last
		}
	}
	if end != nil { // behind it, there may be one that has not been found yet
		all = slices.DeleteFunc(all, func(k key) bool { return newer(k, *end) > 0 })
	}
	slices.SortFunc(all, newer)
	page := Page{}
	switch {
	case len(all) > limit:
		all = all[:limit]
		page.Next = all[limit-1].cursor()
	case end != nil:
		page.Next = end.cursor()
	}
	page.Inquiries, err = q.complete(ctx, all)
	return page, err
}

// How many inquiries of a kind at a site one page looks at: near at first, and far where these fill no page. The page then
// says where to go on, so that a filter that few meet costs little among many.
const near, far = 2000, 50_000

// Where each has to be looked at by itself, it is at most mostSifted of a kind, siftedAtOnce together.
const mostSifted, siftedAtOnce = 3000, 128

// severalSites is how many sites are looked through side by side.
const severalSites = 64

// walk looks for inquiries of one kind.
type walk struct {
	*Inquiries
	place  int64
	filter Filter
	sought sought
	limit  int
}

// run returns the keys behind the cursor, limit at most, and the last key that was looked at; nil at the end of the kind.
func (w *walk) run(ctx context.Context, behind Cursor) (keys []key, last *key, err error) {
	if w.sought.none[w.place] {
		return nil, nil, nil
	}
	place := &key{place: w.place}
	place.at, place.id = behind.bounds(w.place)
	sift := w.sifter()
	most := []int{near, far}
	if sift != nil {
		most = []int{mostSifted}
	}
	for _, n := range most {
		end, err := w.endOf(ctx, place, n)
		if err != nil {
			return nil, nil, err
		}
		found, last, err := w.between(ctx, place, end, w.limit-len(keys), sift)
		if err != nil {
			return nil, nil, err
		}
		if keys = append(keys, found...); last != nil || end == nil {
			return keys, last, nil
		}
		place = end
	}
	return keys, place, nil
}

// between returns keys behind the place up to the end, limit at most, and the last of them if there may be more.
func (w *walk) between(ctx context.Context, place, end *key, limit int, sift func(context.Context, []key) ([]key, error)) (keys []key, last *key, err error) {
	if sift == nil {
		if keys, err = w.list(ctx, place, end, true, limit, 0); err == nil && len(keys) == limit {
			last = &keys[limit-1]
		}
		return keys, last, err
	}
	for {
		some, err := w.list(ctx, place, end, true, siftedAtOnce, 0)
		if err != nil {
			return nil, nil, err
		}
		found, err := sift(ctx, some)
		if err != nil {
			return nil, nil, err
		}
		if keys = append(keys, found...); len(keys) >= limit {
			return keys[:limit], &keys[limit-1], nil
		}
		if len(some) < siftedAtOnce {
			return keys, nil, nil
		}
		place = &some[len(some)-1]
	}
}

// endOf is a key up to which no more than most inquiries of each site are behind the place; nil if there are no more.
func (w *walk) endOf(ctx context.Context, place *key, most int) (*key, error) {
	ends, err := w.list(ctx, place, nil, false, 1, most/max(1, len(w.sites())))
	if err != nil || len(ends) == 0 {
		return nil, err
	}
	return &ends[0], nil
}

// sites are those that are looked through side by side; nil for one list of all.
func (w *walk) sites() []int64 {
	if ids := w.filter.Sites.IDs(); len(ids) <= severalSites {
		return ids
	}
	return nil
}

// list returns the keys behind the place up to the end, which may be nil, of each site by the limit behind the offset;
// where they are tested, of those that the filter means.
func (w *walk) list(ctx context.Context, place, end *key, tested bool, limit, offset int) ([]key, error) {
	var q query
	// A plus keeps the engine from an index of sites: it would sort all that these have.
	scopes, column := []scope.Sites{w.filter.Sites}, "+v.site_id"
	if ids := w.sites(); ids != nil {
		scopes, column = scopes[:0], "v.site_id"
		for _, id := range ids {
			scopes = append(scopes, scope.Of(id))
		}
	}
	of := views[w.place]
	for i, sites := range scopes {
		if i > 0 {
			q.add(` UNION ALL `)
		}
		q.add(`SELECT * FROM (SELECT ` + columns + ` FROM ` + of.view + ` v WHERE ` + sites.SQL(column))
		q.add(` AND (v.at, v.id) < (?, ?)`, place.at, place.id)
		if end != nil {
			q.add(` AND (v.at, v.id) >= (?, ?)`, end.at, end.id)
		}
		w.filter.times(&q)
		if tested {
			w.filter.test(&q, of)
			w.sought.test(&q, w.place)
		}
		q.add(fmt.Sprintf(` ORDER BY v.at DESC, v.id DESC LIMIT %d OFFSET %d) AS of%d`, limit, offset, i))
	}
	q.add(fmt.Sprintf(` ORDER BY at DESC, id DESC LIMIT %d`, limit))
	return w.ask(ctx, q.text.String(), q.args...)
}

// read reads the keys for which the condition holds.
func (w *walk) read(ctx context.Context, condition string, args ...any) ([]key, error) {
	return w.ask(ctx, `SELECT `+columns+` FROM `+views[w.place].view+` v WHERE `+condition, args...)
}

const columns = `v.site_id AS site_id, v.id AS id, v.at AS at, v.visitor_id, v.visit_id, v.lead_id`

func (w *walk) ask(ctx context.Context, query string, args ...any) ([]key, error) {
	keys, err := db.List(ctx, db.From(w.DB, w.filter.Lagging), (*key).fields, query, args...)
	for i := range keys {
		keys[i].place = w.place
	}
	return keys, err
}
