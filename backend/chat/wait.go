package chat

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// noteAnswer tells of the message if it is an operator's, and notes how long the visitor has waited for it, if the visitor was
// waiting since the time.
func noteAnswer(ctx context.Context, tx db.Tx, told func(context.Context, db.Tx, Conversation) error, of Conversation, m Message, since time.Time) error {
	if m.Author != Operator {
		return nil
	}
	if told != nil {
		if err := told(ctx, tx, of); err != nil {
			return err
		}
	}
	if since.IsZero() {
		return nil
	}
	_, err := tx.Exec(ctx, `INSERT INTO chat_waits (site_id, conversation_id, seq, group_id, operator_id, at, waited) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		of.SiteID, of.ID, m.Seq, of.GroupID, m.OperatorID, m.At.UnixMilli(), max(0, m.At.Sub(since).Milliseconds()))
	if err != nil {
		return fmt.Errorf("noting how long a visitor has waited: %w", err)
	}
	return nil
}
