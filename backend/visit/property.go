package visit

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// MaxProperties is how many properties a visitor may have.
const MaxProperties = 100

// SetProperty sets a property of the visitor to a value, or to a flag if value is nil (browser interface, section 2.4).
// It replaces an earlier value. Setting the same value again changes nothing. SetProperty returns ErrTooMany if the
// visitor has [MaxProperties] others, and ErrForeign if the ids of ref do not belong together.
func (v *Visits) SetProperty(ctx context.Context, siteID int64, ref Ref, name string, value *string) error {
	err := v.changeProperty(ctx, siteID, ref, PropertySet, name, func(ctx context.Context, tx db.Tx, visitor, at int64) (changed bool, err error) {
		have, _, err := db.One(ctx, tx, func(h *struct{ all, present, same int }) []any { return []any{&h.all, &h.present, &h.same} },
			`SELECT COUNT(*), COUNT(CASE WHEN name = $3 THEN 1 END), COUNT(CASE WHEN name = $3 AND value IS NOT DISTINCT FROM $4 THEN 1 END)
			FROM properties WHERE site_id = $1 AND visitor_id = $2`, siteID, visitor, name, value)
		if err != nil || have.same > 0 {
			return false, err
		}
		if have.present == 0 && have.all >= MaxProperties {
			return false, ErrTooMany
		}
		if have.all == 0 {
			if _, err := tx.Exec(ctx, `UPDATE visitors SET marked = TRUE WHERE site_id = $1 AND id = $2`, siteID, visitor); err != nil {
				return false, err
			}
		}
		_, err = tx.Exec(ctx, `INSERT INTO properties (site_id, visitor_id, name, value, at) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (site_id, visitor_id, name) DO UPDATE SET value = excluded.value, at = excluded.at`, siteID, visitor, name, value, at)
		if value != nil {
			v.texts.Count(tx, siteID, ref.Visitor, len(name)+len(*value))
		}
		return true, err
	})
	if err != nil {
		return fmt.Errorf("setting a property: %w", err)
	}
	return nil
}

// DeleteProperty removes a property of the visitor, if there is one. It returns ErrForeign if the ids of ref do not
// belong together.
func (v *Visits) DeleteProperty(ctx context.Context, siteID int64, ref Ref, name string) error {
	err := v.changeProperty(ctx, siteID, ref, PropertyDeleted, name, func(ctx context.Context, tx db.Tx, visitor, _ int64) (changed bool, err error) {
		deleted, err := tx.Exec(ctx, `DELETE FROM properties WHERE site_id = $1 AND visitor_id = $2 AND name = $3`, siteID, visitor, name)
		return deleted > 0, err
	})
	if err != nil {
		return fmt.Errorf("deleting a property: %w", err)
	}
	return nil
}

// changeProperty calls change in a transaction, and writes a journal entry of the kind if change has changed anything.
func (v *Visits) changeProperty(ctx context.Context, siteID int64, ref Ref, kind, name string,
	change func(ctx context.Context, tx db.Tx, visitor, at int64) (bool, error)) error {
	data, err := json.Marshal(map[string]string{"name": name})
	if err != nil {
		return err
	}
	r, at := v.keys.Row(ref), v.now().UnixMilli()
	return v.db.Attempt(ctx, int64(ref.Visitor), func(ctx context.Context, tx db.Tx) error {
		if err := v.present(ctx, tx, siteID, r); err != nil {
			return err
		}
		changed, err := change(ctx, tx, r.Visitor, at)
		if err != nil || !changed {
			return err
		}
		return appendVisit(ctx, tx, siteID, ref, kind, at, data)
	})
}

// Properties returns the visitor's properties by name. The value of a flag is nil.
func (v *Visits) Properties(ctx context.Context, siteID int64, visitor ID) (map[string]*string, error) {
	properties, err := v.readProperties(ctx, siteID, v.keys.Visitors.Number(visitor))
	if err != nil {
		return nil, fmt.Errorf("reading properties: %w", err)
	}
	return properties, nil
}

func (v *Visits) readProperties(ctx context.Context, siteID, visitor int64) (map[string]*string, error) {
	type property struct {
		name  string
		value *string
	}
	list, err := db.List(ctx, v.db.Read(), func(p *property) []any { return []any{&p.name, &p.value} }, `SELECT name, value FROM properties WHERE site_id = $1 AND visitor_id = $2`, siteID, visitor)
	if err != nil {
		return nil, err
	}
	properties := make(map[string]*string, len(list))
	for _, p := range list {
		properties[p.name] = p.value
	}
	return properties, nil
}
