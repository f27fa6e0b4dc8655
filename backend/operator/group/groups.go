package group

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// Kinds of the journal's entries about groups. Their subject is the group, and their data is {"by", "name"}: a login
// and the group's name.
const (
	Added   = "operator.group_added"
	Changed = "operator.group_changed"
	Removed = "operator.group_removed"
)

// Groups keeps the groups of all sites. It is safe for concurrent use.
type Groups struct {
	db  *db.DB
	now func() time.Time
	ids *db.Sequence
}

// New returns the groups of the database.
func New(d *db.DB, now func() time.Time) *Groups {
	return &Groups{db: d, now: now, ids: d.Sequence("operator_groups", 1)}
}

// groupRow is a row of the groups' table.
type groupRow struct {
	Group
	hours, holidays string
	createdAt       int64
}

const groupColumns = `site_id, id, name, phone, zone, hours, holidays, routing, created_at`

func (r *groupRow) fields() []any {
	return []any{&r.SiteID, &r.ID, &r.Name, &r.Phone, &r.Zone, &r.hours, &r.holidays, &r.Routing, &r.createdAt}
}

func (r *groupRow) group() (Group, error) {
	g := r.Group
	g.CreatedAt = time.UnixMilli(r.createdAt)
	if err := json.Unmarshal([]byte(r.hours), &g.Hours); err != nil {
		return Group{}, fmt.Errorf("hours of group %d: %w", g.ID, err)
	}
	if err := json.Unmarshal([]byte(r.holidays), &g.Holidays); err != nil {
		return Group{}, fmt.Errorf("holidays of group %d: %w", g.ID, err)
	}
	return g, nil
}

type memberRow struct{ siteID, groupID, operatorID int64 }

func (r *memberRow) fields() []any { return []any{&r.siteID, &r.groupID, &r.operatorID} }

// read reads the groups of which the condition is true, in the order of their names.
func read(ctx context.Context, from db.Queries, condition string, args ...any) ([]Group, error) {
	rows, err := db.List(ctx, from, (*groupRow).fields, `SELECT `+groupColumns+` FROM operator_groups WHERE `+condition+` ORDER BY site_id, name, id`, args...)
	if err != nil {
		return nil, fmt.Errorf("reading groups: %w", err)
	}
	members, err := db.List(ctx, from, (*memberRow).fields, `SELECT site_id, group_id, operator_id FROM operator_group_members
		WHERE `+condition+` ORDER BY operator_id`, args...)
	if err != nil {
		return nil, fmt.Errorf("reading members of groups: %w", err)
	}
	of := make(map[int64][]int64)
	for _, m := range members {
		of[m.groupID] = append(of[m.groupID], m.operatorID)
	}
	groups := make([]Group, len(rows))
	for i := range rows {
		if groups[i], err = rows[i].group(); err != nil {
			return nil, err
		}
		groups[i].Members = of[groups[i].ID]
	}
	return groups, nil
}

// All are those of all sites, by site and name.
func (s *Groups) All(ctx context.Context) ([]Group, error) {
	return read(ctx, s.db.Read(), "1 = 1")
}

// Of are those of the site, by name.
func (s *Groups) Of(ctx context.Context, siteID int64) ([]Group, error) {
	return read(ctx, s.db.Read(), "site_id = $1", siteID)
}

// Get returns the group of the site, or [ErrUnknown].
func (s *Groups) Get(ctx context.Context, siteID, id int64) (Group, error) {
	groups, err := s.Of(ctx, siteID)
	if err != nil {
		return Group{}, err
	}
	at := slices.IndexFunc(groups, func(g Group) bool { return g.ID == id })
	if at < 0 {
		return Group{}, ErrUnknown
	}
	return groups[at], nil
}

// Keep adds a group, whose ID is 0, or changes the one of the ID, and returns it as it is kept. The actor has the
// site, which the caller has made sure of. The error may be that of [Group.Check], [ErrUnknown], [ErrName], [ErrMembers]
// or [ErrMany].
func (s *Groups) Keep(ctx context.Context, actor operator.Actor, g Group) (Group, error) {
	return s.keep(ctx, actor, g, nil)
}

// Replace is [Groups.Keep] for a group that is still as the caller has seen it. The error is [ErrChanged] if it is not.
func (s *Groups) Replace(ctx context.Context, actor operator.Actor, before, g Group) (Group, error) {
	return s.keep(ctx, actor, g, &before)
}

func (s *Groups) keep(ctx context.Context, actor operator.Actor, g Group, before *Group) (kept Group, err error) {
	if !actor.Sites.Has(g.SiteID) {
		return Group{}, ErrUnknown
	}
	if err := g.Check(); err != nil {
		return Group{}, err
	}
	kind := Changed
	if g.ID == 0 {
		kind = Added
		if g.ID, err = s.ids.Next(ctx); err != nil {
			return Group{}, err
		}
		g.CreatedAt = s.now()
	}
	err = s.db.Attempt(ctx, g.SiteID, func(ctx context.Context, tx db.Tx) (err error) {
		kept, err = s.put(ctx, tx, actor, kind, g, before)
		return err
	})
	if err != nil {
		return Group{}, keeping(err)
	}
	return kept, nil
}

