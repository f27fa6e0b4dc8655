package visit

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
)

// The kinds of this package's journal entries. For EventTracked, SubjectID is the event's number. For the others, it is
// 0.
const (
	EventTracked    = "visit.event"
	InfoAdded       = "visit.info"
	PropertySet     = "visit.property"
	PropertyDeleted = "visit.property_deleted"
)

// Event is an event that the site's page reports (browser interface, section 4.1, trackEvent). Name and Value may be
// empty.
type UserEvent struct {
	Category string `json:"category"`
	Action   string `json:"action"`
	Name     string `json:"name,omitempty"`
	Value    string `json:"value,omitempty"`
}

// Size is how many bytes of texts it has.
func (e UserEvent) Size() int { return len(e.Category) + len(e.Action) + len(e.Name) + len(e.Value) }

// TrackEvent stores an event of a page view, and so prolongs its visit. If an earlier event of the visit has the
// same callID, the event is a repetition and is not stored. TrackEvent returns ErrForeign if the ids of ref do not
// belong together.
func (v *Visits) TrackEvent(ctx context.Context, siteID int64, ref Ref, callID string, e UserEvent) error {
	number, err := v.events.Next(ctx)
	if err != nil {
		return fmt.Errorf("storing an event: %w", err)
	}
	if callID == "" {
		callID = strconv.FormatInt(number, 10)
	}
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("storing an event: %w", err)
	}
	r, at := v.keys.Row(ref), v.now()
	of := v.keys.Tables(r.Visit)
	err = v.db.Attempt(ctx, int64(ref.Visitor), func(ctx context.Context, tx db.Tx) error {
		if err := v.present(ctx, tx, siteID, r); err != nil {
			return err
		}
		added, err := tx.Exec(ctx, `INSERT INTO `+of.Events+` (site_id, visit_id, id, visitor_id, view_id, at, call_id, category, action, name, value)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (site_id, visit_id, call_id) DO NOTHING`,
			siteID, r.Visit, number, r.Visitor, r.View, at.UnixMilli(), callID, e.Category, e.Action, e.Name, e.Value)
		if err != nil || added == 0 {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE `+of.Visits+` SET last_at = $3 WHERE site_id = $1 AND id = $2 AND last_at < $3`, siteID, r.Visit, at.UnixMilli()); err != nil {
			return err
		}
		tx.Wake(LiveTopic)
		v.texts.Count(tx, siteID, ref.Visitor, e.Size())
		return journal.Append(ctx, tx, journal.Entry{
			SiteID: siteID, At: at, Kind: EventTracked, SubjectID: number, VisitorID: int64(ref.Visitor), Data: data,
		})
	})
	if err != nil {
		return fmt.Errorf("storing an event: %w", err)
	}
	return nil
}
