package onsite

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/card"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// LiveVisit is a visit of somebody who is on a site now.
type LiveVisit struct {
	SiteID  int64
	key.Ref // of the last page view
	// URL and Title are those of the latest page.
	URL, Title string
	// Path are the last pages of the visit, at most eight, the oldest first.
	Path []card.Page
	// Views is the number of page views of the visit.
	Views               int
	StartedAt, LastAt   time.Time
	Source              source.Source
	UserAgent, Language string
	card.Who
}

// visitRow is a live visit as it is stored.
type visitRow struct {
	LiveVisit
	row               key.Row
	startedAt, lastAt int64
	recent            visit.Recent
	list              int // index of the list for which it is read
}

const visitColumns = `v.site_id, v.id, v.visitor_id, v.started_at, v.last_at, v.views, v.view_id, v.recent, v.user_agent, v.language, ` + source.Columns

func (r *visitRow) fields() []any {
	return append(append([]any{
		&r.SiteID, &r.row.Visit, &r.row.Visitor, &r.startedAt, &r.lastAt, &r.Views, &r.row.View, &r.recent, &r.UserAgent, &r.Language,
	}, r.Source.Fields()...), &r.list)
}

const (
	// LiveFor is how long after the last page view or event somebody counts as being on the site, if the page has not
	// reported anything since. See [Visitors.See].
	LiveFor = 90 * time.Second
	// MaxLive is how many live visits are returned, for all sites of a list.
	MaxLive = 200
	// maxPresent is how many open pages are read for a list. Few people have more than three open in front of them.
	maxPresent = 3 * (MaxLive + 1)
	// listsAtOnce and visitorsAtOnce bound the size of a statement.
	listsAtOnce, visitorsAtOnce = 100, 2000
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
func (o *Visitors) here(sites scope.Sites) string {
	now, since := o.moments()
	of := sites.SQL("v.site_id")
	return fmt.Sprintf(`SELECT v.site_id, v.visit_id AS id FROM (SELECT * FROM presences AS v WHERE v.until > %d AND %s ORDER BY v.until DESC LIMIT %d) AS v
		UNION SELECT v.site_id, v.id FROM (SELECT * FROM visits AS v WHERE v.last_at >= %d AND NOT v.bot AND %s AND NOT %s
			ORDER BY v.last_at DESC, v.id DESC LIMIT %d) AS v`,
		now, of, maxPresent, since, of, hasSpoken, MaxLive+1)
}

// isHere returns the condition that somebody is there in the visit v.
func (o *Visitors) isHere() string {
	now, since := o.moments()
	return fmt.Sprintf(`(v.last_at >= %d AND NOT %s
		OR EXISTS (SELECT 1 FROM presences AS p WHERE p.site_id = v.site_id AND p.visit_id = v.id AND p.until > %d))`, since, hasSpoken, now)
}

// hasSpoken is the condition that the page of the latest view of the visit v has reported whether somebody is there.
const hasSpoken = `EXISTS (SELECT 1 FROM presences AS p WHERE p.site_id = v.site_id AND p.visit_id = v.id AND p.view_id = v.view_id)`

// moments returns the time now, and the time since when a page view counts by itself.
func (o *Visitors) moments() (now, since int64) {
	at := o.now()
	return at.UnixMilli(), at.Add(-LiveFor).UnixMilli()
}

// Live returns the people on the sites.
func (o *Visitors) Live(ctx context.Context, sites scope.Sites) (Live, error) {
	lists, err := o.live(ctx, []scope.Sites{sites})
	if err != nil {
		return Live{}, fmt.Errorf("reading live visits: %w", err)
	}
	return lists[0], nil
}

// live returns a list for each of the scopes, in their order. It needs few statements for any number of scopes.
func (o *Visitors) live(ctx context.Context, scopes []scope.Sites) ([]Live, error) {
	var visits []visitRow
	for first := 0; first < len(scopes); first += listsAtOnce {
		some := scopes[first:min(first+listsAtOnce, len(scopes))]
		parts := make([]string, len(some))
		for i, sites := range some {
			parts[i] = fmt.Sprintf(`SELECT * FROM (SELECT %s, %d AS list FROM (%s) AS here
				JOIN visits AS v ON v.site_id = here.site_id AND v.id = here.id
				JOIN visitors AS p ON p.site_id = v.site_id AND p.id = v.visitor_id AND p.visit_id = v.id
				WHERE NOT v.bot ORDER BY v.last_at DESC, v.id DESC LIMIT %d) AS part`, visitColumns, first+i, o.here(sites), MaxLive+1)
		}
		found, err := db.List(ctx, o.db.Read(), (*visitRow).fields, strings.Join(parts, " UNION ALL ")+" ORDER BY last_at DESC, id DESC")
		if err != nil {
			return nil, err
		}
		visits = append(visits, found...)
	}
	if err := o.fill(ctx, visits); err != nil {
		return nil, err
	}
	lists := make([]Live, len(scopes))
	for _, r := range visits {
		if list := &lists[r.list]; len(list.Visits) == MaxLive {
			list.More = true
		} else {
			list.Visits = append(list.Visits, r.LiveVisit)
		}
	}
	return lists, nil
}

// fill adds what other tables hold of the visits: their last pages, and who the visitors are.
func (o *Visitors) fill(ctx context.Context, visits []visitRow) error {
	recent := make(map[card.Stay][]int64, len(visits))
	visitors := make(map[card.Of]bool, len(visits))
	for i := range visits {
		r := &visits[i]
		r.Ref, r.StartedAt, r.LastAt = o.keys.Ref(r.row), time.UnixMilli(r.startedAt), time.UnixMilli(r.lastAt)
		recent[card.Stay{Site: r.SiteID, Visit: r.row.Visit}] = slices.Collect(r.recent.Views())
		visitors[card.Of{SiteID: r.SiteID, Visitor: r.Visitor}] = true
	}
	paths, err := o.cards.Pages(ctx, recent)
	if err != nil {
		return err
	}
	for _, path := range paths {
		slices.Reverse(path)
	}
	people, err := o.cards.People(ctx, slices.Collect(maps.Keys(visitors)))
	if err != nil {
		return err
	}
	for i := range visits {
		r := &visits[i]
		r.Path, r.Who = paths[card.Stay{Site: r.SiteID, Visit: r.row.Visit}], people[card.Of{SiteID: r.SiteID, Visitor: r.Visitor}]
		if len(r.Path) > 0 {
			r.URL, r.Title = r.Path[len(r.Path)-1].URL, r.Path[len(r.Path)-1].Title
		}
	}
	return nil
}
