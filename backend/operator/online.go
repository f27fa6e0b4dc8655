package operator

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// Online reports whether the site can be answered now: an operator of one of its groups that work at this hour has the
// console open and is not away. A site without groups is answered by all who see it, at any hour. The answer may be a
// second old.
func (o *Operators) Online(ctx context.Context, siteID int64) (bool, error) {
	return o.OnlineIn(ctx, siteID, 0)
}

// OnlineIn is [Operators.Online] for a group of the site. 0, and a group that the site does not have, stand for all of
// its groups.
func (o *Operators) OnlineIn(ctx context.Context, siteID, groupID int64) (bool, error) {
	found, err := o.look(ctx)
	if err != nil {
		return false, err
	}
	there := false
	found.each(siteID, groupID, func(int64) bool {
		there = true
		return false
	})
	return there, nil
}

// Answering is the group that takes a new conversation: the wanted one if it works at this hour and has somebody there,
// else the first such group of the site by name, else the wanted one if it is one of the site's, else 0. The answer may
// be a second old.
func (o *Operators) Answering(ctx context.Context, siteID, wanted int64) (groupID int64, err error) {
	found, err := o.look(ctx)
	if err != nil {
		return 0, err
	}
	known := false
	for _, g := range found.groups[siteID] {
		if known = known || g.ID == wanted; groupID != 0 && g.ID != wanted {
			continue
		}
		found.each(siteID, g.ID, func(int64) bool {
			groupID = g.ID
			return false
		})
	}
	if groupID == 0 && known {
		return wanted, nil
	}
	return groupID, nil
}

// Present are the operators by whom [Operators.OnlineIn] is true, in the order of their ids.
func (o *Operators) Present(ctx context.Context, siteID, groupID int64) (ids []int64, err error) {
	found, err := o.look(ctx)
	if err != nil {
		return nil, err
	}
	found.each(siteID, groupID, func(id int64) bool {
		ids = append(ids, id)
		return true
	})
	return slices.Compact(slices.Sorted(slices.Values(ids))), nil
}

// Routes reports whether what waits for the group goes to one of its operators at a time: it has another routing than
// to all, and somebody is there. It may be a second old.
func (o *Operators) Routes(ctx context.Context, siteID, groupID int64) (bool, error) {
	found, err := o.look(ctx)
	if err != nil {
		return false, err
	}
	at := slices.IndexFunc(found.groups[siteID], func(g zoned) bool { return g.ID == groupID })
	if at < 0 || found.groups[siteID][at].Routing == ToAll {
		return false, nil
	}
	return o.OnlineIn(ctx, siteID, groupID)
}

// Connected reports whether the operator has the console open, away or not, and sees the site. It may be a second old.
func (o *Operators) Connected(ctx context.Context, siteID, id int64) (bool, error) {
	found, err := o.look(ctx)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(found.present, func(p present) bool { return p.id == id && p.sites.Has(siteID) }), nil
}

// Routed are the groups of all sites that do not route to all. They may be a second old.
func (o *Operators) Routed(ctx context.Context) (routed []Group, err error) {
	found, err := o.look(ctx)
	if err != nil {
		return nil, err
	}
	for _, groups := range found.groups {
		for _, g := range groups {
			if g.Routing != ToAll {
				routed = append(routed, g.Group)
			}
		}
	}
	return routed, nil
}

// look is the answer of now, or of less than a second ago.
func (o *Operators) look(ctx context.Context) (*answer, error) {
	select {
	case o.online.turn <- struct{}{}:
		defer func() { <-o.online.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	now := o.now()
	if err := o.regroup(ctx); err != nil {
		return nil, err
	}
	select {
	case <-o.online.moved:
		o.online.found.Store(nil)
	default:
	}
	if found := o.online.found.Load(); found != nil {
		if age := now.Sub(found.at); age >= 0 && age < onlineFor {
			return found, nil
		}
	}
	there, err := db.List(ctx, o.db.Read(), func(p *present) []any { return []any{&p.id, &p.sites, &p.away} },
		`SELECT DISTINCT o.id, o.sites, o.away FROM operator_leases l JOIN operators o ON o.id = l.operator_id
		WHERE l.expires_at > $1 AND NOT o.disabled ORDER BY o.id`, now.UnixMilli())
	if err != nil {
		return nil, fmt.Errorf("reading presence: %w", err)
	}
	found := &answer{present: there, groups: o.online.groups, at: now}
	o.online.found.Store(found)
	return found, nil
}

// regroup reads the groups anew when one has changed.
func (o *Operators) regroup(ctx context.Context) error {
	select {
	case <-o.online.regrouped:
		o.online.groups = nil
	default:
	}
	if o.online.groups != nil {
		return nil
	}
	all, err := readGroups(ctx, o.db.Read(), "1 = 1")
	if err != nil {
		return err
	}
	groups := make(map[int64][]zoned)
	for _, g := range all {
		groups[g.SiteID] = append(groups[g.SiteID], zoned{g, g.location()})
	}
	o.online.groups = groups
	o.online.found.Store(nil)
	return nil
}

// online is what was found last. One caller at a time asks the database, and the others wait for its answer.
type online struct {
	turn      chan struct{}
	found     atomic.Pointer[answer]
	regrouped <-chan struct{}
	moved     <-chan struct{}   // somebody has come or gone
	groups    map[int64][]zoned // by site; of the caller whose turn it is
}

type answer struct {
	present []present
	groups  map[int64][]zoned
	at      time.Time
}

// zoned is a group with its zone, which takes some time to read.
type zoned struct {
	Group
	zone *time.Location
}

// present is an operator who has the console open.
type present struct {
	id    int64
	sites scope.Sites
	away  bool
}

// each yields those who are there for the group of the site, until yield returns false.
func (a *answer) each(siteID, groupID int64, yield func(id int64) bool) {
	groups := a.groups[siteID]
	if at := slices.IndexFunc(groups, func(g zoned) bool { return g.ID == groupID }); at >= 0 {
		groups = groups[at : at+1]
	}
	if len(groups) == 0 {
		groups = []zoned{{zone: time.UTC}}
	}
	for _, g := range groups {
		if !g.openIn(g.zone, a.at) {
			continue
		}
		for _, p := range a.present {
			if !p.away && p.sites.Has(siteID) && g.has(p.id) && !yield(p.id) {
				return
			}
		}
	}
}

// InGroup reports whether the operator, who sees the site, answers for the group: also for one that the site does not
// have. It may be a second old.
func (o *Operators) InGroup(ctx context.Context, siteID, groupID, id int64) (bool, error) {
	found, err := o.look(ctx)
	if err != nil {
		return false, err
	}
	for _, g := range found.groups[siteID] {
		if g.ID == groupID {
			return g.has(id), nil
		}
	}
	return true, nil
}
