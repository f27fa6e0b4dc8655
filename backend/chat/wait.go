package chat

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// noteWait keeps how long the visitor has waited for the message, if it is an operator's and the visitor was waiting since
// the time.
func noteWait(ctx context.Context, tx db.Tx, of Conversation, m Message, since time.Time) error {
	if m.Author != Operator || since.IsZero() {
		return nil
	}
	_, err := tx.Exec(ctx, `INSERT INTO chat_waits (site_id, conversation_id, seq, group_id, operator_id, at, waited) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		of.SiteID, of.ID, m.Seq, of.GroupID, m.OperatorID, m.At.UnixMilli(), max(0, m.At.Sub(since).Milliseconds()))
	if err != nil {
		return fmt.Errorf("noting how long a visitor has waited: %w", err)
	}
	return nil
}
