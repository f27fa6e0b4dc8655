package inquiry

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

const (
	// fewLeads and fewVisitors are how many are found at once, and then listed.
	fewLeads, fewVisitors = 500, 50
	// leastDigits is how many digits a part of a number has at least that is searched.
	leastDigits = 4
	// maxRegions is by how many countries a number is read.
	maxRegions = 8
)

// sought is what a search looks for.
type sought struct {
	typed    string   // empty for no search
	digits   []string // one of them is in the number
	visitors []string // ids of visitors who have the name, the number or the address
	leads    []string // ids of leads that have it
	many     bool     // there are more leads than these
	// none tells of which kinds, by their places, none can be found.
	none [4]bool
}

// seek finds out what the filter's search looks for.
func (q *Inquiries) seek(ctx context.Context, f Filter) (s sought, err error) {
	if s.typed = strings.TrimSpace(f.Search); s.typed == "" {
		return s, nil
	}
	found, all, err := q.Inbox.Found(ctx, f.Sites, s.typed, fewLeads)
	if err != nil {
		return s, err
	}
	s.leads, s.many = written(found), !all
	visitors, err := q.Visitors.LookUp(ctx, f.Sites, s.typed, q.regions(ctx, f), fewVisitors)
	if err != nil {
		return s, err
	}
	for _, of := range visitors {
		s.visitors = append(s.visitors, strconv.FormatInt(int64(of.Visitor), 10))
	}
	if !strings.ContainsFunc(s.typed, unicode.IsLetter) {
		s.digits = slices.DeleteFunc(call.Parts(s.typed), func(digits string) bool { return len(digits) < leastDigits || len(digits) > 20 })
	}
	noNumber := len(s.digits) == 0 && len(s.visitors) == 0
	s.none = [4]bool{noNumber, len(s.leads) == 0 && !s.many, noNumber, false}
	return s, nil
}

func written(ids []int64) []string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = strconv.FormatInt(id, 10)
	}
	return texts
}

// regions are the countries of the filter's sites.
func (q *Inquiries) regions(ctx context.Context, f Filter) (regions []string) {
	for _, id := range f.Sites.IDs() {
		if q.Region == nil || len(regions) == maxRegions {
			break
		}
		if region := q.Region(ctx, id); !slices.Contains(regions, region) {
			regions = append(regions, region)
		}
	}
	return regions
}

// test writes what the search asks of the kind of the place. What it cannot write is sifted.
func (s sought) test(q *query, place int64) {
	if s.typed == "" {
		return
	}
	switch Kinds[place] {
	case Request:
		if !s.many {
			q.add(` AND v.id IN (` + strings.Join(s.leads, ", ") + `)`)
		}
	case Call:
		s.number(q, `v.phone LIKE ? OR v.called LIKE ? OR v.replaces LIKE ?`)
	case Callback:
		s.number(q, `v.phone LIKE ?`)
	}
}

// number writes that the condition holds for a number that has the digits in it, or that it is one of the visitors.
func (s sought) number(q *query, condition string) {
	q.add(` AND (1 = 0`)
	for _, digits := range s.digits {
		q.same(` OR `+condition, "%"+digits+"%")
	}
	if len(s.visitors) > 0 {
		q.add(` OR v.visitor_id IN (` + strings.Join(s.visitors, ", ") + `)`)
	}
	q.add(`)`)
}

// sifter returns what looks at inquiries of the kind one by one, in whose view the filter cannot be read; nil for nothing.
func (w *walk) sifter() func(context.Context, []key) ([]key, error) {
	kind, s := Kinds[w.place], w.sought
	bySource := w.filter.Source != "" && views[w.place].sourceless()
	byText := s.typed != "" && (kind == Chat || kind == Request && s.many)
	if !bySource && !byText {
		return nil
	}
	return func(ctx context.Context, keys []key) (_ []key, err error) {
		if bySource {
			if keys, err = w.fromSource(ctx, keys); err != nil {
				return nil, err
			}
		}
		switch {
		case !byText:
			return keys, nil
		case kind == Chat:
			return w.saying(ctx, keys)
		}
		names := make([]lead.Key, len(keys))
		for i, k := range keys {
			names[i] = lead.Key{SiteID: k.site, ID: k.id}
		}
		having, err := w.Inbox.Having(ctx, names, s.typed)
		return slices.DeleteFunc(keys, func(k key) bool { return !having[lead.Key{SiteID: k.site, ID: k.id}] }), err
	}
}

// fromSource returns those of the keys whose visits have the source of the filter.
func (w *walk) fromSource(ctx context.Context, keys []key) ([]key, error) {
	sources, err := w.sourcesOf(ctx, keys)
	return slices.DeleteFunc(slices.Clone(keys), func(k key) bool { return sources[stay{k.site, k.visit}].Kind != w.filter.Source }), err
}

// saying returns the keys of conversations in which was said what is searched, or with the visitors who are.
func (w *walk) saying(ctx context.Context, keys []key) (found []key, err error) {
	said := make(map[chat.Key]bool)
	for _, k := range keys {
		name := chat.Key{SiteID: k.site, ID: k.id}
		says, known := said[name]
		if !known {
			if says = slices.Contains(w.sought.visitors, strconv.FormatInt(int64(k.visitor), 10)); !says {
				if says, err = w.Overview.Says(ctx, name, w.sought.typed); err != nil {
					return nil, err
				}
			}
			said[name] = says
		}
		if says {
			found = append(found, k)
		}
	}
	return found, nil
}

// stay names a visit of a site.
type stay struct {
	site  int64
	visit visit.ID
}

// sourcesOf are the sources of the visits of the keys, as far as they are stored.
func (q *Inquiries) sourcesOf(ctx context.Context, keys []key) (map[stay]source.Source, error) {
	visits := make(map[int64][]visit.ID) // by site
	for _, k := range keys {
		if k.visit != 0 {
			visits[k.site] = append(visits[k.site], k.visit)
		}
	}
	sources := make(map[stay]source.Source)
	for site, ids := range visits {
		found, err := q.Visits.Sources(ctx, site, ids...)
		if err != nil {
			return nil, err
		}
		for id, of := range found {
			sources[stay{site, id}] = of
		}
	}
	return sources, nil
}
