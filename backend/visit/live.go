package visit

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// LiveVisit is a visit of somebody who is on a site now.
type LiveVisit struct {
	SiteID int64
	Ref    // of the last page view
	// URL and Title are those of the latest page.
	URL, Title string
	// Path are the last pages of the visit, at most eight, the oldest first.
	Path []Page
	// Views is the number of page views of the visit.
	Views               int
	StartedAt, LastAt   time.Time
	Source              source.Source
	UserAgent, Language string
	// Name, Email and Phone are the visitor's latest ones. They may be empty.
	Name, Email string
	Phone       contact.Contact
}

// Page is a page view in a list.
type Page struct {
	ID         ID
	At         time.Time
	Kind       string
	URL, Title string
}

type visitRow struct {
	site, id, visitor   int64
	startedAt, lastAt   int64
	views               int
	view                int64
	recent              recent
	bot                 bool
	userAgent, language string
	source              source.Source
	list                int // index of the list of live visits for which it is read
}

const visitColumns = `s.site_id, s.id, s.visitor_id, s.started_at, s.last_at, s.views, s.view_id, s.recent, s.bot, s.user_agent, s.language, ` + source.Columns

func (s *visitRow) fields() []any {
	return append([]any{
		&s.site, &s.id, &s.visitor, &s.startedAt, &s.lastAt, &s.views, &s.view, &s.recent, &s.bot, &s.userAgent, &s.language,
	}, s.source.Fields()...)
}

type viewRow struct {
	site, id, visit, at int64
	kind, url, title    string
}

const viewColumns = `h.site_id, h.id, h.visit_id, h.at, h.kind, h.url, h.title`

func (h *viewRow) fields() []any {
	return []any{&h.site, &h.id, &h.visit, &h.at, &h.kind, &h.url, &h.title}
}

func (v *Visits) page(h viewRow) Page {
	return Page{ID: v.views.id(h.id), At: time.UnixMilli(h.at), Kind: h.kind, URL: h.url, Title: h.title}
}

const (
	// LiveFor is how long after the last page view or event somebody counts as being on the site, if the page has not
	// reported anything since. See [Visits.See].
	LiveFor = 90 * time.Second
	// MaxLive is how many live visits are returned, for all sites of a list.
	MaxLive = 200
	// maxPresent is how many open pages are read for a list. Few people have more than three open in front of them.
	maxPresent = 3 * (MaxLive + 1)
	// listsAtOnce and rowsAtOnce bound the size of a statement.
	listsAtOnce, rowsAtOnce = 100, 2000
)

// Live is a list of the people on some sites. It holds the latest visit of each person if a page of the visit
// reports that somebody is there. If the page has reported nothing yet, a page view or an event within [LiveFor]
// counts. Bots are left out. The person who was active last comes first.
type Live struct {
	Visits []LiveVisit // MaxLive at most
	More   bool        // there are more than are in Visits
}

// here returns a query for the visits on the sites with somebody there, with the columns site_id and id. here
// searches by time, and isHere by visit.
func (v *Visits) here(sites scope.Sites) string {
	now, since := v.moments()
	of := sites.SQL("s.site_id")
	return fmt.Sprintf(`SELECT s.site_id, s.visit_id AS id FROM (SELECT * FROM presences AS s WHERE s.until > %d AND %s ORDER BY s.until DESC LIMIT %d) AS s
		UNION SELECT s.site_id, s.id FROM (SELECT * FROM visits AS s WHERE s.last_at >= %d AND NOT s.bot AND %s AND NOT %s
			ORDER BY s.last_at DESC, s.id DESC LIMIT %d) AS s`,
		now, of, maxPresent, since, of, hasSpoken, MaxLive+1)
}

// isHere returns the condition that somebody is there in the visit s.
func (v *Visits) isHere() string {
	now, since := v.moments()
	return fmt.Sprintf(`(s.last_at >= %d AND NOT %s
		OR EXISTS (SELECT 1 FROM presences AS p WHERE p.site_id = s.site_id AND p.visit_id = s.id AND p.until > %d))`, since, hasSpoken, now)
}

// hasSpoken is the condition that the page of the latest view of the visit s has reported whether somebody is there.
const hasSpoken = `EXISTS (SELECT 1 FROM presences AS p WHERE p.site_id = s.site_id AND p.visit_id = s.id AND p.view_id = s.view_id)`

// moments returns the time now, and the time since when a page view counts by itself.
func (v *Visits) moments() (now, since int64) {
	at := v.now()
	return at.UnixMilli(), at.Add(-LiveFor).UnixMilli()
}

// Live returns the people on the sites.
func (v *Visits) Live(ctx context.Context, sites scope.Sites) (Live, error) {
	lists, err := v.live(ctx, []scope.Sites{sites})
	if err != nil {
		return Live{}, err
	}
	return lists[0], nil
}

