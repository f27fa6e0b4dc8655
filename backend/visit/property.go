package visit

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// MaxProperties bounds how many properties a visitor has.
const MaxProperties = 100

// SetProperty gives the visitor a property, with a value or, when value is nil,
// as a flag (browser interface, section 2.4). One that is set already gets the
// new value; setting it to what it is changes nothing. It returns ErrTooMany
// for a visitor who has [MaxProperties] others, and ErrForeign when the ids of
// ref do not belong together.
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
		return true, err
	})
	if err != nil {
		return fmt.Errorf("setting a property: %w", err)
	}
	return nil
}

// DeleteProperty takes the property from the visitor, if it is there. It
// returns ErrForeign when the ids of ref do not belong together.
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

// changeProperty writes what change does, and a journal entry of that kind if it
// changed anything.
func (v *Visits) changeProperty(ctx context.Context, siteID int64, ref Ref, kind, name string,
	change func(ctx context.Context, tx db.Tx, visitor, at int64) (bool, error)) error {
	data, err := json.Marshal(map[string]string{"name": name})
	if err != nil {
		return err
	}
	r, at := v.row(ref), v.now().UnixMilli()
	return v.db.Attempt(ctx, r.visitor, func(ctx context.Context, tx db.Tx) error {
		if err := r.present(ctx, tx, siteID); err != nil {
			return err
		}
		changed, err := change(ctx, tx, r.visitor, at)
		if err != nil || !changed {
			return err
		}
		return appendVisit(ctx, tx, siteID, ref, kind, at, data)
	})
}

// Properties are the visitor's, by name; the value of a flag is nil.
func (v *Visits) Properties(ctx context.Context, siteID int64, visitor ID) (map[string]*string, error) {
	properties, err := v.readProperties(ctx, siteID, v.visitors.number(visitor))
	if err != nil {
		return nil, fmt.Errorf("reading properties: %w", err)
	}
	return properties, nil
}

func (v *Visits) readProperties(ctx context.Context, siteID, visitor int64) (map[string]*string, error) {
	rows, err := v.properties.QueryContext(ctx, siteID, visitor)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	properties := make(map[string]*string)
	for rows.Next() {
		var name string
		var value *string
		if err := rows.Scan(&name, &value); err != nil {
			return nil, err
		}
		properties[name] = value
	}
	return properties, rows.Err()
}
