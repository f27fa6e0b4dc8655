// Package overview reads what lists of conversations show of them: which need somebody, what was said last, and in which
// something was said. The console asks it.
package overview

import (
	"context"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// Overview looks over the conversations of all sites. It is safe for concurrent use.
type Overview struct {
	db    *db.DB
	chats *chat.Chats
}

// New returns the overview of the conversations.
func New(d *db.DB, chats *chat.Chats) *Overview { return &Overview{d, chats} }

// Tags returns the tags of the conversations of the sites; see [tag.Table.Known].
func (o *Overview) Tags(ctx context.Context, sites scope.Sites) ([]string, error) {
	return chat.Tags.Known(ctx, o.db.Read(), sites)
}

// Due is a conversation that needs somebody: it waits, or its operator has not read all of it.
type Due struct {
	SiteID, GroupID int64
	State           chat.State
	// OperatorID is who has the conversation; 0 while it waits.
	OperatorID int64
	// Unread tells that the visitor has written what no operator has read.
	Unread bool
	Offer  chat.Offer
}

// Due returns what is to be known of the conversations of the sites that need somebody, to count them: those that wait,
// and those with unread messages of the operator, or of any for 0. They are in no order, and at most limit.
func (o *Overview) Due(ctx context.Context, sites scope.Sites, operatorID int64, limit int) ([]Due, error) {
	due, err := db.List(ctx, o.db.Read(), func(r *Due) []any {
		return []any{&r.SiteID, &r.GroupID, &r.State, &r.OperatorID, &r.Unread, &r.Offer.To, &r.Offer.Until}
	}, `SELECT c.site_id, c.group_id, c.state, c.operator_id, c.state = 'open', c.offered_to, c.offered_until FROM conversations c
		WHERE c.state <> 'closed' AND `+sites.SQL("c.site_id")+` AND (c.state = 'waiting' OR (c.operator_id = $1 OR $1 = 0) AND EXISTS (
			SELECT 1 FROM messages m WHERE m.site_id = c.site_id AND m.conversation_id = c.id AND m.seq > c.operator_read AND m.author = 'visitor'))
		LIMIT $2`, operatorID, limit)
	if err != nil {
		return nil, fmt.Errorf("looking for conversations that need somebody: %w", err)
	}
	return due, nil
}
