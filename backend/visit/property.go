package visit

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// maxProperties bounds how many properties a visitor has.
const maxProperties = 200

// SetProperty gives the visitor a property, with a value or, when value is nil,
// as a flag (browser interface, section 2.4). One that is set already gets the
// new value; setting it to what it is changes nothing. It returns ErrTooMany
// for a visitor who has 200 others.
func (v *Visits) SetProperty(ctx context.Context, siteID int64, ref Ref, name string, value *string) error {
	data, err := json.Marshal(map[string]any{"name": name, "value": value})
	if err != nil {
		return err
	}
	visitor := v.visitors.number(ref.Visitor)
	err = v.db.Write(ctx, visitor, func(ctx context.Context, tx db.Tx) error {
		at := v.now()
		changed, err := run(ctx, tx, `INSERT INTO properties (site_id, visitor_id, name, value, at)
			SELECT $1, $2, $3, CAST($4 AS TEXT), $5
			WHERE (SELECT COUNT(*) FROM properties WHERE site_id = $1 AND visitor_id = $2 AND name <> $3) < $6
			ON CONFLICT (site_id, visitor_id, name) DO UPDATE SET value = excluded.value, at = excluded.at
			WHERE properties.value IS DISTINCT FROM excluded.value`,
			siteID, visitor, name, value, at.UnixMilli(), maxProperties)
		if err != nil {
			return err
		}
		if changed == 0 {
			return v.unchangedProperty(ctx, tx, siteID, visitor, name)
		}
		return appendVisit(ctx, tx, siteID, ref, PropertySet, at.UnixMilli(), data)
	})
	if err != nil {
		return fmt.Errorf("setting a property: %w", err)
	}
	return nil
}

// unchangedProperty tells why setting changed nothing: the property was so
// already, or there is no room for it.
func (v *Visits) unchangedProperty(ctx context.Context, tx db.Tx, siteID, visitor int64, name string) error {
	query, err := tx.Prepared(ctx, `SELECT COUNT(*) FROM properties WHERE site_id = $1 AND visitor_id = $2 AND name = $3`)
	if err != nil {
		return err
	}
	var present int
	if err := query.QueryRowContext(ctx, siteID, visitor, name).Scan(&present); err != nil {
		return err
	}
	if present == 0 {
		return ErrTooMany
	}
	return nil
}

// DeleteProperty takes the property from the visitor, if it is there.
func (v *Visits) DeleteProperty(ctx context.Context, siteID int64, ref Ref, name string) error {
	data, err := json.Marshal(map[string]string{"name": name})
	if err != nil {
		return err
	}
	visitor := v.visitors.number(ref.Visitor)
	err = v.db.Write(ctx, visitor, func(ctx context.Context, tx db.Tx) error {
		changed, err := run(ctx, tx, `DELETE FROM properties WHERE site_id = $1 AND visitor_id = $2 AND name = $3`, siteID, visitor, name)
		if err != nil || changed == 0 {
			return err
		}
		return appendVisit(ctx, tx, siteID, ref, PropertyDeleted, v.now().UnixMilli(), data)
	})
	if err != nil {
		return fmt.Errorf("deleting a property: %w", err)
	}
	return nil
}

// Properties are the visitor's, by name; the value of a flag is nil.
func (v *Visits) Properties(ctx context.Context, siteID int64, visitor ID) (map[string]*string, error) {
	var rows []struct {
		Name  string
		Value *string
	}
	err := v.db.Read().NewRaw(`SELECT name, value FROM properties WHERE site_id = ? AND visitor_id = ?`,
		siteID, v.visitors.number(visitor)).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("reading properties: %w", err)
	}
	properties := make(map[string]*string, len(rows))
	for _, row := range rows {
		properties[row.Name] = row.Value
	}
	return properties, nil
}
