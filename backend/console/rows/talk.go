package rows

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Talk is a visitor's conversation, as cards and leads show it.
type Talk struct {
	chat.Conversation
	Link string
}

func ChatLink(siteID, id int64) string { return fmt.Sprintf("/chats/%d/%d", siteID, id) }

// TalkOf is the visitor's conversation; nil for none.
func (c *Cards) TalkOf(ctx context.Context, siteID int64, visitor visit.ID) (*Talk, error) {
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
	return &Talk{of, ChatLink(siteID, of.ID)}, nil
}

// writes is where an operator may write to the visitor, who is on the site and has not asked; empty where not: one who
// talks is written to in the conversation, and one who has not answered is left alone until the next visit.
func (c *Card) writes() string {
	talk := c.Talk
	if !c.Here || len(c.Visits) == 0 || talk != nil && (talk.Banned || talk.Unasked == c.Visits[0].Visit || talk.State != chat.Closed && talk.Unasked == 0) {
		return ""
	}
	return CardLink(c.SiteID, c.ID) + "/chat"
}

// addTalk puts the visitor's conversation on the card: for each visit, what the visitor wrote first in it.
func (c *Cards) addTalk(ctx context.Context, shown *Card) (err error) {
	if shown.Talk, err = c.TalkOf(ctx, shown.SiteID, visit.ID(shown.ID)); err != nil || shown.Talk == nil {
		return err
	}
	said, err := c.Chats.ToldBefore(ctx, shown.SiteID, shown.Talk.ID, 0, chat.MaxMessages)
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
		shown.Add(in, Step{Kind: "chat", At: m.At, Said: text, Talk: shown.Talk})
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
