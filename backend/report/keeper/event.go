package keeper

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/report/fact"
	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
)

// event is the kind of marks of user events. What is erased of them has no mark: their figures stay, and lead to nobody.
const event = "event"

// rawEvent is a user event as it is stored, with its visit.
type rawEvent struct {
	rawVisit
	id, at                  int64
	category, action, value string
}

const eventColumns = `event_id, at, category, action, value, ` + visitColumns

func (e *rawEvent) fields() []any {
	return append([]any{&e.id, &e.at, &e.category, &e.action, &e.value}, e.rawVisit.fields()...)
}

// maxPart bounds each of the two parts of an event's name, in bytes.
const maxPart = maxText / 2

// name is how reports call the event.
func (e *rawEvent) name() string {
	part := func(text string) string { return clip.Text(strings.TrimSpace(written(text)), maxPart) }
	return part(e.category) + " · " + part(e.action)
}

// row is what is kept of the event.
func (e *rawEvent) row() fact.Row {
	numbers := make([]int64, len(fact.Events.Numbers))
	numbers[fact.ID], numbers[fact.Minute] = e.id, minute(e.at)
	numbers[fact.EventVisit], numbers[fact.EventValue], numbers[fact.EventFlags] = e.rawVisit.id, millionths(e.value), e.flags()
	return fact.Row{Numbers: numbers, Texts: append(e.rawVisit.row().Texts, e.name())}
}

// events reads those with the ids.
func events(ctx context.Context, from db.Queries, siteID int64, ids []int64) ([]rawEvent, error) {
	marks, args := list(ids, siteID)
	rows, err := db.List(ctx, from, (*rawEvent).fields, `SELECT `+eventColumns+` FROM report_events WHERE site_id = $1 AND event_id IN (`+marks+`)`, args...)
	if err != nil {
		return nil, fmt.Errorf("reading the user events that reports count: %w", err)
	}
	return rows, nil
}

func (k *Keeper) putEvents(ctx context.Context, raw []rawEvent) error {
	days := make(map[siteDay]*fact.Change)
	for i := range raw {
		c := changeOf(days, siteDay{raw[i].site, raw[i].at / dayLength})
		c.Put = append(c.Put, raw[i].row())
	}
	return k.change(ctx, &fact.Events, days)
}

func (k *Keeper) rebuildEvents(ctx context.Context) error {
	for site, id := int64(-1), int64(-1); ; {
		raw, err := db.List(ctx, k.db.Read(), (*rawEvent).fields,
			fmt.Sprintf(`SELECT %s FROM report_events WHERE (site_id, event_id) > ($1, $2) ORDER BY site_id, event_id LIMIT %d`, eventColumns, rebuiltAtOnce), site, id)
		if err != nil {
			return fmt.Errorf("reading user events: %w", err)
		}
		if len(raw) == 0 {
			return nil
		}
		if err := k.putEvents(ctx, raw); err != nil {
			return err
		}
		last := raw[len(raw)-1]
		site, id = last.site, last.id
	}
}
