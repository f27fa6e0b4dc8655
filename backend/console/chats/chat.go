package chats

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/card"
)

// openChat is the conversation whose page it is.
type openChat struct {
	Row     chatRow
	Entries []template.HTML
	Seq     int64 // of the last entry
	Earlier bool  // there are entries before
	Working chatWorking
	Card    rows.Card
	Steps   []rows.Step
	Now     chatNow
	Replies []template.HTML
	Fewer   bool // there are more replies than are shown
}

// chatWorking is what can be done with a conversation now.
type chatWorking struct {
	Row    chatRow
	Staff  []operator.Operator // to whom it can be handed
	Groups []group.Group
	Lead   string // link to the lead that it has become; empty for none
	Takes  bool   // the operator may take it from the colleague who has it
}

// chatNow is what a visitor looks at.
type chatNow struct {
	Here  bool
	Title string
	Page  words.Address
}

// showChat shows a conversation, with what is known of its visitor.
func (c *room) showChat(w http.ResponseWriter, r *http.Request) error {
	conversation, err := c.chatAt(r)
	if err != nil {
		return err
	}
	f, body, err := c.chatsPage(r)
	if err == nil {
		body.Open, err = c.openChat(r.Context(), f, conversation)
	}
	if err != nil {
		return err
	}
	for i := range body.Rows {
		body.Rows[i].Here = body.Rows[i].ID == conversation.ID && body.Rows[i].SiteID == conversation.SiteID
	}
	f.Stream = f.StreamAddress("chats", f.SiteID) + "&" + url.Values{"at": {strconv.FormatInt(conversation.SiteID, 10)},
		"conversation": {strconv.FormatInt(conversation.ID, 10)}, "seq": {strconv.FormatInt(body.Open.Seq, 10)}}.Encode()
	frame.AllowRecordings(w.Header())
	f.Title, f.Body = body.Open.Row.Label, body
	return c.Show(w, http.StatusOK, f)
}

// chatAt is the conversation that the address names. The site is one of the operator's: the
// door has seen to that.
func (c *room) chatAt(r *http.Request) (conversation chat.Conversation, err error) {
	siteID, id, err := frame.IDs(r, frame.SiteField, "conversation")
	if err != nil {
		return conversation, chat.ErrUnknown
	}
	return c.Chats.Get(r.Context(), siteID, id)
}

func (c *room) openChat(ctx context.Context, f frame.Page, conversation chat.Conversation) (*openChat, error) {
	entries, err := c.Chats.Before(ctx, conversation.SiteID, conversation.ID, 0, entriesShown)
	if err != nil {
		return nil, err
	}
	open := &openChat{}
	room := entriesRoom
	if open.Entries, err = frame.LatestWithin(c.Frame, f.Words, "chat-entry", frame.Rows(f, entries, remarkOf), &room); err != nil {
		return nil, err
	}
	if shown := len(open.Entries); shown > 0 {
		open.Seq, open.Earlier = entries[len(entries)-1].Seq, entries[len(entries)-shown].Seq > 1
	}
	seen, err := c.seenChats(ctx, []chat.Conversation{conversation})
	if err != nil {
		return nil, err
	}
	if open.Row, err = c.chatRowOf(ctx, f, seen[0]); err != nil {
		return nil, err
	}
	if open.Working, err = c.chatWorking(ctx, f, open.Row); err != nil {
		return nil, err
	}
	replies, err := c.Replies.Of(ctx, conversation.SiteID)
	if err != nil {
		return nil, err
	}
	room = repliesRoom
	if open.Replies, err = frame.Within(c.Frame, f.Words, "chat-reply", replies, &room); err != nil {
		return nil, err
	}
	open.Fewer = len(open.Replies) < len(replies)
	return open, c.chatCard(ctx, f, conversation.SiteID, conversation.Visitor, open)
}

// chatWorking is what the operator can do with the conversation.
func (c *room) chatWorking(ctx context.Context, f frame.Page, row chatRow) (chatWorking, error) {
	groups, err := c.Groups.Of(ctx, row.SiteID)
	working := chatWorking{Row: row, Groups: groups, Takes: f.Admin() && row.State == chat.Open && !row.Mine}
	if row.LeadID != 0 {
		working.Lead = fmt.Sprintf("/leads/%d/%d", row.SiteID, row.LeadID)
	}
	for _, o := range f.Staff {
		if o.Present && !o.Disabled && o.SeesPersons() && o.ID != f.Operator.ID && o.Sites.Has(row.SiteID) {
			working.Staff = append(working.Staff, o)
		}
	}
	return working, err
}

// chatCard fills in what is known of the visitor. Of one who has been forgotten there is
// nothing.
func (c *room) chatCard(ctx context.Context, f frame.Page, siteID int64, visitor visit.ID, open *openChat) error {
	found, err := c.Cards.Visitors.Card(ctx, siteID, visitor)
	if errors.Is(err, visit.ErrUnknown) {
		open.Card = rows.Card{ID: int64(visitor), SiteID: siteID, Label: open.Row.Label}
		return nil
	}
	if err == nil {
		open.Card, err = c.Cards.Of(ctx, f, siteID, found)
	}
	if err != nil {
		return err
	}
	open.Now = nowOf(found, open.Card.Here)
	if len(open.Card.Visits) > 0 {
		open.Steps = open.Card.Visits[0].Steps
		open.Steps = open.Steps[:min(len(open.Steps), chatSteps)]
	}
	return nil
}

func nowOf(found card.Card, here bool) chatNow {
	now := chatNow{Here: here}
	if len(found.Visits) > 0 && len(found.Visits[0].Pages) > 0 {
		latest := found.Visits[0].Pages[0]
		now.Title, now.Page = latest.Title, words.AddressOf(latest.URL)
	}
	return now
}

// showEntries answers with entries of a conversation: those behind a number, or before one.
func (c *room) showEntries(w http.ResponseWriter, r *http.Request) error {
	conversation, err := c.chatAt(r)
	if err != nil {
		return err
	}
	query := r.URL.Query()
	before, errBefore := strconv.ParseInt(query.Get("before"), 10, 64)
	after, errAfter := strconv.ParseInt(query.Get("after"), 10, 64)
	var list []chat.Message
	within := frame.Within[remark]
	switch {
	case errBefore == nil && before > 0:
		within = frame.LatestWithin[remark]
		list, err = c.Chats.Before(r.Context(), conversation.SiteID, conversation.ID, before, entriesShown)
	case errAfter == nil && after >= 0:
		list, err = c.Chats.Messages(r.Context(), conversation.SiteID, conversation.ID, after, chat.MaxMessages)
	default:
		return frame.Fail(http.StatusBadRequest, "fail.form")
	}
	if err != nil {
		return err
	}
	return c.answerEntries(w, r, within, list...)
}

// answerEntries answers with the entries alone, as many as are rendered within a page.
func (c *room) answerEntries(w http.ResponseWriter, r *http.Request, within func(*frame.Frame, *words.Tongue, string, []remark, *int) ([]template.HTML, error), list ...chat.Message) error {
	o, _ := frame.Current(r)
	staff, err := c.Staff(r.Context(), o.Sites)
	if err != nil {
		return err
	}
	f := frame.Page{Words: c.Words(r), Operator: o, Staff: staff}
	room := frame.ListRoom
	entries, err := within(c.Frame, f.Words, "chat-entry", frame.Rows(f, list, remarkOf), &room)
	if err != nil {
		return err
	}
	part, err := c.Part(f.Words, "chat-entries", entries)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(part)
	return nil
}
