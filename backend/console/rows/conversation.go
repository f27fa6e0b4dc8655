package rows

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Conversation is a visitor's conversation, as cards and leads show it.
type Conversation struct {
	chat.Conversation
	Link string
}

func ChatLink(siteID, id int64) string { return fmt.Sprintf("/chats/%d/%d", siteID, id) }

// ConversationOf is the visitor's conversation; nil for none.
func (c *Cards) ConversationOf(ctx context.Context, siteID int64, visitor visit.ID) (*Conversation, error) {
	if visitor == 0 {
		return nil, nil
	}
	of, err := c.Chats.Of(ctx, siteID, visitor)
	if errors.Is(err, chat.ErrUnknown) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &Conversation{of, ChatLink(siteID, of.ID)}, nil
}

// writes is where an operator may write to the visitor, who is on the site and has not asked; empty where not: a
// conversation that goes on is where to write, and one who has not answered is left alone until the next visit.
func (c *Card) writes() string {
	conversation := c.Conversation
	if !c.Here || len(c.Visits) == 0 || conversation != nil && (conversation.Banned || conversation.Unasked == c.Visits[0].Visit || conversation.State != chat.Closed && conversation.Unasked == 0) {
		return ""
	}
	return CardLink(c.SiteID, c.ID) + "/chat"
}

// addConversation puts the visitor's conversation on the card: for each visit, what the visitor wrote first in it.
func (c *Cards) addConversation(ctx context.Context, shown *Card) (err error) {
	if shown.Conversation, err = c.ConversationOf(ctx, shown.SiteID, visit.ID(shown.ID)); err != nil || shown.Conversation == nil {
		return err
	}
	said, err := c.Chats.ToldBefore(ctx, shown.SiteID, shown.Conversation.ID, 0, chat.MaxMessages)
	if err != nil {
		return err
	}
	begun := make(map[visit.ID]bool)
	for _, m := range said {
		in := shown.visitAt(m)
		if m.Author != chat.Visitor || begun[in] {
			continue
		}
		begun[in] = true
		text := Digest(m.Text)
		if text == "" && m.File != nil {
			text = m.File.Name
		}
		shown.Add(in, Step{Kind: "chat", At: m.At, Said: text, Conversation: shown.Conversation})
	}
	return nil
}

// visitAt is the visit in which the message was written; 0 for none that is shown.
func (c *Card) visitAt(m chat.Message) visit.ID {
	for _, s := range c.Visits { // the latest first
		if !s.Started.After(m.At) {
			return s.Visit
		}
	}
	return 0
}
