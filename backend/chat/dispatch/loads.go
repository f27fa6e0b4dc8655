package dispatch

import (
	"context"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/db"
)

// awaitedGroup is a group of a site for which somebody waits.
type awaitedGroup struct{ siteID, groupID int64 }

// awaitedGroups has the condition of an index; 9223372036854775807 is [chat.ForGood].
const awaitedGroups = `SELECT DISTINCT site_id, group_id FROM conversations WHERE state = 'waiting' AND offered_until < 9223372036854775807`

// awaited are the groups for which somebody waits who was not offered to all for good. There may be ten thousand others,
// of which nothing has to be asked.
func (d *Dispatcher) awaited(ctx context.Context) (map[awaitedGroup]bool, error) {
	groups, err := db.List(ctx, d.db.Read(), func(g *awaitedGroup) []any { return []any{&g.siteID, &g.groupID} }, awaitedGroups)
	if err != nil {
		return nil, fmt.Errorf("looking for groups that are waited for: %w", err)
	}
	awaited := make(map[awaitedGroup]bool, len(groups))
	for _, g := range groups {
		awaited[g] = true
	}
	return awaited, nil
}

// tried are the operators to whom the conversation has been offered since it began to wait, and who has given it back.
func (d *Dispatcher) tried(ctx context.Context, of chat.Key) ([]int64, error) {
	tried, err := db.List(ctx, d.db.Read(), db.Only[int64], `SELECT operator_id FROM chat_tried WHERE site_id = $1 AND conversation_id = $2`, of.SiteID, of.ID)
	if err != nil {
		return nil, fmt.Errorf("reading offers: %w", err)
	}
	return tried, nil
}

// load is how much an operator has to do.
type load struct {
	// busy counts the conversations of the operator, and those that are offered to nobody else.
	busy int64
	// at is when the operator was last offered a conversation of the site, in milliseconds since 1970.
	at int64
}

// loads are what the operators have to do, by their ids. Who is not among them has nothing.
func (d *Dispatcher) loads(ctx context.Context, siteID int64, of []int64) (map[int64]load, error) {
	type row struct {
		id int64
		load
	}
	who, args := db.Among(db.Padded(of), func(id *int64) []any { return []any{id} }, siteID, d.now().UnixMilli())
	rows, err := db.List(ctx, d.db.Read(), func(r *row) []any { return []any{&r.id, &r.busy, &r.at} },
		`SELECT operator_id, 0, at FROM chat_turns WHERE site_id = $1 AND operator_id IN (`+who+`)
		UNION ALL SELECT operator_id, COUNT(*), 0 FROM conversations WHERE state = 'open' AND operator_id IN (`+who+`) GROUP BY operator_id
		UNION ALL SELECT offered_to, COUNT(*), 0 FROM conversations WHERE state = 'waiting' AND offered_to <> 0 AND offered_until > $2 AND offered_to IN (`+who+`) GROUP BY offered_to`, args...)
	if err != nil {
		return nil, fmt.Errorf("reading what operators have to do: %w", err)
	}
	loads := make(map[int64]load)
	for _, r := range rows {
		sum := loads[r.id]
		loads[r.id] = load{sum.busy + r.busy, max(sum.at, r.at)}
	}
	return loads, nil
}
