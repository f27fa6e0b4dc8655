package chat

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// CodeIdle is the code of the note that a conversation was closed because nobody has written for long.
const CodeIdle = "idle"

// idle are the conversations that an operator has, whose visitor waits for nothing and has read what the operators wrote,
// or has not asked for it, and in which nobody has written since a time. SQLite takes the index of those that are not
// closed for a query that says so.
const idle = `state = 'open' AND state <> 'closed' AND waiting_since = 0 AND last_at < $1 AND (unasked <> 0 OR NOT EXISTS (SELECT 1 FROM messages m
	WHERE m.site_id = conversations.site_id AND m.conversation_id = conversations.id AND m.seq > conversations.visitor_read AND m.author = 'operator'))`

// CloseIdle closes the conversations in which nobody has written since the time, if their visitors have had an answer and
// have read it.
func (s Waiters) CloseIdle(ctx context.Context, since time.Time) error {
	keys, err := db.List(ctx, s.chats.db.Read(), func(k *Key) []any { return []any{&k.SiteID, &k.ID} },
		`SELECT site_id, id FROM conversations WHERE `+idle+` ORDER BY last_at, id LIMIT $2`, since.UnixMilli(), waitersAtOnce)
	if err != nil {
		return fmt.Errorf("looking for conversations that have ended: %w", err)
	}
	for _, k := range keys {
		note := Message{Author: Note, Code: CodeIdle}
		err := s.chats.write(ctx, k.SiteID, k.ID, func(ctx context.Context, tx db.Tx, now *Conversation) error {
			if now.State != Open || !now.WaitingSince.IsZero() || !now.LastAt.Before(since) { // it goes on
				return nil
			}
			now.State, now.OperatorID = Closed, 0
			return s.chats.moveNoted(ctx, tx, now, Ended, note)
		})
		if err != nil && !errors.Is(err, ErrUnknown) {
			return err
		}
	}
	return nil
}
