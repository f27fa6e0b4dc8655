package lead

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead/search"
)

// MaxParts is how many leads can be merged into one.
const MaxParts = 50

// What is wrong with a merge.
var (
	ErrMerged    = errors.New("this lead is a part of another one")
	ErrNotMerged = errors.New("this lead is no part of that one")
	ErrSelf      = errors.New("a lead cannot be merged into itself")
	ErrManyParts = fmt.Errorf("a lead has at most %d parts", MaxParts)
)

// tree is a query of the parts of the leads that it is given, and of their parts, with the lead that each belongs to. It
// ends whatever is stored: leads of a file may be parts of each other.
const tree = `WITH RECURSIVE tree(site_id, root, id) AS (
	SELECT site_id, merged_into, id FROM leads WHERE merged_into <> 0 AND (site_id, merged_into) IN (%s)
	UNION SELECT l.site_id, tree.root, l.id FROM tree JOIN leads l ON l.site_id = tree.site_id AND l.merged_into = tree.id AND l.merged_into <> 0)`

// rootOf is the lead that the lead is a part of, or itself.
func rootOf(ctx context.Context, from db.Queries, lead Lead, read readLeads) (Lead, error) {
	for range MaxParts {
		if lead.MergedInto == 0 {
			return lead, nil
		}
		above, err := read(ctx, from, `site_id = $1 AND id = $2`, lead.SiteID, lead.MergedInto)
		if err != nil || len(above) == 0 {
			return lead, err
		}
		lead = above[0]
	}
	return lead, nil
}

// partsOf are the parts of the lead and of its parts, the oldest first. These are MaxParts at most, also where more are stored.
func partsOf(ctx context.Context, from db.Queries, n Key, read readLeads) ([]Lead, error) {
	return read(ctx, from, `(site_id, id) IN (`+fmt.Sprintf(tree, `SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT)`)+` SELECT site_id, id FROM tree LIMIT `+strconv.Itoa(MaxParts)+`) ORDER BY at, id`, n.SiteID, n.ID)
}

// Parts are outlines of the leads that have been merged into the lead, the oldest first. See [Leads.Outline].
func (l *Leads) Parts(ctx context.Context, n Key) ([]Lead, error) {
	return partsOf(ctx, l.db.Read(), n, readOutline)
}

// PartsOf are the names of the parts of each of the leads of the names.
func (l *Leads) PartsOf(ctx context.Context, names []Key) (map[Key][]Key, error) {
	type part struct{ site, root, id int64 }
	parts := make(map[Key][]Key)
	for some := range db.Parts(names) {
		set, args := db.Among(some, (*Key).fields)
		rows, err := db.List(ctx, l.db.Read(), func(p *part) []any { return []any{&p.site, &p.root, &p.id} }, fmt.Sprintf(tree, set)+` SELECT site_id, root, id FROM tree LIMIT `+strconv.Itoa(MaxParts*len(some)), args...)
		if err != nil {
			return nil, fmt.Errorf("reading parts of leads: %w", err)
		}
		for _, p := range rows {
			parts[Key{p.site, p.root}] = append(parts[Key{p.site, p.root}], Key{p.site, p.id})
		}
	}
	return parts, nil
}

func (n *Key) fields() []any { return []any{&n.SiteID, &n.ID} }

// Root is the lead that the lead is a part of, or itself.
func (l *Leads) Root(ctx context.Context, lead Lead) (Lead, error) {
	return rootOf(ctx, l.db.Read(), lead, readFrom)
}

// Alike are outlines of leads of the same site that may be the same person's, the newest first, limit at most:
// those with the same phone, e-mail or visitor that are no parts of another.
func (l *Leads) Alike(ctx context.Context, lead Lead, limit int) ([]Lead, error) {
	type key struct{ id, at int64 }
	among := ``
	add := func(condition string) {
		if among != `` {
			among += ` UNION `
		}
		among += fmt.Sprintf(`SELECT id, at FROM (SELECT id, at FROM leads WHERE site_id = $1 AND merged_into = 0 AND id <> $2 AND %s ORDER BY at DESC, id DESC LIMIT %d) AS a`, condition, limit)
	}
	args := []any{lead.SiteID, lead.ID}
	arg := func(value any) string {
		args = append(args, value)
		return fmt.Sprintf("$%d", len(args))
	}
	if lead.PhoneDigits != "" {
		add(`phone_digits <> '' AND phone_digits = ` + arg(lead.PhoneDigits))
	}
	if lead.Email != "" {
		add(`email <> '' AND lower(email) = lower(` + arg(lead.Email) + `)`)
	}
	if lead.Visitor != 0 {
		add(`visitor_id = ` + arg(int64(lead.Visitor)))
	}
	if among == `` {
		return nil, nil
	}
	keys, err := db.List(ctx, l.db.Read(), func(k *key) []any { return []any{&k.id, &k.at} }, among+fmt.Sprintf(` ORDER BY at DESC, id DESC LIMIT %d`, limit), args...)
	if err != nil {
		return nil, fmt.Errorf("looking for leads of one person: %w", err)
	}
	names := make([]Key, len(keys))
	for i, k := range keys {
		names[i] = Key{lead.SiteID, k.id}
	}
	return l.Outlines(ctx, names)
}

