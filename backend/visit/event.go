package visit

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
)

// The kinds of this package's journal entries. SubjectID is the event's own
// number for EventTracked and 0 for the others.
const (
	EventTracked    = "visit.event"
	InfoAdded       = "visit.info"
	PropertySet     = "visit.property"
	PropertyDeleted = "visit.property_deleted"
)

// Event is something that the site's page reports (browser interface, section
// 4.1, trackEvent). Name and Value may be empty.
type Event struct {
	Category string `json:"category"`
	Action   string `json:"action"`
	Name     string `json:"name,omitempty"`
	Value    string `json:"value,omitempty"`
}

// TrackEvent stores the event of a page view. An event with the callID of an
// earlier one of the site is that one delivered again: it is not stored twice.
//
// Like all that stores something for a page view, it trusts that the ids of ref
// belong together: its caller has verified the key, or asked Belongs.
func (v *Visits) TrackEvent(ctx context.Context, siteID int64, ref Ref, callID string, e Event) error {
	number, err := v.events.Next(ctx)
	if err != nil {
		return err
	}
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	r := v.row(ref)
	err = v.db.Write(ctx, r.visitor, func(ctx context.Context, tx db.Tx) error {
		at := v.now()
		result, err := run(ctx, tx, `INSERT INTO events (site_id, id, visitor_id, session_id, hit_id, at, call_id, category, action, name, value)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (site_id, call_id) DO NOTHING`,
			siteID, number, r.visitor, r.session, r.hit, at.UnixMilli(), callID, e.Category, e.Action, e.Name, e.Value)
		if err != nil || result == 0 {
			return err
		}
		tx.Wake(LiveTopic)
		return journal.Append(ctx, tx, journal.Entry{
			SiteID: siteID, At: at, Kind: EventTracked, SubjectID: number, VisitorID: int64(ref.Visitor), Data: data,
		})
	})
	if err != nil {
		return fmt.Errorf("storing an event: %w", err)
	}
	return nil
}