// Put adds the group in a transaction, or changes the site's group of its name, and returns it as it is kept.
// [Group.Check] has accepted it. The errors are those of [Groups.Keep].
func (s *Groups) Put(ctx context.Context, tx db.Tx, actor operator.Actor, g Group) (Group, error) {
	others, err := read(ctx, tx, "site_id = $1", g.SiteID)
	if err != nil {
		return Group{}, err
	}
	if at := slices.IndexFunc(others, func(other Group) bool { return other.Name == g.Name }); at >= 0 {
		g.ID, g.CreatedAt = others[at].ID, others[at].CreatedAt
		return s.put(ctx, tx, actor, Changed, g, nil)
	}
	if g.ID, err = s.ids.Take(ctx, tx, 1); err != nil {
		return Group{}, err
	}
	g.CreatedAt = s.now()
	return s.put(ctx, tx, actor, Added, g, nil)
}

// put writes the group, which is added or changed, and notes that.
func (s *Groups) put(ctx context.Context, tx db.Tx, actor operator.Actor, kind string, g Group, before *Group) (Group, error) {
	g.Members = slices.Compact(slices.Sorted(slices.Values(g.Members)))
	hours, err := json.Marshal(g.Hours)
	if err != nil {
		return Group{}, err
	}
	g.Holidays = slices.Compact(slices.Sorted(slices.Values(g.Holidays)))
	holidays, err := json.Marshal(g.Holidays)
	if err != nil {
		return Group{}, err
	}
	if err := allow(ctx, tx, g, before); err != nil {
		return Group{}, err
	}
	query := `UPDATE operator_groups SET name = $3, phone = $4, zone = $5, hours = $6, holidays = $7, routing = $8 WHERE site_id = $1 AND id = $2`
	args := []any{g.SiteID, g.ID, g.Name, g.Phone, g.Zone, string(hours), string(holidays), string(g.Routing)}
	if kind == Added {
		query = `INSERT INTO operator_groups (site_id, id, name, phone, zone, hours, holidays, routing, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`
		args = append(args, g.CreatedAt.UnixMilli())
	}
	changed, err := tx.Exec(ctx, query, args...)
	if err != nil {
		return Group{}, err
	}
	if changed == 0 {
		return Group{}, ErrUnknown
	}
	if _, err := tx.Exec(ctx, `DELETE FROM operator_group_members WHERE site_id = $1 AND group_id = $2`, g.SiteID, g.ID); err != nil {
		return Group{}, err
	}
	for _, member := range g.Members {
		if _, err := tx.Exec(ctx, `INSERT INTO operator_group_members (site_id, group_id, operator_id) VALUES ($1, $2, $3)`, g.SiteID, g.ID, member); err != nil {
			return Group{}, err
		}
	}
	return g, s.note(ctx, tx, kind, actor, g)
}

// allow looks whether the group can stand beside the others of its site.
func allow(ctx context.Context, tx db.Tx, g Group, before *Group) error {
	others, err := read(ctx, tx, "site_id = $1", g.SiteID)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(others, func(other Group) bool { return other.ID == g.ID })
	switch {
	case at < 0 && len(others) >= Max:
		return ErrMany
	case at >= 0 && before != nil && !reflect.DeepEqual(others[at], *before):
		return ErrChanged
	}
	if slices.ContainsFunc(others, func(other Group) bool { return other.ID != g.ID && other.Name == g.Name }) {
		return ErrName
	}
	for _, member := range g.Members {
		found, err := operator.Within(ctx, tx, member)
		if errors.Is(err, operator.ErrUnknown) || err == nil && (!found.Sites.Has(g.SiteID) || !found.SeesPersons()) {
			return ErrMembers
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Remove removes the group of the site. What names it stays as it is. The error may be [ErrUnknown].
func (s *Groups) Remove(ctx context.Context, actor operator.Actor, siteID, id int64) error {
	if !actor.Sites.Has(siteID) {
		return ErrUnknown
	}
	err := s.db.Attempt(ctx, siteID, func(ctx context.Context, tx db.Tx) error {
		groups, err := read(ctx, tx, "site_id = $1", siteID)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(groups, func(g Group) bool { return g.ID == id })
		if at < 0 {
			return ErrUnknown
		}
		for _, from := range []string{`operator_groups WHERE site_id = $1 AND id = $2`, `operator_group_members WHERE site_id = $1 AND group_id = $2`} {
			if _, err := tx.Exec(ctx, `DELETE FROM `+from, siteID, id); err != nil {
				return err
			}
		}
		return s.note(ctx, tx, Removed, actor, groups[at])
	})
	return keeping(err)
}

func (s *Groups) note(ctx context.Context, tx db.Tx, kind string, actor operator.Actor, g Group) error {
	data, err := json.Marshal(map[string]string{"by": actor.By, "name": g.Name})
	if err != nil {
		return err
	}
	tx.Wake(operator.Topic)
	tx.Wake(operator.GroupsTopic)
	return journal.Append(ctx, tx, journal.Entry{SiteID: g.SiteID, At: s.now(), Kind: kind, SubjectID: g.ID, Data: data})
}

// mistakes are those that callers are told as they are.
var mistakes = []error{ErrUnknown, ErrName, ErrMembers, ErrMany}

func keeping(err error) error {
	if err == nil || slices.Contains(mistakes, err) {
		return err
	}
	return fmt.Errorf("keeping group: %w", err)
}
