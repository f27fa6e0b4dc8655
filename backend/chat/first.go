package chat

import (
	"context"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
)

// First is what operators write to visitors who have not asked.
type First struct{ chats *Chats }

// FirstOf returns it for the conversations.
func FirstOf(chats *Chats) First { return First{chats} }

// Say stores the message of an operator to a visitor who is on the page that to names. A conversation begins with it, or
// one that was closed goes on, and the operator has it. Until the visitor has answered, there is one such message in each
// visit, and the operator says nothing else: the error is [ErrUnasked]. It is [ErrBanned] for a visitor who could not
// answer, [visit.ErrForeign] for a page view that is not known, and an [Invalid] for a wrong message.
func (f First) Say(ctx context.Context, to From, m Message) (now Conversation, err error) {
	c := f.chats
	m.Author = Operator
	if err := c.prepare(ctx, &m); err != nil {
		return now, err
	}
	to.URL, to.Language = clip.Text(to.URL, maxAddress), clip.Text(to.Language, maxLanguage)
	id, err := c.ids.Next(ctx)
	if err != nil {
		return now, err
	}
	err = c.db.Write(ctx, int64(to.Visitor), func(ctx context.Context, tx db.Tx) (err error) {
		if err := c.visits.PresentTx(ctx, tx, to.SiteID, to.Ref); err != nil {
			return err
		}
		if now, err = c.begin(ctx, tx, to, id, nil); err != nil {
			return err
		}
		if now.Unasked == to.Visit {
			return ErrUnasked
		}
		first := now.Seq == 0 || now.State == Closed || now.Unasked != 0
		if now.Unasked = 0; first {
			now.Unasked = to.Visit
		}
		m.first = true
		_, err = c.say(ctx, tx, &now, m)
		return err
	})
	if err != nil {
		return Conversation{}, fmt.Errorf("writing first: %w", err)
	}
	if c.said != nil {
		c.said(Operator, false)
	}
	return now, nil
}

// takes returns why the conversation does not take the message; nil if it does.
func (c *Conversation) takes(m Message) error {
	switch {
	case m.Author == Visitor && c.Banned:
		return ErrBanned
	case m.Author == Operator && c.Unasked != 0 && !m.first:
		return ErrUnasked
	}
	return nil
}
