// Package overview reads what lists of conversations show of them: which need somebody, what was said last, to whom they
// are offered, and in which something was said. The console asks it.
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

// Offer says to whom a waiting conversation is offered.
type Offer struct {
	OperatorID int64 // 0 for all of its group
}

// Due is a conversation that needs somebody: it waits, or its operator has not read all of it.
type Due struct {
	SiteID, GroupID int64
	State           chat.State
	// OperatorID is who has the conversation; 0 while it waits.
	OperatorID int64
	// Unread tells that the visitor has written what no operator has read.
	Unread bool
	// Offer is nil for none; see [Overview.Offers].
	Offer *Offer
}

// Due returns what is to be known of the conversations of the sites that need somebody, to count them: those that wait,
// and those with unread messages of the operator, or of any for 0. They are in no order, and at most limit.
func (o *Overview) Due(ctx context.Context, sites scope.Sites, operatorID int64, limit int) ([]Due, error) {
	type row struct {
		Due
		offered bool
		to      int64
	}
	rows, err := db.List(ctx, o.db.Read(), func(r *row) []any {
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

// Offers returns the offers of the waiting conversations, a few hundred at most. A conversation that has not been
// looked at has none, and neither has one whose group lets everybody take it.
func (o *Overview) Offers(ctx context.Context, of []chat.Conversation) (map[chat.Key]*Offer, error) {
	var keys []chat.Key
	for i := range of {
		if of[i].State == chat.Waiting {
			keys = append(keys, of[i].Key())
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	type offered struct {
		chat.Key
		Offer
	}
	values, args := db.Values(db.Padded(keys), func(k *chat.Key) []any { return []any{&k.SiteID, &k.ID} })
	list, err := db.List(ctx, o.db.Read(), func(r *offered) []any { return []any{&r.SiteID, &r.ID, &r.OperatorID} }, `WITH wanted(site_id, id) AS (`+values+`)
		SELECT o.site_id, o.conversation_id, o.operator_id FROM wanted w JOIN chat_offers o ON o.site_id = w.site_id AND o.conversation_id = w.id
		WHERE o.until > 0`, args...)
	if err != nil {
		return nil, fmt.Errorf("reading offers: %w", err)
	}
	offers := make(map[chat.Key]*Offer, len(list))
	for i := range list {
		offers[list[i].Key] = &list[i].Offer
	}
	return offers, nil
}
