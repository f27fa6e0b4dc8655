// Package presence knows which operators have the console open, and who of them answers for a site or a group now. Whoever
// brings something to operators asks it, and so do pages that show whether somebody is there.
package presence

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
)

// onlineFor is how long an answer is repeated from memory.
const onlineFor = time.Second

// Presence answers from memory. One caller at a time asks the database, and the others wait for its answer. It is safe for
// concurrent use.
type Presence struct {
	db        *db.DB
	operators *operator.Operators
	groups    *group.Groups
	now       func() time.Time

	turn      chan struct{}
	found     atomic.Pointer[answer]
	regrouped <-chan struct{}
	moved     <-chan struct{}   // somebody has come or gone
	zoned     map[int64][]zoned // by site; of the caller whose turn it is
}

// New returns the presence of the operators in their groups.
func New(d *db.DB, operators *operator.Operators, groups *group.Groups, now func() time.Time) *Presence {
	p := &Presence{db: d, operators: operators, groups: groups, now: now, turn: make(chan struct{}, 1)}
	p.regrouped, _ = d.Subscribe(operator.GroupsTopic) // for as long as the database is open
	p.moved, _ = d.Subscribe(operator.Topic)
	return p
}

// Online reports whether the site can be answered now: an operator of one of its groups that work at this hour has the
// console open and is not away. A site without groups is answered by all who see it, at any hour. The answer may be a
// second old.
func (p *Presence) Online(ctx context.Context, siteID int64) (bool, error) {
	return p.OnlineIn(ctx, siteID, 0)
}

// OnlineIn is [Presence.Online] for a group of the site. 0, and a group that the site does not have, stand for all of
// its groups.
func (p *Presence) OnlineIn(ctx context.Context, siteID, groupID int64) (bool, error) {
	found, err := p.look(ctx)
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
func (p *Presence) Answering(ctx context.Context, siteID, wanted int64) (groupID int64, err error) {
	found, err := p.look(ctx)
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

// Opens is when the first of the site's groups that do not work now begins to; zero when none does within three weeks. It
// goes by the hours alone. The answer may be a second old: each visitor who looks while nobody is there asks for it.
func (p *Presence) Opens(ctx context.Context, siteID int64) (opens time.Time, err error) {
	found, err := p.look(ctx)
	if err != nil {
		return time.Time{}, err
	}
	known, _ := found.opens.LoadOrStore(siteID, sync.OnceValue(func() time.Time { return found.opensAt(siteID) }))
	return known.(func() time.Time)(), nil
}

// Present are the operators by whom [Presence.OnlineIn] is true, in the order of their ids.
func (p *Presence) Present(ctx context.Context, siteID, groupID int64) (ids []int64, err error) {
	found, err := p.look(ctx)
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
func (p *Presence) Routes(ctx context.Context, siteID, groupID int64) (bool, error) {
	found, err := p.look(ctx)
	if err != nil {
		return false, err
	}
	at := slices.IndexFunc(found.groups[siteID], func(g zoned) bool { return g.ID == groupID })
	if at < 0 || found.groups[siteID][at].Routing == group.ToAll {
		return false, nil
	}
	return p.OnlineIn(ctx, siteID, groupID)
}

// Connected reports whether the operator has the console open, away or not, and sees the site. It may be a second old.
func (p *Presence) Connected(ctx context.Context, siteID, id int64) (bool, error) {
	found, err := p.look(ctx)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(found.present, func(o operator.Operator) bool { return o.ID == id && o.Sites.Has(siteID) }), nil
}

// There reports whether the operator has the console open, is not away, and sees the site, at any hour. It may be a second
// old.
func (p *Presence) There(ctx context.Context, siteID, id int64) (bool, error) {
	found, err := p.look(ctx)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(found.present, func(o operator.Operator) bool { return o.ID == id && !o.Away && o.Sites.Has(siteID) }), nil
}

// Routed are the groups of all sites that do not route to all. They may be a second old.
func (p *Presence) Routed(ctx context.Context) (routed []group.Group, err error) {
	found, err := p.look(ctx)
	if err != nil {
		return nil, err
	}
	for _, groups := range found.groups {
		for _, g := range groups {
			if g.Routing != group.ToAll {
				routed = append(routed, g.Group)
			}
		}
	}
	return routed, nil
}

// look is the answer of now, or of less than a second ago.
func (p *Presence) look(ctx context.Context) (*answer, error) {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	now := p.now()
	if err := p.regroup(ctx); err != nil {
		return nil, err
	}
	select {
	case <-p.moved:
		p.found.Store(nil)
	default:
	}
	if found := p.found.Load(); found != nil {
		if age := now.Sub(found.at); age >= 0 && age < onlineFor {
			return found, nil
		}
	}
	ids, err := db.List(ctx, p.db.Read(), db.Only[int64], `SELECT DISTINCT operator_id FROM operator_leases WHERE expires_at > $1`, now.UnixMilli())
	if err != nil {
		return nil, fmt.Errorf("reading presence: %w", err)
	}
	there, err := p.operators.Enabled(ctx, ids)
	if err != nil {
		return nil, err
	}
	there = slices.DeleteFunc(there, func(o operator.Operator) bool { return !o.SeesPersons() })
	found := &answer{present: there, groups: p.zoned, at: now}
	p.found.Store(found)
	return found, nil
}

// regroup reads the groups anew when one has changed.
func (p *Presence) regroup(ctx context.Context) error {
	select {
	case <-p.regrouped:
		p.zoned = nil
	default:
	}
	if p.zoned != nil {
		return nil
	}
	all, err := p.groups.All(ctx)
	if err != nil {
		return err
	}
	groups := make(map[int64][]zoned)
	for _, g := range all {
		groups[g.SiteID] = append(groups[g.SiteID], zoned{g, g.Location()})
	}
	p.zoned = groups
	p.found.Store(nil)
	return nil
}

type answer struct {
	present []operator.Operator
	groups  map[int64][]zoned
	at      time.Time
	opens   sync.Map // of func() time.Time, by the sites that were asked for
}

// zoned is a group with its zone, which takes some time to read.
type zoned struct {
	group.Group
	zone *time.Location
}

// opensAt is when the first of the site's groups begins to work that do not; zero when that is not known.
func (a *answer) opensAt(siteID int64) (opens time.Time) {
	for _, g := range a.groups[siteID] {
		if next, known := g.OpensIn(g.zone, a.at); known && next.After(a.at) && (opens.IsZero() || next.Before(opens)) {
			opens = next
		}
	}
	return opens
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
		if !g.OpenIn(g.zone, a.at) {
			continue
		}
		for _, o := range a.present {
			if !o.Away && o.Sites.Has(siteID) && g.Has(o.ID) && !yield(o.ID) {
				return
			}
		}
	}
}

// InGroup reports whether the operator, who sees the site, answers for the group: also for one that the site does not
// have. It may be a second old.
func (p *Presence) InGroup(ctx context.Context, siteID, groupID, id int64) (bool, error) {
	found, err := p.look(ctx)
	if err != nil {
		return false, err
	}
	for _, g := range found.groups[siteID] {
		if g.ID == groupID {
			return g.Has(id), nil
		}
	}
	return true, nil
}