// live returns a list for each of the scopes, in their order. It needs few statements for any number of scopes.
func (v *Visits) live(ctx context.Context, scopes []scope.Sites) ([]Live, error) {
	var visits []visitRow
	for first := 0; first < len(scopes); first += listsAtOnce {
		some := scopes[first:min(first+listsAtOnce, len(scopes))]
		parts := make([]string, len(some))
		for i, sites := range some {
			parts[i] = fmt.Sprintf(`SELECT * FROM (SELECT %s, %d AS list FROM (%s) AS here
				JOIN visits AS s ON s.site_id = here.site_id AND s.id = here.id
				JOIN visitors AS v ON v.site_id = s.site_id AND v.id = s.visitor_id AND v.visit_id = s.id
				WHERE NOT s.bot ORDER BY s.last_at DESC, s.id DESC LIMIT %d) AS part`, visitColumns, first+i, v.here(sites), MaxLive+1)
		}
		found, err := db.List(ctx, v.db.Read(), func(s *visitRow) []any { return append(s.fields(), &s.list) },
			strings.Join(parts, " UNION ALL ")+" ORDER BY last_at DESC, id DESC")
		if err != nil {
			return nil, fmt.Errorf("reading live visits: %w", err)
		}
		visits = append(visits, found...)
	}
	paths, err := v.paths(ctx, visits)
	if err != nil {
		return nil, fmt.Errorf("reading live visits: %w", err)
	}
	people, err := v.people(ctx, visits)
	if err != nil {
		return nil, fmt.Errorf("reading live visits: %w", err)
	}
	lists := make([]Live, len(scopes))
	for _, s := range visits {
		list := &lists[s.list]
		if len(list.Visits) == MaxLive {
			list.More = true
		} else {
			list.Visits = append(list.Visits, v.liveVisit(s, paths[place{s.site, s.id}], people[place{s.site, s.visitor}]))
		}
	}
	return lists, nil
}

func (v *Visits) liveVisit(s visitRow, path []Page, who person) LiveVisit {
	visit := LiveVisit{
		SiteID: s.site, Ref: v.ref(row{s.visitor, s.id, s.view}),
		Path: path, Views: s.views, StartedAt: time.UnixMilli(s.startedAt), LastAt: time.UnixMilli(s.lastAt),
		Source: s.source, UserAgent: s.userAgent, Language: s.language,
		Name: who.name, Email: who.email, Phone: who.phone,
	}
	if len(path) > 0 {
		visit.URL, visit.Title = path[len(path)-1].URL, path[len(path)-1].Title
	}
	return visit
}

// place identifies a row of a site.
type place struct{ site, id int64 }

// paths returns the last pages of the visits.
func (v *Visits) paths(ctx context.Context, visits []visitRow) (map[place][]Page, error) {
	wanted := make(map[string]struct{})
	for _, s := range visits {
		for view := range s.recent.views() {
			wanted[fmt.Sprintf("(%d, %d, %d)", s.site, s.id, view)] = struct{}{}
		}
	}
	paths := make(map[place][]Page, len(visits))
	for rows := range slices.Chunk(slices.Sorted(maps.Keys(wanted)), rowsAtOnce) {
		views, err := db.List(ctx, v.db.Read(), (*viewRow).fields, `SELECT `+viewColumns+` FROM views AS h
			WHERE (h.site_id, h.visit_id, h.id) IN (VALUES `+strings.Join(rows, ", ")+`)`)
		if err != nil {
			return nil, err
		}
		for _, h := range views {
			at := place{h.site, h.visit}
			paths[at] = append(paths[at], v.page(h))
		}
	}
	for _, path := range paths {
		slices.SortFunc(path, func(a, b Page) int {
			return cmp.Or(a.At.Compare(b.At), cmp.Compare(v.views.number(a.ID), v.views.number(b.ID)))
		})
	}
	return paths, nil
}

type person struct {
	name, email string
	phone       contact.Contact
}

func (v *Visits) people(ctx context.Context, visits []visitRow) (map[place]person, error) {
	wanted := make(map[string]struct{})
	for _, s := range visits {
		wanted[fmt.Sprintf("(%d, %d)", s.site, s.visitor)] = struct{}{}
	}
	people := make(map[place]person, len(visits))
	for rows := range slices.Chunk(slices.Sorted(maps.Keys(wanted)), rowsAtOnce) {
		type fact struct {
			contact.Contact
			of   place
			kind string
			at   int64
		}
		values := strings.Join(rows, ", ")
		known, err := db.List(ctx, v.db.Read(), func(f *fact) []any { return []any{&f.of.site, &f.of.id, &f.kind, &f.Value, &f.Written, &f.at} },
			`SELECT site_id, id AS visitor_id, 'name' AS kind, name AS value, name AS written, 0 AS at FROM visitors WHERE (site_id, id) IN (VALUES `+values+`) AND name <> ''
			UNION ALL SELECT site_id, visitor_id, kind, value, written, at FROM contacts WHERE (site_id, visitor_id) IN (VALUES `+values+`) ORDER BY at`)
		if err != nil {
			return nil, err
		}
		for _, k := range known {
			who := people[k.of]
			switch k.kind {
			case "name":
				who.name = k.Written
			case "email":
				who.email = k.Written
			case "phone":
				k.At = time.UnixMilli(k.at)
				who.phone = k.Contact
			}
			people[k.of] = who
		}
	}
	return people, nil
}

// SourceOf returns the source of the visit. The error is ErrUnknown if there is no such visit.
func (v *Visits) SourceOf(ctx context.Context, siteID int64, visit ID) (source.Source, error) {
	from, found, err := db.One(ctx, v.db.Read(), (*source.Source).Fields, `SELECT `+source.Columns+` FROM visits WHERE site_id = $1 AND id = $2`,
		siteID, v.visits.number(visit))
	if err != nil {
		return source.Source{}, fmt.Errorf("reading a source: %w", err)
	}
	if !found {
		return source.Source{}, ErrUnknown
	}
	return from, nil
}
