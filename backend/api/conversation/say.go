package conversation

import (
	"context"
	"errors"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/api/view"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/limit"
)

// saidAnswer tells a page how its message stands.
type saidAnswer struct {
	Success      bool             `json:"success"`
	Conversation toldConversation `json:"conversation"`
	Message      toldMessage      `json:"message"`
}

// say serves v1/chat/say: the visitor writes. The request's id is the message's.
func (c *Conversations) say(ctx context.Context, r *gate.Request) (any, error) {
	var sent struct {
		sender
		Request *struct {
			Text string `json:"text"`
			// Invitation is the id of that which is answered.
			Invitation string `json:"invitation"`
			Language   string `json:"language"`
			GroupID    int64  `json:"group_id"`
		} `json:"request"`
	}
	if err := r.Decode(&sent, gate.MaxScriptBody); err != nil {
		return nil, err
	}
	if sent.Request == nil {
		return nil, gate.Malformed("missing", "request is missing")
	}
	m := chat.Message{Author: chat.Visitor, ClientID: sent.ID, Text: sent.Request.Text}
	if err := m.Check(); err != nil { // before a view is stored with it
		return nil, err
	}
	v, err := c.Views.FindOnce(ctx, r, sent.From)
	if err != nil {
		return nil, err
	}
	from := chat.From{SiteID: r.Site.ID, Ref: v.Ref, URL: v.URI, Language: sent.Request.Language, GroupID: sent.Request.GroupID,
		Invitation: r.Site.Widget.Invitation(sent.Request.Language, sent.Request.Invitation), Patience: r.Site.Widget.Patience()}
	return c.store(ctx, r, v, sent.Conversation, from, m)
}

// store stores the visitor's message within the gate.Limits. A conversation is for the group that the page
// has named, or for another where that one cannot answer now.
func (c *Conversations) store(ctx context.Context, r *gate.Request, v view.View, meant int64, from chat.From, m chat.Message) (any, error) {
	own, err := c.mayWrite(ctx, r, v, meant)
	if err != nil {
		return nil, err
	}
	if own.State == "" || own.State == chat.Closed {
		if err := r.Site.Within(ctx, limit.Chats, limit.Disk); err != nil {
			return nil, err
		}
	}
	if m.File != nil {
		if err := r.Site.WithinBy(ctx, limit.Disk, int64(len(m.File.Content))); err != nil {
			return nil, err
		}
	}
	if own.ID != 0 && own.Visitor != v.Visitor { // through a letter's link: where its visitor was last
		from.Ref, from.URL = own.Ref, own.URL
	}
	if !c.Views.HasRoom(ctx, r, from.Visitor, m.Size()) {
		if m.File != nil {
			return nil, gate.Malformed("too_many", "no more files are kept today")
		}
		m.Shorten()
	}
	if from.GroupID, err = c.Answering(ctx, r.Site.ID, from.GroupID); err != nil {
		return nil, err
	}
	of, stored, err := c.Chats.SayFrom(ctx, from, m)
	if err != nil {
		return nil, err
	}
	r.Site.Stored(m.Size())
	return saidAnswer{true, c.toldConversation(ctx, of), c.toldMessage(ctx, stored)}, nil
}

// mayWrite refuses a visitor who writes too much, and the first message of one whose address
// has begun too many conversations. It returns the conversation; zero for none.
func (c *Conversations) mayWrite(ctx context.Context, r *gate.Request, v view.View, meant int64) (of chat.Conversation, err error) {
	if err := c.counted(c.messages, r, v.Visitor); err != nil {
		return of, err
	}
	of, err = c.conversation(ctx, r, v, meant)
	if errors.Is(err, chat.ErrUnknown) {
		return of, c.begun.Within(r.Request, "too many conversations were begun from this address")
	}
	return of, err
}
