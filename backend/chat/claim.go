package chat

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// Claim gives the conversation to the operator. It returns [ErrTaken] if another operator has it, and does nothing if
// this one does. A closed conversation is opened again.
func (c *Chats) Claim(ctx context.Context, siteID, id, operatorID int64) error {
	return c.write(ctx, siteID, id, func(ctx context.Context, tx db.Tx, now *Conversation) error {
		switch {
		case now.OperatorID == operatorID && now.State == Open:
			return nil
		case now.OperatorID != 0 && now.OperatorID != operatorID && now.State == Open:
			return ErrTaken
		}
		now.State, now.OperatorID = Open, operatorID
		return c.move(ctx, tx, now, Claimed, operatorID)
	})
}

// Close closes the conversation until the visitor writes again. by is the operator; 0 for the visitor.
func (c *Chats) Close(ctx context.Context, siteID, id, by int64) error {
	return c.write(ctx, siteID, id, func(ctx context.Context, tx db.Tx, now *Conversation) error {
		if now.State == Closed {
			return nil
		}
		now.State, now.OperatorID = Closed, 0
		if _, err := tx.Exec(ctx, `UPDATE conversations SET waiting_since = 0 WHERE site_id = $1 AND id = $2`, siteID, id); err != nil {
			return fmt.Errorf("closing a conversation: %w", err)
		}
		return c.move(ctx, tx, now, Ended, by)
	})
}

// move stores the state and the operator of the locked conversation, and adds the change and its author to the journal.
func (c *Chats) move(ctx context.Context, tx db.Tx, now *Conversation, change string, by int64) error {
	_, err := tx.Exec(ctx, `UPDATE conversations SET state = $1, operator_id = $2, `+offerOfState+` WHERE site_id = $3 AND id = $4`,
		string(now.State), now.OperatorID, now.SiteID, now.ID)
	if err != nil {
		return fmt.Errorf("changing a conversation: %w", err)
	}
	return c.tell(ctx, tx, *now, change, by, now.Seq)
}

// moveOn updates the conversation for the message, and returns what else has changed; empty for nothing.
func (c *Conversation) moveOn(m Message) (change string) {
	switch m.Author {
	case Note:
		return ""
	case Visitor:
		c.VisitorRead, c.Unasked = m.Seq, 0
		if c.WaitingSince.IsZero() {
			c.WaitingSince = m.At
		}
		if c.State == Closed {
			c.State, c.OperatorID, c.LeadID, change = Waiting, 0, 0, Waits
		}
	case Operator:
		c.OperatorRead, c.WaitingSince = m.Seq, time.Time{}
		if c.OperatorID == 0 {
			c.State, c.OperatorID, change = Open, m.OperatorID, Claimed
		}
	}
	c.LastAt, c.LastFrom = m.At, m.Author
	return change
}
