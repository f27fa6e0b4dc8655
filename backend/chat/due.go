package chat

import (
	"context"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// Due is a conversation that needs somebody: it waits, or its operator has not read all of it.
type Due struct {
	SiteID, GroupID int64
	State           State
	// OperatorID is who has the conversation; 0 while it waits.
	OperatorID int64
	// Unread tells that the visitor has written what no operator has read.
	Unread bool
	// Offer is nil for none; see [Chats.Offers].
	Offer *Offer
}

// Due returns what is to be known of the conversations of the sites that need somebody, to count them: those that wait,
// and those with unread messages of the operator, or of any for 0. They are in no order, and at most limit.
func (c *Chats) Due(ctx context.Context, sites scope.Sites, operatorID int64, limit int) ([]Due, error) {
	type row struct {
		Due
		offered bool
		to      int64
	}
	rows, err := db.List(ctx, c.db.Read(), func(r *row) []any {
		return []any{&r.SiteID, &r.GroupID, &r.State, &r.OperatorID, &r.Unread, &r.offered, &r.to}
	}, `SELECT c.site_id, c.group_id, c.state, c.operator_id, c.state = 'open', o.until IS NOT NULL, COALESCE(o.operator_id, 0)
		FROM conversations c LEFT JOIN chat_offers o ON o.site_id = c.site_id AND o.conversation_id = c.id AND o.until > 0
		WHERE c.state <> 'closed' AND `+sites.SQL("c.site_id")+` AND (c.state = 'waiting' OR (c.operator_id = $1 OR $1 = 0) AND EXISTS (
			SELECT 1 FROM messages m WHERE m.site_id = c.site_id AND m.conversation_id = c.id AND m.seq > c.operator_read AND m.author = 'visitor'))
		LIMIT $2`, operatorID, limit)
	if err != nil {
		return nil, fmt.Errorf("looking for conversations that need somebody: %w", err)
	}
	due := make([]Due, len(rows))
	for i, r := range rows {
		due[i] = r.Due
		if r.offered {
			due[i].Offer = &Offer{r.to}
		}
	}
	return due, nil
}
