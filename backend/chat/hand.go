package chat

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// More changes in an entry of the kind Changed.
const (
	Handed   = "handed"   // operator_id has handed it over
	Returned = "returned" // it was put back among those that wait; by nobody when its operator is gone
	Offered  = "offered"  // it is offered to operator_id, or to all
	Taken    = "taken"    // operator_id has it no more: an admin has taken it over
)

// The codes of notes about a conversation. The text of the first is the name of the new operator or group, that of the
// second the name of the operator who had it.
const (
	CodeHanded   = "handed"
	CodeTaken    = "taken"
	CodeLead     = "lead" // an operator has made a lead of it
	CodeReturned = "returned"
	CodeMailed   = "mailed" // the visitor had left, and was mailed the answer; the text is the address
	CodeBanned   = "banned"
	CodeUnbanned = "unbanned"
	CodeTags     = "tags" // an operator has set the tags, which are the text
)

// Target is the operator or group that gets a conversation.
type Target struct {
	OperatorID, GroupID int64
	// Label is the name of the operator or group in the conversation's notes.
	Label string
}

// HandOver gives the conversation to an operator, or to a group, where it waits. For a new operator, the visitor's last
// message is unread again, because somebody else has read it. The visitor is not told. The caller has checked that the
// target belongs to the site. by is the operator who does it. The error is [ErrTaken] if another operator has the
// conversation.
func (c *Chats) HandOver(ctx context.Context, siteID, id, by int64, to Target) error {
	return c.write(ctx, siteID, id, func(ctx context.Context, tx db.Tx, now *Conversation) error {
		if now.State == Open && now.OperatorID != by {
			return ErrTaken
		}
		now.State, now.OperatorID = Open, to.OperatorID
		if to.OperatorID != 0 {
			if err := unreadAgain(ctx, tx, now); err != nil {
				return err
			}
		} else {
			now.State, now.GroupID = Waiting, to.GroupID
			if _, err := tx.Exec(ctx, `UPDATE conversations SET group_id = $1, offered_to = 0, offered_until = 0 WHERE site_id = $2 AND id = $3`, to.GroupID, siteID, id); err != nil {
				return fmt.Errorf("handing a conversation over: %w", err)
			}
		}
		return c.moveNoted(ctx, tx, now, Handed, Message{Author: Note, OperatorID: by, Code: CodeHanded, Text: to.Label})
	})
}

// unreadAgain has the visitor's last message be unread for a new operator, because somebody else has read it.
func unreadAgain(ctx context.Context, tx db.Tx, now *Conversation) error {
	last, _, err := db.One(ctx, tx, func(seq *int64) []any { return []any{seq} },
		`SELECT COALESCE(MAX(seq), 0) FROM messages WHERE site_id = $1 AND conversation_id = $2 AND author = 'visitor'`, now.SiteID, now.ID)
	if err != nil {
		return fmt.Errorf("handing a conversation over: %w", err)
	}
	now.ReadBefore, now.OperatorRead = now.ReadByAny(), max(0, min(now.OperatorRead, last-1))
	if _, err := tx.Exec(ctx, `UPDATE conversations SET read_before = $1 WHERE site_id = $2 AND id = $3`, now.ReadBefore, now.SiteID, now.ID); err != nil {
		return fmt.Errorf("handing a conversation over: %w", err)
	}
	return nil
}

// TakeOver gives the conversation that the operator from has to another, by. The caller has checked that by may do so.
// A note and the journal tell both. The error is [ErrTaken] if from does not have the conversation any more.
func (c *Chats) TakeOver(ctx context.Context, siteID, id, by int64, from Target) error {
	note := Message{Author: Note, OperatorID: by, Code: CodeTaken, Text: from.Label}
	if err := note.Check(); err != nil {
		return err
	}
	return c.write(ctx, siteID, id, func(ctx context.Context, tx db.Tx, now *Conversation) error {
		switch {
		case now.State == Open && now.OperatorID == by:
			return nil
		case now.State != Open || now.OperatorID != from.OperatorID:
			return ErrTaken
		}
		now.OperatorID = by
		if err := unreadAgain(ctx, tx, now); err != nil {
			return err
		}
		if _, err := c.say(ctx, tx, now, note); err != nil {
			return err
		}
		return c.move(ctx, tx, now, Taken, from.OperatorID)
	})
}

// Return returns the conversation that the operator from has to the queue. by is this operator too, or 0 when the operator
// is gone. A conversation without an operator stays as it is; the error is [ErrTaken] if another operator has it.
func (c *Chats) Return(ctx context.Context, siteID, id, from, by int64) error {
	return c.write(ctx, siteID, id, func(ctx context.Context, tx db.Tx, now *Conversation) error {
		switch {
		case now.State != Open:
			return nil
		case now.OperatorID != from:
			return ErrTaken
		}
		now.State, now.OperatorID = Waiting, 0
		return c.moveNoted(ctx, tx, now, Returned, Message{Author: Note, OperatorID: by, Code: CodeReturned})
	})
}

// moveNoted stores the change of the locked conversation with a note about it. An operator who returned it counts as asked:
// others come first.
func (c *Chats) moveNoted(ctx context.Context, tx db.Tx, now *Conversation, change string, note Message) error {
	if err := note.Check(); err != nil {
		return err
	}
	if now.State == Waiting {
		if err := askAnew(ctx, tx, now.Key()); err != nil {
			return err
		}
		if err := try(ctx, tx, now.Key(), note.OperatorID); err != nil {
			return err
		}
	}
	if _, err := c.say(ctx, tx, now, note); err != nil {
		return err
	}
	return c.move(ctx, tx, now, change, note.OperatorID)
}

// Ban forbids the visitor of the conversation to write, and closes it, or allows the visitor to write again. by is the
// operator.
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
