package chat

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// More of what an entry of the kind Changed tells.
const (
	Handed   = "handed"   // operator_id has handed it over
	Returned = "returned" // it was put back among those that wait; by nobody when its operator is gone
	Offered  = "offered"  // it is offered to operator_id, or to all
)

// The words of notes that say what has become of a conversation. The text of the first is to whom it was handed.
const (
	CodeHanded   = "handed"
	CodeReturned = "returned"
	CodeBanned   = "banned"
	CodeUnbanned = "unbanned"
)

// Target is to whom a conversation is handed over: an operator, or a group.
type Target struct {
	OperatorID, GroupID int64
	// Label is the name of either, as the conversation's notes keep it.
	Label string
}

// HandOver gives the conversation to an operator, who has it then, or to a group, among whose waiting ones it is. For
// an operator the visitor's last message is unread again: another has read it. The visitor is not told so. The caller
// has made sure that the target is of the site. By is the operator who does it. It is [ErrTaken] when another than the
// operator has it.
func (c *Chats) HandOver(ctx context.Context, siteID, id, by int64, to Target) error {
	return c.write(ctx, siteID, id, func(ctx context.Context, tx db.Tx, now *Conversation) error {
		if now.State == Open && now.OperatorID != by {
			return ErrTaken
		}
		now.State, now.OperatorID = Open, to.OperatorID
		if to.OperatorID != 0 {
			last, _, err := db.One(ctx, tx, func(seq *int64) []any { return []any{seq} },
				`SELECT COALESCE(MAX(seq), 0) FROM messages WHERE site_id = $1 AND conversation_id = $2 AND author = 'visitor'`, siteID, id)
			if err != nil {
				return fmt.Errorf("handing a conversation over: %w", err)
			}
			now.ReadBefore, now.OperatorRead = now.ReadByAny(), max(0, min(now.OperatorRead, last-1))
			if _, err := tx.Exec(ctx, `UPDATE conversations SET read_before = $1 WHERE site_id = $2 AND id = $3`, now.ReadBefore, siteID, id); err != nil {
				return fmt.Errorf("handing a conversation over: %w", err)
			}
		} else {
			now.State, now.GroupID = Waiting, to.GroupID
			if _, err := tx.Exec(ctx, `UPDATE conversations SET group_id = $1 WHERE site_id = $2 AND id = $3`, to.GroupID, siteID, id); err != nil {
				return fmt.Errorf("handing a conversation over: %w", err)
			}
		}
		return c.moveNoted(ctx, tx, now, Handed, Message{Author: Note, OperatorID: by, Code: CodeHanded, Text: to.Label})
	})
}

// Return puts the conversation back among those that wait. By is the operator who has it, or else it is [ErrTaken]; 0
// stands for nobody, when that operator is gone. One that nobody has stays as it is.
func (c *Chats) Return(ctx context.Context, siteID, id, by int64) error {
	return c.write(ctx, siteID, id, func(ctx context.Context, tx db.Tx, now *Conversation) error {
		switch {
		case now.State != Open:
			return nil
		case by != 0 && now.OperatorID != by:
			return ErrTaken
		}
		return c.putBack(ctx, tx, now, by)
	})
}

// ReturnFrom is [Chats.Return] for an operator who is gone. It does nothing when another has the conversation by now.
func (c *Chats) ReturnFrom(ctx context.Context, siteID, id, gone int64) error {
	return c.write(ctx, siteID, id, func(ctx context.Context, tx db.Tx, now *Conversation) error {
		if now.State != Open || now.OperatorID != gone {
			return nil
		}
		return c.putBack(ctx, tx, now, 0)
	})
}

func (c *Chats) putBack(ctx context.Context, tx db.Tx, now *Conversation, by int64) error {
	now.State, now.OperatorID = Waiting, 0
	return c.moveNoted(ctx, tx, now, Returned, Message{Author: Note, OperatorID: by, Code: CodeReturned})
}

// moveNoted stores what the conversation, which is locked, has become, with a note of it. It is not offered to anybody
// then. Whoever has it wait again was asked: others come first.
func (c *Chats) moveNoted(ctx context.Context, tx db.Tx, now *Conversation, change string, note Message) error {
	if err := note.Check(); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM chat_offers WHERE site_id = $1 AND conversation_id = $2`, now.SiteID, now.ID); err != nil {
		return fmt.Errorf("changing a conversation: %w", err)
	}
	if now.State == Waiting && note.OperatorID != 0 {
		_, err := tx.Exec(ctx, `INSERT INTO chat_offers (site_id, conversation_id, operator_id, until, tried) VALUES ($1, $2, 0, 0, $3)`,
			now.SiteID, now.ID, mark(note.OperatorID))
		if err != nil {
			return fmt.Errorf("changing a conversation: %w", err)
		}
	}
	if _, err := c.say(ctx, tx, now, note); err != nil {
		return err
	}
	return c.move(ctx, tx, now, change, note.OperatorID)
}

// Ban forbids the visitor of the conversation to write, which closes it, or allows it again. By is the operator who
// does it.
func (c *Chats) Ban(ctx context.Context, siteID, id, by int64, banned bool) error {
	return c.write(ctx, siteID, id, func(ctx context.Context, tx db.Tx, now *Conversation) error {
		if now.Banned == banned {
			return nil
		}
		now.Banned = banned
		note := Message{Author: Note, OperatorID: by, Code: CodeUnbanned}
		if banned {
			now.State, now.OperatorID, now.WaitingSince, note.Code = Closed, 0, time.Time{}, CodeBanned
		}
		if _, err := tx.Exec(ctx, `UPDATE conversations SET banned = $1 WHERE site_id = $2 AND id = $3`, banned, siteID, id); err != nil {
			return fmt.Errorf("banning a visitor: %w", err)
		}
		return c.moveNoted(ctx, tx, now, BannedChanged, note)
	})
}