// Merge makes a lead a part of another one of the same site. Both stay as they are stored, so that
// [Leads.Split] undoes it. The error may be that of [Leads.SetState], ErrSelf or ErrManyParts.
func (l *Leads) Merge(ctx context.Context, by By, into Key, part int64) error {
	if into.ID == part {
		return ErrSelf
	}
	return l.change(ctx, by, into, func(ctx context.Context, c *changing) error {
		other, err := locked(ctx, c.tx, Key{into.SiteID, part})
		if err != nil {
			return err
		}
		above, err := partsOf(ctx, c.tx, into, readBegun)
		if err != nil {
			return err
		}
		below, err := partsOf(ctx, c.tx, other.Key(), readBegun)
		if err != nil {
			return err
		}
		if len(above)+len(below)+1 > MaxParts {
			return ErrManyParts
		}
		if _, err := c.tx.Exec(ctx, `UPDATE leads SET merged_into = $3 WHERE site_id = $1 AND id = $2`, into.SiteID, part, into.ID); err != nil {
			return err
		}
		if err := search.Drop(ctx, c.tx, other.SiteID, other.ID); err != nil {
			return err
		}
		c.note(other, deed{kind: deedMerged, said: fmt.Sprint(into.ID)})
		c.note(c.Lead, deed{kind: deedTookIn, said: fmt.Sprint(part)})
		return l.index(ctx, c.tx, c.Lead, "")
	})
}

// Split undoes a merge: the part is a lead by itself again, with its own parts, state and owner.
// The error is that of [Leads.SetState], or ErrNotMerged.
func (l *Leads) Split(ctx context.Context, by By, from Key, part int64) error {
	return l.change(ctx, by, from, func(ctx context.Context, c *changing) error {
		changed, err := c.tx.Exec(ctx, `UPDATE leads SET merged_into = 0 WHERE site_id = $1 AND id = $2 AND merged_into = $3 AND merged_into <> 0`, from.SiteID, part, from.ID)
		if err != nil {
			return err
		}
		if changed == 0 {
			return ErrNotMerged
		}
		other, err := locked(ctx, c.tx, Key{from.SiteID, part})
		if err != nil {
			return err
		}
		c.note(other, deed{kind: deedSplit, said: fmt.Sprint(from.ID)})
		c.note(c.Lead, deed{kind: deedLetOut, said: fmt.Sprint(part)})
		if err := l.index(ctx, c.tx, other, ""); err != nil {
			return err
		}
		return l.index(ctx, c.tx, c.Lead, "")
	})
}

// CheckMerges returns an error if leads of the site are parts of leads that are missing, or of one that has more parts than
// it can have. Leads that came from a file may be.
func (l *Leads) CheckMerges(ctx context.Context, siteID int64) error {
	for fault, query := range map[string]string{
		"is missing":          `SELECT merged_into FROM leads l WHERE site_id = $1 AND merged_into <> 0 AND NOT EXISTS (SELECT 1 FROM leads m WHERE m.site_id = l.site_id AND m.id = l.merged_into) LIMIT 1`,
		"has too many others": `SELECT merged_into FROM leads WHERE site_id = $1 AND merged_into <> 0 GROUP BY merged_into HAVING COUNT(*) > ` + strconv.Itoa(MaxParts) + ` LIMIT 1`,
	} {
		_, found, err := db.One(ctx, l.db.Read(), db.Only[int64], query, siteID)
		if err == nil && found {
			err = fmt.Errorf("leads have been merged into one that %s", fault)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
